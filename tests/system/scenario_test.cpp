// SPDX-License-Identifier: Apache-2.0
// What must hold between whole runs. Method: the real t3sim simulates each scenario in a process of
// its own; its JSON reports are compared with one another. Data is checked where values matter, so
// every run also compares its sums with the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "tests/system/runs.h"

namespace t3::scenario_test {
namespace {

namespace json = boost::json;
using test::number;
using test::runs;
using test::tracker;
using test::Words;

// --- time -----------------------------------------------------------------------------------

TEST(SimulatedTime, DoesNotDependOnDataOrSeed) {
  for (const char* preset : {"tiny-tp4", "tiny-edge-tp4"}) {
    const auto checked = runs({"compare --preset", preset});
    const auto elided = runs({"compare --preset", preset, "--data elided --seed 77"});
    ASSERT_EQ(checked.size(), 7U);
    ASSERT_EQ(elided.size(), 7U);
    for (const auto& [mode, run] : checked) {
      EXPECT_EQ(number(run, "time_ps"), number(elided.at(mode), "time_ps"))
          << preset << ' ' << mode;
    }
  }
}

TEST(SimulatedTime, RepeatsToThePicosecondWithEveryFigure) {
  const Words words = "run --preset tiny-edge-tp4 --mode t3-mca";
  auto first = runs(words);
  auto second = runs(words);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(second.size(), 1U);
  first.begin()->second.erase("host");
  second.begin()->second.erase("host");
  EXPECT_EQ(json::serialize(first.begin()->second), json::serialize(second.begin()->second));
}

TEST(SimulatedTime, NothingBeatsTheBoundOnFastAndSlowLinks) {
  for (const char* bandwidth : {"5", "75", "1000"}) {
    const auto byMode =
        runs({std::string("compare --preset tiny-tp4 --tracker model --set link.bandwidth_gb_s=") +
              bandwidth});
    ASSERT_EQ(byMode.size(), 7U);
    const std::uint64_t bound = number(byMode.at("ideal-rs-nmc"), "time_ps");
    EXPECT_GE(number(byMode.at("t3"), "time_ps"), bound) << bandwidth << " GB/s";
    EXPECT_GE(number(byMode.at("t3-mca"), "time_ps"), bound) << bandwidth << " GB/s";
    EXPECT_GE(number(byMode.at("t3-ag"), "time_ps"), number(byMode.at("ideal-ag"), "time_ps"))
        << bandwidth << " GB/s";
    for (const auto& [mode, run] : byMode) {
      EXPECT_GE(run.at("time_ns").to_number<double>(),
                run.at("bound_ns").at("total").to_number<double>())
          << mode << ", closed form, " << bandwidth << " GB/s";
    }
  }
}

// --- initial value ----------------------------------------------------------------------------

TEST(Zeroing, SlowZerosHoldUpdatesBackAndTheSumsStayExact) {
  const Words words = "run --preset tiny-edge-tp4 --mode t3 --set hbm.initial_value=zero-over-bus";
  const Words slow =
      words + "--set gpu.dma.fill_bytes=256 --set gpu.dma.fill_outstanding_bytes=256";
  const auto waits = [](const json::object& run, const char* who) {
    std::uint64_t sum = 0;
    for (const json::value& gpu : run.at("per_gpu").as_array()) {
      sum += gpu.at(who).to_number<std::uint64_t>();
    }
    return sum;
  };
  const json::object held = runs(slow).at("t3");
  const json::object usual = runs(words).at("t3");
  EXPECT_GT(waits(held, "store_zero_wait_ps"), 0U);
  EXPECT_GT(waits(held, "ingress_zero_wait_ps"), 0U);
  EXPECT_EQ(waits(usual, "store_zero_wait_ps"), 0U);
  EXPECT_GT(number(held, "time_ps"), number(usual, "time_ps"));
  test::expectExact(held);
}

double figure(const json::object& run, std::string_view name) {
  double sum = 0;
  for (const json::value& row : run.at("memory").at("figures").as_array()) {
    if (row.at("name").as_string() != name) continue;
    for (const json::value& gpu : row.at("per_gpu").as_array()) sum += gpu.to_number<double>();
    return sum;
  }
  ADD_FAILURE() << "no figure " << name;
  return -1;
}

TEST(InitialValue, InMemoryNoZerosCrossTheBusAndTheSumsStayExact) {
  // The output starts as NaNs: a missing clear would show in the sums. That the accumulation buffer
  // holds zeros at the end is checked by the run itself.
  const Words words = "compare --preset tiny-edge-tp4 --modes t3,ideal-rs-nmc";
  const auto cleared = runs(words);
  const auto zeroed = runs(words + "--set hbm.initial_value=zero-over-bus").at("t3");
  const json::object& run = cleared.at("t3");
  const auto bytes = [](const json::object& of, const char* kind) {
    return of.at("dram_bytes").at(kind).to_number<std::uint64_t>();
  };
  test::expectExact(run);
  test::expectExact(zeroed);
  EXPECT_EQ(bytes(run, "gemm_write"), bytes(cleared.at("ideal-rs-nmc"), "gemm_write"));
  EXPECT_EQ(bytes(zeroed, "gemm_write"), 2 * bytes(run, "gemm_write"));
  for (const char* kind : {"rs_read", "rs_write"}) {
    EXPECT_EQ(bytes(run, kind), bytes(zeroed, kind)) << kind;
  }
  EXPECT_GT(figure(run, "commands_RowClear"), 0);
  EXPECT_GT(figure(run, "commands_ReadClear"), 0);
  EXPECT_EQ(figure(zeroed, "cleared_bytes"), 0);
}

TEST(InitialValue, WithoutNearMemoryTheControllerWritesTheZerosAndTheSumsStayExact) {
  const json::object run =
      runs("run --preset tiny-edge-tp4 --mode t3 --set hbm.near_memory=false").at("t3");
  test::expectExact(run);
  EXPECT_EQ(figure(run, "cleared_bytes"), 0);
  EXPECT_EQ(figure(run, "commands_ReadClear"), 0);
}

TEST(InitialValue, IsRightOnEveryFabricWithEveryTracker) {
  const std::map<std::string, bool> sendsSums = {{"bidirectional-ring", true},
                                                 {"fully-connected", false},
                                                 {"switch", false},
                                                 {"two-level", true}};
  for (const auto& [topology, sends] : sendsSums) {
    for (const char* tracker : {"model", "rtl", "lockstep"}) {
      const json::object run =
          runs(Words{"run --preset tiny-tp4 --mode t3-mca --tracker", tracker} +
               test::onFabric(topology))
              .at("t3-mca");
      test::expectExact(run);
      EXPECT_EQ(figure(run, "commands_ReadClear") > 0, sends) << topology;
      EXPECT_GT(figure(run, "commands_RowClear"), 0) << topology;
    }
  }
}

TEST(SimulatedTime, PhasesOfAModeAreListedInOrderAndEndWithTheRun) {
  const auto byMode = runs("compare --preset tiny-tp4 --tracker model");
  ASSERT_EQ(byMode.size(), 7U);
  for (const auto& [mode, run] : byMode) {
    std::string names;
    std::uint64_t start = 0;
    for (const json::value& phase : run.at("phases").as_array()) {
      names += std::string(phase.at("name").as_string()) + ' ';
      const auto begins = phase.at("start_ps").to_number<std::uint64_t>();
      EXPECT_GE(begins, start) << mode;
      EXPECT_GT(phase.at("end_ps").to_number<std::uint64_t>(), begins) << mode;
      start = begins;
    }
    const bool zeroes = mode.starts_with("t3");
    EXPECT_EQ(names, (zeroes ? "zeroing " : "") + std::string("gemm reduce_scatter all_gather "));
    if (mode.starts_with("ideal")) continue;  // their time is not that of their simulation
    EXPECT_EQ(run.at("phases").as_array().back().at("end_ps").to_number<std::uint64_t>(),
              number(run, "time_ps"))
        << mode;
  }
}

// --- the watchdog ---------------------------------------------------------------------------

TEST(Watchdog, EndsARunWithoutProgressWithExitOneAndAPicture) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("report.json");
  test::expectFails({"run --preset tiny-tp4 --mode t3 --tracker model --set watchdog_us=50 --set "
                     "link.latency_ns=900000 --quiet --json",
                     path},
                    {"no progress since", "gpu0.link waits for gpu1.ingress: "});
  const json::value run = test::runIn(path);
  EXPECT_EQ(run.at("status").as_string(), "failed");
  EXPECT_THAT(std::string(run.at("error").as_string()), testing::HasSubstr("gpu0.link"));
}

TEST(Watchdog, WaitsForALateGpu) {
  const auto run = test::runOf(
      {"run --preset tiny-tp4 --mode t3 --tracker model --set gpu1.launch_delay_us=5000"});
  ASSERT_FALSE(run.empty());
  EXPECT_GT(number(run, "time_ps"), 5'000'000'000U);
}

// --- many commands at once --------------------------------------------------------------------

/// 64 x 64 tiles of 16 x 16 on 4 GPUs: 1024 tiles in a chunk, a command for each of them, and an
/// engine that takes them one by one. More wait than the tracker keeps in order.
const Words kManyCommands = {
    "--preset tiny-tp4 --set workload.rows=1024 --set workload.columns=1024 --set "
    "workload.depth=32 --set gpu.gemm.tile_rows=16 --set gpu.gemm.tile_columns=16 --set "
    "gpu.dma.queue_commands=1"};

TEST(ManyCommands, EveryTileTriggersOnceAndEverySumIsExactWhateverIsSlow) {
  for (const char* slow : {"link.bandwidth_gb_s=4", "gpu.gemm.issue_efficiency=0.02"}) {
    SCOPED_TRACE(slow);
    const auto all = runs(Words{"run --mode t3 --tracker lockstep --set", slow} + kManyCommands);
    ASSERT_EQ(all.size(), 1U);
    const json::object& run = all.at("t3");
    test::expectExact(run);
    EXPECT_EQ(tracker(run, "triggers"), 4 * 3 * 1024U)
        << "of the two chunks that pass through, and of the one that stays";
  }
}

}  // namespace
}  // namespace t3::scenario_test
