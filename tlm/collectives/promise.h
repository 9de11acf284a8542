// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
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

/// What a collective computes: a constant row. Sizes are in chunks of `total`, the chunks of the
/// larger one of input and output ("nchunksperloop").
struct Promise {
  const char* name;  ///< as a file spells it
  /// Every GPU has 1/N of the chunks as its input, or as its output; else all.
  bool inputIsShare = false, outputIsShare = false;
  /// The chunks divide into a share for each GPU.
  bool divides = false;
  /// Another GPU can take the part of `root`: whoever does it is the root.
  bool hasRoot = false;
  /// GPUs that are not the root end with nothing in particular.
  bool onlyAtRoot = false;
  /// What output chunk `chunk` of a GPU is; `perGpu` is the share. Null: nothing is promised.
  Contributions (*result)(std::uint32_t gpus, std::uint32_t perGpu, std::uint32_t gpu,
                          std::uint32_t chunk, std::uint32_t root) = nullptr;
  /// What bus bandwidth is, over algorithm bandwidth, as collective benchmarks define it: what the
  /// busiest link of the best possible machine carries, for each byte of the larger buffer.
  double (*busFactor)(std::uint32_t gpus) = nullptr;

  static std::span<const Promise* const> table();
  static const Promise* named(const std::string& name);
  static std::string names();
};

extern const Promise kAllReducePromise, kReduceScatterPromise, kAllGatherPromise, kAllToAllPromise,
    kBroadcastPromise, kReducePromise, kCustomPromise;

}  // namespace t3
