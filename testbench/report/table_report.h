// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/report/run_record.h"

namespace t3 {

/// The report for people: one column per mode, at most 100 characters wide for all modes of the
/// program, and below it what the numbers mean and what failed.
std::string tableReport(const Report& report);

}  // namespace t3
