// SPDX-License-Identifier: Apache-2.0
// Method: the order of a launch is chosen, and its operand reads are counted, without a kernel and
// without time. T-NLG FC-2 on 8 GPUs is the example: 64 x 34 tiles of 128, chunks of 8 tile rows.
#include "tlm/gpu/gemm_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "tests/tlm/gpu/gemm_bench.h"
#include "tests/tlm/gpu/preset_gemms.h"

namespace t3::test::gemm_order_test {
namespace {

constexpr Shape kFc2{8192, 4256, 2128, 8};

/// A GEMM without a kernel.
struct Orders {
  GpuConfig config;
  Tiling tiling;
  GemmBlocks blocks;

  explicit Orders(const GpuConfig& gpu, const Shape& shape)
      : config(gpu),
        tiling(tilingOf(gpu, shape, DataType::Fp16)),
        blocks({tiling, shape.depth, layoutOf(gpu, shape, DataType::Fp16)}, DataType::Fp16,
               gpu.l2.fetch_bytes) {}

  GemmOrder choose(const GemmLaunch& launch) const { return chooseOrder(config, blocks, launch); }
  /// Operand bytes of a launch in MB.
  double reads(const GemmLaunch& launch) const {
    return static_cast<double>(
               countReads(config, blocks, launch.output, choose(launch).workgroups)) *
           1e-6;
  }
  /// Operand bytes of `t3()` in MB if its slabs are walked in bands of `height` rows.
  double slabReads(std::uint32_t rows, std::uint32_t height) const {
    const GemmLaunch launch = t3();
    return static_cast<double>(countReads(
               config, blocks, launch.output,
               slabOrder(tiling, launch.chunkOrder, rows, {WorkgroupOrder::Swizzled, height, false},
                         SlabBands::OfAChunk))) *
           1e-6;
  }
  /// As the baseline launches the kernel: the whole output, cached.
  static GemmLaunch baseline() { return {}; }
  /// As T3 does on GPU 0: chunk by chunk, past the L2.
  GemmLaunch t3() const {
    GemmLaunch launch;
    launch.output.dmaMap({0, tiling.tiles()});
    launch.chunkOrder = ringChunkOrder(GpuId{0}, tiling.chunks());
    launch.groups.assign(tiling.chunks(), 1);
    return launch;
  }
};

TEST(GemmOrder, TheDefaultIsOneBandHeightForEveryLaunch) {
  const Orders gemm(GpuConfig{}, kFc2);
  EXPECT_EQ(gemm.choose(Orders::baseline()).swizzleRows, 8U);
  EXPECT_EQ(gemm.choose(gemm.t3()).swizzleRows, 8U);
  // The same order inside each chunk: 8 tile rows are one band of the whole output.
  const auto baseline = gemm.choose(Orders::baseline()).workgroups;
  const auto t3 = gemm.choose(gemm.t3()).workgroups;
  const TileRange first = gemm.tiling.chunk(ringChunkOrder(GpuId{0}, 8).front());
  EXPECT_TRUE(std::equal(t3.begin(), t3.begin() + first.count, baseline.begin() + first.first));
}

TEST(GemmOrder, ATunedBaselineMayDifferFromT3) {
  GpuConfig config;
  config.gemm.swizzle_rows = 0;
  const Orders op(config, {8192, 4256, 266, 16});  // T-NLG OP on 16 GPUs: read once row by row
  EXPECT_EQ(op.choose(Orders::baseline()).swizzleRows, 1U);
  EXPECT_EQ(op.choose(op.t3()).swizzleRows, 8U);
}

TEST(GemmOrder, OutputThatPassesTheL2LeavesMoreOfItToTheOperands) {
  const Orders gemm(GpuConfig{}, kFc2);
  EXPECT_GT(gemm.reads(Orders::baseline()), 1.1 * gemm.reads(gemm.t3()));
}

TEST(GemmOrder, SerpentineReadsLess) {
  GpuConfig config;
  const double straight = Orders(config, kFc2).reads(Orders(config, kFc2).t3());
  config.gemm.serpentine = true;
  const double serpentine = Orders(config, kFc2).reads(Orders(config, kFc2).t3());
  EXPECT_LT(serpentine, 0.85 * straight);
}

/// PALM FC-2 on 32 GPUs with tokens as rows, in tiles of 64 rows: a chunk is one row of tiles.
constexpr Shape kOneRowChunks{2048, 18432, 2304, 32};

GpuConfig lowTiles() {
  GpuConfig config;
  config.gemm.tile_rows = 64;
  return config;
}

TEST(GemmOrder, ChunksOfOneRowAreProducedSideBySideAsHighAsABand) {
  GpuConfig config = lowTiles();
  for (const std::uint32_t slabs : {0U, 1U}) {
    SCOPED_TRACE(slabs);
    config.gemm.slab_rows = slabs;
    config.gemm.chunks_side_by_side = 1;
    const Orders alone(config, kOneRowChunks);
    config.gemm.chunks_side_by_side = 0;
    const Orders joined(config, kOneRowChunks);
    EXPECT_GT(alone.reads(alone.t3()), 2600) << "all of B for every row";
    EXPECT_LT(joined.reads(joined.t3()), 380) << "all of B for every eight";
    const auto order = joined.choose(joined.t3()).workgroups;
    const auto chunks = ringChunkOrder(GpuId{0}, 32);
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(order[i].value, chunks[i % 8].value * 144 + i / 8) << i;
    }
    EXPECT_EQ(joined.tiling.chunkOf(order[8 * 144]), chunks[8]) << "then the next eight";
  }
}

TEST(GemmOrder, ChunksGoSideBySideOnlyIfThatHalvesTheReads) {
  const Orders narrow(lowTiles(), {2048, 12288, 384, 32});  // GPT-3 OP: B stays in the L2
  GpuConfig alone = lowTiles();
  alone.gemm.chunks_side_by_side = 1;
  EXPECT_EQ(narrow.choose(narrow.t3()).workgroups,
            Orders(alone, {2048, 12288, 384, 32}).choose(narrow.t3()).workgroups);
  GpuConfig asked = lowTiles();
  asked.gemm.chunks_side_by_side = 4;
  const auto order = Orders(asked, {2048, 12288, 384, 32}).choose(narrow.t3()).workgroups;
  const auto chunks = ringChunkOrder(GpuId{0}, 32);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(order[i].value, chunks[i % 4].value * 96 + i / 4) << i;
  }
}

