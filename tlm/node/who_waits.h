// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/node/cluster.h"

namespace t3 {

/// Who waits for whom: one line for each part of a GPU that is not done, with what it holds and
/// whom it waits for. Where it all `stands`, the waits lead to what is stuck, and a last line has
/// their circle if they make one; in a run that goes on waits come and go, and a circle says
/// nothing.
std::string whoWaits(const Cluster& cluster, bool stands);

}  // namespace t3
