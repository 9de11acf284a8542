// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/config/options.h"

namespace t3 {

/// `t3sim run --collective FILE`: what `run` does with a collective from a file in place of a
/// sublayer. Returns an exit code.
int runCollective(const Options& options);

}  // namespace t3
