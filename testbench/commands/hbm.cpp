// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <boost/describe/class.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <optional>

#include "testbench/build_info.h"
#include "testbench/commands/bench.h"
#include "testbench/commands/command.h"
#include "testbench/commands/hbm_trace.h"
#include "testbench/config/config_error.h"
#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/setting.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/explanation.h"
#include "testbench/presets/presets.h"
#include "testbench/presets/scenario.h"
#include "testbench/report/hbm_report.h"
#include "testbench/report/progress_bar.h"
#include "testbench/trace/command_trace.h"
#include "tlm/hbm/hbm_standard.h"
#include "tlm/hbm/trace_replay.h"
#include "tlm/node/system_config.h"

namespace t3 {
namespace {

constexpr const char* kDefaultMemory = "hbm2";
constexpr unsigned kMostOutstanding = 1'000'000;

// ---- the memory -------------------------------------------------------------------------------

/// The settings that matter here, under their keys. Another key is an error: it would do nothing.
struct MemoryScenario {
  HbmConfig hbm;

  static constexpr auto settings() { return std::tuple{settingGroup(&MemoryScenario::hbm, "hbm")}; }
};

std::vector<std::string> standards() { return namesOf(HbmStandard::table()); }

/// Standards, and scenarios for their memories.
std::vector<std::string> memoryNames() {
  std::vector<std::string> names = standards();
  for (const std::string& name : presetNames()) names.push_back(name);
  return names;
}

HbmConfig presetMemory(const std::string& name) {
  if (const HbmStandard* standard = Choice<HbmStandard>::find(name)) return standard->config;
  if (const Preset* preset = findPreset(name)) return preset->config.hbm;
  throw ConfigError("--preset", "",
                    "unknown preset " + inQuotes(name) + nearestNote(name, memoryNames()) +
                        "; memories are " + alternatives(standards()));
}

/// --preset, --config, --set.
void addMemoryOptions(Options& options) {
  options.add("preset", "NAME",
              alternatives(standards()) +
                  ", or a scenario (t3sim presets) for its memory; default " + kDefaultMemory);
  options.add("config", "FILE", "a scenario in JSON, for its memory");
  options.addRepeatable("set", "KEY=VALUE", "change one setting, e.g. hbm.page_policy=closed");
  options.offer("preset", memoryNames());
  std::vector<std::string> settings;
  for (const std::string& path : settingPaths()) {
    if (path.starts_with("hbm.")) settings.push_back(path + "=");
  }
  options.offer("set", std::move(settings));
}

/// A preset of a memory, or the memory of a scenario, then the assignments, checked.
HbmConfig memoryOf(const Options& options) {
  if (options.has("preset") && options.has("config")) {
    throw ConfigError("--preset", "",
                      "expected either --preset or --config, got both" +
                          (findPreset(*options.value("preset")) != nullptr
                               ? extensionNote(*options.value("preset"))
                               : std::string()));
  }
  MemoryScenario scenario;
  std::string origin = "--preset";
  std::optional<JsonFile> given;
  if (const auto file = options.value("config")) {
    keepInput("--config", *file);
    // All keys are known and in range; rules between settings are asked of the memory only.
    given.emplace(*file);
    scenario.hbm = readScenarioFile(*given).hbm;
    origin = *file;
  } else {
    scenario.hbm = presetMemory(options.value("preset").value_or(kDefaultMemory));
  }
  const Setting root = bindSettings(scenario);
  auto violated = crossCheckSettings(root);
  for (const std::string& assignment : options.all("set")) {
    if (!violated) origin = "--set";
    applyAssignment(root, assignment, "--set");
    violated = crossCheckSettings(root);
  }
  if (violated && given && origin == given->path) origin = given->placeOfRule(*violated);
  if (violated) throw ConfigError(origin, "", *violated);
  return scenario.hbm;
}

// ---- the replay -------------------------------------------------------------------------------

struct Replayed {
  std::string file;
  std::uint32_t bytes = 32, outstanding = 64;
  ReplayResult result;
  double wall = 0, processor = 0;  ///< seconds of the replay itself

