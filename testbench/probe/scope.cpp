// SPDX-License-Identifier: Apache-2.0
#include "testbench/probe/scope.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string_view>

#include "testbench/config/config_error.h"
#include "testbench/config/quantity.h"
#include "testbench/config/spelling.h"

namespace t3 {
namespace {

constexpr const char* kBareTime = "ns";  ///< the unit of a time without one

/// Whether the shorter of the two is the beginning of the other; `*` agrees with any name.
bool agree(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i] && a[i] != "*" && b[i] != "*") return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> listOf(const std::string& text, const std::string& option) {
  std::vector<std::string> parts = split(text, ',');
  for (const std::string& part : parts) {
    if (part.empty()) throw ConfigError(option, "", "expected names between commas");
  }
  return parts;
}

Picoseconds timeOf(const std::string& word, const std::string& option) {
  std::optional<double> time = inUnit(word, "ps");
  if (!time) time = inUnit(word + kBareTime, "ps");
  constexpr double kEnd = 9e18;
  if (time && *time >= 0 && *time < kEnd) return static_cast<Picoseconds>(std::llround(*time));
  throw ConfigError(option, "",
                    "expected a time such as 1.2ms or 50us (" + alternatives(unitsLike("ps")) +
                        "; without a unit " + kBareTime + "), got " + inQuotes(word));
}

Picoseconds durationOf(const std::string& word, const std::string& option) {
  const Picoseconds time = timeOf(word, option);
  if (time == 0) throw ConfigError(option, "", "expected more than 0");
  return time;
}

TimeWindow windowOf(const std::string& text, const std::string& option) {
  const auto ends = split(text, ':');
  if (ends.size() != 2 || text.size() < 2) {
    throw ConfigError(option, "", "expected FROM:TO, e.g. 1.2ms:1.4ms, got " + inQuotes(text));
  }
  TimeWindow window;
  if (!ends[0].empty()) window.first = timeOf(ends[0], option);
  if (!ends[1].empty()) window.last = timeOf(ends[1], option);
  if (window.first >= window.last) {
    throw ConfigError(option, "", "expected an end after the beginning, got " + inQuotes(text));
  }
  return window;
}

bool liesIn(const std::string& name, const std::string& scope) {
  const auto names = split(name, '.');
  const auto wanted = split(scope, '.');
  return wanted.size() <= names.size() && agree(names, wanted);
}

bool overlaps(const std::string& name, const std::string& scope) {
  return agree(split(name, '.'), split(scope, '.'));
}

std::vector<std::string> usualScopes() {
  return {"*",    "gpu0",      "gpu0.gpu", "gpu0.hbm",     "gpu0.link", "gpu0.tracker",
          "gpu1", "*.tracker", "*.link",   "switch.merge0"};
}

bool Scopes::contain(const std::string& name) {
  bool any = false;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (liesIn(name, names_[i])) any = found_[i] = true;
  }
  return any;
}

namespace {

/// N of a name that begins with gpuN.
std::optional<unsigned> gpuOf(const std::string& name) {
  constexpr std::string_view kGpu = "gpu";
  if (!name.starts_with(kGpu)) return std::nullopt;
  const std::string_view first = std::string_view(name).substr(0, name.find('.'));
  return numberFrom<unsigned>(first.substr(kGpu.size()));
}

}  // namespace

void Scopes::checkFound(const std::string& option, const std::vector<std::string>& present) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (found_[i]) continue;
    const std::optional<unsigned> gpu = gpuOf(names_[i]);
    std::optional<unsigned> last;
    for (const std::string& name : present) last = std::max(last, gpuOf(name));
    const std::string near = nearestNote(names_[i], present);
    constexpr std::size_t kExamples = 3;
    const std::vector<std::string> examples(
        present.begin(),
        present.begin() + static_cast<std::ptrdiff_t>(std::min(kExamples, present.size())));
    throw ConfigError(
        option, "",
        "nothing is called " + inQuotes(names_[i]) +
            (gpu && last && *gpu > *last ? "; the GPUs are gpu0 to gpu" + std::to_string(*last)
             : near.empty()              ? "; there is, e.g., " + alternatives(examples)
                                         : near));
  }
}

}  // namespace t3
