// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace t3 {

/// Some GPUs, kept as ranges: sums of collectives are of neighbours, mostly.
class GpuSet {
 public:
  /// The GPUs [first, end).
  struct Range {
    std::uint32_t first = 0, end = 0;
    bool operator==(const Range&) const = default;
  };

  GpuSet() = default;
  GpuSet(std::initializer_list<std::uint32_t> gpus);
  /// GPUs 0 to `count` - 1.
  static GpuSet firstOf(std::uint32_t count);

  const std::vector<Range>& ranges() const { return ranges_; }
  std::uint32_t count() const;
  /// Adds those of `other`. Returns whether the two had a GPU in common.
  bool add(const GpuSet& other);
  bool operator==(const GpuSet&) const = default;

 private:
  std::vector<Range> ranges_;  ///< ascending, with a GPU between any two that is in neither
};

/// What the values of a chunk are the sum of: input chunks of GPUs. A GPU has at most 2^32 chunks.
class Contributions {
 public:
  /// Input chunk `chunk` of each of the GPUs.
  struct Term {
    std::uint32_t chunk = 0;
    GpuSet gpus = {};
    bool operator==(const Term&) const = default;
  };

  Contributions() = default;
  Contributions(std::uint32_t chunk, const GpuSet& gpus) : terms_{{chunk, gpus}} {}

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
