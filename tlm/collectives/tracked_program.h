// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/collectives/algorithm_buffers.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/step_program.h"
#include "tlm/gpu/dma_channels.h"
#include "tlm/gpu/tiling.h"

namespace t3 {

/// What the tracker and the DMA engine of one GPU do for an algorithm: no kernel runs. Messages are
/// updates or plain writes that the tracker counts, block by block; what is complete lets the
/// engine do the next step.
///
///     step              message goes to   updates   when it is complete, the engine
///     r, rcs            target            1         –, sends the target
///     rrs, rrcs, rrc    source, added     1         sends the source, sends it, –
///     the same          accumulator       2         sends the sum, …, stores it in the target
///     r, rcs (staged)   staging           1         stores it in the target, … and sends it
///     s, cpy, re        –                           sends, stores, adds the source
///
/// A sum is made where its source is, if that is free (`AlgorithmMeaning::sourceMayBecomeSum`).
/// Else it is made in an accumulator of its own that holds zeros before: engine and other GPU add
/// to it, whichever comes first, and the read that takes the sum away leaves zeros behind.
struct TrackedProgram {
  struct Step {
    std::uint32_t chunks = 0;
    std::vector<AlgorithmStep::Dependency> dependencies;
    std::optional<std::uint32_t> arrival;
    // Without their tiles: a slice each. A row is one of the receiving tracker's grid.
    std::optional<DmaTransfer> before;  ///< without waiting for the arrival
    std::optional<DmaTransfer> after;   ///< when it is there
  };
  struct Arrival {
    std::uint64_t address = 0;
    std::uint32_t chunks = 0, updates = 1;
    std::uint32_t row = 0;  ///< of the grid: its first chunk
  };

  std::uint64_t chunkBytes = 0;
  std::uint32_t ports = 1;
  std::vector<std::vector<Step>> threadBlocks;
  std::vector<Arrival> arrivals;
  std::vector<std::uint64_t> sentBytes;  ///< by port
  std::uint32_t rows = 0;                ///< of the grid
  std::uint64_t memoryEnd = 0;
};

/// Rows of a tracker's grid that are treated alike.
struct TrackedRows {
  std::uint32_t first = 0, count = 0;
  std::uint32_t updates = 1;
};
/// In the order of the rows: those of messages that add to a sum, and of those that do not.
std::vector<TrackedRows> trackedRows(const TrackedProgram& program);

/// The programs of all GPUs. `clears`: memory can leave zeros behind a read.
std::vector<TrackedProgram> makeTrackedPrograms(const AlgorithmMeaning& meaning,
                                                const AlgorithmLayout& layout,
                                                const AlgorithmPorts& ports, bool clears);

/// How chunks are cut into slices. Row r of the grid is a chunk of a message, its columns are
/// slices, runs of bytes with a slot and a workgroup each. So workgroups differ wherever messages
/// do, also where these touch the same bytes.
class TrackedGrid {
 public:
  /// Slices of `sliceBytes`, or longer ones if a tracker has fewer `slots`. Nothing if the longest
  /// that a slot can count are not enough.
  static std::optional<TrackedGrid> make(std::uint32_t rows, std::uint64_t chunkBytes,
                                         std::uint32_t sliceBytes, std::uint32_t slots);
  /// Slots that the longest slices need.
  static std::uint64_t leastSlots(std::uint32_t rows, std::uint64_t chunkBytes);

  std::uint32_t slices() const { return slices_; }  ///< of a chunk
  /// Of a slice that is not cut by an edge.
  std::uint64_t sliceBytes() const { return row_.bytes(row_.tile(WorkgroupId{0})); }
  std::uint32_t workgroup(std::uint32_t row, std::uint32_t slice) const {
    return row * slices_ + slice;
  }
  /// A chunk; a slice is a tile of it.
  const Tiling& row() const { return row_; }
  /// The tiles that the tracker of a GPU with that many rows counts.
  Tiling tiling(std::uint32_t rows) const;

 private:
  explicit TrackedGrid(const Tiling& row) : row_(row), slices_(row.tiles()) {}

  Tiling row_;
  std::uint32_t slices_;
};

}  // namespace t3
