// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/collectives/algorithm_meaning.h"

namespace t3 {

/// Which way the chunks of a reduce-scatter, an all-gather or an all-reduce go, whatever steps do
/// it: sums of a chunk along a tree to its owner, the GPU that has the whole sum first, and from
/// there along another tree to all.
///
///     a ring       g-1 ─► g-2 ─► … ─► g         g ─► g+1 ─► … ─► g-1
///     all pairs    every other one ─► g         g ─► every other one
class AlgorithmTrees {
 public:
  /// A message that carries a chunk, seen from one of its ends.
  struct Hop {
    std::uint32_t peer = 0, channel = 0;
    std::uint32_t time = 0;  ///< of the step that sends it (stepTimes)
    bool waits = false;      ///< that step, or a nop in front of it, depends on another one

    bool operator==(const Hop&) const = default;
  };
  /// What a GPU does with a chunk.
  struct Place {
    std::vector<Hop> sumsFrom = {};     ///< it adds what they send to what it has
    std::optional<Hop> sumTo = {};      ///< and sends the sum there; none: it is the owner
    std::optional<Hop> wholeFrom = {};  ///< none: it is the owner, or nothing is gathered
    std::vector<Hop> wholeTo = {};

    bool operator==(const Place&) const = default;
  };

  /// Throws AlgorithmError for the first message that does not belong to such a tree: a GPU sends a
  /// sum of the chunk twice, or not all that it has; a GPU gets the whole twice.
  /// Chunks have the numbers of the larger one of input and output.
  explicit AlgorithmTrees(const AlgorithmMeaning& meaning);

  std::uint32_t gpus() const { return static_cast<std::uint32_t>(places_.size()); }
  std::uint32_t chunks() const { return static_cast<std::uint32_t>(owners_.size()); }
  const Place& at(std::uint32_t gpu, std::uint32_t chunk) const { return places_[gpu][chunk]; }
  std::uint32_t owner(std::uint32_t chunk) const { return owners_[chunk]; }

 private:
  class Pass;

  void findOwners(const AlgorithmMeaning& meaning);

  std::vector<std::vector<Place>> places_;  ///< [gpu][chunk]
  std::vector<std::uint32_t> owners_;
};

/// The time of every step, [thread block][step], counted in steps: one more than the latest of the
/// step before it, the one that it depends on, and the one that sends what it receives.
std::vector<std::vector<std::uint32_t>> stepTimes(const AlgorithmMeaning& meaning);

/// The order in which a GPU should make its input chunks: those first whose steps come first.
///
/// A chunk is due at the time (stepTimes) of the first step that uses it; at equal times thread
/// blocks decide. Chunks that are due together and leave for different GPUs form a group, best made
/// side by side, so that all links have something to send.
///
///     ring      GPU g: g-1 | g-2 | … | g          as the ring of a sublayer
///     direct    g+1, g+2, …, g-1 | g              all links at once
struct InputOrder {
  std::vector<std::uint32_t> chunks;
  std::vector<std::uint32_t> groups;  ///< how many of them belong together; in all, all
};

/// For each GPU.
std::vector<InputOrder> inputOrders(const AlgorithmMeaning& meaning);

}  // namespace t3
