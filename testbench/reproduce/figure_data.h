// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/report/csv_report.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/panels.h"

// What figures show, as tables for other programs and in words. Names of columns end in their unit.

namespace t3 {

/// The columns that say which point a line is of.
CsvRow pointColumns(const Point& point);

/// A figure of speedups with what it needs beside the drawing: `alt` goes on with the smallest and
/// the largest speedup of each mode, "t3-mca 1.097 to 1.471"; `data` gets a line for each point and
/// mode that ran, with its time and its speedup.
Figure withSpeedups(Figure figure, const Selection& selection, const std::vector<Mode>& modes);

}  // namespace t3
