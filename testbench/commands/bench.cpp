// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/bench.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <optional>

#include "testbench/build_info.h"
#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/options.h"
#include "testbench/output/output_file.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/machine.h"

namespace t3 {

double processorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double medianOf(unsigned repeats, const std::function<double()>& measure) {
  std::vector<double> values;
  for (unsigned i = 0; i < repeats; ++i) values.push_back(measure());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

namespace {

namespace json = boost::json;

constexpr const char* kPart = "hbm";
constexpr const char* kIndent = "  ";

std::string threeDigits(double value) {
  return fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

}  // namespace

std::string textOf(const BenchTable& table, std::size_t width) {
  TextTable text;
  std::vector<std::string> heading = {kIndent};
  for (const BenchTable::Column& column : table.columns) {
    const std::string& unit = column.scaledUnit;
    heading.push_back(column.name + (unit.empty() ? "" : " (" + unit + ")"));
  }
  text.add(std::move(heading));
  for (const BenchTable::Row& row : table.rows) {
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
  for (const BenchTable::Row& row : table.rows) {
    json::object object = {{"name", row.name}};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      object[table.columns[i].name] = row.values[i];
    }
    rows.push_back(std::move(object));
  }
  json::array columns;
  for (const BenchTable::Column& column : table.columns) {
    columns.push_back(
        {{"name", column.name}, {"unit", column.unit}, {"description", column.description}});
  }
  return {{"name", table.name},
          {"title", table.title},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)}};
}

namespace {

double workOf(const std::string& word, const std::string& option) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (end == word.c_str() || *end != '\0' || !(value > 0 && value <= 1000)) {
    throw ConfigError(option, "", "expected a number above 0, up to 1000, got " + inQuotes(word));
  }
  return value;
}

Options benchOptions() {
  Options options("t3sim bench [PART...] [OPTIONS]",
                  "Measures the simulator's own speed, all parts or those named:\n\n"
                  "  hbm       requests a second of the memory model, alone and through TLM\n\n"
                  "Times are processor time of one core, the median of the repeats.");
  options.add("repeats", "N", "of each measurement; default 3");
  options.add("work", "FACTOR", "of the standard amount of work; default 1, 0.01 for a quick look");
  options.add("json", "FILE", "write the tables as JSON, schema t3sim-bench/1");
  options.addFlag("quiet", "print no tables");
  options.takeOperands();
  options.offer("", {kPart});
  return options;
}

int runBench(const Options& options) {
  BenchOptions amount;
  amount.repeats = options.value("repeats", WholeNumber{1, 1024}).value_or(amount.repeats);
  amount.work = options.value("work", workOf).value_or(amount.work);
  for (const std::string& name : options.operands()) {
    if (name == kPart) continue;
    throw ConfigError("bench", "", "unknown part " + inQuotes(name) + "; there is " + kPart);
  }
  std::optional<OutputFile> file;
  if (const auto path = options.value("json")) file.emplace("--json", *path);

  json::array tables;
  for (const BenchTable& table : benchMemory(amount)) {
    if (!options.has("quiet")) std::cout << textOf(table, tableColumns()) << std::flush;
    tables.push_back(jsonOf(table));
  }
  if (file) {
    const json::array parts = {{{"part", kPart}, {"tables", std::move(tables)}}};
    file->commit(formatJson(
        {{"schema", "t3sim-bench/1"},
         {"build",
          {{"version", build::kVersion}, {"commit", build::kCommit}, {"dirty", build::kDirty}}},
         {"processor", processorName()},
         {"repeats", amount.repeats},
         {"work", amount.work},
         {"parts", parts}}));
  }
  return kDone;
}

}  // namespace

Command benchCommand() {
  return {"bench", "simulation speed of each part", benchOptions, runBench};
}

}  // namespace t3
