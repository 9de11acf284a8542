// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/node/program.h"

namespace t3 {

/// Kernels one after the other on each GPU: the GEMM, and then the collectives of the mode, a
/// reduce-scatter and an all-gather (with a norm in between, if there is one) or one that is both.
/// GPUs meet only through the data that the collective kernels wait for.
std::unique_ptr<Program> makeSequential(Cluster& cluster);

}  // namespace t3