  double requestsPerSecond() const {
    return processor > 0 ? static_cast<double>(result.requests) / processor : 0;
  }
};

double inNs(Picoseconds time) { return static_cast<double>(time) * 1e-3; }

std::string format(const char* form, auto... values) {
  std::array<char, 256> text;
  std::snprintf(text.data(), text.size(), form, values...);
  return text.data();
}

std::string textOf(const HbmConfig& memory, const Replayed& replayed) {
  const ReplayResult& result = replayed.result;
  const HbmStatistics& statistics = result.statistics;
  const double bursts = std::max(1.0, static_cast<double>(statistics.bursts()));
  const auto percent = [&](std::uint64_t count) {
    return 100 * static_cast<double>(count) / bursts;
  };
  const LatencyHistogram& latency = result.latency;
  return replayed.file +
         format(": %llu requests of %u B, at most %u outstanding\n",
                static_cast<unsigned long long>(result.requests), replayed.bytes,
                replayed.outstanding) +
         format("%u channels of %u bit at %g MHz, peak %.1f GB/s\n\n", memory.channels,
                memory.channel_bits, memory.clock_mhz, memory.peakBytesPerNs()) +
         format("time        %.3f us\n", inNs(result.time) * 1e-3) +
         format("bandwidth   %.2f GB/s, %.1f%% of peak\n", result.bytesPerNs(),
                100 * result.bytesPerNs() / memory.peakBytesPerNs()) +
         format("rows        %.2f%% hits, %.2f%% misses, %.2f%% conflicts of %llu bursts\n",
                percent(statistics.rowHits()), percent(statistics.rowMisses),
                percent(statistics.rowConflicts),
                static_cast<unsigned long long>(statistics.bursts())) +
         format("latency     p50 %.1f, p95 %.1f, p99 %.1f, longest %.1f ns\n",
                inNs(latency.percentile(0.5)), inNs(latency.percentile(0.95)),
                inNs(latency.percentile(0.99)), inNs(latency.maximum())) +
         format("host        %.2f M requests/s (%.3f s of processor time, %.3f s on the wall)\n",
                replayed.requestsPerSecond() * 1e-6, replayed.processor, replayed.wall);
}

HbmForm formOf(const HbmConfig& memory, const Replayed& replayed) {
  const ReplayResult& result = replayed.result;
  HbmForm form;
  form.build = {build::kVersion, build::kCommit, build::kDirty};
  form.hbm = memory;
  form.trace = {replayed.file, result.requests, replayed.bytes, replayed.outstanding};
  form.time_ps = result.time;
  form.bandwidth_gb_s = result.bytesPerNs();
  form.row_hit_rate = result.statistics.rowHitRate();
  const auto latency = [&](double share) { return inNs(result.latency.percentile(share)); };
  form.latency_ns = {latency(0.5), latency(0.95), latency(0.99), inNs(result.latency.maximum())};
  form.host = {replayed.requestsPerSecond(), replayed.processor, replayed.wall};
  form.statistics = result.statistics.rows(memory, result.time);
  return form;
}

Options hbmOptions() {
  Options options("t3sim hbm --trace FILE [OPTIONS]",
                  "Replays a request trace on a memory. A line of the trace is\n"
                  "ADDRESS READ|WRITE|UPDATE [CYCLE], as of DRAMsim3 and Ramulator, or in the\n"
                  "form of DRAMSys or Ramulator 2 (docs/hbm.md). Requests enter in the order of\n"
                  "the file, none before its clock.");
  options.add("trace", "FILE", "the requests");
  addMemoryOptions(options);
  options.add("bytes", "N", "size of a request, e.g. 256 or 4KiB; default 32");
  options.add("outstanding", "N", "unanswered requests at a time; default 64");
  options.add("json", "FILE", "write the figures as JSON, schema t3sim-hbm/1");
  options.add("command-trace", "FILE", "write every DRAM command as CSV");
  options.addFlag("show", "print the memory's settings, fit for --config, and end");
  options.addFlag("quiet", "print nothing");
  return options;
}

int runHbm(const Options& options) {
  const HbmConfig memory = memoryOf(options);
  if (options.has("show")) {
    std::cout << formatJson({{"hbm", toJson(memory)}});
    return kDone;
  }
  const auto file = options.value("trace");
  if (!file) throw ConfigError("--trace", "", "expected a file of requests (t3sim hbm --help)");
  Replayed replayed;
  replayed.file = *file;
  replayed.bytes =
      options.value("bytes", WholeNumber{1, kMostRequestBytes, "bytes"}).value_or(replayed.bytes);
  replayed.outstanding =
      options.value("outstanding", WholeNumber{1, kMostOutstanding}).value_or(replayed.outstanding);
  keepInput("--trace", *file);
  std::optional<OutputFile> report;
  if (const auto path = options.value("json")) report.emplace("--json", *path);
  std::optional<CommandTrace> commands;
  if (const auto path = options.value("command-trace")) commands.emplace("--command-trace", *path);
  const std::vector<ReplayRequest> trace =
      readRequestTrace(*file, replayed.bytes, memory.capacityBytes());

  TraceReplay replay(memory, replayed.outstanding);
  if (commands) replay.observe(&commands->memory(0, memory));
  const auto start = std::chrono::steady_clock::now();
  const double used = processorSeconds();
  {
    ProgressBar bar({"requests"}, !options.has("quiet"));
    replayed.result = replay.run(trace, [&bar](double share) { bar.update(0, share); });
  }
  replayed.processor = processorSeconds() - used;
  replayed.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  if (commands) commands->finish();
  if (report) report->commit(formatJson(toJson(formOf(memory, replayed))));
  if (!options.has("quiet")) std::cout << textOf(memory, replayed);
  return kDone;
}

}  // namespace

Command hbmCommand() { return {"hbm", "a request trace on the memory", hbmOptions, runHbm}; }

}  // namespace t3
