// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <iostream>
#include <optional>

#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/options.h"
#include "testbench/output/output_file.h"
#include "testbench/report/result_diff.h"
#include "testbench/report/text.h"

namespace t3 {
namespace {

/// A share of 1, from a text in percent, "0.5" or "0.5%".
double shareOf(const std::string& given, const std::string& option) {
  const std::string word = given.ends_with('%') ? given.substr(0, given.size() - 1) : given;
  std::size_t end = 0;
  double percent = -1;
  try {
    percent = std::stod(word, &end);
  } catch (const std::exception&) {
  }
  if (end != word.size() || !std::isfinite(percent) || percent < 0) {
    throw ConfigError(option, "", "expected a number of percent from 0 on, got " + inQuotes(given));
  }
  return percent / 100;
}

Options diffOptions() {
  Options options("t3sim diff A.json B.json [OPTIONS]",
                  "Compares two results that t3sim wrote with --json: settings that differ, and\n"
                  "what was simulated, run by run. Exit code 1 if a run has changed or is only\n"
                  "in one of them.");
  options.add("tolerance", "PERCENT", "changes of figures up to this do not count; default 0");
  options.addFlag("details", "also what single GPUs and memories did, and when phases ran");
  options.add("json", "FILE",
              "write the differences as JSON, schema t3sim-diff/1; - for "
              "standard output");
  options.addFlag("quiet", "print nothing");
  options.takeOperands();
  return options;
}

int runDiff(const Options& options) {
  const std::vector<std::string>& files = options.operands();
  if (files.size() != 2) {
    throw ConfigError("diff", "",
                      "expected two files, A.json B.json, got " + std::to_string(files.size()));
  }
  const double tolerance = options.value("tolerance", shareOf).value_or(0);
  for (const std::string& file : files) keepInput("diff", file);
  std::optional<OutputFile> report;
  if (const auto path = options.value("json")) report.emplace("--json", *path);
  const ResultDiff diff =
      resultDiff({files[0], parseJsonFile(files[0])}, {files[1], parseJsonFile(files[1])},
                 tolerance, options.has("details"));
  if (report) report->commit(formatJson(toJson(diff)));
  const bool quiet = options.has("quiet") || options.value("json") == kStandardOutput;
  if (!quiet) std::cout << diffText(diff, tableColumns());
  return diff.same() ? kDone : kCheckFailed;
}

}  // namespace

Command diffCommand() {
  return {"diff", "two results, what changed and by how much", diffOptions, runDiff};
}

}  // namespace t3
