// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/contributions.h"

namespace t3 {
namespace {

/// Set bits as "0-2,5".
std::string rangesOf(std::uint64_t bits) {
  std::string text;
  for (unsigned first = 0; first < 64; ++first) {
    if ((bits >> first & 1) == 0) continue;
    unsigned last = first;
    while (last + 1 < 64 && (bits >> (last + 1) & 1) != 0) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
    first = last;
  }
  return text;
}

}  // namespace

std::uint32_t Contributions::count() const {
  std::uint32_t count = 0;
  for (const Term& term : terms_) count += static_cast<std::uint32_t>(std::popcount(term.gpus));
  return count;
}

Contributions sum(const Contributions& a, const Contributions& b) {
  Contributions result;
  result.repeats_ = a.repeats_ || b.repeats_;
  auto left = a.terms_.begin();
  auto right = b.terms_.begin();
  while (left != a.terms_.end() || right != b.terms_.end()) {
    if (right == b.terms_.end() || (left != a.terms_.end() && left->chunk < right->chunk)) {
      result.terms_.push_back(*left++);
    } else if (left == a.terms_.end() || right->chunk < left->chunk) {
      result.terms_.push_back(*right++);
    } else {
      result.repeats_ = result.repeats_ || (left->gpus & right->gpus) != 0;
      result.terms_.push_back({left->chunk, left->gpus | right->gpus});
      ++left;
      ++right;
    }
  }
  return result;
}

std::string textOf(const Contributions& contributions) {
  constexpr std::size_t kMostTerms = 4;
  std::string text;
  std::size_t listed = 0;
  for (const Contributions::Term& term : contributions.terms()) {
    if (++listed > kMostTerms) {
      text += " and " + std::to_string(contributions.terms().size() - kMostTerms) + " more";
      break;
    }
    text += (text.empty() ? "" : " + ") + std::string("chunk ") + std::to_string(term.chunk) +
            (std::has_single_bit(term.gpus) ? " of GPU " : " of GPUs ") + rangesOf(term.gpus);
  }
  if (contributions.repeats()) text += ", some of it more than once";
  return text;
}

}  // namespace t3