TEST(GemmOrder, GroupsOfDifferentSizeStayAsTheyAre) {
  GpuConfig config = lowTiles();
  config.gemm.chunks_side_by_side = 4;
  const Orders gemm(config, kOneRowChunks);
  GemmLaunch launch = gemm.t3();
  launch.groups.assign(31, 1);
  launch.groups.front() = 2;
  const auto order = gemm.choose(launch).workgroups;
  EXPECT_EQ(gemm.tiling.chunkOf(order[0]), launch.chunkOrder[0]);
  EXPECT_EQ(gemm.tiling.chunkOf(order[1]), launch.chunkOrder[1]);
  for (const std::size_t i : {288U, 289U, 431U}) {
    EXPECT_EQ(gemm.tiling.chunkOf(order[i]), launch.chunkOrder[2]) << i;
  }
}

TEST(GemmOrder, SlabsTakeNoNumberOfChunksButOne) {
  GpuConfig config = lowTiles();
  config.gemm.slab_rows = 4096;
  const Orders free(config, kFc2);
  for (const std::uint32_t chunks : {1U, 2U, 8U}) {
    config.gemm.chunks_side_by_side = chunks;
    EXPECT_EQ(Orders(config, kFc2).choose(free.t3()).workgroups, free.choose(free.t3()).workgroups)
        << chunks;
  }
}

TEST(GemmOrder, ColumnsOfAChunkAreNotSpreadOverOthersUnlessAsked) {
  GpuConfig config = lowTiles();
  config.gemm.workgroup_order = WorkgroupOrder::ColumnMajor;
  const Orders gemm(config, kOneRowChunks);
  const auto order = gemm.choose(gemm.t3()).workgroups;
  EXPECT_EQ(gemm.tiling.chunkOf(order[143]), gemm.t3().chunkOrder.front());
}

