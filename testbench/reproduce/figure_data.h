// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/report/csv_report.h"
#include "testbench/reproduce/panels.h"

// What figures show, as tables for other programs and in words. Names of columns end in their unit.

namespace t3 {

/// The columns that say which point a line is of.
CsvRow pointColumns(const Point& point);

/// A line for each point and mode that ran: its time and its speedup.
std::string speedupData(const Selection& selection, const std::vector<Mode>& modes);

/// "t3-mca 1.097 to 1.471" for each mode, with commas: the smallest and the largest speedup.
std::string speedupRanges(const Selection& selection, const std::vector<Mode>& modes);

}  // namespace t3
