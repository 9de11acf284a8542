// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/node/program.h"

namespace t3 {

/// The reduce-scatter happens while the GEMM runs, driven by the trackers; the all-gather kernels
/// follow.
std::unique_ptr<Program> makeFused(Cluster& cluster);

}  // namespace t3
