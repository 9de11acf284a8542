// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/simulate/crew.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// Puts numbers in the place of `workload.shares` = measured: for each GPU the inverse of the time
/// of its GEMM alone with the K that equal shares give it, in percent of the fastest. GPUs with the
/// same settings are simulated once. Throws std::runtime_error if a simulation fails. Does nothing
/// to other shares.
void measureShares(SystemConfig& scenario, Crew& crew);

}  // namespace t3
