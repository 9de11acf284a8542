// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>

#include "testbench/commands/command.h"
#include "testbench/commands/report_files.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/presets.h"
#include "testbench/presets/scenario.h"
#include "testbench/probe/scope.h"
#include "testbench/report/json_report.h"
#include "testbench/report/points_report.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/machine.h"
#include "testbench/reproduce/parts.h"
#include "testbench/reproduce/summary.h"
#include "testbench/simulate/point_runner.h"
#include "testbench/simulate/run_store.h"

namespace t3 {
namespace {

/// The points of the parts that are `wanted`, or of all, in the order of the report.
std::vector<Point> pointsFor(const std::vector<std::string>& wanted,
                             const EvaluationOptions& evaluation) {
  std::vector<EvaluationPart> parts = evaluationParts(evaluation);
  for (const std::string& word : wanted) {
    if (std::ranges::find(parts, word, &EvaluationPart::name) == parts.end()) {
      std::vector<std::string> names;
      names.reserve(parts.size());
      for (const EvaluationPart& part : parts) names.emplace_back(part.name);
      throw ConfigError(
          "--only", "",
          "expected " + alternatives(names) + ", got " + inQuotes(word) + nearestNote(word, names));
    }
  }
  std::vector<Point> points;
  for (EvaluationPart& part : parts) {
    const auto asked = [&](const std::string& name) {
      return wanted.empty() || std::ranges::find(wanted, name) != wanted.end();
    };
    const bool beside = part.name == std::string(kDefaultMachinePart) &&
                        (asked("sublayers") || asked("data-movement"));
    if (!asked(part.name) && !beside) continue;
    std::ranges::move(part.points, std::back_inserter(points));
  }
  return points;
}

/// For an error: "mega-gpt-2-op-tp8 channels 16".
std::string nameOf(const Point& point) {
  std::string name = point.preset;
  for (const std::string& more : {point.study, point.label}) {
    if (!more.empty()) name += " " + more;
  }
  return name;
}

std::vector<std::string> machineSettings(const Options& options) {
  std::vector<std::string> settings;
  if (const auto name = options.value("machine")) {
    for (const MachineSetting& setting : machineNamed(*name, "--machine").settings) {
      settings.emplace_back(setting.assignment);
    }
  }
  return settings;
}

Options reproduceOptions() {
  Options options(
      "t3sim reproduce --out DIR [OPTIONS]",
      "Simulates the paper's evaluation and writes DIR/reproduce.json and reproduce.csv,\n"
      "which scripts/report DIR draws. Finished runs are kept in DIR/runs: started again\n"
      "after an interrupt, with the same model, it goes on where it stopped.");
  options.add("out", "DIR", "where the results go; made if need be");
  std::vector<std::string> names;
  for (const EvaluationPart& part : evaluationParts({})) names.emplace_back(part.name);
  options.add("only", "NAME", "one part, or several with commas: " + alternatives(names));
  addMachineOption(options);
  options.addRepeatable("set", "KEY=VALUE",
                        "change one setting of every point, to see what the whole evaluation owes "
                        "to it; what a point's own study varies it keeps");
  options.offer("only", names);
  offerSettings(options, "set");
  addTrackerOption(options);
  addJobsOption(options);
  options.addFlag("quick",
                  "tiny outputs in place of the paper's, to try the program out; its figures mean "
                  "nothing");
  options.addFlag("quiet", "print no summary and no progress");
  return options;
}

/// The command that repeats it, but for its directory.
std::string commandOf(const Options& options, const EvaluationOptions& evaluation,
                      TrackerKind tracker) {
  std::string command = "t3sim reproduce";
  if (const auto only = options.value("only")) command += " --only " + *only;
  if (const auto machine = options.value("machine")) command += " --machine " + *machine;
  for (const std::string& setting : evaluation.settings) command += " --set " + setting;
  if (evaluation.quick) command += " --quick";
  if (tracker != TrackerKind::Rtl) command += " --tracker " + spelling(tracker);
  return command;
}

int runReproduce(const Options& options) {
  const std::unique_ptr<Crew> crew = crewOf(options);
  if (crew == nullptr) return kDone;
  const auto out = options.value("out");
  if (!out || out->empty()) {
    throw ConfigError("--out", "", "expected a directory for the results");
  }
  const TrackerKind tracker = trackerOf(options);
  const EvaluationOptions evaluation{options.has("quick"), options.all("set"),
                                     machineSettings(options)};
  std::vector<Point> points =
      pointsFor(options.value("only", listOf).value_or(std::vector<std::string>{}), evaluation);
  for (Point& point : points) {
    checkScenario(point.scenario, nameOf(point));
    requireReadableByJobs(point.scenario);
    for (const Mode mode : point.modes) {
      if (const auto problem = trackerProblem(mode, point.scenario, tracker)) {
        throw ConfigError(nameOf(point), "", spelling(mode) + ": " + *problem);
      }
    }
  }

  const auto begin = std::chrono::steady_clock::now();
  const std::filesystem::path directory(*out);
  const RunStore store("--out", (directory / "runs").string());
  requireOwnResults(directory, "reproduce", {"reproduce.csv"});
  OutputFile jsonFile("--out", (directory / "reproduce.json").string());
  OutputFile csvFile("--out", (directory / "reproduce.csv").string());

  const std::vector<PointResult> results =
      runPoints(points, tracker, *crew, &store, !options.has("quiet"));
  ReproduceForm form;
  form.build = buildForm();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  form.host = {commandOf(options, evaluation, tracker), dateText(), machineText(), elapsed.count(),
               static_cast<std::uint32_t>(crew->size())};
  if (evaluation.quick) form.quick = true;
  std::vector<std::string> settings = evaluation.machine;
  settings.insert(settings.end(), evaluation.settings.begin(), evaluation.settings.end());
  if (!settings.empty()) form.settings = std::move(settings);
  form.points = evaluationPointForms(results);
  form.summary = summaryOf(results);
  jsonFile.commit(formatJson(toJson(form)));
  csvFile.commit(pointsCsv(results, false));

  if (!options.has("quiet")) {
    if (evaluation.quick) {
      std::cout << "--quick: tiny outputs, to try the program out. These figures say nothing about "
                   "the paper.\n\n";
    }
    std::cout << form.summary.text(tableColumns()) << "draw it: scripts/report " << *out << "\n";
  }
  std::cerr << failuresOf(results);
  return anyFailed(results) ? kCheckFailed : kDone;
}

}  // namespace

Command reproduceCommand() {
  return {"reproduce", "the paper's tables and figures", reproduceOptions, runReproduce, true};
}

}  // namespace t3
