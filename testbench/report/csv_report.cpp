// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/csv_report.h"

#include <boost/json/serialize.hpp>
#include <utility>
#include <vector>

#include "testbench/config/json_text.h"
#include "testbench/report/json_report.h"

namespace t3 {
namespace {

namespace json = boost::json;

using Row = std::vector<std::pair<std::string, std::string>>;

std::string field(const json::value& value) {
  if (value.is_null()) return "";
  if (value.is_double()) return formatNumber(value.get_double());
  if (!value.is_string()) return json::serialize(value);
  std::string text(value.get_string());
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string escaped = "\"";
  for (const char c : text) escaped += c == '"' ? std::string("\"\"") : std::string(1, c);
  return escaped + "\"";
}

/// Objects become dotted names; lists (phases, GPUs) have no place in a row.
void flatten(Row& row, const std::string& name, const json::value& value) {
  if (value.is_array()) return;
  if (const json::object* object = value.if_object()) {
    for (const auto& [key, element] : *object) {
      flatten(row, name.empty() ? std::string(key) : name + "." + std::string(key), element);
    }
    return;
  }
  row.emplace_back(name, field(value));
}

}  // namespace

std::string csvReport(const Report& report) {
  const json::value document = jsonReport(report);
  const json::object& scenario = document.at("scenario").as_object();
  std::string text;
  for (const json::value& run : document.at("runs").as_array()) {
    Row row;
    flatten(row, "workload", scenario.at("workload"));
    for (const char* key : {"gpus", "seed"}) flatten(row, key, scenario.at(key));
    flatten(row, "", run);
    if (text.empty()) {
      for (const auto& [name, value] : row) text += (text.empty() ? "" : ",") + name;
      text += "\n";
    }
    std::string line;
    for (const auto& [name, value] : row) {
      line += (&name == &row.front().first ? "" : ",") + value;
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace t3
