// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testbench/config/described_json.h"
#include "tests/system/checked_commands.h"
#include "tests/testbench/refused.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::test {

/// Little to multiply: sums are no less exact for it, and only reads of operands are fewer.
inline const Words kShallow = "--set workload.depth=32";

/// The settings of a fabric; nodes are of two GPUs. "merging-switch": a switch that adds.
inline Words onFabric(const std::string& topology) {
  if (topology == "merging-switch") {
    return {"--set fabric.topology=switch --set switch.merge=model"};
  }
  return {"--set fabric.topology=" + topology, "--set fabric.gpus_per_node=2"};
}

/// Every DRAM command in the files of `--command-trace` keeps the rules of the independent checker,
/// and there is one for each burst the report counts.
inline void expectCommandsKeepTheRules(const std::string& directory,
                                       const boost::json::object& report) {
  const auto memory = fromJson<HbmConfig>(report.at("scenario").at("hbm"));
  std::uint64_t bursts = 0, expected = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    if (file.path().extension() != ".csv") continue;
    for (auto& [gpu, commands] : readCommandTrace(file.path())) {
      bursts += burstsOfChecked({memory, std::move(commands)},
                                file.path().filename().string() + ", GPU " + std::to_string(gpu));
    }
  }
  for (const boost::json::value& run : report.at("runs").as_array()) {
    if (!run.at("derived_from").is_null()) continue;
    expected += run.at("host").at("dram_bursts").to_number<std::uint64_t>();
  }
  EXPECT_EQ(bursts, expected) << "every burst has its command";
}

/// Whether a run writes its DRAM commands and has them checked. Not at the size of the paper's
/// presets: hundreds of millions.
enum class Commands : std::uint8_t { Checked, NotWritten };

/// The JSON report of one t3sim call, which must succeed; an empty object if it does not.
inline boost::json::object reportOf(Words words, Commands commands = Commands::Checked) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("report.json");
  words = words + "--quiet --json" + path;
  if (commands == Commands::Checked) {
    words = words + "--command-trace" + directory.path("commands.csv");
  }
  const Outcome outcome = t3sim(words);
  EXPECT_EQ(outcome.code, 0) << outcome.error << outcome.output;
  if (outcome.code != 0) return {};
  boost::json::object report = boost::json::parse(readFile(path)).as_object();
  if (commands == Commands::Checked) expectCommandsKeepTheRules(directory.path(), report);
  return report;
}

/// Its runs by mode.
inline std::map<std::string, boost::json::object> runs(const Words& words,
                                                       Commands commands = Commands::Checked) {
  std::map<std::string, boost::json::object> byMode;
  const boost::json::object report = reportOf(words, commands);
  if (report.empty()) return byMode;
  for (const boost::json::value& run : report.at("runs").as_array()) {
    byMode[std::string(run.at("mode").as_string())] = run.as_object();
  }
  return byMode;
}

/// The only run of a call of `t3sim run`.
inline boost::json::object runOf(const Words& words) {
  const auto byMode = runs(words);
  EXPECT_EQ(byMode.size(), 1U);
  return byMode.empty() ? boost::json::object() : byMode.begin()->second;
}

/// Records all there is of one call of `t3sim run`: its report is that of a run without recordings.
inline void expectRecordingsChangeNothing(const Words& words) {
  const TemporaryDirectory directory;
  auto alone = runOf(words);
  auto recorded = runOf(words + "--timeline" + directory.path("t.json") + "--transactions" +
                        directory.path("t.csv") + "--wave" + directory.path("t.fst"));
  alone.erase("host");
  recorded.erase("host");
  EXPECT_EQ(recorded, alone) << ::testing::PrintToString(words);
}

/// Values were compared, and every one was exact.
inline void expectExact(const boost::json::object& run) {
  ASSERT_FALSE(run.empty());
  const boost::json::object& verification = run.at("verification").as_object();
  EXPECT_GT(verification.at("elements").to_number<std::uint64_t>(), 0U);
  EXPECT_EQ(verification.at("mismatches").to_number<std::uint64_t>(), 0U);
}

/// A run whose values are all exact.
inline boost::json::object exactRun(const Words& words) {
  const boost::json::object run = runOf(words);
  expectExact(run);
  return run;
}

/// The runs of so many modes, whose values are all exact.
inline std::map<std::string, boost::json::object> exactRuns(const Words& words, std::size_t modes,
                                                            Commands commands = Commands::Checked) {
  const auto byMode = runs(words, commands);
  EXPECT_EQ(byMode.size(), modes);
  for (const auto& [mode, run] : byMode) {
    SCOPED_TRACE(mode);
    expectExact(run);
  }
  return byMode;
}

inline std::uint64_t number(const boost::json::object& run, const char* key) {
  return run.at(key).to_number<std::uint64_t>();
}

inline std::uint64_t tracker(const boost::json::object& run, const char* key) {
  return run.at("tracker_stats").at(key).to_number<std::uint64_t>();
}

inline std::uint64_t dram(const boost::json::object& run, const char* kind) {
  return run.at("dram_bytes").at(kind).to_number<std::uint64_t>();
}

/// Of a test for each topology.
inline std::string withoutDashes(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

}  // namespace t3::test
