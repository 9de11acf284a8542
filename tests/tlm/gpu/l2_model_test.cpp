// SPDX-License-Identifier: Apache-2.0
// Method: each preset GEMM runs twice in one simulation, with the L2 by block and by line, on
// memories of their own: some presets, and (Long) all of them. Prints
// the table of docs/measurements/l2.md.
#include "tlm/gpu/l2_model.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/tlm/gpu/gemm_bench.h"
#include "tests/tlm/gpu/preset_gemms.h"

namespace t3 {
namespace {

class L2Models : public testing::TestWithParam<test::PresetGemm> {};

TEST_P(L2Models, BlocksHitAsOftenAsLines) {
  const test::PresetGemm& preset = GetParam();
  std::vector<std::unique_ptr<test::GemmBench>> benches;
  for (const bool t3 : {false, true}) {
    for (const L2ModelKind model : {L2ModelKind::Block, L2ModelKind::Line}) {
      GpuConfig config;
      config.l2.model = model;
      benches.push_back(std::make_unique<test::GemmBench>(
          "gemm" + std::to_string(benches.size()), config,
          test::Shape{preset.rows, preset.columns, preset.depth, preset.gpus},
          test::Speed{300'000, 1000, 4096}, test::Speed{1000, 75, 64}, DataMode::Elided,
          DataType::Fp16, false));
      OutputMap map;
      if (t3) map.dmaMap({0, benches.back()->tiling.tiles()});
      benches.back()->launch(map,
                             t3 ? ringChunkOrder(GpuId{0}, preset.gpus) : std::vector<ChunkId>{});
    }
  }
  sc_core::sc_start();
  const auto hitRate = [](const GemmStatistics& s) {
    const auto lines = static_cast<double>(s.l2Hits + s.l2Merged + s.l2Misses);
    return 100 - 100 * static_cast<double>(s.l2Misses) / lines;
  };
  for (std::size_t mode = 0; mode < 2; ++mode) {
    const GemmStatistics& block = benches[2 * mode]->kernel.statistics();
    const GemmStatistics& line = benches[2 * mode + 1]->kernel.statistics();
    std::printf("| %-26s | %-8s | %7.1f | %7.1f | %6.2f | %6.2f | %7.1f | %7.1f |\n", preset.name,
                mode == 0 ? "baseline" : "t3", static_cast<double>(block.readBytes) / 1e6,
                static_cast<double>(line.readBytes) / 1e6, hitRate(block), hitRate(line),
                static_cast<double>(block.end - block.start) / 1e6,
                static_cast<double>(line.end - line.start) / 1e6);
    EXPECT_EQ(block.l2Hits + block.l2Merged + block.l2Misses,
              line.l2Hits + line.l2Merged + line.l2Misses);
    EXPECT_EQ(block.writeBackBytes, line.writeBackBytes) << "every tile leaves once";
    EXPECT_NEAR(hitRate(block), hitRate(line), 1.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Long, L2Models, testing::ValuesIn(test::kPresetGemms), test::nameOf);
INSTANTIATE_TEST_SUITE_P(Some, L2Models,
                         testing::Values(test::kPresetGemms[0], test::kPresetGemms[6],
                                         test::kPresetGemms[9], test::kPresetGemms[12]),
                         test::nameOf);

}  // namespace
}  // namespace t3
