// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim with outputs whose tiles do not divide by the GPUs, in every mode and on
// every fabric. Data is checked against the reference. Each byte of the output is reduced and
// gathered once for each other GPU, however it is cut, so what the links carry is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/seed.h"
#include "tests/system/random_settings.h"
#include "tests/system/symmetric.h"

namespace t3::unequal_chunks_test {
namespace {

using test::number;
using test::Words;

struct Shape {
  const char* name;
  std::uint32_t gpus, rows, columns;
};

class UnequalChunks : public testing::TestWithParam<std::tuple<const char*, Shape>> {};

INSTANTIATE_TEST_SUITE_P(Fabrics, UnequalChunks,
                         testing::Combine(testing::Values("ring", "bidirectional-ring",
                                                          "fully-connected", "switch", "two-level"),
                                          testing::Values(Shape{"FifteenTiles", 4, 640, 384},
                                                          Shape{"ThreeTiles", 4, 128, 384},
                                                          Shape{"OneTile", 4, 128, 128},
                                                          Shape{"OneRow", 6, 1, 2304})),
                         [](const auto& test) {
                           std::string name =
                               std::string(std::get<0>(test.param)) + std::get<1>(test.param).name;
                           std::erase(name, '-');
                           return name;
                         });

Words scenarioOf(const char* topology, const Shape& shape) {
  return {"--preset tiny-tp4 --set gpus=" + std::to_string(shape.gpus),
          std::string("--set fabric.topology=") + topology,
          "--set fabric.gpus_per_node=2 --set workload.rows=" + std::to_string(shape.rows),
          "--set workload.columns=" + std::to_string(shape.columns),
          "--set gpu.gemm.tile_rows=128 --set gpu.gemm.tile_columns=128"};
}

TEST_P(UnequalChunks, AreReducedAndGatheredOnceInEveryMode) {
  const auto& [topology, shape] = GetParam();
  const auto runs = test::runs("compare" + scenarioOf(topology, shape));
  EXPECT_GE(runs.size(), 7U);
  const std::uint64_t output = std::uint64_t{shape.rows} * shape.columns * 2;
  for (const auto& [mode, run] : runs) {
    SCOPED_TRACE(mode);
    EXPECT_EQ(run.at("verification").at("elements").to_number<std::uint64_t>(),
              shape.gpus * output / 2);
    test::expectExact(run);
    if (std::string(topology) == "two-level") continue;
    EXPECT_EQ(number(run, "link_bytes"), 2 * (shape.gpus - 1) * output);
  }
}

TEST(UnequalChunksOfTiles, TakeTheSameTimeInAnyOrderAndWhenRecorded) {
  const Words words = "run --mode t3-ag --tracker model" + scenarioOf("ring", {"", 6, 640, 208});
  const auto time = number(test::runOf(words), "time_ps");
  for (const char* seed : {"order_seed=1", "order_seed=2"}) {
    EXPECT_EQ(number(test::runOf(words + "--set" + seed), "time_ps"), time);
  }
  test::expectRecordingsChangeNothing(words);
}

TEST(UnequalChunksOfRows, FeedANormAndAConsumer) {
  test::exactRuns(
      "compare --preset tiny-tp4 --set gpus=3 --set workload.rows=640 --set "
      "workload.columns=384 --set workload.between=norm --set "
      "workload.consumer.columns=256 --modes sequential,t3,t3-mca,t3-ag",
      4U);
}

/// Any shape on any machine, as a user might ask for: t3sim's words.
Words randomRun(std::uint64_t seed) {
  test::RandomSettings random(seed);
  const std::string topology =
      random.any("ring", "bidirectional-ring", "fully-connected", "switch", "two-level");
  const std::uint64_t gpus =
      topology == "two-level" ? 2 * (1 + random.upTo(5)) : 1 + random.upTo(11);
  random.set("fabric.topology", topology);
  random.set("fabric.gpus_per_node", "2");
  const std::string merge = random.any("off", "model");
  if (topology == "switch") random.set("switch.merge", merge);
  random.set("gpus", gpus);
  const bool direct = topology == "fully-connected" || (topology == "switch" && merge == "off");
  const bool leavesOut = direct && random.upTo(2) == 1;
  if (leavesOut) random.set("workload.contributions", random.upTo(gpus));
  // Half of the outputs have few tiles; one side may be 4,000 elements long.
  const std::uint64_t longest = random.upTo(2) == 1 ? 4000 : 200;
  const std::uint64_t one = random.upTo(longest),
                      other = random.upTo(std::min(4000UL, 60000 / one + 1));
  const bool turned = random.upTo(2) == 1;
  random.set("workload.rows", turned ? one : other);
  random.set("workload.columns", turned ? other : one);
  random.set("workload.depth", random.upTo(40));
  random.set("gpu.gemm.tile_rows", random.any("8", "16", "64"));
  random.set("gpu.gemm.tile_columns", random.any("16", "32", "128"));
  random.set("gpu.gemm.wavefronts", random.any("1", "4", "8"));
  random.set("gpu.compute_units", random.any("2", "5", "40"));
  random.set("hbm.channels", random.any("8", "16"));
  random.set("hbm.initial_value", random.any("in-memory", "in-memory", "zero-over-bus"));
  random.set("tracker.block_log2", random.any("0", "0", "1", "2"));
  if (!leavesOut && random.upTo(4) == 1) {
    random.set("workload.repeat", 1 + random.upTo(2));
  } else {
    if (random.upTo(3) == 1) random.set("workload.between", "norm");
    if (random.upTo(3) == 1) random.set("workload.consumer.columns", random.upTo(100));
  }
  if (random.upTo(3) == 1) random.set("gpu1.launch_delay_us", random.any("1", "20"));
  return "compare --preset tiny-tp4 --data checked --tracker model --set link.bandwidth_gb_s=300" +
         random.take();
}

TEST(RandomShapes, EndWithExactSumsInEveryMode) {
  test::forSeeds(1, 12, [](std::uint64_t seed) {
    const Words words = randomRun(seed);
    const auto byMode = test::runs(words);
    EXPECT_GE(byMode.size(), 2U) << words.text();
    for (const auto& [mode, run] : byMode) {
      SCOPED_TRACE(mode);
      test::expectExact(run);
    }
  });
}

}  // namespace
}  // namespace t3::unequal_chunks_test
