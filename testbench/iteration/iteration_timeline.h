// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/iteration/iteration.h"
#include "testbench/timeline/trace_events.h"

namespace t3 {

/// Draws an iteration: for every GPU its streams (compute, communication, host) and the messages on
/// their way to it, with the nodes by their names. Finishes the file.
void drawIteration(TraceEvents& file, const Workload& workload, const Iteration& iteration);

}  // namespace t3
