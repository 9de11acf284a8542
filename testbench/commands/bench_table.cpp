// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/bench_table.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "testbench/report/text.h"

namespace t3 {
namespace {

namespace json = boost::json;

constexpr const char* kIndent = "  ";

std::string threeDigits(double value) {
  return fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

}  // namespace

std::string textOf(const BenchTable& table, std::size_t width) {
  TextTable text;
  std::vector<std::string> heading = {kIndent};
  for (const BenchColumn& column : table.columns) {
    const std::string& unit = column.scaled_unit;
    heading.push_back(column.name + (unit.empty() ? "" : " (" + unit + ")"));
  }
  text.add(std::move(heading));
  for (const BenchRow& row : table.rows) {
    std::vector<std::string> line = {kIndent + row.name};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      line.push_back(threeDigits(row.values[i] / table.columns[i].scale));
    }
    text.add(std::move(line));
  }
  return table.title + "\n" + text.text(width) + "\n";
}

json::value jsonOf(const BenchTable& table) {
  json::array rows;
  for (const BenchRow& row : table.rows) {
    json::object object = {{"name", row.name}};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      object[table.columns[i].name] = row.values[i];
    }
    rows.push_back(std::move(object));
  }
  json::array columns;
  for (const BenchColumn& column : table.columns) {
    columns.push_back(
        {{"name", column.name}, {"unit", column.unit}, {"description", column.description}});
  }
  return {{"name", table.name},
          {"title", table.title},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)}};
}

}  // namespace t3
