// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/node/cluster.h"

namespace t3 {

/// Who waits for whom: one line for each part of a GPU that is not done, with what it holds and
/// whom it waits for, and a last one with the circle, if the waits make one.
std::string whoWaits(const Cluster& cluster);

}  // namespace t3
