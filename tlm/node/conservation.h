// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/node/cluster.h"

namespace t3 {

/// What must be true of every run that ended, whatever its mode: nothing is left in any queue,
/// every link carried exactly what the mode's collectives send and its far end received it, and,
/// if `tracked`, every programmed command was issued once and every element of the chunks that are
/// summed here was updated as often as the route says, those of other chunks never.
/// Throws std::runtime_error with one line that names the GPU and both figures.
void checkConservation(const Cluster& cluster, bool tracked);

}  // namespace t3
