// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "testbench/report/collective_summary.h"
#include "testbench/report/run_record.h"

namespace t3 {

/// Schema t3sim/1, with `collective` in each run.
boost::json::value collectiveJson(const Report& report, const CollectiveSummary& summary);
std::string collectiveCsv(const Report& report, const CollectiveSummary& summary);
std::string collectiveTable(const Report& report, const CollectiveSummary& summary);

}  // namespace t3
