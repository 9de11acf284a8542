// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tlm/gpu/output_map.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// One run of the GEMM kernel.
struct GemmLaunch {
  OutputMap output;
  /// Chunks in the order of production; empty: the whole output in one order (dispatch_order.h).
  std::vector<ChunkId> chunkOrder;
  /// Groups of so many chunks of the list, one group after another; their sum is the length of the
  /// list. The chunks of a group are produced side by side, a workgroup of each in turn. Groups
  /// that are lower than a band may be joined (GemmConfig::chunks_side_by_side). Empty: one chunk
  /// after another, whatever that reads.
  std::vector<std::uint32_t> groups = {};
  /// Workgroups begin only when GemmKernel::release has named their row of tiles: in the order of
  /// those calls, in bands of as many rows as are there and the order is high.
  bool rowByRow = false;
  /// Called at the simulated time when every tile is finished and its bytes are safe: local stores
  /// and write-backs performed, remote stores taken by the link.
  std::function<void(Picoseconds)> done = {};
  /// Called once, when the first workgroup begins.
  std::function<void()> firstBegins = {};
  /// Called once, when all workgroups of the first wave have finished.
  std::function<void()> firstStageDone = {};
  /// Called for each chunk whose bytes are all in local memory, with the time of the last of them,
  /// which may lie ahead. (A chunk stored elsewhere has none; a cached one may be late.)
  std::function<void(ChunkId, Picoseconds)> chunkStored = {};
  NodeNumber node = 0;  ///< whose its traffic is …
  /// … and whose the stores into other GPUs are.
  NodeNumber remoteNode = 0;
  Phase remotePhase = Phase::ReduceScatter;
  /// Called for each tile of a tracked chunk (DmaMap) whose math is done.
  std::function<void()> trackedTileDone = {};
};

}  // namespace t3
