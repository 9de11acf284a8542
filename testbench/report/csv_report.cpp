// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/csv_report.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>
#include <vector>

#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/report/json_report.h"

namespace t3 {
namespace {

namespace json = boost::json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return asUtf8(text);
  std::string escaped = "\"";
  for (const char c : asUtf8(text)) escaped += c == '"' ? std::string("\"\"") : std::string(1, c);
  return escaped + "\"";
}

std::string field(const json::value& value) {
  if (value.is_null()) return "";
  if (value.is_double()) return formatNumber(value.get_double());
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

/// Members of objects get dotted names; lists (phases, GPUs) do not fit a row and are left out, but
/// for `addNodes`.
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

/// Of a graph from a file.
void addNodes(CsvRow& row, const std::vector<NodeFigures>& nodes) {
  for (const NodeFigures& node : nodes) {
    json::object figures = toJson(node).as_object();
    figures.stable_erase("name");
    flatten(row, "nodes." + node.name, figures);
  }
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
    if (!report.scenario.workload.graph.empty()) addNodes(row, run.result.nodes);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string formatCsv(const std::vector<CsvRow>& rows) {
  // Some figures only some runs have: their columns stand behind those that stand before them
  // there.
  std::vector<std::string> columns;
  for (const CsvRow& row : rows) {
    auto place = columns.begin();
    for (const auto& [name, value] : row) {
      const auto known = std::ranges::find(columns, name);
      place = (known != columns.end() ? known : columns.insert(place, name)) + 1;
    }
  }
  std::string text;
  const auto line = [&](const auto& cellOf) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += (i == 0 ? "" : ",") + quoted(cellOf(columns[i]));
    }
    text += "\n";
  };
  if (!rows.empty()) line([](const std::string& column) { return column; });
  for (const CsvRow& row : rows) {
    line([&row](const std::string& column) {
      const auto cell = std::ranges::find(row, column, &CsvRow::value_type::first);
      return cell == row.end() ? std::string() : cell->second;
    });
  }
  return text;
}

std::string csvReport(const Report& report) { return formatCsv(csvRows(report)); }

}  // namespace t3
