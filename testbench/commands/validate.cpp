// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "testbench/commands/command.h"
#include "testbench/commands/report_files.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/text_file.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/presets.h"
#include "testbench/presets/scenario.h"
#include "testbench/probe/scope.h"
#include "testbench/simulate/run_store.h"
#include "testbench/validate/validation_report.h"

namespace t3 {
namespace {

constexpr unsigned kMostBytes = 64 << 20;

Options validateOptions() {
  Options options("t3sim validate [OPTIONS]",
                  "Holds simulated times against measured ones (docs/silicon.md).\n"
                  "With --out, what was finished before an interruption is not run again.");
  addMachineOption(options);
  options.add("data", "FILE",
              "measured times as CSV, in a format of data/silicon; default those of the machine "
              "there, which are in the program");
  options.add("only", "NAME,NAME,...", "some of what was measured, by its names in the table");
  options.addFlag("all",
                  "every size, not only collectives of 64 KiB, 1 MiB, 16 MiB and 64 MiB, and 4096 "
                  "tokens at most");
  options.add("most", "BYTES", "no larger collectives, which take long to simulate; default 64MiB");
  options.addRepeatable("set", "KEY=VALUE", "change one setting of the machine");
  offerSettings(options, "set");
  addJobsOption(options);
  addReportOptions(options, ValidateForm::kSchema);
  return options;
}

SystemConfig scenarioFor(const Options& options, const KnownMachine& machine, bool multimem) {
  ScenarioSource source;
  source.machine = machine.name;
  if (multimem) {
    for (const MachineSetting& setting : machine.multimem) {
      source.assignments.push_back({"--machine", setting.assignment});
    }
  }
  for (const std::string& assignment : options.all("set")) {
    source.assignments.push_back({"--set", assignment});
  }
  SystemConfig scenario = loadScenario(source);
  if (const std::uint32_t repeat = scenario.workload.repeat; repeat != 1) {
    throw ConfigError("validate", "workload.repeat",
                      "expected 1, because one run was measured, got " + std::to_string(repeat));
  }
  return scenario;
}

/// Leaves those that the options ask for; the others must be there to be left out.
void choose(const Options& options, std::uint64_t most, std::vector<Measurement>& measurements,
            std::size_t& tooLarge) {
  const auto names = options.value("only", listOf);
  const auto has = [&](const std::string& name) {
    return std::ranges::find(measurements, name, &Measurement::name) != measurements.end();
  };
  if (names) {
    for (const std::string& name : *names) {
      if (has(name)) continue;
      std::vector<std::string> all;
      for (const Measurement& one : measurements) all.push_back(one.name);
      throw ConfigError(
          "--only", "",
          "expected names of the data, got " + inQuotes(name) + nearestNote(name, all));
    }
    std::erase_if(measurements, [&](const Measurement& one) {
      return std::ranges::find(*names, one.name) == names->end();
    });
  }
  tooLarge = std::erase_if(measurements, [most](const Measurement& one) {
    return one.isCollective() && one.size > most;
  });
  if (!options.has("all") && !options.has("data")) {
    std::erase_if(measurements, [](const Measurement& one) {
      if (!one.isCollective()) return one.size > kSampleTokens;
      return std::ranges::find(kSampleSizes, one.size) == std::end(kSampleSizes);
    });
  }
  if (measurements.empty()) throw ConfigError("--most", "", "leaves no measured time");
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    if (has(name)) continue;
    throw ConfigError(
        "--only", "",
        "expected names with a time of a size that is simulated (--all, --most), got " +
            inQuotes(name));
  }
}

int runValidate(const Options& options) {
  const std::unique_ptr<Crew> crew = crewOf(options);
  if (crew == nullptr) return kDone;
  const KnownMachine& machine =
      machineNamed(options.value("machine").value_or(machines().front().name), "--machine");
  if (machine.data.empty()) {
    throw ConfigError("--machine", "", machine.name + " has no measured times");
  }
  ValidationContext context{machine.name, "data/silicon", scenarioFor(options, machine, false)};
  std::vector<Measurement> measurements;
  if (const auto path = options.value("data")) {
    keepInput("--data", *path);
    context.data = *path;
    measurements = readMeasurements(readTextFile(*path), *path);
  } else {
    measurements = shippedMeasurements(machine);
  }
  context.most = options.value("most", WholeNumber{1, ~0U, "bytes"}).value_or(kMostBytes);
  choose(options, context.most, measurements, context.tooLarge);
  ReportFiles files(options, "validate");
  std::optional<RunStore> store;
  if (const auto out = options.value("out")) {
    store.emplace("--out", (std::filesystem::path(*out) / "runs").string());
  }
  const std::vector<ValidationPoint> points =
      validate(measurements, machine, {context.scenario, scenarioFor(options, machine, true)},
               *crew, store ? &*store : nullptr, !options.has("quiet"));
  const std::string failures = failuresOf(points);
  files.write({formatJson(toJson(validateForm(points, context))), validateCsv(points),
               [&](std::size_t) { return validateTable(points, context); }},
              failures);
  return failures.empty() ? kDone : kCheckFailed;
}

}  // namespace

Command validateCommand() {
  return {"validate", "simulated times beside those of real hardware", validateOptions, runValidate,
          true};
}

}  // namespace t3
