// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tlm/collectives/algorithm.h"

namespace t3 {

/// An all-gather in place, as public MSCCL tools make it.
///
/// - `Ring`: chunk c starts on GPU c, which sends it; the next ones pass it on until all have it.
///   Chunk c is on channel c % channels, and a GPU has a thread block for each channel, which takes
///   the chunks in the order of their distance from their first GPU. It receives a chunk, then
///   sends it: the two steps are not joined into one.
/// - `AllPairs`: a GPU has a thread block for each other one, which sends the own chunk there and
///   receives the other's.
///
/// Instances repeat all thread blocks on channels of their own; each has its share of every chunk.
struct MeasuredAlgorithm {
  enum class Kind : std::uint8_t { Ring, AllPairs };

  Kind kind = Kind::Ring;
  Protocol protocol = Protocol::Simple;
  std::uint32_t channels = 1;  ///< of a ring
  std::uint32_t instances = 1;

  /// Of a name like ag_ring_simple_4_2 (protocol, channels, instances) or ag_allpair_ll_x_8; the
  /// protocol in small or capital letters. Empty if it is none.
  static std::optional<MeasuredAlgorithm> named(const std::string& name);

  Algorithm algorithm(std::uint32_t gpus) const;
};

}  // namespace t3
