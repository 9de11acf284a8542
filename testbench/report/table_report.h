// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "testbench/report/run_record.h"

namespace t3 {

/// "T-NLG FC-2 on 8 GPUs: output 8,192 x 4,256 fp16, …".
std::string titleOf(const SystemConfig& scenario);

/// The report for people: one column per mode, as many side by side as fit into `width` characters,
/// and below it what the numbers mean and what failed.
std::string tableReport(const Report& report, std::size_t width);

}  // namespace t3
