// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "testbench/config/options.h"
#include "testbench/output/output_file.h"
#include "testbench/report/run_record.h"

namespace t3 {

/// --json, of that schema, --csv, --out, --quiet.
void addReportOptions(Options& options, const std::string& schema);

/// Throws ConfigError if the directory of --out has files of the names of this command's results
/// that are none: `command`.json, which says whose it is, or those `beside` it without it.
void requireOwnResults(const std::filesystem::path& directory, const std::string& command,
                       const std::vector<std::string>& beside);

/// A line for each run that failed.
std::string failuresOf(const Report& report);

/// The files of a report, opened before the simulation: it must not fail after it.
class ReportFiles {
 public:
  /// `command` names the files in the directory of --out.
  ReportFiles(const Options& options, const std::string& command);

  /// A report in its three forms.
  struct Texts {
    std::string json, csv;
    std::function<std::string(std::size_t)> table;  ///< of at most so many columns
  };

  /// Writes the files, the table unless --quiet or a file is on standard output, and failures.
  void write(const Report& report);
  void write(const Texts& texts, const std::string& failures);

 private:
  std::vector<OutputFile> json_, csv_, table_;
  bool quiet_;
};

}  // namespace t3
