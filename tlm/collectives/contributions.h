// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace t3 {

/// GPUs of a collective whose meaning is checked: each is a bit.
inline constexpr std::uint32_t kMostContributors = 64;

/// What the values of a chunk are the sum of: input chunks of GPUs. A GPU has at most 2^32 chunks.
class Contributions {
 public:
  /// Input chunk `chunk` of each GPU whose bit is set.
  struct Term {
    std::uint32_t chunk = 0;
    std::uint64_t gpus = 0;
    bool operator==(const Term&) const = default;
  };

  Contributions() = default;
  Contributions(std::uint32_t chunk, std::uint64_t gpus) : terms_{{chunk, gpus}} {}

  const std::vector<Term>& terms() const { return terms_; }
  /// Some input chunk has been added more than once.
  bool repeats() const { return repeats_; }
  /// Input chunks.
  std::uint32_t count() const;
  bool operator==(const Contributions&) const = default;

  friend Contributions sum(const Contributions& a, const Contributions& b);

 private:
  std::vector<Term> terms_;  ///< by chunk
  bool repeats_ = false;
};

Contributions sum(const Contributions& a, const Contributions& b);

/// For a person: "chunk 3 of GPUs 0-2,5".
std::string textOf(const Contributions& contributions);

}  // namespace t3
