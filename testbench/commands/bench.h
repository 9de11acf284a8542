// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <functional>
#include <string>
#include <vector>

namespace t3 {

struct BenchColumn {
  std::string name;         ///< key of the JSON, e.g. "requests_per_s"
  std::string unit;         ///< "" for a pure number
  std::string description;  ///< one line
  double scale = 1;         ///< the table for people shows values divided by this …
  std::string scaled_unit;  ///< … in this unit
};
BOOST_DESCRIBE_STRUCT(BenchColumn, (), (name, unit, description, scale, scaled_unit))

struct BenchRow {
  std::string name;
  std::vector<double> values;  ///< one per column, in the column's unit
};
BOOST_DESCRIBE_STRUCT(BenchRow, (), (name, values))

/// Figures with units.
struct BenchTable {
  std::string name;   ///< key of the JSON
  std::string title;  ///< one line: what was measured, with which settings
  std::vector<BenchColumn> columns;
  std::vector<BenchRow> rows;
};
BOOST_DESCRIBE_STRUCT(BenchTable, (), (name, title, columns, rows))

struct BenchOptions {
  unsigned repeats = 3;  ///< of each measurement; the median counts
  double work = 1;       ///< multiple of the standard amount of work
};

/// A part of the simulator whose speed is measured. A new one is a file bench_<name>.cpp that
/// defines `BenchPart <name>Bench()`, and a line in the table of bench.cpp. It runs in a process of
/// its own, in which it may elaborate SystemC (once).
struct BenchPart {
  const char* name;
  const char* summary;
  std::vector<BenchTable> (*run)(const BenchOptions& options);
};

/// Median over `repeats` of what `measure` returns.
double medianOf(unsigned repeats, const std::function<double()>& measure);

/// Processor time this process has used, in seconds. Speed is measured in it: other programs on the
/// machine disturb it less than the time on the wall.
double processorSeconds();

}  // namespace t3
