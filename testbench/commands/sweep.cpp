// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "testbench/commands/command.h"
#include "testbench/commands/report_files.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/setting.h"
#include "testbench/config/spelling.h"
#include "testbench/presets/presets.h"
#include "testbench/presets/scenario.h"
#include "testbench/report/json_report.h"
#include "testbench/report/points_report.h"
#include "testbench/simulate/crew.h"
#include "testbench/simulate/point_runner.h"
#include "testbench/simulate/run_store.h"

namespace t3 {
namespace {

constexpr const char* kOption = "--sweep";
constexpr std::size_t kMostPoints = 10000;

struct Axis {
  std::string key;
  std::vector<std::string> values;
};

Axis axisOf(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw ConfigError(kOption, "", "expected key.path=value,value,..., got " + inQuotes(text));
  }
  Axis axis{text.substr(0, equals), {}};
  SystemConfig any;
  const Setting root = bindSettings(any);
  const Setting& setting = settingAt(root, axis.key, kOption);
  for (const std::string& word : split(text.substr(equals + 1), ',')) {
    // Results have a column for it, whose name says the unit.
    const std::string value = withoutUnit(setting, word);
    if (std::ranges::find(axis.values, value) != axis.values.end()) {
      throw ConfigError(kOption, axis.key, inQuotes(word) + " occurs twice");
    }
    axis.values.push_back(value);
  }
  return axis;
}

std::vector<Axis> axesOf(const Options& options) {
  std::vector<Axis> axes;
  std::size_t points = 1;
  for (const std::string& text : options.all("sweep")) {
    Axis axis = axisOf(text);
    if (std::ranges::find(axes, axis.key, &Axis::key) != axes.end()) {
      throw ConfigError(kOption, axis.key, "is swept twice");
    }
    points *= axis.values.size();
    if (points > kMostPoints) {
      throw ConfigError(kOption, axis.key,
                        "expected a grid of at most " + std::to_string(kMostPoints) + " points");
    }
    axes.push_back(std::move(axis));
  }
  if (axes.empty())
    throw ConfigError(kOption, "", "expected at least one, key.path=value,value,...");
  return axes;
}

/// Every combination, the last axis changing fastest. All are checked before any is simulated.
std::vector<Point> gridOf(const SystemConfig& base, const std::string& name,
                          const std::vector<Axis>& axes, const std::vector<Mode>& modes,
                          TrackerKind tracker, Crew& crew) {
  std::vector<Point> points = {Point{"", name, "", "", {}, modes, base}};
  for (const Axis& axis : axes) {
    std::vector<Point> finer;
    for (const Point& point : points) {
      for (const std::string& value : axis.values) {
        Point next = point;
        next.settings.push_back(axis.key + "=" + value);
        applyAssignment(bindSettings(next.scenario), next.settings.back(), kOption);
        finer.push_back(std::move(next));
      }
    }
    points = std::move(finer);
  }
  for (Point& point : points) {
    checkScenario(point.scenario, kOption);
    point.scenario.coverTiles();
    requireReadableByJobs(point.scenario);
    dropForeignLabels(point.scenario);
    for (const Mode mode : modes) checkMode(mode, point.scenario, tracker, "--modes");
  }
  for (Point& point : points) measureShares(point.scenario, crew);
  return points;
}

Options sweepOptions() {
  Options options("t3sim sweep --sweep KEY=V,V,... [OPTIONS]",
                  "Simulates a grid of settings, several points at a time, each mode in a process\n"
                  "of its own. With --out, what was finished before an interruption is not run\n"
                  "again.");
  options.addRepeatable("sweep", "KEY=V,V,...",
                        "an axis of the grid: a setting and its values; several make a product");
  offerSettings(options, "sweep");
  addScenarioOptions(options);
  addModesOption(options, "sequential,t3-mca");
  addTrackerOption(options);
  addJobsOption(options);
  addReportOptions(options, SweepForm::kSchema);
  return options;
}

int runSweep(const Options& options) {
  const std::unique_ptr<Crew> crew = crewOf(options);
  if (crew == nullptr) return kDone;
  const std::vector<Mode> modes = modesOf(options, "sequential,t3-mca");
  const TrackerKind tracker = trackerOf(options);
  const std::vector<Axis> axes = axesOf(options);
  const std::string name =
      options.value("config").value_or(options.value("preset").value_or(kDefaultPreset));
  const std::vector<Point> points = gridOf(scenarioOf(options), name, axes, modes, tracker, *crew);
  ReportFiles files(options, "sweep");
  std::optional<RunStore> store;
  if (const auto out = options.value("out")) {
    store.emplace("--out", (std::filesystem::path(*out) / "runs").string());
  }
  const std::vector<PointResult> results =
      runPoints(points, tracker, *crew, store ? &*store : nullptr, !options.has("quiet"));
  SweepForm form;
  form.build = buildForm();
  form.points = pointForms(results);
  files.write({formatJson(toJson(form)), pointsCsv(results, true),
               [&results](std::size_t width) { return pointsTable(results, width); }},
              failuresOf(results));
  return anyFailed(results) ? kCheckFailed : kDone;
}

}  // namespace

Command sweepCommand() {
  return {"sweep", "a grid of settings, point by point", sweepOptions, runSweep, true};
}

}  // namespace t3
