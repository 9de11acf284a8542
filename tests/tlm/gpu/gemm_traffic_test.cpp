// SPDX-License-Identifier: Apache-2.0
// Method: every preset GEMM (by default five of them) runs on a 1 TB/s memory; what it reads is
// compared with a walk of the same tiles, without time, through a 16-way cache of 128 B lines
// (line_cache.h). Prints the tables of docs/measurements/l2.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/tlm/gpu/gemm_bench.h"
#include "tests/tlm/gpu/line_cache.h"
#include "tests/tlm/gpu/preset_gemms.h"
#include "tlm/gpu/gemm_order.h"

namespace t3::gemm_traffic_test {
namespace {

using Preset = test::PresetGemm;

/// `baseline`: one order over the whole output, through the L2. `t3`: chunks in ring order, the
/// first remote, the others tracked updates past the L2.
void compareReads(const Preset& preset, bool t3) {
  GpuConfig config;
  test::GemmBench bench("gemm", config, {preset.rows, preset.columns, preset.depth, preset.gpus},
                        {300'000, 1000, 4096}, {1000, 75, 64}, DataMode::Elided, DataType::Fp16,
                        false);
  OutputMap map;
  std::vector<ChunkId> chunks;
  if (t3) {
    chunks = ringChunkOrder(GpuId{0}, preset.gpus);
    map.remoteMap(bench.tiling.chunk(chunks.front()), GpuId{1});
    map.dmaMap({0, bench.tiling.tiles()});  // the first entry that names a tile decides
  }
  const auto start = std::chrono::steady_clock::now();
  bench.launch(map, chunks);
  sc_core::sc_start();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  const GemmStatistics& s = bench.kernel.statistics();
  const auto order =
      dispatchOrder(bench.tiling, chunks, {config.gemm.workgroup_order, s.swizzleRows});
  const test::LineCount count =
      test::countLines(bench.tiling, preset.depth * 2, config.gemm.k_step * 2,
                       {bench.layout.operandA, bench.layout.operandB, bench.layout.output,
                        bench.layout.operandPitchBytes},
                       order, config.compute_units, !t3, config.l2);

  const double lines = static_cast<double>(s.l2Hits + s.l2Merged + s.l2Misses);
  const double hitRate = 100 - 100 * static_cast<double>(s.l2Misses) / lines;
  const double countedHitRate =
      100 - 100 * static_cast<double>(count.misses) / static_cast<double>(count.accesses);
  const double minimum = static_cast<double>(preset.rows + preset.columns) *
                         static_cast<double>(bench.layout.operandPitchBytes);
  const double payloads =
      static_cast<double>(s.readBytes + s.updateBytes + s.remoteBytes + s.writeBackBytes) / 256;
  std::printf(
      "| %-26s | %-8s | %2u | %7.1f | %7.1f | %7.1f | %6.2f | %6.2f | %8.1f | %5.1f | "
      "%.2f |\n",
      preset.name, t3 ? "t3" : "baseline", s.swizzleRows, minimum / 1e6,
      static_cast<double>(s.readBytes) / 1e6, static_cast<double>(count.fetchedBytes) / 1e6,
      hitRate, countedHitRate, static_cast<double>(s.end - s.start) / 1e6,
      2.0 * static_cast<double>(s.multiplyAdds) / static_cast<double>(s.end - s.start),
      wall.count() * 1e6 / payloads);

  EXPECT_EQ(lines, static_cast<double>(count.accesses));
  EXPECT_GE(static_cast<double>(s.readBytes), minimum);
  EXPECT_NEAR(hitRate, countedHitRate, 1.0);
}

/// Reads (and time) of the same GEMM in every order: over the whole output through the L2, and by
/// chunks past it.
void compareOrders(const Preset& preset) {
  struct Order {
    WorkgroupOrder policy;
    std::uint32_t swizzleRows;
  };
  constexpr Order kOrders[] = {{WorkgroupOrder::Swizzled, 0},    {WorkgroupOrder::RowMajor, 0},
                               {WorkgroupOrder::ColumnMajor, 0}, {WorkgroupOrder::Swizzled, 4},
                               {WorkgroupOrder::Swizzled, 8},    {WorkgroupOrder::Swizzled, 16}};
  std::vector<std::unique_ptr<test::GemmBench>> benches;
  for (const bool t3 : {false, true}) {
    for (const Order& order : kOrders) {
      GpuConfig config;
      config.gemm.workgroup_order = order.policy;
      config.gemm.swizzle_rows = order.swizzleRows;
      benches.push_back(std::make_unique<test::GemmBench>(
          "gemm" + std::to_string(benches.size()), config,
          test::Shape{preset.rows, preset.columns, preset.depth, preset.gpus},
          test::Speed{300'000, 1000, 4096}, test::Speed{1000, 75, 64}, DataMode::Elided,
          DataType::Fp16, false));
      OutputMap map;
      const TileRange all{0, benches.back()->tiling.tiles()};
      if (t3) map.dmaMap(all);
      benches.back()->launch(map,
                             t3 ? ringChunkOrder(GpuId{0}, preset.gpus) : std::vector<ChunkId>{});
    }
  }
  sc_core::sc_start();
  for (std::size_t mode = 0; mode < 2; ++mode) {
    std::printf("| %-26s | %-8s |", preset.name, mode == 0 ? "baseline" : "t3");
    std::uint64_t fewest = ~std::uint64_t{0};
    for (std::size_t i = 0; i < std::size(kOrders); ++i) {
      const GemmStatistics& s = benches[mode * std::size(kOrders) + i]->kernel.statistics();
      fewest = std::min(fewest, s.readBytes);
      std::printf(" %6.1f (%.0f) |", static_cast<double>(s.readBytes) / 1e6,
                  static_cast<double>(s.end - s.start) / 1e6);
    }
    std::printf("\n");
    const GemmStatistics& tuned = benches[mode * std::size(kOrders)]->kernel.statistics();
    // Twice is what tuning aims at; it counts without time, so the run may differ a little.
    EXPECT_LE(static_cast<double>(tuned.readBytes), 2.1 * static_cast<double>(fewest));
  }
}

class GemmTraffic : public testing::TestWithParam<Preset> {};

TEST_P(GemmTraffic, BaselineHitsAsOftenAsALineAccurateCount) { compareReads(GetParam(), false); }
TEST_P(GemmTraffic, T3HitsAsOftenAsALineAccurateCount) { compareReads(GetParam(), true); }
TEST_P(GemmTraffic, TunedOrderReadsAboutTwiceTheLeastAtMost) { compareOrders(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Long, GemmTraffic, testing::ValuesIn(test::kPresetGemms), test::nameOf);
INSTANTIATE_TEST_SUITE_P(Some, GemmTraffic,
                         testing::Values(test::kPresetGemms[5], test::kPresetGemms[6],
                                         test::kPresetGemms[9], test::kPresetGemms[12],
                                         test::kPresetGemms[14]),
                         test::nameOf);

}  // namespace
}  // namespace t3::gemm_traffic_test
