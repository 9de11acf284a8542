// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

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

/// The JSON report of one t3sim call, which must succeed; an empty object if it does not.
inline boost::json::object reportOf(const Words& words) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("report.json");
  const Outcome outcome = t3sim(words + "--quiet --json" + path);
  EXPECT_EQ(outcome.code, 0) << outcome.error << outcome.output;
  if (outcome.code != 0) return {};
  return boost::json::parse(readFile(path)).as_object();
}

/// Its runs by mode.
inline std::map<std::string, boost::json::object> runs(const Words& words) {
  std::map<std::string, boost::json::object> byMode;
  const boost::json::object report = reportOf(words);
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
                        directory.path("t.csv") + "--command-trace" + directory.path("c.csv") +
                        "--wave" + directory.path("t.fst"));
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
  boost::json::object run = runOf(words);
  expectExact(run);
  return run;
}

/// The runs of so many modes, whose values are all exact.
inline std::map<std::string, boost::json::object> exactRuns(const Words& words, std::size_t modes) {
  auto byMode = runs(words);
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
