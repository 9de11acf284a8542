// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/scenario.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"
#include "testbench/report/run_record.h"

namespace t3 {

/// The options of one command: what can be said, and what was. All values are texts; the functions
/// below turn them into what they mean, with errors of one line.
class Options {
 public:
  /// `usage` is the first line of the command's help, `about` the text below it.
  Options(std::string usage, std::string about);

  /// An option with a value; `argument` names it in the help.
  void add(const char* name, const char* argument, const std::string& help);
  void addRepeatable(const char* name, const char* argument, const std::string& help);
  void addFlag(const char* name, const std::string& help);
  /// An option that may stand alone and then counts as given with `alone`.
  void addOptionalValue(const char* name, const char* argument, const char* alone,
                        const std::string& help);

  /// Reads the words of the command line. False if --help was among them, and has been answered.
  /// Throws ConfigError.
  bool parse(const std::vector<std::string>& words);

  bool has(const char* name) const { return values_.count(name) != 0; }
  /// The same for an option that others, called like it and "-", say more about. Throws ConfigError
  /// if one of them was given without it.
  bool hasWithItsCompanions(const std::string& name) const;
  std::optional<std::string> value(const char* name) const;
  /// What `read(value, "--name")` makes of it, if it was given.
  template <typename Read>
  auto value(const char* name, Read read) const {
    using Result = decltype(read(std::string(), std::string()));
    const auto word = value(name);
    return word ? std::optional<Result>(read(*word, std::string("--") + name)) : std::nullopt;
  }
  std::vector<std::string> all(const char* name) const;

 private:
  std::string usage_, about_;
  boost::program_options::options_description description_;
  boost::program_options::variables_map values_;
};

/// --preset, --config, --set, --data, --gpus, --seed.
void addScenarioOptions(Options& options);
/// The scenario, which `tracker` is able to run.
SystemConfig scenarioOf(const Options& options, TrackerKind tracker);

/// Throws ConfigError naming `source` if the scenario breaks a rule or `tracker` cannot run it.
void checkScenario(SystemConfig& scenario, TrackerKind tracker, const std::string& source);

/// --tracker.
void addTrackerOption(Options& options);
TrackerKind trackerOf(const Options& options);

/// --mode; t3-mca if it is not given. `which` says in the help what there is to choose.
void addModeOption(Options& options, const std::string& which);
Mode modeOf(const Options& options);

/// Throws ConfigError if `scenario` cannot run `mode`.
void checkMode(Mode mode, const SystemConfig& scenario, const std::string& option);

/// --modes. `standard` is the list that counts when it is not given; "all" names every mode.
void addModesOption(Options& options, const std::string& standard);
std::vector<Mode> modesOf(const Options& options, const std::string& standard);

/// --jobs: processes at a time.
void addJobsOption(Options& options);
unsigned jobsOf(const Options& options);

/// One of an enumeration's spellings; `option` names the culprit in errors, here and below.
template <typename E>
E choiceOf(const std::string& word, const std::string& option) {
  if (const auto choice = fromSpelling<E>(word)) return *choice;
  throw ConfigError(option, "",
                    "expected " + alternatives(spellings<E>()) + ", got " + inQuotes(word));
}
/// Reads a whole number in that range.
struct WholeNumber {
  unsigned least, most;

  unsigned operator()(const std::string& word, const std::string& option) const;
};

/// --json, of that schema, --csv, --out, --quiet.
void addReportOptions(Options& options, const std::string& schema);

/// The files a report goes to. Made before the simulation starts, so that an unwritable one costs
/// no simulation.
class ReportFiles {
 public:
  /// `command` names the files in the directory of --out.
  ReportFiles(const Options& options, const std::string& command);

  /// A report in its three forms.
  struct Texts {
    std::string json, csv, table;
  };

  /// Writes the files, and the table to standard output; if quiet, only what failed, to standard
  /// error.
  void write(const Report& report);
  void write(const Texts& texts, const std::string& failures);

 private:
  std::vector<OutputFile> json_, csv_, table_;
  bool quiet_;
};

}  // namespace t3
