// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim runs several sublayers back to back (workload.repeat). Data is checked,
// and every sublayer has operands of its own, so what one leaves behind would be wrong in the next.
// Traffic must be that of one sublayer as often, times follow from that of one sublayer and from
// what setting up costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/system/runs.h"

namespace t3::repeat_test {
namespace {

namespace json = boost::json;
using test::number;
using test::Words;

constexpr std::uint64_t kTimes = 3;
const Words kRepeated = "--set workload.repeat=3";
/// Those that run all sublayers; a bound is counted as often.
const Words kModes = "--modes sequential,cu-split:4,t3,t3-mca,t3-ag";

std::uint64_t at(const json::object& run, const char* group, const char* key) {
  return run.at(group).at(key).to_number<std::uint64_t>();
}

double ns(const json::object& run, const char* key) { return run.at(key).to_number<double>(); }

double setup(const json::object& run, const char* key) {
  return run.at("setup").at(key).to_number<double>();
}

/// Start and end of each sublayer in ps.
std::vector<std::pair<std::uint64_t, std::uint64_t>> sublayers(const json::object& run) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> list;
  for (const json::value& span : run.at("sublayers").as_array()) {
    list.emplace_back(span.at("start_ps").to_number<std::uint64_t>(),
                      span.at("end_ps").to_number<std::uint64_t>());
  }
  return list;
}

/// Runs a scenario of `gpus` GPUs once and three times. All sums of all sublayers are exact, and
/// three sublayers move three times the bytes of one.
void expectExactThreeTimes(const Words& tiny) {
  const Words scenario = tiny + test::kShallow;
  const auto once = test::runs(scenario);
  const auto thrice = test::runs(scenario + kRepeated);
  ASSERT_EQ(once.size(), thrice.size());
  for (const auto& [mode, run] : thrice) {
    SCOPED_TRACE(mode);
    const json::object& one = once.at(mode);
    EXPECT_EQ(at(run, "verification", "elements"), kTimes * at(one, "verification", "elements"));
    EXPECT_EQ(at(run, "verification", "mismatches"), 0U);
    EXPECT_EQ(number(run, "link_bytes"), kTimes * number(one, "link_bytes"));
    EXPECT_EQ(test::tracker(run, "triggers"), kTimes * test::tracker(one, "triggers"));
    EXPECT_EQ(test::tracker(run, "updates"), kTimes * test::tracker(one, "updates"));
    for (const char* kind : {"rs_read", "rs_write", "ag_read", "ag_write"}) {
      EXPECT_EQ(at(run, "dram_bytes", kind), kTimes * at(one, "dram_bytes", kind)) << kind;
    }
    ASSERT_EQ(sublayers(run).size(), kTimes);
    EXPECT_EQ(sublayers(run).back().second, number(run, "time_ps"));
    EXPECT_EQ(sublayers(one).size(), 1U);
    EXPECT_TRUE(one.at("steady_ns").is_null());
  }
}

TEST(Repeat, EverySublayerIsExactInEveryMode) {
  expectExactThreeTimes("compare --preset tiny-tp4" + kModes);
  expectExactThreeTimes("compare --preset tiny-edge-tp4" + kModes);
}

class RepeatOnEveryTopology : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Repeat, RepeatOnEveryTopology,
                         testing::Values("bidirectional-ring", "fully-connected", "switch",
                                         "two-level"),
                         test::withoutDashes);

TEST_P(RepeatOnEveryTopology, EverySublayerIsExact) {
  const Words scenario = "compare --preset tiny-tp4 --tracker model";
  expectExactThreeTimes(scenario + test::onFabric(GetParam()) + "--modes sequential,t3-mca,t3-ag");
}

TEST(Repeat, EverySublayerIsExactHoweverTheZerosGetThere) {
  for (const char* setting : {"hbm.initial_value=zero-over-bus", "hbm.near_memory=false"}) {
    SCOPED_TRACE(setting);
    expectExactThreeTimes(
        {std::string("run --preset tiny-tp4 --mode t3 --tracker model --set ") + setting});
  }
}

TEST(Repeat, RtlAndTwinAgreeThroughAllSublayers) {
  for (const char* mode : {"t3", "t3-ag"}) {
    test::exactRun(Words{"run --preset tiny-tp4 --mode", mode, "--tracker lockstep"} + kRepeated);
  }
}

TEST(Repeat, LateAndSlowGpusStayExactAndSetThePace) {
  const Words words = "compare --preset tiny-tp4 --tracker model" + kModes;
  const auto repeated = [&words](const Words& settings) {
    return test::runs(words + kRepeated + settings);
  };
  const auto balanced = repeated({});
  const auto late = repeated("--set gpu2.launch_delay_us=40");
  const auto slow = repeated("--set gpu1.clock_mhz=350");
  for (const auto& [mode, run] : balanced) {
    SCOPED_TRACE(mode);
    test::expectExact(late.at(mode));
    test::expectExact(slow.at(mode));
    // Who was late once is late in the first sublayer only.
    EXPECT_GT(sublayers(late.at(mode)).front().second, 40'000'000U);
    EXPECT_NEAR(ns(late.at(mode), "steady_ns") / ns(run, "steady_ns"), 1.0, 0.05);
    EXPECT_GT(ns(slow.at(mode), "steady_ns"), ns(run, "steady_ns") + 5000);
  }
}

