// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/report_files.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "testbench/commands/command.h"
#include "testbench/config/json_text.h"
#include "testbench/output/interrupt.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/table_report.h"
#include "testbench/report/text.h"

namespace t3 {

void addReportOptions(Options& options, const std::string& schema) {
  options.add("json", "FILE",
              "write the report as JSON, schema " + schema + "; - for standard output");
  options.add("csv", "FILE", "write the report as CSV, a line for each run; - for standard output");
  options.add("out", "DIR",
              "write JSON, CSV and the table as text into a directory, made if need be");
  options.addFlag("quiet", "print no table and no progress");
}

void requireOwnResults(const std::filesystem::path& directory, const std::string& command,
                       const std::vector<std::string>& beside) {
  const auto exists = [&directory](const std::string& name) {
    std::error_code unknown;
    const auto file = directory / name;
    return std::filesystem::is_regular_file(file, unknown) &&
           std::filesystem::file_size(file, unknown) != 0;
  };
  const std::string report = command + ".json";
  std::string begin(200, '\0');
  std::ifstream((directory / report).string(), std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin.find(R"("schema": "t3sim)") != std::string::npos) return;
  std::vector<std::string> names = beside;
  names.insert(names.begin(), report);
  const auto found = std::ranges::find_if(names, exists);
  if (found == names.end()) return;
  throw ConfigError("--out", (directory / *found).string(),
                    "expected no file of this name but a result of t3sim " + command +
                        "; another directory, or the file removed, lets it run");
}

ReportFiles::ReportFiles(const Options& options, const std::string& command)
    : quiet_(options.has("quiet") || options.value("json") == kStandardOutput ||
             options.value("csv") == kStandardOutput) {
  if (const auto path = options.value("json")) json_.emplace_back("--json", *path);
  if (const auto path = options.value("csv")) csv_.emplace_back("--csv", *path);
  if (const auto directory = options.value("out")) {
    if (directory->empty()) throw ConfigError("--out", "", "expected a directory");
    std::error_code error;
    std::filesystem::create_directories(*directory, error);
    if (error) throw ConfigError("--out", *directory, "cannot be made: " + error.message());
    requireOwnResults(*directory, command, {command + ".csv", command + ".txt"});
    const std::string stem = (std::filesystem::path(*directory) / command).string();
    json_.emplace_back("--out", stem + ".json");
    csv_.emplace_back("--out", stem + ".csv");
    table_.emplace_back("--out", stem + ".txt");
  }
}

std::string failuresOf(const Report& report) {
  std::string failures;
  for (const RunRecord& run : report.runs) {
    if (run.failed()) failures += spelling(run.mode) + ": " + run.result.error + "\n";
  }
  return failures;
}

void ReportFiles::write(const Report& report) {
  write({formatJson(jsonReport(report)), csvReport(report),
         [&report](std::size_t width) { return tableReport(report, width); }},
        failuresOf(report));
}

void ReportFiles::write(const Texts& texts, const std::string& failures) {
  for (OutputFile& file : json_) file.append(texts.json);
  for (OutputFile& file : csv_) file.append(texts.csv);
  for (OutputFile& file : table_) file.append(texts.table(kTableColumns));
  {
    const InterruptsHeld held;  // all of them appear, or none
    for (std::vector<OutputFile>* files : {&json_, &csv_, &table_}) {
      for (OutputFile& file : *files) file.commit({});
      if (!files->empty()) endOnInterruptWith(failures.empty() ? kDone : kCheckFailed);
    }
  }
  if (!quiet_) std::cout << texts.table(tableColumns()) << std::flush;
  std::istringstream lines(failures);
  for (std::string line; std::getline(lines, line);) std::cerr << "t3sim: " << line << '\n';
}

}  // namespace t3
