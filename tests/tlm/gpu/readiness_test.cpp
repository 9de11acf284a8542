// SPDX-License-Identifier: Apache-2.0
// Method: a rule of the test's own says which rows of operand A are ready, and makes them ready at
// times that the test chooses. The GEMM between a simple memory and a simple link must not read a
// row too early, must read it at once when it may, and must lose no time elsewhere.
#include "tlm/gpu/readiness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <random>

#include "tests/support/seed.h"
#include "tests/tlm/gpu/gemm_bench.h"
#include "tlm/transport/agenda.h"

namespace t3::test::readiness_test {
namespace {

constexpr Speed kFast{1000, 1e6, 1 << 20};  ///< a memory that is never the limit

/// Runs of bytes that are not ready before a time of their own. All other bytes are ready.
class LateBytes : public Readiness {
 public:
  explicit LateBytes(const std::string& name)
      : opening_(name.c_str(), [this](std::size_t run) {
          runs_[run].ready = true;
          changed();
        }) {}

  void add(std::uint64_t address, std::uint64_t bytes, Picoseconds when) {
    opening_.post(when, runs_.size());
    runs_.push_back({address, bytes, when, false});
  }
  bool ready(std::uint64_t address, std::uint64_t bytes) const override {
    return std::ranges::all_of(runs_, [&](const Run& run) {
      return run.ready || address + bytes <= run.address || address >= run.address + run.bytes;
    });
  }
  /// From when on the byte may be used.
  Picoseconds readyAt(std::uint64_t address) const {
    Picoseconds latest = 0;
    for (const Run& run : runs_) {
      if (address >= run.address && address < run.address + run.bytes) {
        latest = std::max(latest, run.when);
      }
    }
    return latest;
  }

