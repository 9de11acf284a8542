// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "testbench/report/run_record.h"

namespace t3 {

/// The report as "t3sim/1" JSON. Fields may be added in later versions, never renamed.
boost::json::value jsonReport(const Report& report);

/// Its parts: what the program was built from, and one run of the report.
boost::json::value buildJson();
boost::json::object runJson(const Report& report, const RunRecord& run);

}  // namespace t3
