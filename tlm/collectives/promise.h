// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tlm/collectives/contributions.h"

namespace t3 {

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
