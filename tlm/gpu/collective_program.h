// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/transport/index.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// One store of a step's result into another GPU.
struct CollectiveSend {
  std::uint32_t port = 0;         ///< of the kernel
  std::uint64_t destination = 0;  ///< global address of the first byte of the chunk, or the output
  bool dense = false;             ///< a receive buffer, which holds the chunk without gaps
  std::uint32_t arrival = 0;      ///< its number among the arrivals of the receiving kernel
  Phase phase = Phase::ReduceScatter;
};

/// What a kernel does to one chunk.
struct CollectiveStep {
  ChunkId chunk;
  Phase phase = Phase::ReduceScatter;    ///< of its loads and of what it keeps
  std::vector<std::uint32_t> waitsFor;   ///< arrivals whose slices it works on
  std::vector<std::uint64_t> addresses;  ///< of the received copies that it adds to the local one
  std::vector<CollectiveSend> sends;
  bool keeps = false;  ///< stores the result (also) in its own output
};

/// What other GPUs' kernels write into this GPU's memory in one of their steps.
struct CollectiveArrival {
  ChunkId chunk;
  std::uint64_t destination = 0;
  bool dense = false;
};

/// The steps of one kernel on one GPU. Thread blocks run at the same time; the steps of one thread
/// block run in their order. A thread block that keeps without sending never waits for a link.
struct CollectiveProgram {
  struct ThreadBlock {
    std::uint32_t first = 0, end = 0;  ///< of `steps`
  };

  std::vector<CollectiveStep> steps;
  /// At least one. The thread block that only keeps comes first. A GPU that only receives has a
  /// thread block without steps.
  std::vector<ThreadBlock> threadBlocks;
  std::vector<CollectiveArrival> arrivals;
  std::uint32_t ports = 1;

  /// The same with all its traffic in one phase.
  CollectiveProgram inPhase(Phase phase) &&;
};

}  // namespace t3
