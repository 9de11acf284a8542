// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>
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

/// The table for people, with its title above it.
std::string textOf(const BenchTable& table, std::size_t width);
/// As it is in "t3sim-bench/1".
boost::json::value jsonOf(const BenchTable& table);

}  // namespace t3
