// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/collectives/algorithm_layout.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/step_program.h"
#include "tlm/gpu/dma_transfer.h"

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
/// A sum is made where its source is, if nobody needs the source any more and all are done with it
/// when the message leaves (`AlgorithmMeaning::sourceMayBecomeSum`). Else it is made in an
/// accumulator of its own, which holds zeros before: the engine adds the source, the other GPU its
/// message, whichever comes first, and the read that takes the sum away leaves zeros behind.
///
struct TrackedProgram {
  /// One read, and where its bytes go. A row is one of the receiving tracker's grid.
  struct Transfer {
    std::uint64_t source = 0;
    bool clears = false;     ///< the read leaves zeros behind
    bool triggered = false;  ///< the tracker has seen all bytes arrive
    std::optional<DmaWrite> local = {};
    std::optional<DmaWrite> remote = {};
  };
  struct Step {
    std::uint32_t chunks = 0;
    std::vector<AlgorithmStep::Dependency> dependencies;
    std::optional<std::uint32_t> arrival;
    std::optional<Transfer> before;  ///< without waiting for the arrival
    std::optional<Transfer> after;   ///< when it is there
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

}  // namespace t3
