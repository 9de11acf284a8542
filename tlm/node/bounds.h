// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/node/bound_parts.h"
#include "tlm/node/mode.h"
#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"

namespace t3 {

// How parts add up. A collective has ended on all GPUs only when every GPU's bytes have arrived, so
// the last GPU that ends it is as late as the slowest sender. That GPU launches the next kernel
// after it and then sends all its bytes of the next collective. Which GPU that is nobody knows, so
// the next collective counts with the GPU that sends it fastest. Where all GPUs and chunks are
// equal this is the plain sum.
//
// Where sums leave contributions out, nobody waits for a GPU that is late, but for its own GEMM.
// For each owner of N some K - 1 others have sent their part, so some GPU has sent as much to K - 1
// others: the awaited share of a collective, on the fastest GPU at least.

/// One after the other, with a launch between them.
double inTurn(const BoundParts& parts);
/// The GEMM and the first collective at the same time, then the others.
double firstOverlapped(const BoundParts& parts);
/// The GEMM and its consumer and, beside them, what the links carry of all collectives.
double allOverlapped(const BoundParts& parts);

/// Fills in the bounds of a run of `mode`: the GEMM and each collective by itself, on the slowest
/// GPU, and what the mode makes of them. `config` is the scenario as the mode has configured it. Of
/// several sublayers the bounds are the sums; where GPUs differ, all but the first count with a
/// GEMM only, because a GPU may then find the collectives of the next sublayer done.
void addBounds(const SystemConfig& config, Mode mode, RunResult& result);
/// What is wrong with a run that is faster than its closed form; empty if it is not.
std::string belowClosedForm(const RunResult& result);

}  // namespace t3
