// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/report/run_record.h"

namespace t3 {

/// One header line, then one line per run: the scenario's main figures, then the run's, with the
/// names of the JSON report ("dram_bytes.gemm_read"). Quoted as in RFC 4180; an empty field is a
/// null of the JSON.
std::string csvReport(const Report& report);

}  // namespace t3
