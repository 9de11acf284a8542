// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/gpu/route.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/mode.h"
#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// What no run of `mode` can be faster than, in closed form and independent of the models:
///
/// * GEMM: the larger of its math, ceil(tiles / compute units) tiles one after the other at the
///   sustained rate, and its memory traffic, both operands read once and the output written once
///   at the memory's peak.
/// * reduce-scatter, all-gather: what the route sends over the busiest link at its bandwidth; the
///   last byte arrives one latency later, through a switch two.
/// * total: their sum with the launches between them (ideal-rs-nmc: without); where GEMM and
///   reduce-scatter overlap, the longer of the two counts once.
BoundNs closedFormBound(const SystemConfig& config, const Route& route, const Tiling& tiling,
                        Mode mode);

}  // namespace t3
