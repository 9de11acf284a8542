// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/workload_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace t3 {
namespace {

/// `text` is numbers with commas.
std::vector<double> readShares(const std::string& text, std::uint32_t gpus) {
  std::vector<double> shares;
  std::istringstream words(text + ",");
  for (std::string word; std::getline(words, word, ',');) {
    double& share = shares.emplace_back();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), share);
    if (error == std::errc() && end == word.data() + word.size() && share > 0 && share <= 1e6) {
      continue;
    }
    throw std::invalid_argument(
        "shares: expected equal, measured or a number above 0 and up to 1e6 for each GPU, got '" +
        word + "'");
  }
  if (shares.size() != gpus) {
    throw std::invalid_argument("shares: expected " + std::to_string(gpus) +
                                " numbers, one for each GPU, got " + std::to_string(shares.size()));
  }
  return shares;
}

}  // namespace

std::vector<std::uint32_t> WorkloadConfig::depths(std::uint32_t gpus) const {
  std::vector<std::uint32_t> result(gpus, depth);
  if (shares == kEqualShares || shares == kMeasuredShares) return result;
  const std::vector<double> list = readShares(shares, gpus);
  const std::uint32_t burst = 32 / bytesOf(data_type);
  const double sum = std::accumulate(list.begin(), list.end(), 0.0);
  const std::uint64_t total = std::uint64_t{gpus} * depth, units = total / burst;
  std::vector<double> missing(gpus);  // of a burst, after the whole ones
  std::uint64_t left = units;
  for (std::uint32_t g = 0; g < gpus; ++g) {
    const double exact = static_cast<double>(units) * list[g] / sum;
    const double whole = std::floor(exact);
    result[g] = static_cast<std::uint32_t>(whole) * burst;
    missing[g] = exact - whole;
    left -= static_cast<std::uint64_t>(whole);
  }
  for (; left > 0; --left) {
    const auto most = std::ranges::max_element(missing);
    result[static_cast<std::size_t>(most - missing.begin())] += burst;
    *most -= 1;
  }
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(list) - list.begin());
  result[largest] += static_cast<std::uint32_t>(total % burst);
  if (std::ranges::find(result, 0U) != result.end()) {
    throw std::invalid_argument("shares: expected " + std::to_string(burst) +
                                " elements of K for each GPU at least, got a share of 0");
  }
  return result;
}

std::optional<std::string> WorkloadConfig::check() const {
  if (!consumer.any() && !norms()) return std::nullopt;
  const std::string with = norms() ? " with between = norm" : " with a consumer";
  if (repeat != 1) return "repeat: expected 1" + with + ", got " + std::to_string(repeat);
  return std::nullopt;
}

}  // namespace t3
