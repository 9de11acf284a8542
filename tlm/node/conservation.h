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

/// Checks what must be true at the end of every run of outputs, whatever its graph:
///
/// * Nothing is left in any queue.
/// * Every link carried exactly what the collectives send, and its far end received it.
/// * Where something is tracked: `checkTrackers`.
///
/// Throws std::runtime_error with one line that names the GPU and both figures.
void checkConservation(const Machine& machine);

/// What has to be true of a tracking.
struct SumsRule {
  bool gathers = false;  ///< trackers gather, too
  bool ideal = false;    ///< of a bound: the norm stores before anything is tracked
  bool clears = false;   ///< memory clears what is summed there
};
/// Every element of the chunks of an output that are summed on a GPU was updated as often as the
/// route says, elements of other chunks never; where memory clears, each was cleared once. (That
/// no clear came at a wrong time is checked by the memory while it happens.) If the trackers
/// gather, every element of the other GPUs' chunks was stored once by another GPU.
///
/// Of one buffer of one GPU, for the round that it is at. To be checked before its memory begins to
/// count anew.
void checkSums(const Machine& machine, std::uint32_t gpu, const OutputPlan& output,
               OutputBuffer buffer, const SumsRule& rule);

}  // namespace t3
