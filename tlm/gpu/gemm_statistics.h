// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/transport/clock.h"

namespace t3 {

/// What one launch of the GEMM did. Bytes are payload bytes.
struct GemmStatistics {
  Picoseconds start = 0, end = 0;      ///< end 0 while running
  std::vector<Picoseconds> stageEnds;  ///< per wave of workgroups, when its last one finished
  std::uint64_t tiles = 0;             ///< finished
  std::uint64_t multiplyAdds = 0;      ///< useful ones: padding of edge tiles not included
  std::uint64_t readBytes = 0;         ///< from memory
  std::uint64_t storedBytes = 0;       ///< tile elements stored, wherever to
  std::uint64_t updateBytes = 0;       ///< of those, updates to the local memory
  std::uint64_t remoteBytes = 0;       ///< of those, updates to another GPU
  std::uint64_t writeBackBytes = 0;    ///< dirty L2 data to memory
  std::uint64_t l2Hits = 0;            ///< lines found
  std::uint64_t l2Merged = 0;          ///< lines that joined a fetch in flight
  std::uint64_t l2Misses = 0;          ///< lines not found
  Picoseconds operandWait = 0;         ///< sum over workgroups: an operand was not ready
  Picoseconds zeroWait = 0;            ///< the next store was an update whose bytes were not ready
  std::uint32_t peakWorkgroups = 0;    ///< most in flight at once
  std::uint32_t swizzleRows = 0;       ///< band height in use (Swizzled)

  // How the workgroups spend their slots: sums over workgroups, which together are all slot time.
  Picoseconds prologueTime = 0;  ///< until the operands of the first step are there
  Picoseconds lateTime = 0;      ///< a step is done, the operands of the next are not there
  Picoseconds syncTime = 0;      ///< operands pass through local memory (step_sync_cycles)
  Picoseconds matrixWait = 0;    ///< another workgroup of the compute unit uses the matrix unit
  Picoseconds mathTime = 0;      ///< the matrix unit works
  Picoseconds epilogueTime = 0;  ///< from the last step until all stores are taken

  double flopsPerSecond() const {
    return end > start ? 2e12 * static_cast<double>(multiplyAdds) / static_cast<double>(end - start)
                       : 0.0;
  }
};

}  // namespace t3
