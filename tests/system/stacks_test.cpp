// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim on GPUs whose memory has several stacks, each with a tracker of its own.
// Whatever the shape, the route and the mode, each byte is summed once, in the right order, and
// nothing waits for a share that does not come.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/seed.h"
#include "tests/system/collective_files.h"
#include "tests/system/mpirun.h"
#include "tests/system/random_settings.h"
#include "tests/system/runs.h"
#include "tests/system/symmetric.h"

namespace t3::stacks_test {
namespace {

using test::Words;

Words ofStacks(int stacks, int channels = 32) {
  return {"--set hbm.stacks=" + std::to_string(stacks) +
          " --set hbm.channels=" + std::to_string(channels)};
}

/// A small machine with cut tiles, a few channels for each stack, and memory that interleaves in
/// long or short blocks: some blocks have no byte in some stack.
class RandomMachine : test::RandomSettings {
 public:
  using RandomSettings::RandomSettings;

  Words next() {
    const int gpus = any({2, 3, 4});
    set("gpus", gpus);
    const int rows = any({16, 32, 64}), columns = any({16, 32, 64});
    set("gpu.gemm.tile_rows", rows);
    set("gpu.gemm.tile_columns", columns);
    set("gpu.gemm.wavefronts", any({1, 4, 8}));
    const std::string topology = any("ring", "bidirectional-ring", "fully-connected", "switch");
    set("fabric.topology", topology);
    if (topology == "fully-connected" || topology == "switch") {
      const std::string collective = any("ring", "direct");
      set("fabric.collective", collective);
      if (topology == "switch" && collective == "direct") {
        set("switch.merge", any("model", "off"));
      }
    }
    const int rings = topology == "bidirectional-ring" ? 2 : 1;
    set("workload.rows", rows * gpus * rings * any({1, 2}) - any({0, 0, 1}));
    set("workload.columns", columns * any({1, 2, 4}) - any({0, 0, 16}) * (columns > 16 ? 1 : 0));
    set("workload.depth", any({16, 64}));
    const int consumer = any({0, 0, 64});
    const bool norms = any({0, 1}) != 0;
    set("workload.consumer.columns", consumer);
    set("workload.between", norms ? "norm" : "none");
    set("workload.repeat", norms || consumer != 0 ? 1 : any({1, 2}));
    set("hbm.initial_value", any("in-memory", "zero-over-bus"));
    const int stacks = any({2, 3, 4, 5, 8});
    set("hbm.stacks", stacks);
    set("hbm.channels", stacks * any({1, 2, 4}));
    set("hbm.channel_interleave_bytes", any({256, 512, 2048}));
    set("hbm.channel_hash", any("true", "false"));
    set("gpu1.launch_delay_us", any({0, 3}));
    return take();
  }
};

TEST(Stacks, EndWithExactDataInEveryModeOnRandomMachines) {
  test::forSeeds(1, 12, [](std::uint64_t seed) {
    const Words settings = RandomMachine(seed).next();
    SCOPED_TRACE(settings.text());
    test::exactRuns(Words{"compare --preset tiny-tp4 --data checked --tracker lockstep --modes "
                          "t3,t3-mca,t3-ag"} +
                        settings,
                    3);
  });
}

TEST(Stacks, EndWithExactDataOnEveryTopologyWithEachKindOfTracker) {
  for (const char* topology :
       {"ring", "bidirectional-ring", "fully-connected", "switch", "merging-switch", "two-level"}) {
    for (const char* kind : {"model", "rtl"}) {
      SCOPED_TRACE(std::string(topology) + " " + kind);
      test::exactRuns(Words{"compare --preset tiny-tp4 --modes t3,t3-mca,t3-ag --tracker", kind} +
                          test::onFabric(topology) + test::kShallow + ofStacks(8),
                      3);
    }
  }
}

TEST(Stacks, EndWithExactDataSublayerAfterSublayerAndInIdeals) {
  test::exactRuns(Words{"compare --preset tiny-tp4 --tracker lockstep --modes "
                        "t3,t3-ag,ideal-rs-nmc,ideal-ag --set workload.repeat=3"} +
                      ofStacks(4),
                  4);
}

TEST(Stacks, CollectivesOfFilesByTrackersKeepTheirPromise) {
  for (const char* file : {"ring-all-reduce-4.xml", "direct-reduce-scatter-4.xml",
                           "halving-doubling-all-reduce-4.xml", "two-rings-all-gather-4.xml"}) {
    SCOPED_TRACE(file);
    test::exactRun(Words{"run --collective", test::fileOf(file),
                         "--mode t3 --data checked --tracker lockstep --set "
                         "collective.bytes=393216 --set workload.repeat=2"} +
                   test::onFabric(test::topologyFor(file)) + ofStacks(8));
  }
}

/// Nothing but the trackers depends on it.
TEST(Stacks, ChangeNothingWhereNothingIsTracked) {
  const Words words = "compare --preset tiny-tp4 --modes sequential,cu-split:4,ideal-overlap";
  auto one = test::runs(words);
  auto eight = test::runs(words + ofStacks(8));
  for (auto* runs : {&one, &eight}) {
    for (auto& [mode, run] : *runs) run.erase("host");
  }
  EXPECT_EQ(one, eight);
}

TEST(Stacks, TakeTheTimeOfOneAndMoreAccesses) {
  const Words words = "run --preset tiny-tp4 --mode t3 --tracker model";
  const auto one = test::runOf(words), two = test::runOf(words + ofStacks(2));
  const std::uint64_t before = test::number(one, "time_ps"), after = test::number(two, "time_ps");
  EXPECT_LT(after, before + 200'000) << "handshakes, and accesses at the end of each chunk";
  EXPECT_LT(before, after + 200'000);
  EXPECT_EQ(test::tracker(one, "triggers"), test::tracker(two, "triggers"));
  EXPECT_GT(two.at("setup").at("register_accesses").to_number<double>(),
            one.at("setup").at("register_accesses").to_number<double>());
}

TEST(Stacks, RecordingsChangeNothing) {
  for (const char* kind : {"rtl", "lockstep"}) {
    test::expectRecordingsChangeNothing(
        Words{"run --preset tiny-tp4 --mode t3-ag --tracker", kind} + ofStacks(2));
  }
}

TEST(Stacks, FollowSaysWhenEachHasSaidItsShareOfACommand) {
  const test::Outcome outcome =
      test::t3sim(Words{"follow --preset tiny-tp4 --gpu 3 --wg 17 --wf 2 --quiet"} + ofStacks(4));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  std::size_t at = 0;
  for (const char* stack : {"stack0", "stack1", "stack2", "stack3"}) {
    const std::string line = std::string("the unit of ") + stack + " says its share";
    EXPECT_NE(outcome.output.find(line), std::string::npos) << outcome.output;
    at = std::max(at, outcome.output.find(line));
  }
  EXPECT_LT(at, outcome.output.rfind("the tracker issues DMA command 17"));
}

TEST(Stacks, OfOneGpuThatStandsForAllAgreeWithThoseOfAll) {
  test::expectSymmetricAgrees(
      Words{"--preset tiny-tp4 --modes t3,t3-ag --tracker rtl"} + ofStacks(4), 2);
}

TEST(Stacks, AreRefusedWhereTheyDoNotDivideTheChannelsOrAreTooMany) {
  test::expectRefused(Words{"run --preset tiny-tp4 --mode t3"} + ofStacks(5),
                      {"hbm.stacks: expected a number that divides hbm.channels = 32, got 5"});
  test::expectRefused(Words{"run --preset tiny-tp4 --mode t3"} + ofStacks(9, 9),
                      {"hbm.stacks", "8"});
  test::exactRun(Words{"run --preset tiny-tp4 --mode t3 --tracker model"} + ofStacks(8, 8));
}

}  // namespace
}  // namespace t3::stacks_test
