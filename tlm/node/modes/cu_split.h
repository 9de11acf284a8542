// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tlm/node/system_config.h"

namespace t3 {

/// What is wrong with a mode `name`:K in which `units` compute units of every GPU are taken from a
/// GEMM, which must keep some: "expected …".
std::optional<std::string> checkSplit(const SystemConfig& config, const std::string& name,
                                      std::uint32_t units);

}  // namespace t3
