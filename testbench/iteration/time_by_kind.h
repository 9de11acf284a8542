// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <span>

#include "testbench/config/json_schema.h"
#include "testbench/iteration/iteration.h"

namespace t3 {

/// Where the time of a GPU goes, in ns: every moment counts once, for the first of these that it
/// has. They add up to the time of the iteration.
struct TimeByKind {
  double gemm = 0, pair_gemm = 0, pair_collective = 0, compute = 0, memory = 0, collective = 0,
         message = 0, host = 0, idle = 0;

  static std::span<const MemberText> texts();
};
BOOST_DESCRIBE_STRUCT(TimeByKind, (),
                      (gemm, pair_gemm, pair_collective, compute, memory, collective, message, host,
                       idle))
TimeByKind& operator+=(TimeByKind& total, const TimeByKind& part);
TimeByKind& operator/=(TimeByKind& time, double divisor);

/// Of a GPU in an iteration that takes `total`.
TimeByKind timeByKind(const GpuIteration& gpu, Picoseconds total);

}  // namespace t3
