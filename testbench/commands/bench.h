// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace t3 {

/// Figures with units.
struct BenchTable {
  struct Column {
    std::string name;         ///< key of the JSON, e.g. "requests_per_s"
    std::string unit;         ///< "" for a pure number
    std::string description;  ///< one line
    double scale = 1;         ///< the table for people shows values divided by this …
    std::string scaledUnit;   ///< … in this unit
  };
  struct Row {
    std::string name;
    std::vector<double> values;  ///< one per column, in the column's unit
  };

  std::string name;   ///< key of the JSON
  std::string title;  ///< one line: what was measured, with which settings
  std::vector<Column> columns;
  std::vector<Row> rows;
};

/// The table for people, with its title above it.
std::string textOf(const BenchTable& table, std::size_t width);
/// As it is in "t3sim-bench/1".
boost::json::value jsonOf(const BenchTable& table);

struct BenchOptions {
  unsigned repeats = 3;  ///< of each measurement; the median counts
  double work = 1;       ///< multiple of the standard amount of work
};

/// The memory model, alone and through TLM. Elaborates SystemC, so once in a process.
std::vector<BenchTable> benchMemory(const BenchOptions& options);

/// Median over `repeats` of what `measure` returns.
double medianOf(unsigned repeats, const std::function<double()>& measure);

/// Processor time in seconds, which other programs disturb less than the time on the wall.
double processorSeconds();

}  // namespace t3
