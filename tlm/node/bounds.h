// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/gpu/collective.h"
#include "tlm/gpu/route.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// What no machine with these compute units, memory and links can be faster than, in ns, in closed
/// form and independent of the models:
///
/// * GEMM: the larger of its math, ceil(tiles / compute units) tiles one after the other with every
///   operand on time (GemmConfig::tileCycles), and its memory traffic, both operands read once and
///   the output written once at the memory's peak.
/// * A collective: what it sends over the busiest link at its bandwidth; the last byte arrives one
///   latency later, through a switch two.
///
/// How a mode puts the parts together is the mode's business (ModeKind::bound).
struct BoundParts {
  double gemm = 0;
  double launch = 0;  ///< from the end of one kernel to the start of the next
  PerCollective<double> collectives;
};
BoundParts boundParts(const SystemConfig& config, const Route& route, const Tiling& tiling,
                      Collectives collectives);

/// One after the other, with a launch between them.
double inTurn(const BoundParts& parts);
/// The GEMM and the first collective at the same time, then the others.
double firstOverlapped(const BoundParts& parts);

}  // namespace t3
