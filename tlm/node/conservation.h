// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tlm/collectives/collective.h"
#include "tlm/node/fabric.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"

namespace t3 {

/// What a run brings over links by closed form, round after round the same.
struct LinkTraffic {
  struct Part {
    CollectiveTraffic bytes;
    bool added = false;   ///< by the switch
    bool copied = false;  ///< by the switch, for all other GPUs
  };
  std::vector<Part> parts;
  std::uint32_t rounds = 1;
};

/// Every link carried `traffic`, its far end received it, and nobody holds a request: `unanswered`
/// is their number. Throws like the next ones.
void checkConservation(const Fabric& fabric, const LinkTraffic& traffic, std::size_t unanswered);
/// The tracker of every GPU issued each of its `programmed(gpu)` commands once, and whatever it
/// sent was due by the paper's count (paper_tracker.h).
void checkTrackers(const Fabric& fabric,
                   const std::function<std::uint64_t(std::uint32_t gpu)>& programmed);

/// Checks what must be true at the end of every run, whatever its mode:
///
/// * Nothing is left in any queue.
/// * Every link carried exactly what the mode's collectives send, and its far end received it.
/// * If the mode is tracked: `checkTrackers`. Every element of the chunks that are summed on a GPU
///   was updated as often as the route says; elements of other chunks never were.
/// * If memory `clears` what is summed there: every element of these chunks was cleared once. (That
///   no clear came at a wrong time is checked by the memory while it happens.)
/// * If the trackers gather: every element of the other GPUs' chunks was stored once by another
/// GPU.
///
/// Throws std::runtime_error with one line that names the GPU and both figures.
void checkConservation(const Machine& machine, const ModeKind& mode, bool clears);

/// The part that is about the elements of one buffer of one GPU, for the sublayer that it is at. To
/// be checked before its memory begins to count anew.
void checkSums(const Machine& machine, std::uint32_t gpu, OutputBuffer buffer, const ModeKind& mode,
               bool clears);

}  // namespace t3
