// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim with a switch that adds updates and copies gathered stores. Data is
// checked against the reference; operands are such that every order and grouping of the additions
// gives the same sum. What moves is counted here from the definition of the collectives. Each run
// also checks itself: bytes of every link and merge unit, every element's updates, the paper's
// count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/system/symmetric.h"

namespace t3::switch_test {
namespace {

using test::number;
using test::Words;

const Words kMerging = test::onFabric("merging-switch");
const Words kTrackedModes = "--modes t3,t3-mca,t3-ag,ideal-rs-nmc,ideal-ag";

Words merging(const Words& more) { return kMerging + more; }

std::uint64_t merged(const boost::json::object& run, const char* key) {
  return run.at("merged").at(key).to_number<std::uint64_t>();
}

/// `output` in bytes, of whole lines.
void expectExactSums(const Words& scenario, std::uint64_t gpus, std::uint64_t output) {
  const auto runs = test::exactRuns("compare" + kTrackedModes + merging(scenario), 5U);
  for (const auto& [mode, run] : runs) {
    SCOPED_TRACE(mode);
    const bool copies = mode == "t3-ag" || mode == "ideal-ag";
    EXPECT_EQ(number(run, "link_bytes"), (copies ? gpus : 2 * (gpus - 1)) * output);
    EXPECT_EQ(merged(run, "update_bytes"), (gpus - 1) * output);
    EXPECT_EQ(merged(run, "write_bytes"), (gpus - 1) * output);
    EXPECT_EQ(merged(run, "updates") - merged(run, "joined"),
              merged(run, "complete") + merged(run, "partial") + merged(run, "aged") +
                  merged(run, "passed"));
    EXPECT_EQ(merged(run, "sum_bytes") * merged(run, "updates"),
              merged(run, "update_bytes") * (merged(run, "updates") - merged(run, "joined")));
  }
}

TEST(MergingSwitch, SumsAreExactOnTheTrackersRtl) {
  expectExactSums("--preset tiny-tp4 --tracker rtl", 4, 512 * 512 * 2);
}

TEST(MergingSwitch, SumsAreExactOnTwoThreeAndSixteenGpus) {
  const auto sized = [](const char* gpus, const char* rows) {
    return Words{std::string("--preset tiny-tp4 --tracker model --set gpus=") + gpus,
                 std::string("--set workload.rows=") + rows, "--set workload.columns=256"};
  };
  expectExactSums(sized("2", "256"), 2, 256 * 256 * 2);
  expectExactSums(sized("3", "192"), 3, 192 * 256 * 2);
  expectExactSums(sized("16", "256"), 16, 256 * 256 * 2);
}

TEST(MergingSwitch, SumsAreExactWhereRowsAreNoWholeLines) {
  for (const char* type : {"fp16", "bf16"}) {
    for (const auto& [mode, run] :
         test::runs(Words{std::string("compare --preset tiny-edge-tp4 --tracker lockstep --set "
                                      "workload.data_type=") +
                          type} +
                    "--modes t3,t3-mca,ideal-rs-nmc" + kMerging)) {
      SCOPED_TRACE(mode);
      test::expectExact(run);
      EXPECT_GT(merged(run, "joined"), merged(run, "updates") / 2);
    }
  }
}

TEST(MergingSwitch, ItsRtlDoesTheSameToThePicosecond) {
  // All that a run reports: times, bytes, counts, checked values. tiny-edge has cut tiles.
  for (const char* preset : {"tiny-tp4", "tiny-edge-tp4"}) {
    std::map<std::string, std::map<std::string, boost::json::object>> byUnit;
    for (const char* unit : {"model", "rtl", "lockstep"}) {
      byUnit[unit] = test::runs({"compare --preset", preset,
                                 std::string("--tracker model --modes t3,t3-mca,t3-ag --set "
                                             "fabric.topology=switch --set switch.merge=") +
                                     unit});
      ASSERT_EQ(byUnit[unit].size(), 3U);
      for (auto& [mode, run] : byUnit[unit]) {
        test::expectExact(run);
        run.erase("host");
      }
    }
    EXPECT_EQ(byUnit["rtl"], byUnit["model"]) << preset;
    EXPECT_EQ(byUnit["lockstep"], byUnit["model"]) << preset;
  }
}

TEST(MergingSwitch, ASizeThatTheRtlHasNotSaysWhatHelps) {
  const auto refused = [](const char* setting) {
    const test::Outcome outcome =
        test::t3sim({"run --mode t3 --preset tiny-tp4 --set fabric.topology=switch --set "
                     "switch.merge=rtl --set",
                     setting});
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    return outcome.error;
  };
  using testing::HasSubstr;
  EXPECT_THAT(refused("switch.merge_entries=16"),
              HasSubstr("switch.merge_entries: the RTL is built with 512, got 16; merge = model, "
                        "the behavioural twin, takes any"));
  EXPECT_THAT(refused("switch.merge_credits=9"),
              HasSubstr("switch.merge_credits: the RTL is built with 8, got 9; merge = model"));
  EXPECT_THAT(refused("switch.merge_age_us=2000"),
              HasSubstr("switch.merge_age_us: the RTL takes 1048576 cycles"));
}

class EveryTable : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(MergingSwitch, EveryTable, testing::Values(1, 16, 512, 65536),
                         testing::PrintToStringParamName());

TEST_P(EveryTable, LateSlowAndSmallGpusLoseNothing) {
  const Words table = {"--set switch.merge_entries=" + std::to_string(GetParam())};
  const std::vector<Words> machines = {
      {"--set gpu1.launch_delay_us=20"},
      {"--set gpu2.link.bandwidth_gb_s=5 --set gpu0.link.latency_ns=1500"},
      {"--set gpu3.compute_units=10 --set switch.merge_age_us=0.2"},
      {"--set link.bandwidth_gb_s=4 --set link.input_buffer_bytes=256"}};
  for (const Words& machine : machines) {
    SCOPED_TRACE(testing::PrintToString(machine));
    for (const auto& [mode, run] :
         test::runs("compare --preset tiny-tp4 --tracker model --modes t3,t3-ag" + table +
                    merging(machine))) {
      SCOPED_TRACE(mode);
      test::expectExact(run);
    }
  }
}

TEST(MergingSwitch, NextSublayersNormsAndConsumersAreRight) {
  for (const Words& scenario :
       {Words{"--preset tiny-tp4 --set workload.repeat=3"}, Words{"--preset tiny-pair-tp4"}}) {
    test::exactRuns("compare --tracker lockstep --modes t3-mca,t3-ag" + scenario + kMerging, 2U);
  }
}

TEST(MergingSwitch, AgreesWithOneGpuThatStandsForAll) {
  // 2 % as on two rings: tiny outputs.
  test::expectSymmetricAgrees(
      merging("--preset tiny-tp4 --tracker model --modes t3,t3-ag --set gpus=8 --set "
              "workload.rows=1024 --set workload.columns=1024 --set workload.depth=512"),
      2, 0.02);
}

TEST(MergingSwitch, FillsBothDirectionsOnceWhereOtherwiseTheyFillTwice) {
  // 2 GB/s: the links are all there is. What GPUs send to one address is apart by more than on fast
  // links, so sums stay longer.
  const Words words = {
      "--preset tiny-tp4 --tracker model --data elided --set gpus=8 --set workload.rows=1024 --set "
      "workload.columns=1024 --set link.bandwidth_gb_s=2 --set switch.merge_age_us=1000 --mode "
      "t3-ag"};
  const double output = 1024 * 1024 * 2;
  const auto usOf = [](const boost::json::object& run) {
    return static_cast<double>(number(run, "time_ps")) * 1e-6;
  };
  const auto run = test::runOf("run" + words + kMerging);
  const auto plain = test::runOf(Words("run" + words) + "--set fabric.topology=switch");
  const double bound = run.at("bound_ns").at("total").to_number<double>() * 1e-3;
  // Up: 7/8 to be reduced, 1/8 to be gathered; down the same the other way round; 1 us of latency.
  EXPECT_NEAR(bound, output / 2e3 + 1, 0.01);
  EXPECT_GE(usOf(run), bound);
  EXPECT_LE(usOf(run), 1.08 * bound);
  EXPECT_GE(usOf(plain), 2 * 7.0 / 8 * output / 2e3);
}

TEST(MergingSwitch, WithOnePlaceNearlyEveryUpdateLeavesAlone) {
  const auto run = test::exactRun(
      "run --mode t3-ag --preset tiny-tp4 --tracker model --set switch.merge_entries=1" + kMerging);
  EXPECT_GT(merged(run, "partial"), merged(run, "updates") / 2);
  EXPECT_EQ(merged(run, "most_entries"), 1U);
}

TEST(MergingSwitch, IsRefusedWhereNothingCanBeAdded) {
  const auto refused = [](const Words& words) {
    const test::Outcome outcome =
        test::t3sim("run --mode t3 --preset tiny-tp4 --set switch.merge=model" + words);
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    return outcome.error;
  };
  using testing::HasSubstr;
  EXPECT_THAT(refused({}),
              HasSubstr("switch.merge: expected off, because fabric.topology is not switch"));
  EXPECT_THAT(refused("--set fabric.topology=switch --set fabric.collective=ring"),
              HasSubstr("switch.merge: expected off, because fabric.collective = ring"));
  const std::string byItself =
      "switch.merge: expected off, because a collective from a file sends to each GPU by itself";
  const std::string file = std::string(T3_COLLECTIVES) + "/halving-doubling-all-reduce-4.xml";
  EXPECT_THAT(
      refused({"--set fabric.topology=switch --set workload.collective=" + file}),
      HasSubstr("switch.merge: expected off, because workload.collective does not send each "
                "contribution straight to its owner"));
  test::expectRefused({"run --mode t3 --preset tiny-tp4 --set fabric.topology=switch --set "
                       "switch.merge=model --collective",
                       file},
                      {byItself});
  EXPECT_THAT(refused("--set fabric.topology=switch --set switch.merge_entries=48"),
              HasSubstr("expected a power of two"));
}

}  // namespace
}  // namespace t3::switch_test
