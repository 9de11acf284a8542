// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tlm/gpu/tiling.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// Where a transfer writes what it has read: to the same place in a buffer of the same shape.
struct DmaWrite {
  std::uint64_t destination = 0;  ///< address of the buffer, global if another GPU's
  MemoryOperation operation = MemoryOperation::Store;
  /// The receiving tracker counts it, and has tiled as many outputs before those of the transfer.
  std::optional<std::uint32_t> row = {};
  std::uint32_t port = 0;  ///< to another GPU
  /// It stands for all other GPUs: one store, of which the switch makes one for each.
  bool multicast = false;
};

/// What a channel of a DMA engine works on: tiles that are read once, and written to other GPUs,
/// the local memory or both.
struct DmaTransfer {
  const Tiling* tiling = nullptr;  ///< of the tiles; outlives the transfer
  TileRange tiles;
  std::uint32_t outputs = 1;  ///< that follow one another, see `ByteWalk`
  std::uint64_t source = 0;   ///< address of the buffer
  bool clears = false;        ///< the reads leave zeros behind
  bool triggered = false;     ///< by the tracker, which has seen all bytes arrive
  Phase phase = Phase::ReduceScatter;
  NodeNumber node = 0;  ///< whose its traffic is
  /// Of those that wait for a channel, the lowest goes first; of equals, the first.
  std::uint32_t rank = 0;
  std::optional<DmaWrite> local = {};
  std::vector<DmaWrite> remote = {};
  std::size_t slowest = 0;  ///< of the remote writes: whose link takes longest
  Event event = {};         ///< names it when it is taken, begins and ends
  std::function<void()> finished = {};
};

}  // namespace t3
