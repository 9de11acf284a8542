// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/node/mode.h"

namespace t3 {

/// The GEMM of a sublayer and nothing after it. No mode that people name: the worker runs it for
/// workloads.
extern const ModeKind kGemmAlone;

}  // namespace t3
