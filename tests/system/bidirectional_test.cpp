// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim on two rings that turn against each other. Data is checked against the
// reference, which sums the second half of every chunk the other way round; traffic must be that of
// one ring to the byte; times follow from each link carrying half.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "tests/system/symmetric.h"

namespace t3::bidirectional_test {
namespace {

namespace json = boost::json;
using test::number;
using test::Words;

const Words kBoth = "--set fabric.topology=bidirectional-ring";
const Words kModes = "--modes sequential,cu-split:4,t3,t3-mca,ideal-rs-nmc";

void expectExactAndTheTrafficOfOneRing(const Words& scenario) {
  const Words words = "compare" + kModes + scenario + test::kShallow;
  const auto one = test::runs(words);
  const auto two = test::runs(words + kBoth);
  ASSERT_EQ(one.size(), 5U);
  ASSERT_EQ(two.size(), 5U);
  for (const auto& [mode, expected] : one) {
    SCOPED_TRACE(mode);
    const json::object& run = two.at(mode);
    test::expectExact(run);
    EXPECT_EQ(number(run, "link_bytes"), number(expected, "link_bytes"));
    for (const char* kind : {"rs_read", "rs_write", "ag_read", "ag_write", "gemm_write"}) {
      EXPECT_EQ(run.at("dram_bytes").at(kind), expected.at("dram_bytes").at(kind)) << kind;
    }
    EXPECT_EQ(test::tracker(run, "triggers"), test::tracker(expected, "triggers"));
    EXPECT_EQ(test::tracker(run, "updates"), test::tracker(expected, "updates"));
  }
}

TEST(BidirectionalRing, SumsAreExactOnTheTrackersRtl) {
  expectExactAndTheTrafficOfOneRing("--preset tiny-tp4");
}

TEST(BidirectionalRing, SumsAreExactOnTwoThreeAndEightGpus) {
  for (const Words& size : {Words{"--set gpus=2"}, Words{"--set gpus=3 --set workload.rows=384"},
                            Words{"--set gpus=8"}}) {
    SCOPED_TRACE(size[1]);
    expectExactAndTheTrafficOfOneRing("--preset tiny-tp4 --tracker model" + size);
  }
}

TEST(BidirectionalRing, SumsAreExactWhereChunksBreakRowsAndTilesAreCut) {
  expectExactAndTheTrafficOfOneRing("--preset tiny-edge-tp4 --tracker lockstep --set gpus=2");
  expectExactAndTheTrafficOfOneRing("--preset tiny-edge-tp4 --tracker model --set gpus=3");
}

TEST(BidirectionalRing, HalvesTheTimeOfWhatTheLinkBounds) {
  const Words words =
      "compare --preset tiny-tp4 --tracker model --data elided --set link.bandwidth_gb_s=2" +
      kModes;
  const auto one = test::runs(words);
  const auto two = test::runs(words + kBoth);
  ASSERT_EQ(two.size(), 5U);
  // 3/4 of 512 KiB, twice, at 2 GB/s, and half of that on two rings.
  const double wire = 2 * 0.75 * 524288 / 2e3;
  for (const auto& [mode, run] : two) {
    const double oneUs = static_cast<double>(number(one.at(mode), "time_ps")) * 1e-6;
    const double twoUs = static_cast<double>(number(run, "time_ps")) * 1e-6;
    EXPECT_GE(oneUs, wire) << mode;
    EXPECT_GE(twoUs, wire / 2) << mode;
    EXPECT_NEAR(oneUs - twoUs, wire / 2, 0.1 * wire / 2) << mode;
  }
}

TEST(BidirectionalRing, AgreesWithOneGpuThatStandsForAll) {
  // Explicit GPUs fall a little out of step, because two rings share each memory: 2 %.
  test::expectSymmetricAgrees(
      "--preset tiny-tp4 --tracker model --set gpus=8 --set workload.rows=1024 --set "
      "workload.columns=1024 --set workload.depth=512" +
          kBoth + test::kKernelsGather,
      5, 0.02);
}

TEST(BidirectionalRing, CopesWithALateGpuAndASlowDirection) {
  for (const char* setting : {"gpu1.launch_delay_us=30", "gpu2.link.bandwidth_gb_s=5"}) {
    SCOPED_TRACE(setting);
    test::exactRun(Words{"run --preset tiny-tp4 --mode t3 --tracker model --set", setting} + kBoth);
  }
}

}  // namespace
}  // namespace t3::bidirectional_test
