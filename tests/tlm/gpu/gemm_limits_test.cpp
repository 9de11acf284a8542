// SPDX-License-Identifier: Apache-2.0
// Method: kernels of one or two tiles, so that the time of each request has a closed form that is
// written down here, to the picosecond. Each limit is tried at its value and one beyond, each
// rounding with a quotient that is no whole number.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/tlm/gpu/gemm_bench.h"

namespace t3::test::gemm_limits_test {
namespace {

constexpr Picoseconds kLatency = 2'000'000;
constexpr Speed kFar{kLatency, 1e6, 1 << 20};  ///< takes no time for its bytes

/// One workgroup of 128 x 128 x 128: a load of A and one of B, each a fetch of 128 rows of 256 B.
GpuConfig oneUnit() {
  GpuConfig config;
  config.compute_units = 1;
  config.gemm.k_step = 128;
  return config;
}
constexpr Shape kTile{128, 128, 128};
constexpr std::uint32_t kLoad = 128 * 256;  ///< bytes

Picoseconds cycles(const GpuConfig& config, std::uint64_t count) {
  return Clock(config.clock_mhz).cycles(count);
}
Picoseconds hitLatency(const GpuConfig& config) {
  return picosecondsFromNs(config.l2.hit_latency_ns);
}
/// When B of a single tile is at the compute unit: A and B follow each other on its fill path.
Picoseconds operandsAt(const GpuConfig& config) {
  return kLatency + hitLatency(config) + cycles(config, kLoad / 64);
}
/// A step passes through local memory, then multiplies for ceil(128 x 128 x 128 / (512 x 0.95)).
constexpr std::uint64_t kStepCycles = 40 + 4312;
/// 128 x 128 x 2 B on a store path of 32 B per cycle.
constexpr std::uint64_t kStoreCycles = 1024;

/// Times at which the memory took the reads of an operand, or the writes, each time once.
std::vector<Picoseconds> times(const GemmBench& bench, bool write, std::uint64_t from = 0,
                               std::uint64_t to = ~std::uint64_t{0}) {
  std::vector<Picoseconds> result;
  for (const Request& request : bench.memory.requests()) {
    if (request.write != write || request.address < from || request.address >= to) continue;
    if (result.empty() || result.back() != request.time) result.push_back(request.time);
  }
  return result;
}
std::vector<Picoseconds> readsOfA(const GemmBench& bench) {
  return times(bench, false, bench.layout.operandA, bench.layout.operandB);
}
std::vector<Picoseconds> readsOfB(const GemmBench& bench) {
  return times(bench, false, bench.layout.operandB, bench.layout.output);
}
using Times = std::vector<Picoseconds>;

void launchUpdates(GemmBench& bench) {
  OutputMap map;
  map.dmaMap({0, bench.tiling.tiles()});
  bench.launch(std::move(map));
}

// ---- loads --------------------------------------------------------------------------------------

/// A is read at once; B at the time that stands beside the machine.
void expectReads(const std::vector<std::pair<GpuConfig, Picoseconds>>& machines) {
  std::vector<std::unique_ptr<GemmBench>> benches;
  for (const auto& [config, ofB] : machines) {
    benches.push_back(
        std::make_unique<GemmBench>("gemm" + std::to_string(benches.size()), config, kTile, kFar));
    launchUpdates(*benches.back());
  }
  sc_core::sc_start();
  for (std::size_t i = 0; i < benches.size(); ++i) {
    EXPECT_EQ(readsOfA(*benches[i]), (Times{0})) << i;
    EXPECT_EQ(readsOfB(*benches[i]), (Times{machines[i].second})) << i;
  }
}

TEST(GemmLimits, ALoadOneByteOverTheOutstandingBytesWaitsForAnArrival) {
  const auto with = [](std::uint32_t bytes) {
    GpuConfig config = oneUnit();
    config.gemm.outstanding_load_bytes_per_cu = bytes;
    return config;
  };
  const Picoseconds arrival = kLatency + hitLatency(oneUnit());
  // One that is larger than the limit goes when nothing is outstanding.
  expectReads({{with(2 * kLoad), 0}, {with(2 * kLoad - 1), arrival}, {with(kLoad - 1), arrival}});
}

TEST(GemmLimits, AFetchOneReadOverTheLimitWaitsForTheOneBefore) {
  const auto with = [](std::uint32_t fetches) {
    GpuConfig config = oneUnit();
    config.l2.banks = 1;
    config.l2.outstanding_fetches_per_bank = fetches;
    return config;
  };
  expectReads({{with(256), 0}, {with(255), kLatency}, {with(1), kLatency}});
}

TEST(GemmLimits, TheFillPathTakesWholeCyclesForEachLoad) {
  GpuConfig config = oneUnit();
  config.gemm.load_bytes_per_cu_per_cycle = 48;  // 682.67 cycles for a load
  GemmBench bench("gemm", config, kTile, kFar);
  bench.run(&OutputMap::dmaMap);
  // The last band leaves when the store path has had the tile.
  const Picoseconds operands = kLatency + hitLatency(config) + cycles(config, 683);
  EXPECT_EQ(times(bench, true).back(), operands + cycles(config, kStepCycles + kStoreCycles));
}

TEST(GemmLimits, TheL2HandsOutBytesNoFasterThanItsBanksTogether) {
  GpuConfig config = oneUnit();
  config.l2.banks = 2;
  config.l2.bank_bytes_per_cycle = 3;  // 5461.33 cycles for a load, longer than the memory takes
  config.l2.outstanding_fetches_per_bank = 4096;
  GemmBench bench("gemm", config, kTile, kFar);
  bench.run(&OutputMap::dmaMap);
  // Two loads of 32 KiB, each rounded to a picosecond: 5461.33 x 714 = 3,899,392 ps.
  const Picoseconds operands = 2 * 3'899'392 + hitLatency(config);
  EXPECT_EQ(times(bench, true).back(), operands + cycles(config, kStepCycles + kStoreCycles));
}

TEST(GemmLimits, OperandsOfNoMoreStepsThanStagesAreLoadedAhead) {
  GpuConfig config = oneUnit();
  config.gemm.outstanding_load_bytes_per_cu = 1 << 24;
  constexpr Shape kFiveSteps{128, 128, 640};
  config.gemm.load_stages = 1;
  GemmBench one("one", config, kFiveSteps, kFar);
  config.gemm.load_stages = 3;
  GemmBench three("three", config, kFiveSteps, kFar);
  launchUpdates(one);
  launchUpdates(three);
  sc_core::sc_start();
  const auto atOnce = [](const GemmBench& bench) {
    return std::ranges::count_if(bench.memory.requests(), [](const Request& request) {
      return !request.write && request.time == 0;
    });
  };
  EXPECT_EQ(atOnce(one), 256);
  EXPECT_EQ(atOnce(three), 3 * 256);
}

// ---- math ---------------------------------------------------------------------------------------

TEST(GemmLimits, AStepTakesWholeCyclesAndTheLastOneItsOwn) {
  GpuConfig config = oneUnit();
  config.gemm.k_step = 100;  // two slabs; 128 x 128 x 100 / 486.4 = 3368.4 cycles
  GemmBench bench("gemm", config, kTile, kFar);
  bench.run(&OutputMap::dmaMap);
  // The last 28 of K: 943.2 cycles.
  EXPECT_EQ(bench.kernel.statistics().mathTime, cycles(config, 3369 + 944));
}

// ---- stores -------------------------------------------------------------------------------------

TEST(GemmLimits, ABandLeavesAfterWholeCyclesOfTheStorePath) {
  GpuConfig config = oneUnit();
  config.gemm.store_bytes_per_cu_per_cycle = 48;
  GemmBench bench("gemm", config, kTile, kFar);
  bench.run(&OutputMap::dmaMap);
  const Picoseconds mathDone = operandsAt(config) + cycles(config, kStepCycles);
  Times expected;  // ceil(n x 4096 / 48)
  for (const std::uint64_t count : {86, 171, 256, 342, 427, 512, 598, 683}) {
    expected.push_back(mathDone + cycles(config, count));
  }
  EXPECT_EQ(times(bench, true), expected);
}

TEST(GemmLimits, ACachedTileIsStoredAfterWholeCyclesOfTheStorePath) {
  GpuConfig config = oneUnit();
  config.gemm.store_bytes_per_cu_per_cycle = 48;
  GemmBench bench("gemm", config, kTile, kFar);
  const Picoseconds time = bench.run(&OutputMap::cached);
  const Picoseconds stored = operandsAt(config) + cycles(config, kStepCycles + 683);
  EXPECT_EQ(bench.kernel.statistics().stageEnds, (Times{stored}));
  EXPECT_EQ(times(bench, true), (Times{stored}));  // the flush, all at once
  EXPECT_EQ(time, stored + kLatency);
}

TEST(GemmLimits, ACachedTileIsStoredNoFasterThanTheL2TakesIt) {
  GpuConfig config = oneUnit();
  config.l2.banks = 2;
  config.l2.bank_bytes_per_cycle = 16;  // 1024 cycles for the tile, 512 of the store path
  config.gemm.store_bytes_per_cu_per_cycle = 64;
  config.l2.outstanding_fetches_per_bank = 4096;
  GemmBench bench("gemm", config, kTile, kFar);
  bench.run(&OutputMap::cached);
  const Picoseconds stored = operandsAt(config) + cycles(config, kStepCycles + 1024);
  EXPECT_EQ(bench.kernel.statistics().stageEnds, (Times{stored}));
}

TEST(GemmLimits, ChunksAreReportedWhenTheirLastByteIsInMemory) {
  GpuConfig config = oneUnit();
  GemmBench bench("gemm", config, {256, 128, 128, 2}, kFar);
  OutputMap map;
  map.dmaMap({0, 2});
  std::vector<std::pair<std::uint32_t, Picoseconds>> stored;
  bench.kernel.launch({.output = std::move(map),
                       .chunkOrder = {ChunkId{1}, ChunkId{0}},
                       .done = {},
                       .firstStageDone = {},
                       .chunkStored = [&](ChunkId chunk, Picoseconds when) {
                         stored.emplace_back(chunk.value, when);
                       }});
  sc_core::sc_start();
  ASSERT_EQ(stored.size(), 2U);
  EXPECT_EQ(stored[0].first, 1U);
  EXPECT_EQ(stored[0].second,
            operandsAt(config) + cycles(config, kStepCycles + kStoreCycles) + kLatency);
  EXPECT_EQ(stored[1].first, 0U);
  EXPECT_EQ(stored[1].second, bench.kernel.statistics().end);
}

}  // namespace
}  // namespace t3::test::gemm_limits_test
