// SPDX-License-Identifier: Apache-2.0
// Method: plans of all GPUs of a fabric are executed here on paper. Every wavefront of an update or
// a write that the route causes is matched with the regions as docs/tracker.md says (the lowest
// that contains workgroup and buffer wins); blocks, slots and commands must come out so that every
// sum is passed on once and every GPU gets every final chunk once. 2 to 64 GPUs, on one ring, two
// rings, direct and on rings in nodes, and 200 on a ring.
#include "tlm/node/tracker_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "tests/tlm/collectives/algorithms.h"
#include "tlm/collectives/algorithm_route.h"
#include "tlm/collectives/ring_route.h"
#include "tlm/collectives/route.h"

namespace t3::tracker_plan_test {
namespace {

constexpr TrackerUse kGather{.readsClear = true, .gathers = true};

struct Fabric {
  std::string name;
  std::unique_ptr<const Route> route;
  Tiling tiling;

  Fabric(const char* text, const CollectiveRoute& kind, const Reach& reach, std::uint32_t perChunk)
      : name(text + std::to_string(reach.gpus)),
        route(kind.make(reach)),
        tiling({route->chunks(), perChunk, 2}, {1, 1, 1}, route->chunks()) {}

  static MemoryLayout layout() {
    MemoryLayout layout;
    layout.output = 1 << 20;
    layout.accumulation = 2 << 20;
    layout.normed = 3 << 20;
    return layout;
  }
  TrackerPlan plan(std::uint32_t gpu, const TrackerUse& use, std::uint32_t blockLog2 = 0) const {
    return planTracker(*route, tiling, GpuId{gpu}, blockLog2, use, layout());
  }
};

std::vector<Fabric> fabrics(std::uint32_t perChunk) {
  std::vector<Fabric> list;
  for (const std::uint32_t gpus : {2U, 3U, 4U, 5U, 8U, 16U, 32U, 64U}) {
    list.emplace_back("ring", kRingRoute, Reach{gpus}, perChunk);
    list.emplace_back("two rings", kRingRoute, Reach{gpus, false, 2}, perChunk);
    list.emplace_back("direct", kDirectRoute, Reach{gpus, true}, perChunk);
    for (const std::uint32_t places : {2U, 4U, 8U}) {
      if (gpus % places != 0 || gpus == places) continue;
      list.emplace_back("nodes", kTwoLevelRoute, Reach{gpus, false, 1, places}, perChunk);
    }
  }
  list.emplace_back("ring", kRingRoute, Reach{200}, perChunk);
  return list;
}

std::vector<TrackerPlan> plans(const Fabric& fabric, const TrackerUse& use) {
  std::vector<TrackerPlan> list;
  for (std::uint32_t g = 0; g < fabric.route->gpus(); ++g) list.push_back(fabric.plan(g, use));
  return list;
}

/// The region that counts a write, or null.
const TrackedRegion* match(const TrackerPlan& plan, std::uint32_t wg, OutputBuffer buffer) {
  for (const TrackedRegion& region : plan.regions) {
    if (region.buffer == buffer && region.tiles.contains(WorkgroupId{wg})) return &region;
  }
  return nullptr;
}

CommandId slotOf(const TrackedRegion& region, std::uint32_t wg, std::uint32_t blockLog2) {
  return CommandId{region.firstCommand.value + ((wg - region.tiles.first) >> blockLog2)};
}

TEST(TrackerPlan, EveryFinalChunkReachesEveryGpuOnce) {
  for (const Fabric& fabric : fabrics(2)) {
    SCOPED_TRACE(fabric.name);
    const Route& route = *fabric.route;
    const std::vector<TrackerPlan> all = plans(fabric, kGather);
    for (std::uint32_t wg = 0; wg < fabric.tiling.tiles(); ++wg) {
      const ChunkId chunk = fabric.tiling.chunkOf(WorkgroupId{wg});
      std::vector<unsigned> stored(route.gpus());
      std::vector<std::uint32_t> has{route.owner(chunk).value};  // complete, not yet sent on
      while (!has.empty()) {
        const std::uint32_t gpu = has.back();
        has.pop_back();
        const TrackerPlan& plan = all[gpu];
        const TrackedRegion* region = match(plan, wg, OutputBuffer::Output);
        ASSERT_NE(region, nullptr);
        const bool own = route.owner(chunk) == GpuId{gpu};
        EXPECT_EQ(region->updatesPerElement, own ? route.updatesPerElement(GpuId{gpu}, chunk) : 1U);
        const CommandId slot = slotOf(*region, wg, 0);
        std::size_t commands = 0;
        for (const auto& [id, transfer] : plan.commands) {
          if (id != slot) continue;
          ++commands;
          EXPECT_EQ(transfer.tiles, (TileRange{wg, 1}));
          EXPECT_EQ(transfer.phase, Phase::AllGather);
          EXPECT_EQ(transfer.source, Fabric::layout().output);
          EXPECT_FALSE(transfer.clears);
          for (const DmaWrite& write : transfer.remote) {
            const GpuId to = gpuOf(write.destination);
            EXPECT_EQ(write.operation, MemoryOperation::Store);
            EXPECT_EQ(localAddress(write.destination), Fabric::layout().output);
            EXPECT_EQ(route.peer(GpuId{gpu}, write.port), to);
            ++stored[to.value];
            has.push_back(to.value);
          }
        }
        EXPECT_EQ(commands, region->trigger ? 1U : 0U);
      }
      for (std::uint32_t gpu = 0; gpu < route.gpus(); ++gpu) {
        EXPECT_EQ(stored[gpu], route.owner(chunk) == GpuId{gpu} ? 0U : 1U);
      }
    }
  }
}

TEST(TrackerPlan, WhereASwitchCopiesAFinalChunkIsSentOnceForAll) {
  for (const std::uint32_t gpus : {2U, 3U, 8U, 64U}) {
    const Fabric fabric("direct", kDirectRoute, Reach{gpus, true}, 2);
    TrackerUse use = kGather;
    use.multicasts = true;
    for (std::uint32_t g = 0; g < gpus; ++g) {
      const TrackerPlan plan = fabric.plan(g, use);
      const TrackerPlan copies = fabric.plan(g, kGather);
      ASSERT_EQ(plan.commands.size(), copies.commands.size());
      std::set<std::uint32_t> ports;  // shares of the engine have equal work
      for (std::size_t c = 0; c < plan.commands.size(); ++c) {
        EXPECT_EQ(plan.commands[c].slot, copies.commands[c].slot);
        ASSERT_EQ(plan.commands[c].transfer.remote.size(), 1U);
        const DmaWrite& write = plan.commands[c].transfer.remote.front();
        EXPECT_TRUE(write.multicast);
        EXPECT_EQ(copies.commands[c].transfer.remote.size(), gpus - 1);
        ports.insert(write.port);
      }
      EXPECT_EQ(ports.size(), std::min<std::size_t>(gpus - 1, plan.commands.size()));
    }
  }
  const Fabric ring("ring", kRingRoute, Reach{4}, 2);
  TrackerUse use = kGather;
  use.multicasts = true;
  for (const auto& command : ring.plan(0, use).commands) {
    for (const DmaWrite& write : command.transfer.remote) EXPECT_FALSE(write.multicast);
  }
}

TEST(TrackerPlan, SumsAreTrackedAndPassedOnAsWithoutTheGather) {
  for (const Fabric& fabric : fabrics(2)) {
    SCOPED_TRACE(fabric.name);
    for (std::uint32_t gpu = 0; gpu < fabric.route->gpus(); ++gpu) {
      const TrackerPlan without = fabric.plan(gpu, {.readsClear = true});
      const TrackerPlan with = fabric.plan(gpu, kGather);
      for (std::uint32_t wg = 0; wg < fabric.tiling.tiles(); ++wg) {
        const ChunkId chunk = fabric.tiling.chunkOf(WorkgroupId{wg});
        const TrackedRegion* region = match(with, wg, OutputBuffer::Accumulation);
        ASSERT_EQ(region != nullptr, fabric.route->duty(GpuId{gpu}, chunk) == Route::Duty::Passes);
        if (region == nullptr) continue;
        const TrackedRegion* before = match(without, wg, OutputBuffer::Accumulation);
        ASSERT_NE(before, nullptr);
        const auto command = [](const TrackerPlan& plan, CommandId slot) {
          const auto found = std::ranges::find(plan.commands, slot, &TrackerPlan::Command::slot);
          return found->transfer;
        };
        const DmaTransfer one = command(without, slotOf(*before, wg, 0));
        const DmaTransfer other = command(with, slotOf(*region, wg, 0));
        EXPECT_EQ(one.tiles, other.tiles);
        ASSERT_EQ(one.remote.size(), 1U);
        ASSERT_EQ(other.remote.size(), 1U);
        EXPECT_EQ(one.remote.front().port, other.remote.front().port);
        EXPECT_EQ(one.remote.front().destination, other.remote.front().destination);
        EXPECT_TRUE(one.clears && other.clears);
        EXPECT_EQ(other.phase, Phase::ReduceScatter);
      }
    }
  }
}

TEST(TrackerPlan, EachSumOfTheOwnChunkIsSaidToTheDmaEngineAlsoWhereNothingIsSent) {
  for (const Fabric& fabric : fabrics(4)) {
    SCOPED_TRACE(fabric.name);
    for (const TrackerUse use :
         {TrackerUse{}, kGather, TrackerUse{.gathers = true, .norms = true}}) {
      const TrackerPlan plan = fabric.plan(0, use);
      const bool sent = use.gathers && !use.norms;
      EXPECT_FALSE(plan.reduced.empty());
      for (const TrackerPlan::Block& block : plan.reduced) {
        const auto command =
            std::ranges::find(plan.commands, block.slot, &TrackerPlan::Command::slot);
        ASSERT_NE(command, plan.commands.end());
        EXPECT_EQ(command->transfer.tiles, block.tiles);
        EXPECT_EQ(command->transfer.moves(), sent);
        EXPECT_TRUE(match(plan, block.tiles.first, OutputBuffer::Output)->trigger);
      }
    }
  }
}

TEST(TrackerPlan, FitsIntoTheUnitsRegionsAndNoTwoCommandsShareASlot) {
  for (const std::uint32_t blockLog2 : {0U, 1U, 2U}) {
    for (const Fabric& fabric : fabrics(4)) {
      SCOPED_TRACE(fabric.name);
      std::uint32_t most = 0;
      for (std::uint32_t gpu = 0; gpu < fabric.route->gpus(); ++gpu) {
        const TrackerPlan plan = fabric.plan(gpu, kGather, blockLog2);
        EXPECT_LE(plan.regions.size(), 8U);
        std::set<CommandId> slots;
        for (const auto& [slot, transfer] : plan.commands) {
          EXPECT_LT(slot.value, plan.slots);
          EXPECT_TRUE(slots.insert(slot).second);
        }
        const std::uint32_t blocks = fabric.tiling.tiles() >> blockLog2;
        EXPECT_EQ(plan.reduced.size() + plan.arrived.size(), blocks);
        EXPECT_EQ(plan.triggered, plan.commands.size()) << "all start by themselves";
        most = std::max(most, plan.slots);
      }
      EXPECT_EQ(slotsNeeded(*fabric.route, fabric.tiling, blockLog2, kGather), most);
    }
  }
}

/// Numbers of the regions that count the blocks.
std::set<std::uint32_t> regionsOf(const TrackerPlan& plan,
                                  const std::vector<TrackerPlan::Block>& blocks,
                                  OutputBuffer buffer) {
  std::set<std::uint32_t> numbers;
  for (const auto& block : blocks) {
    const TrackedRegion* region = match(plan, block.tiles.first, buffer);
    EXPECT_NE(region, nullptr);
    numbers.insert(static_cast<std::uint32_t>(region - plan.regions.data()));
  }
  return numbers;
}

TEST(TrackerPlan, SoftwareWaitsForTheRegionsThatCountWhatIsFinal) {
  using Sums = TrackerUse::Sums;
  for (const Fabric& fabric : fabrics(2)) {
    SCOPED_TRACE(fabric.name);
    for (const TrackerUse use : {TrackerUse{}, kGather, TrackerUse{.gathers = true, .norms = true},
                                 TrackerUse{.sums = Sums::None, .gathers = true}}) {
      const TrackerPlan plan = fabric.plan(0, use);
      const auto expectRegions = [&](const auto& blocks, OutputBuffer buffer,
                                     const std::vector<std::uint32_t>& numbers) {
        EXPECT_EQ(regionsOf(plan, blocks, buffer),
                  std::set<std::uint32_t>(numbers.begin(), numbers.end()));
      };
      expectRegions(plan.reduced, OutputBuffer::Output, plan.reducedRegions);
      expectRegions(plan.arrived, use.norms ? OutputBuffer::Normed : OutputBuffer::Output,
                    plan.arrivedRegions);
    }
  }
}

TEST(TrackerPlan, ARegionIsDoneWithTheBlocksThatAreWritten) {
  using Sums = TrackerUse::Sums;
  for (const Fabric& fabric : fabrics(2)) {
    SCOPED_TRACE(fabric.name);
    for (const bool sums : {false, true}) {
      for (const bool norms : {false, true}) {
        const TrackerPlan plan = fabric.plan(
            0, {.sums = sums ? Sums::All : Sums::None, .gathers = true, .norms = norms});
        std::map<const TrackedRegion*, std::uint32_t> written;
        const OutputBuffer gathered = norms ? OutputBuffer::Normed : OutputBuffer::Output;
        const auto count = [&](const auto& blocks, OutputBuffer buffer) {
          for (const auto& block : blocks) ++written[match(plan, block.tiles.first, buffer)];
        };
        count(plan.arrived, gathered);
        count(plan.normed, gathered);
        count(plan.reduced, OutputBuffer::Output);
        for (const TrackedRegion& region : plan.regions) {
          if (region.buffer == OutputBuffer::Accumulation) continue;
          std::uint32_t counts = 0;
          for (std::uint32_t wg = region.tiles.first; wg < region.tiles.end(); ++wg) {
            if (match(plan, wg, region.buffer) == &region) ++counts;
          }
          for (const TileRange& tiles : region.unwritten) counts -= tiles.count;
          EXPECT_EQ(counts, written[&region]);
        }
      }
    }
  }
}

TEST(TrackerPlan, ATrackerThatLacksPartsForAPlanIsRefused) {
  const auto route = kRingRoute.make({8, false, 2});
  const Tiling tiling({64, 34, 2}, {1, 1, 1}, route->chunks());
  const TrackerUse use{.gathers = true, .releases = true, .norms = true};
  TrackerConfig tracker;
  EXPECT_EQ(checkPlan(tracker, *route, tiling, use), std::nullopt);
  tracker.block_log2 = 1;
  EXPECT_EQ(checkPlan(tracker, *route, tiling, use), std::nullopt);
  tracker.block_log2 = 2;
  EXPECT_EQ(checkPlan(tracker, *route, tiling, kGather), std::nullopt);
  EXPECT_EQ(checkPlan(tracker, *route, tiling, use),
            "expected tracker.block_log2 with blocks that do not cross the rows of 34 tiles that "
            "the tracker releases, got 4 tiles");
  tracker.block_log2 = 0;
  tracker.windows = 2;
  EXPECT_EQ(
      checkPlan(tracker, *route, tiling, use),
      "expected tracker.windows of at least 3, for the chunks that a GPU treats alike, got 2");
  tracker.regions = 4;
  EXPECT_EQ(checkPlan(tracker, *route, tiling, use)->substr(0, 36),
            "expected tracker.regions of at least");
}

/// What checkPlan takes for enough for any route is so: with the parts that the plan of some GPU
/// needs a tracker is taken, with one less it is refused.
TEST(TrackerPlan, ATrackerWithOnePartLessThanAPlanNeedsIsRefused) {
  using Sums = TrackerUse::Sums;
  for (const Fabric& fabric : fabrics(3)) {
    for (const TrackerUse use : {TrackerUse{}, kGather, TrackerUse{.gathers = true, .norms = true},
                                 TrackerUse{.sums = Sums::None, .gathers = true}}) {
      SCOPED_TRACE(fabric.name + (use.gathers ? " gathers" : "") + (use.norms ? " norms" : ""));
      std::size_t regions = 0, windows = 0;
      for (std::uint32_t gpu = 0; gpu < fabric.route->gpus(); ++gpu) {
        const TrackerPlan plan = fabric.plan(gpu, use);
        std::set<OutputBuffer> buffers;
        for (const TrackedRegion& region : plan.regions) buffers.insert(region.buffer);
        regions = std::max(regions, plan.regions.size());
        windows = std::max(windows, buffers.size());
      }
      const auto check = [&](std::size_t regionsThere, std::size_t windowsThere) {
        TrackerConfig tracker;
        tracker.regions = static_cast<std::uint32_t>(regionsThere);
        tracker.windows = static_cast<std::uint32_t>(windowsThere);
        return checkPlan(tracker, *fabric.route, fabric.tiling, use);
      };
      EXPECT_EQ(check(regions, windows), std::nullopt);
      EXPECT_NE(check(regions - 1, windows), std::nullopt);
      EXPECT_NE(check(regions, windows - 1), std::nullopt);
    }
  }
}

TEST(TrackerPlan, OneRingNeedsFiveRegionsAndTwoRingsAndNodesNeedEight) {
  std::map<std::string, std::size_t> most;
  for (const Fabric& fabric : fabrics(1)) {
    for (std::uint32_t gpu = 0; gpu < fabric.route->gpus(); ++gpu) {
      std::size_t& count = most[fabric.name.substr(0, fabric.name.find_first_of("0123456789"))];
      count = std::max(count, fabric.plan(gpu, kGather).regions.size());
    }
  }
  EXPECT_EQ(most["ring"], 5U);
  EXPECT_EQ(most["two rings"], 8U);
  EXPECT_EQ(most["nodes"], 8U);
  EXPECT_EQ(most["direct"], 3U);
}

TEST(TrackerPlan, EveryRowIsReleasedByWhatMakesItFinal) {
  const TrackerUse use{.readsClear = true, .gathers = true, .releases = true};
  for (const Fabric& fabric : fabrics(3)) {
    SCOPED_TRACE(fabric.name);
    for (std::uint32_t gpu = 0; gpu < fabric.route->gpus(); ++gpu) {
      const TrackerPlan plan = fabric.plan(gpu, use);
      for (std::uint32_t wg = 0; wg < fabric.tiling.tiles(); ++wg) {
        const TrackedRegion* region = match(plan, wg, OutputBuffer::Output);
        ASSERT_NE(region, nullptr);
        EXPECT_EQ(region->firstRow, 0U) << "own sums and arrivals alike";
        const TrackedRegion* passes = match(plan, wg, OutputBuffer::Accumulation);
        EXPECT_TRUE(passes == nullptr || !passes->firstRow);
      }
    }
  }
}

TEST(TrackerPlan, WithANormItsStoresAreSentOnAndTheOwnSumsReleaseItsRows) {
  const TrackerUse use{.readsClear = true, .gathers = true, .releases = true, .norms = true};
  for (const Fabric& fabric : fabrics(3)) {  // a chunk is a row of three tiles
    SCOPED_TRACE(fabric.name);
    const std::uint32_t rows = fabric.tiling.tilesDown();
    for (std::uint32_t gpu = 0; gpu < fabric.route->gpus(); ++gpu) {
      const TrackerPlan plan = fabric.plan(gpu, use);
      EXPECT_LE(plan.regions.size(), 8U);
      EXPECT_EQ(plan.triggered, plan.commands.size());
      EXPECT_EQ(plan.normed.size(), plan.reduced.size());
      std::set<CommandId> slots;
      for (const auto& blocks : {plan.reduced, plan.normed, plan.arrived}) {
        for (const auto& [slot, tiles] : blocks) EXPECT_TRUE(slots.insert(slot).second);
      }
      std::set<std::uint32_t> released;
      for (std::uint32_t wg = 0; wg < fabric.tiling.tiles(); ++wg) {
        const std::uint32_t row = wg / fabric.tiling.tilesAcross();
        const TrackedRegion* gathered = match(plan, wg, OutputBuffer::Normed);
        ASSERT_NE(gathered, nullptr);
        EXPECT_EQ(gathered->updatesPerElement, 1U);
        EXPECT_EQ(gathered->firstRow, 0U);
        const bool own = fabric.route->owner(fabric.tiling.chunkOf(WorkgroupId{wg})) == GpuId{gpu};
        EXPECT_TRUE(gathered->trigger || !own);
        const TrackedRegion* sum = match(plan, wg, OutputBuffer::Output);
        EXPECT_EQ(sum != nullptr, own);
        if (sum == nullptr) continue;
        EXPECT_TRUE(sum->trigger);
        ASSERT_TRUE(sum->firstRow);
        EXPECT_EQ(*sum->firstRow + row, rows + row - plan.firstOwnRow) << "behind all rows";
        released.insert(*sum->firstRow + row);
      }
      EXPECT_EQ(released.size(), rows / fabric.route->gpus());
      EXPECT_LT(*released.rbegin(), rows + rows / fabric.route->gpus());
    }
  }
}

TEST(TrackerPlan, CommandsOfAnEarlierSlabGoFirstOnlyIfAsked) {
  TrackerUse use{.readsClear = true, .gathers = true, .releases = true};
  for (const Fabric& fabric : fabrics(3)) {
    SCOPED_TRACE(fabric.name);
    for (const auto& command : fabric.plan(0, use).commands) EXPECT_EQ(command.transfer.rank, 0U);
  }
  const RingRoute route(2);
  const Tiling tiling({12, 3, 2}, {1, 1, 1}, route.chunks());
  for (const std::uint32_t rows : {1U, 2U, 6U}) {
    use.rankedRows = rows;
    for (const auto& [slot, transfer] : planTracker(route, tiling, GpuId{1}, 0, use).commands) {
      EXPECT_EQ(transfer.rank, transfer.tiles.first / 3 % 6 / rows) << "of 6 rows of 3 tiles";
    }
  }
}

TEST(TrackerPlan, SlotsAreCountedAsThePlanOfTheGpuWithMostHasThem) {
  for (const TrackerUse& use : {TrackerUse{}, kGather, TrackerUse{.gathers = true, .norms = true},
                                TrackerUse{.sums = TrackerUse::Sums::None, .gathers = true},
                                TrackerUse{.sums = TrackerUse::Sums::ByOthers}}) {
    for (const Fabric& fabric : fabrics(4)) {
      SCOPED_TRACE(fabric.name);
      // The second: of fewer tiles than chunks are to have equally.
      for (const Tiling& tiling :
           {fabric.tiling, Tiling({3, 3, 2}, {1, 1, 1}, fabric.tiling.chunks())}) {
        std::uint32_t most = 0;
        for (std::uint32_t gpu = 0; gpu < fabric.route->gpus(); ++gpu) {
          most = std::max(most, planTracker(*fabric.route, tiling, GpuId{gpu}, 0, use).slots);
        }
        EXPECT_EQ(slotsNeeded(*fabric.route, tiling, 0, use), most);
      }
    }
  }
}

TEST(TrackerPlan, SlotsAreThoseOfTheOutputAndOfTheChunksThatPassThrough) {
  // Tiles of the paper's outputs: T-NLG on 8 and 16 GPUs, Mega-GPT-2 on 8 and 16.
  const auto slots = [](std::uint32_t down, std::uint32_t across, std::uint32_t gpus,
                        std::uint32_t blockLog2) {
    const auto route = kRingRoute.make({gpus});
    return slotsNeeded(*route, Tiling({down, across, 2}, {1, 1, 1}, gpus), blockLog2, kGather);
  };
  EXPECT_EQ(slots(64, 34, 8, 0), 3808U);
  EXPECT_EQ(slots(64, 34, 16, 0), 4080U);
  EXPECT_EQ(slots(128, 24, 8, 0), 5376U);
  EXPECT_EQ(slots(128, 24, 8, 1), 2688U);
  EXPECT_EQ(slots(128, 24, 16, 0), 5760U);
}

/// An all-reduce of two GPUs, of which each makes the sums of every second chunk.
Algorithm dealtOut() {
  Algorithm algorithm = test::emptyAlgorithm(kAllReducePromise, 2, 4);
  for (std::uint32_t g = 0; g < 2; ++g) {
    const std::uint32_t peer = 1 - g;
    AlgorithmStep second = test::step(kSend, g + 2, g + 2);
    second.dependency = {1, 1};
    algorithm.gpus[g].threadBlocks = {
        test::sender(peer, {test::step(kSend, peer, peer), test::step(kSend, peer + 2, peer + 2),
                            test::stepAfter(1, kSend, g, g), second}),
        test::receiver(
            peer, {test::firstStep(kReceiveReduceCopy, g, g),
                   test::firstStep(kReceiveReduceCopy, g + 2, g + 2),
                   test::step(kReceive, peer, peer), test::step(kReceive, peer + 2, peer + 2)})};
  }
  return algorithm;
}

TEST(TrackerPlan, OfAFileIsCheckedHoweverManyRegionsThereAre) {
  const Algorithm algorithm = dealtOut();
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  const AlgorithmRoute route(meaning, std::make_unique<RingRoute>(2), RingRoute(2));
  const Tiling tiling({4, 1, 2}, {1, 1, 1}, 4);
  EXPECT_EQ(checkPlan(TrackerConfig{}, route, tiling, kGather), std::nullopt);
  TrackerUse norm = kGather;
  norm.norms = true;
  EXPECT_EQ(checkPlan(TrackerConfig{}, route, tiling, norm),
            "expected workload.between = none, because the chunks that GPU 0 owns in "
            "workload.collective are not one run that gets equally many updates");
}

}  // namespace
}  // namespace t3::tracker_plan_test