TEST(Repeat, SublayersOfBalancedGpusTakeTheTimeOfTheFirstAndALaunch) {
  // One GPU for all: nobody is ahead, so the first sublayer ends as if it were the only one.
  const Words words =
      Words("compare --preset tiny-tp4 --data elided --tracker model --gpus symmetric") +
      "--modes sequential,t3,t3-mca,ideal-overlap,ideal-rs-nmc";
  const auto once = test::runs(words);
  const auto thrice = test::runs(words + kRepeated);
  ASSERT_EQ(thrice.size(), 5U);
  for (const auto& [mode, run] : thrice) {
    SCOPED_TRACE(mode);
    const std::uint64_t one = number(once.at(mode), "time_ps");
    EXPECT_EQ(sublayers(run).front().second, one);
    const json::object& phases = run.at("phase_ns").as_object();
    double sum = 0;
    for (const auto& phase : phases) sum += phase.value().to_number<double>();
    EXPECT_NEAR(sum, ns(run, "time_ns"), 1);
    EXPECT_GE(ns(run, "time_ns"), run.at("bound_ns").at("total").to_number<double>());
    if (mode == "ideal-rs-nmc") {
      EXPECT_EQ(number(run, "time_ps"), kTimes * one) << "a bound needs no launch in between";
    } else {
      // A launch takes 2 us. In the bound it is hidden where the reduce-scatter hides the GEMM.
      const double launch = mode == "ideal-overlap" ? 0 : 2e6;
      const double steady = ns(run, "steady_ns") * 1e3;
      EXPECT_GE(steady, 0.97 * static_cast<double>(one) + launch);
      EXPECT_LE(steady, 1.06 * static_cast<double>(one) + 2e6);
    }
  }
}

TEST(Repeat, ABoundCountsBytesAndUpdatesOfItsSublayerAsOften) {
  for (const char* mode : {"ideal-overlap", "ideal-rs-nmc", "ideal-ag"}) {
    SCOPED_TRACE(mode);
    const Words words = {"run --preset tiny-tp4 --tracker model --mode", mode};
    const auto once = test::runOf(words);
    const auto thrice = test::runs(words + kRepeated).at(mode);
    EXPECT_EQ(number(thrice, "link_bytes"), kTimes * number(once, "link_bytes"));
    EXPECT_EQ(test::tracker(thrice, "updates"), kTimes * test::tracker(once, "updates"));
    for (const char* kind :
         {"gemm_read", "gemm_write", "rs_read", "rs_write", "ag_read", "ag_write"}) {
      EXPECT_EQ(at(thrice, "dram_bytes", kind), kTimes * at(once, "dram_bytes", kind)) << kind;
    }
  }
}

TEST(Repeat, SettingUpTakesItsRegisterAccessesAndIsHiddenBehindTheAllGather) {
  const Words words = "run --preset tiny-tp4 --mode t3 --tracker model" + kRepeated;
  const auto hidden = test::runOf(words);
  // Two or three regions of alike blocks: DONE, stop, FILL, STATUS until it is over, and on for
  // each; before that STATUS until it is not busy; 3 or 4 clocks of 1 ns for each.
  const double accesses = setup(hidden, "register_accesses");
  EXPECT_GE(accesses, 1 + 5 * 2);
  EXPECT_LE(accesses, 5 + 10 * 3);
  EXPECT_GE(setup(hidden, "again_ns"), 3 * (1 + 5 * 2));
  EXPECT_LE(setup(hidden, "again_ns"), 4 * accesses);
  EXPECT_GT(setup(hidden, "first_ns"), setup(hidden, "again_ns"));

  // If an access takes 5 us, it is longer than the all-gather, and everybody waits for it. So does
  // the all-gather for the answer to the interrupt of the own chunk: three accesses, perhaps behind
  // those of the answer before.
  constexpr double kAccess = 5000;
  const auto exposed = test::exactRun(words + "--set tracker.register_access_ns=5000");
  EXPECT_GE(setup(exposed, "again_ns"), kAccess * accesses);
  const double longer = ns(exposed, "steady_ns") - ns(hidden, "steady_ns");
  const double waited = setup(exposed, "wait_ns") - setup(hidden, "wait_ns");
  EXPECT_GT(waited, 20'000);
  EXPECT_GE(longer, waited + 2.9 * kAccess);
  EXPECT_LE(longer, waited + 6.1 * kAccess);
}

TEST(Repeat, AFaultInALaterSublayerIsFound) {
  // Each link of the ring carries 6 x 16 tiles of 64 requests in a sublayer.
  const test::Outcome outcome = test::t3sim(
      "run --preset tiny-tp4 --mode t3 --tracker model --quiet --set gpu1.link.lose_write=9000" +
      kRepeated);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output + outcome.error, testing::HasSubstr("deadlock at "));
}

TEST(Repeat, WhatShowsOneSublayerRefusesSeveral) {
  test::expectRefused("follow --preset tiny-tp4 --gpu 1 --wg 4" + kRepeated, {"workload.repeat"});
  test::expectRefused("run --preset tiny-tp4 --set workload.repeat=0", {"workload.repeat"});
}

}  // namespace
}  // namespace t3::repeat_test
