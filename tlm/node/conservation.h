// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/node/cluster.h"
#include "tlm/node/mode.h"

namespace t3 {

/// Checks what must be true at the end of every run, whatever its mode:
///
/// * Nothing is left in any queue.
/// * Every link carried exactly what the mode's collectives send, and its far end received it.
/// * If the mode is tracked: every programmed command was issued once, and whatever a tracker sent
///   was due by the paper's count (paper_tracker.h). Every element of the chunks
///   that are summed on a GPU was updated as often as the route says; elements of other chunks
///   never were.
/// * If memory `clears` what is summed there: every element of these chunks was cleared once. (That
///   no clear came at a wrong time is checked by the memory while it happens.)
/// * If the trackers gather: every element of the other GPUs' chunks was stored once by another
/// GPU.
///
/// Throws std::runtime_error with one line that names the GPU and both figures.
void checkConservation(const Cluster& cluster, const ModeKind& mode, bool clears);

/// The part that is about the elements of one buffer of one GPU, for the sublayer that it is at. To
/// be checked before its memory begins to count anew.
void checkSums(const Cluster& cluster, std::uint32_t gpu, OutputBuffer buffer, const ModeKind& mode,
               bool clears);

}  // namespace t3
