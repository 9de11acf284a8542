// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/csv_report.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>
#include <vector>

#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/report/json_report.h"

namespace t3 {
namespace {

namespace json = boost::json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string escaped = "\"";
  for (const char c : text) escaped += c == '"' ? std::string("\"\"") : std::string(1, c);
  return escaped + "\"";
}

std::string field(const json::value& value) {
  if (value.is_null()) return "";
  if (value.is_double()) return formatNumber(value.get_double());
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

/// Members of objects get dotted names; lists (spans of phases, GPUs) do not fit a row and are left
/// out.
void flatten(CsvRow& row, const std::string& name, const json::value& value) {
  if (value.is_array()) return;
  if (const json::object* object = value.if_object()) {
    for (const auto& [key, element] : *object) {
      flatten(row, name.empty() ? std::string(key) : name + "." + std::string(key), element);
    }
    return;
  }
  row.emplace_back(name, field(value));
}

/// The columns of all rows, in the order of the rows; a name may be there twice.
std::vector<std::string> columnsOf(const std::vector<CsvRow>& rows) {
  std::vector<std::string> columns;
  for (const CsvRow& row : rows) {
    auto place = columns.begin();
    for (const auto& [name, text] : row) {
      const auto found = std::find(place, columns.end(), name);
      place = (found != columns.end() ? found : columns.insert(place, name)) + 1;
    }
  }
  return columns;
}

std::string lineOf(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) text += quoted(cell) + ",";
  text.back() = '\n';
  return text;
}

}  // namespace

std::vector<CsvRow> csvRows(const Report& report, const CsvRow& leading) {
  const json::value scenario = toJson(report.scenario);
  std::vector<CsvRow> rows;
  for (const RunRecord& run : report.runs) {
    CsvRow row = leading;
    flatten(row, "workload", scenario.at("workload"));
    for (const char* key : {"gpus", "seed"}) flatten(row, key, scenario.at(key));
    flatten(row, "", toJson(runForm(report, run)));
    for (const CollectiveFigures& figures : otherCollectives(run.result.by_phase)) {
      json::object cells = toJson(figures).as_object();
      cells.stable_erase("name");
      flatten(row, "other_collectives." + figures.name, cells);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string formatCsv(const std::vector<CsvRow>& rows) {
  if (rows.empty()) return "";
  const std::vector<std::string> columns = columnsOf(rows);
  std::string text = lineOf(columns);
  for (const CsvRow& row : rows) {
    std::vector<std::string> cells;
    auto next = row.begin();
    for (const std::string& column : columns) {
      const bool here = next != row.end() && next->first == column;
      cells.push_back(here ? (next++)->second : "");
    }
    text += lineOf(cells);
  }
  return text;
}

std::string csvReport(const Report& report) { return formatCsv(csvRows(report)); }

}  // namespace t3