TEST(GemmOrder, AKernelThatProducesForOtherKernelsKeepsToItsChunks) {
  const Orders gemm(lowTiles(), kOneRowChunks);
  GemmLaunch split = gemm.t3();
  split.groups.clear();
  const auto order = gemm.choose(split).workgroups;
  EXPECT_EQ(gemm.tiling.chunkOf(order[143]), split.chunkOrder.front());
  EXPECT_EQ(gemm.tiling.chunkOf(order[144]), split.chunkOrder[1]);
}

class PresetOrder : public testing::TestWithParam<PresetGemm> {};

/// The larger of tokens and hidden size are its rows.
Shape tallShape(const PresetGemm& preset) {
  return {std::max(preset.rows, preset.columns), std::min(preset.rows, preset.columns),
          preset.depth, preset.gpus};
}

// Prints the table of docs/measurements/slabs.md, "Operand reads by order".
TEST_P(PresetOrder, SlabsAreWalkedInBandsOrRowsWhicheverReadLess) {
  GpuConfig config;
  const Orders gemm(config, tallShape(GetParam()));
  const double bands = gemm.slabReads(1, 8);
  const double rows = gemm.slabReads(1, 1);
  std::printf("%s: chunks %.1f, slabs of 1 %.1f, of 2 %.1f, of 4 %.1f, rows %.1f MB\n",
              GetParam().name, gemm.reads(gemm.t3()), bands, gemm.slabReads(2, 8),
              gemm.slabReads(4, 8), rows);
  config.gemm.slab_rows = 1;
  const Orders slabs(config, tallShape(GetParam()));
  EXPECT_EQ(slabs.reads(slabs.t3()), std::min(bands, rows));
}

TEST_P(PresetOrder, IsChunkByChunk) {
  const Shape shape = tallShape(GetParam());
  for (const std::uint32_t slabs : {0U, 1U}) {
    SCOPED_TRACE(slabs);
    GpuConfig config;
    config.gemm.slab_rows = slabs;
    const Orders tuned(config, shape);
    config.gemm.chunks_side_by_side = 1;
    EXPECT_EQ(tuned.choose(tuned.t3()).workgroups,
              Orders(config, shape).choose(tuned.t3()).workgroups);
  }
}

INSTANTIATE_TEST_SUITE_P(Gemm, PresetOrder, testing::ValuesIn(kPresetGemms), nameOf);

TEST(GemmOrder, SlabsReadHardlyMoreThanChunkByChunk) {
  // The sublayers of the two small models, where T3-AG is to gain: at most 5 % more.
  for (const Shape& shape :
       {kFc2, Shape{8192, 4256, 1596, 8}, Shape{8192, 4256, 532, 8}, Shape{8192, 4256, 1064, 16},
        Shape{8192, 4256, 798, 16}, Shape{8192, 4256, 266, 16}, Shape{16384, 3072, 1536, 8},
        Shape{16384, 3072, 1152, 8}, Shape{16384, 3072, 384, 8}, Shape{16384, 3072, 768, 16},
        Shape{16384, 3072, 576, 16}, Shape{16384, 3072, 192, 16}}) {
    GpuConfig config;
    const double byChunk = Orders(config, shape).reads(Orders(config, shape).t3());
    config.gemm.slab_rows = 1;
    EXPECT_LT(Orders(config, shape).reads(Orders(config, shape).t3()), 1.05 * byChunk)
        << shape.columns << " columns, depth " << shape.depth;
  }
}

TEST(GemmOrder, SlabsAreOfLaunchesThatProduceChunkByChunk) {
  GpuConfig config;
  const auto whole = Orders(config, kFc2).choose(Orders::baseline()).workgroups;
  config.gemm.slab_rows = 1;
  EXPECT_EQ(Orders(config, kFc2).choose(Orders::baseline()).workgroups, whole);
}

TEST(GemmOrder, ReadsAreCountedOnceWhereTheL2KeepsThePanels) {
  // 100 x 100 elements of depth 100: one wave. Rows of 200 B are fetched as one piece of 256 B.
  const Orders gemm(smallGpu(), {100, 100, 100, 1});
  EXPECT_EQ(
      countReads(gemm.config, gemm.blocks, OutputMap{}, gemm.choose(Orders::baseline()).workgroups),
      2U * 100 * 256);
}

}  // namespace
}  // namespace t3::test::gemm_order_test
