// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/options.h"

#include <algorithm>
#include <boost/program_options/parsers.hpp>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <thread>
#include <utility>

#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/mode_spelling.h"
#include "testbench/config/setting.h"
#include "testbench/config/spelling.h"
#include "testbench/presets/presets.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/table_report.h"
#include "tlm/tracker/make_tracker.h"
#include "tlm/tracker/netlist_unit.h"

namespace t3 {
namespace {

namespace po = boost::program_options;

constexpr unsigned kHelpWidth = 100;

Mode readMode(const std::string& word, const std::string& option) {
  Mode mode;
  if (!readSpelling(word, mode)) {
    throw ConfigError(option, "",
                      "expected " + alternatives(modeSpellings()) + ", got " + inQuotes(word));
  }
  return mode;
}

}  // namespace

Options::Options(std::string usage, std::string about)
    : usage_(std::move(usage)), about_(std::move(about)), description_("options", kHelpWidth) {
  addFlag("help,h", "print this");
}

void Options::add(const char* name, const char* argument, const std::string& help) {
  description_.add_options()(name, po::value<std::string>()->value_name(argument), help.c_str());
}

void Options::addRepeatable(const char* name, const char* argument, const std::string& help) {
  description_.add_options()(
      name, po::value<std::vector<std::string>>()->composing()->value_name(argument), help.c_str());
}

void Options::addFlag(const char* name, const std::string& help) {
  description_.add_options()(name, help.c_str());
}

void Options::addOptionalValue(const char* name, const char* argument, const char* alone,
                               const std::string& help) {
  description_.add_options()(
      name, po::value<std::string>()->implicit_value(alone, "")->value_name(argument),
      help.c_str());
}

bool Options::parse(const std::vector<std::string>& words) {
  namespace style = po::command_line_style;
  try {
    // Without guessing: an abbreviation that works today may be ambiguous tomorrow.
    const po::parsed_options parsed = po::command_line_parser(words)
                                          .options(description_)
                                          .style(style::unix_style & ~style::allow_guessing)
                                          .run();
    for (const po::option& option : parsed.options) {
      if (option.position_key >= 0) {
        throw ConfigError("", "", "unexpected argument " + inQuotes(option.value.front()));
      }
    }
    po::store(parsed, values_);
  } catch (const po::unknown_option& unknown) {
    std::vector<std::string> names;
    for (const auto& option : description_.options()) names.push_back("--" + option->long_name());
    const std::string given = unknown.get_option_name();
    throw ConfigError(given, "", "unknown option; the nearest is " + nearest(given, names));
  } catch (const po::error& error) {
    throw ConfigError("", "", error.what());
  }
  if (!has("help")) return true;
  std::cout << "usage: " << usage_ << "\n\n" << about_ << "\n\n" << description_;
  return false;
}

bool Options::hasWithItsCompanions(const std::string& name) const {
  if (has(name.c_str())) return true;
  for (const auto& option : description_.options()) {
    if (option->long_name().starts_with(name + "-") && has(option->long_name().c_str())) {
      throw ConfigError("--" + option->long_name(), "", "expected --" + name + " FILE with it");
    }
  }
  return false;
}

std::optional<std::string> Options::value(const char* name) const {
  if (!has(name)) return std::nullopt;
  return values_[name].as<std::string>();
}

std::vector<std::string> Options::all(const char* name) const {
  if (!has(name)) return {};
  return values_[name].as<std::vector<std::string>>();
}

void addScenarioOptions(Options& options) {
  options.add("preset", "NAME",
              std::string("a scenario that ships (t3sim presets); default ") + kDefaultPreset);
  options.add("config", "FILE", "a scenario in JSON, comments allowed (t3sim presets --show)");
  options.addRepeatable(
      "set", "KEY=VALUE",
      "change one setting, e.g. link.latency_ns=700; may be given several times, for "
      "any setting of docs/configuration.md (t3sim presets --document)");
  options.add("data", "KIND", "elided or checked; short for --set data=KIND");
  options.add("gpus", "HOW",
              "explicit: all GPUs are simulated (the default); symmetric: one stands for all, with "
              "elided data; short for --set simulated_gpus=HOW");
  options.add("seed", "N", "of the operands of checked data; short for --set seed=N");
}

SystemConfig scenarioOf(const Options& options, TrackerKind tracker) {
  if (options.has("preset") && options.has("config")) {
    throw ConfigError("--preset", "", "expected either --preset or --config, got both");
  }
  const auto gpus = options.value("gpus");
  if (gpus && !fromSpelling<GpuSimulation>(*gpus)) {
    throw ConfigError("--gpus", "",
                      "expected " + alternatives(spellings<GpuSimulation>()) + ", got " +
                          inQuotes(*gpus) + " (their number is --set gpus=N)");
  }
  ScenarioSource source{options.value("preset"), options.value("config"), {}};
  if (source.configFile) keepInput("--config", *source.configFile);
  for (const std::string& assignment : options.all("set")) {
    source.assignments.push_back({"--set", assignment});
  }
  for (const char* key : {"data", "seed"}) {
    if (const auto value = options.value(key)) {
      source.assignments.push_back({std::string("--") + key, std::string(key) + "=" + *value});
    }
  }
  if (gpus) source.assignments.push_back({"--gpus", "simulated_gpus=" + *gpus});
  SystemConfig scenario = loadScenario(source);
  if (const auto missing = checkTracker(tracker, scenario.tracker)) {
    throw ConfigError("--tracker " + spelling(tracker), "", "tracker." + *missing);
  }
  return scenario;
}

void checkScenario(SystemConfig& scenario, TrackerKind tracker, const std::string& source) {
  if (const auto violated = crossCheckSettings(bindSettings(scenario))) {
    throw ConfigError(source, "", *violated);
  }
  if (const auto missing = checkTracker(tracker, scenario.tracker)) {
    throw ConfigError(source, "", "--tracker " + spelling(tracker) + ": tracker." + *missing);
  }
}

void addTrackerOption(Options& options) {
  options.add(
      "tracker", "KIND",
      "rtl (default), model (its behavioural twin), lockstep (both, compared) or netlist (of "
      "standard cells, compared with the RTL in every clock: only in t3sim_netlist)");
}

TrackerKind trackerOf(const Options& options) {
  const TrackerKind kind =
      options.value("tracker", choiceOf<TrackerKind>).value_or(TrackerKind::Rtl);
  if (kind == TrackerKind::Netlist && !netlistTable()) {
    throw ConfigError("--tracker netlist", "",
                      "expected the program t3sim_netlist, made by cmake --build build/release "
                      "--target t3sim_netlist; this one has no netlist");
  }
  return kind;
}

void addModesOption(Options& options, const std::string& standard) {
  const std::string note = standard == "all" ? " (the ones without K)" : "";
  options.add("modes", "LIST",
              "of " + alternatives(modeSpellings()) + ", with commas; default " + standard + note);
}

std::vector<Mode> modesOf(const Options& options, const std::string& standard) {
  const std::string list = options.value("modes").value_or(standard);
  std::vector<Mode> modes;
  if (list == "all") return modesWithoutNumber();
  std::istringstream words(list + ",");
  for (std::string word; std::getline(words, word, ',');) {
    const Mode mode = readMode(word, "--modes");
    if (std::ranges::find(modes, mode) != modes.end()) {
      throw ConfigError("--modes", "", inQuotes(word) + " occurs twice");
    }
    modes.push_back(mode);
  }
  return modes;
}

void addJobsOption(Options& options) {
  options.add("jobs", "N", "processes at a time; default one per core");
}

unsigned jobsOf(const Options& options) {
  const auto jobs = options.value("jobs", WholeNumber{1, 1024});
  return jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

void addModeOption(Options& options, const std::string& which) {
  options.add("mode", "MODE", which + "; default " + spelling(Mode(Mode::T3Mca)));
}

Mode modeOf(const Options& options) {
  return options.value("mode", readMode).value_or(Mode::T3Mca);
}

void checkMode(Mode mode, const SystemConfig& scenario, const std::string& option) {
  const std::uint32_t units = scenario.gpu.compute_units;
  if (mode.kind != ModeKind::CuSplit || mode.split_units < units) return;
  throw ConfigError(option, "",
                    "expected cu-split:K with K from 1 to " + std::to_string(units - 1) +
                        ", because gpu.compute_units is " + std::to_string(units) + ", got " +
                        inQuotes(spelling(mode)));
}

unsigned WholeNumber::operator()(const std::string& word, const std::string& option) const {
  unsigned number = 0;
  const char* end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < least || number > most) {
    throw ConfigError(option, "",
                      "expected a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most) + ", got " + inQuotes(word));
  }
  return number;
}

void addReportOptions(Options& options, const std::string& schema) {
  options.add("json", "FILE", "write the report as JSON, schema " + schema);
  options.add("csv", "FILE", "write the report as CSV, a line for each run");
  options.add("out", "DIR",
              "write JSON, CSV and the table as text into a directory, made if need be");
  options.addFlag("quiet", "print no table and no progress");
}

ReportFiles::ReportFiles(const Options& options, const std::string& command)
    : quiet_(options.has("quiet")) {
  if (const auto path = options.value("json")) json_.emplace_back("--json", *path);
  if (const auto path = options.value("csv")) csv_.emplace_back("--csv", *path);
  if (const auto directory = options.value("out")) {
    if (directory->empty()) throw ConfigError("--out", "", "expected a directory");
    std::error_code error;
    std::filesystem::create_directories(*directory, error);
    if (error) throw ConfigError("--out", *directory, "cannot be made: " + error.message());
    const std::string stem = (std::filesystem::path(*directory) / command).string();
    json_.emplace_back("--out", stem + ".json");
    csv_.emplace_back("--out", stem + ".csv");
    table_.emplace_back("--out", stem + ".txt");
  }
}

void ReportFiles::write(const Report& report) {
  std::string failures;
  for (const RunRecord& run : report.runs) {
    if (run.failed()) failures += spelling(run.mode) + ": " + run.result.error + "\n";
  }
  write({formatJson(jsonReport(report)), csvReport(report), tableReport(report)}, failures);
}

void ReportFiles::write(const Texts& texts, const std::string& failures) {
  for (OutputFile& file : json_) file.commit(texts.json);
  for (OutputFile& file : csv_) file.commit(texts.csv);
  for (OutputFile& file : table_) file.commit(texts.table);
  if (!quiet_) {
    std::cout << texts.table;
    return;
  }
  std::istringstream lines(failures);
  for (std::string line; std::getline(lines, line);) std::cerr << "t3sim: " << line << '\n';
}

}  // namespace t3