 private:
  struct Run {
    std::uint64_t address, bytes;
    Picoseconds when;
    bool ready;
  };
  std::vector<Run> runs_;
  TimedQueue<std::size_t> opening_;
};

/// Makes the rows of A that tile row `tileRow` needs ready at `when`.
void delayRows(LateBytes& rule, const GemmBench& bench, std::uint32_t tileRow, Picoseconds when) {
  const std::uint32_t first = tileRow * bench.tiling.tileRows();
  const std::uint32_t rows = std::min(bench.tiling.tileRows(), bench.tiling.rows() - first);
  const std::uint64_t pitch = bench.layout.operandPitchBytes;
  rule.add(bench.layout.operandA + first * pitch, rows * pitch, when);
}

/// When the last store of a tile was taken by the memory.
Picoseconds storedAt(const GemmBench& bench, WorkgroupId tile) {
  Picoseconds last = 0;
  for (const Request& request : bench.memory.requests()) {
    if (request.write && request.workgroup == tile) last = std::max(last, request.time);
  }
  return last;
}

void launchUpdates(GemmBench& bench) {
  OutputMap map;
  map.dmaMap({0, bench.tiling.tiles()});
  bench.launch(std::move(map));
}

TEST(GemmReadiness, ATileWhoseRowsComeLateTakesWhatItTakesFromThenOn) {
  GpuConfig config;
  config.compute_units = 1;
  constexpr Picoseconds kLatency = 500'000, kReady = 7'000'000;
  GemmBench bench("gemm", config, {128, 128, 64}, {kLatency, 1e6, 1 << 20});
  LateBytes rule("rule");
  bench.kernel.guardLoads(rule);
  delayRows(rule, bench, 0, kReady);
  const Picoseconds time = bench.run(&OutputMap::dmaMap);
  // B is there long before. From kReady on: the fetch of A, the L2 and the fill path (the data
  // streams through), 40 cycles of local memory, ceil(128 x 128 x 64 / (512 x 0.95)) cycles of
  // math, 32 KiB at 32 B per cycle.
  const Clock clock(config.clock_mhz);
  EXPECT_EQ(time, kReady + kLatency + picosecondsFromNs(config.l2.hit_latency_ns) +
                      clock.cycles(40 + 2156) + clock.cycles(1024) + kLatency);
  EXPECT_EQ(bench.kernel.statistics().operandWait, kReady);
}

TEST(GemmReadiness, EveryRowOfABlockHasToBeReady) {
  GpuConfig config;
  config.compute_units = 1;
  GemmBench bench("gemm", config, {128, 128, 64}, kFast);
  LateBytes rule("rule");
  bench.kernel.guardLoads(rule);
  const std::uint64_t pitch = bench.layout.operandPitchBytes;
  rule.add(bench.layout.operandA, 1, 3'000'000);  // the first byte of the first row
  rule.add(bench.layout.operandA + 128 * pitch - 1, 1, 5'000'000);  // the last byte of the last row
  bench.run(&OutputMap::dmaMap);
  EXPECT_EQ(bench.kernel.statistics().operandWait, 5'000'000U);
  for (const Request& request : bench.memory.requests()) {
    if (request.write || request.address >= bench.layout.operandB) continue;
    EXPECT_EQ(request.time, 5'000'000U);
  }
}

TEST(GemmReadiness, ARuleThatNeverHoldsChangesNothing) {
  const Speed memory{200'000, 20, 8}, link{500'000, 3, 4};
  constexpr Shape kShape{200, 130, 70, 1};
  GemmBench guarded("guarded", smallGpu(), kShape, memory, link);
  GemmBench plain("plain", smallGpu(), kShape, memory, link);
  LateBytes rule("rule");
  guarded.kernel.guardLoads(rule);
  guarded.kernel.guardUpdates(rule);
  for (GemmBench* bench : {&guarded, &plain}) {
    OutputMap map;
    map.dmaMap({0, 15});
    map.remoteMap({15, 4}, GpuId{4});
    bench->launch(std::move(map));
  }
  sc_core::sc_start();
  EXPECT_GT(guarded.memory.requests().size(), 100U);
  EXPECT_TRUE(guarded.memory.requests() == plain.memory.requests());
  EXPECT_TRUE(guarded.link.requests() == plain.link.requests());
  EXPECT_EQ(guarded.doneAt, plain.doneAt);
  EXPECT_EQ(guarded.kernel.statistics().operandWait, 0U);
  EXPECT_EQ(guarded.kernel.statistics().zeroWait, 0U);
}

TEST(GemmReadiness, ATileThatWaitsHoldsItsSlotAndNoOther) {
  GpuConfig one = smallGpu(), two = smallGpu();
  one.compute_units = 1;
  two.compute_units = 2;
  constexpr Picoseconds kReady = 1'000'000'000;
  GemmBench late("late", two, {160, 32, 128}, kFast);  // five tiles, one below the other
  GemmBench alone("alone", one, {160, 32, 128}, kFast);
  LateBytes rule("rule");
  late.kernel.guardLoads(rule);
  delayRows(rule, late, 0, kReady);
  launchUpdates(late);
  launchUpdates(alone);
  sc_core::sc_start();
  // Tile 0 waits in one slot; the other slot does the four others at the pace of a lone slot.
  for (std::uint32_t wg = 2; wg < 5; ++wg) {
    EXPECT_EQ(storedAt(late, WorkgroupId{wg}) - storedAt(late, WorkgroupId{wg - 1}),
              storedAt(alone, WorkgroupId{wg}) - storedAt(alone, WorkgroupId{wg - 1}));
  }
  EXPECT_LT(storedAt(late, WorkgroupId{4}), kReady);
  EXPECT_GT(storedAt(late, WorkgroupId{0}), kReady);
  EXPECT_EQ(late.kernel.statistics().operandWait, kReady);
}

TEST(GemmReadiness, ATileThatWaitsLeavesTheOutstandingBytesOfItsComputeUnitToOthers) {
  GpuConfig config = smallGpu();
  config.compute_units = 1;
  config.gemm.workgroups_per_cu = 2;
  config.gemm.outstanding_load_bytes_per_cu = 1;  // one load at a time
  constexpr Picoseconds kReady = 1'000'000'000;
  GemmBench bench("gemm", config, {256, 32, 512}, kFast);
  LateBytes rule("rule");
  bench.kernel.guardLoads(rule);
  delayRows(rule, bench, 0, kReady);
  launchUpdates(bench);
  sc_core::sc_start();
  for (std::uint32_t wg = 1; wg < 8; ++wg) EXPECT_LT(storedAt(bench, WorkgroupId{wg}), kReady);
  EXPECT_GT(storedAt(bench, WorkgroupId{0}), kReady);
  EXPECT_EQ(bench.pool.inUse(), 0U);
}

TEST(GemmReadiness, AnyOrderOfReadyRowsEndsAndNoRowIsReadTooEarly) {
  std::mt19937_64 random(seed(41));
  std::vector<std::unique_ptr<GemmBench>> benches;
  std::vector<std::unique_ptr<LateBytes>> rules;
  for (int round = 0; round < 8; ++round) {
    GpuConfig config = smallGpu();
    config.compute_units = static_cast<std::uint32_t>(random() % 4 + 1);
    config.gemm.workgroups_per_cu = static_cast<std::uint32_t>(random() % 3 + 1);
    config.gemm.load_stages = static_cast<std::uint32_t>(random() % 4 + 1);
    config.gemm.outstanding_load_bytes_per_cu = 1024U << random() % 6;
    config.l2.banks = 1;
    config.l2.outstanding_fetches_per_bank = static_cast<std::uint32_t>(random() % 60 + 1);
    const auto size = [&] { return static_cast<std::uint32_t>(random() % 200 + 100); };
    const std::string name = "gemm" + std::to_string(round);
    benches.push_back(
        std::make_unique<GemmBench>(name, config, Shape{size(), size(), size()}, Speed{}));
    GemmBench& bench = *benches.back();
    rules.push_back(std::make_unique<LateBytes>(name + "_rule"));
    bench.kernel.guardLoads(*rules.back());
    const std::uint64_t pitch = bench.layout.operandPitchBytes;
    for (std::uint32_t row = 0; row < bench.shape.rows; row += 8) {
      rules.back()->add(bench.layout.operandA + row * pitch,
                        std::min(8U, bench.shape.rows - row) * pitch, random() % 200 * 1'000'000);
    }
    launchUpdates(bench);
  }
  sc_core::sc_start();
  std::uint64_t checks = 0;
  for (std::size_t i = 0; i < benches.size(); ++i) {
    const GemmBench& bench = *benches[i];
    EXPECT_TRUE(bench.kernel.idle());
    EXPECT_EQ(bench.kernel.statistics().tiles, bench.tiling.tiles());
    EXPECT_GT(bench.kernel.statistics().operandWait, 0U);
    EXPECT_EQ(bench.pool.inUse(), 0U);
    for (const Request& request : bench.memory.requests()) {
      if (request.write) continue;
      EXPECT_GE(request.time, rules[i]->readyAt(request.address));
      ++checks;
    }
  }
  EXPECT_GT(checks, 1000U);
}

TEST(GemmReadiness, EachLaunchAsksAgain) {
  GpuConfig config;
  config.compute_units = 1;
  GemmBench bench("gemm", config, {128, 128, 64}, kFast);
  LateBytes rule("rule");
  bench.kernel.guardLoads(rule);
  const Picoseconds first = bench.run(&OutputMap::dmaMap);
  const Picoseconds start = now();
  delayRows(rule, bench, 0, start + 9'000'000);
  const Picoseconds second = bench.run(&OutputMap::dmaMap);
  EXPECT_EQ(bench.kernel.statistics().operandWait, 9'000'000U);
  EXPECT_GT(second, first);
}

TEST(UpdateReadiness, AnUpdateWaitsAsLongAsItsRuleSaysAndHoldsTheStoresBehindIt) {
  GpuConfig config;
  config.compute_units = 1;
  constexpr Picoseconds kReady = 20'000'000;
  GemmBench bench("gemm", config, {128, 128, 64}, kFast);
  LateBytes rule("rule");
  bench.kernel.guardUpdates(rule);
  // Row 40 of the output, in the third of eight bands.
  rule.add(bench.layout.output + 40 * bench.tiling.pitchBytes() + 255, 1, kReady);
  const Picoseconds time = bench.run(&OutputMap::dmaMap);
  Picoseconds lastBefore = 0;
  std::uint32_t row = 0;
  for (const Request& request : bench.memory.requests()) {
    if (!request.write) continue;
    EXPECT_EQ(request.address, bench.layout.output + row * bench.tiling.pitchBytes());
    if (row < 40) {
      EXPECT_LT(request.time, kReady);
      lastBefore = request.time;
    } else {
      EXPECT_EQ(request.time, kReady);
    }
    ++row;
  }
  EXPECT_EQ(row, 128U);
  EXPECT_EQ(time, kReady + 1000);
  EXPECT_EQ(bench.kernel.statistics().zeroWait, kReady - lastBefore);
}

}  // namespace
}  // namespace t3::test::readiness_test
