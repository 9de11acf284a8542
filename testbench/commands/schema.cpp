// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <boost/json/object.hpp>
#include <iostream>

#include "testbench/collective/graph_file.h"
#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_schema.h"
#include "testbench/config/json_text.h"
#include "testbench/config/options.h"
#include "testbench/iteration/workload_report.h"
#include "testbench/presets/presets.h"
#include "testbench/report/hbm_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/points_report.h"
#include "testbench/report/result_diff.h"
#include "testbench/reproduce/summary.h"
#include "testbench/validate/validation_report.h"

namespace t3 {
namespace {

namespace json = boost::json;

json::object scenarioSchema() {
  SystemConfig defaults;
  json::object schema = settingsSchema(bindSettings(defaults));
  json::array names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  schema["properties"].as_object()["preset"] = {
      {"enum", std::move(names)},
      {"description",
       "the preset that the file extends: its values are those of keys that are "
       "not there, in place of the defaults"}};
  schema["properties"].as_object()["$schema"] = {
      {"type", "string"}, {"description", "for editors; t3sim does not read it"}};
  return schema;
}

template <typename Form>
json::object formSchema() {
  json::object schema = schemaOf<Form>();
  schema["properties"].as_object()["schema"] = {{"const", Form::kSchema}};
  return schema;
}

struct Row {
  const char* name;
  const char* text;
  json::object (*make)();
};

constexpr std::array kSchemas = {
    Row{"scenario", "a configuration file, for --config", scenarioSchema},
    Row{"graph", "a graph of kernels, for --graph", graphSchema},
    Row{"run", "t3sim/1: --json of run and compare", formSchema<ReportForm>},
    Row{"workload", "t3sim-workload/1: --json of run and compare --workload",
        formSchema<WorkloadForm>},
    Row{"sweep", "t3sim-sweep/1: --json of sweep", formSchema<SweepForm>},
    Row{"validate", "t3sim-validate/1: --json of validate", formSchema<ValidateForm>},
    Row{"reproduce", "t3sim-reproduce/1: reproduce.json", formSchema<ReproduceForm>},
    Row{"diff", "t3sim-diff/1: --json of diff", formSchema<ResultDiff>},
    Row{"hbm", "t3sim-hbm/1: --json of hbm", formSchema<HbmForm>},
};

std::vector<std::string> schemaNames() { return namesOf(kSchemas); }

Options schemaOptions() {
  std::string list =
      "Prints the JSON Schema (draft 2020-12) of a file that t3sim reads or writes:\n";
  for (const Row& row : kSchemas) {
    std::string name = row.name;
    name.resize(10, ' ');
    list += "  " + name + " " + row.text + "\n";
  }
  list.pop_back();
  Options options("t3sim schema NAME", list);
  options.offer("", schemaNames());
  options.takeOperands();
  return options;
}

int runSchema(const Options& options) {
  const std::vector<std::string>& words = options.operands();
  const std::vector<std::string> names = schemaNames();
  for (const Row& row : kSchemas) {
    if (words.size() != 1 || words.front() != row.name) continue;
    json::object schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                           {"title", row.text}};
    for (auto& [key, value] : row.make()) schema[key] = value;
    std::cout << formatJson(schema);
    return kDone;
  }
  std::string problem = "expected " + alternatives(names);
  if (words.size() > 1) problem = "expected one of " + alternatives(names);
  if (!words.empty()) problem += ", got " + inQuotes(words.back());
  if (words.size() == 1) problem += nearestNote(words.front(), names);
  throw ConfigError("schema", "", problem);
}

}  // namespace

Command schemaCommand() {
  return {"schema", "JSON Schema of scenarios and results", schemaOptions, runSchema};
}

}  // namespace t3
