// SPDX-License-Identifier: Apache-2.0
// Method: the order of a launch is chosen, and its operand reads are counted, without a kernel and
// without time. T-NLG FC-2 on 8 GPUs is the example: 64 x 34 tiles of 128, chunks of 8 tile rows.
#include "tlm/gpu/gemm_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "tests/tlm/gpu/gemm_bench.h"
#include "tlm/gpu/dispatch_order.h"

namespace t3::test {
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
        blocks(tiling, shape.depth, layoutOf(gpu, shape, DataType::Fp16), DataType::Fp16,
               gpu.l2.fetch_bytes) {}

  GemmOrder choose(const GemmLaunch& launch) const {
    return chooseOrder(config, tiling, blocks, launch);
  }
  /// Operand bytes of a launch in MB.
  double reads(const GemmLaunch& launch) const {
    return static_cast<double>(
               countReads(config, tiling, blocks, launch.output, choose(launch).workgroups)) *
           1e-6;
  }
  /// As the baseline launches the kernel: the whole output, cached.
  static GemmLaunch baseline() { return {}; }
  /// As T3 does on GPU 0: chunk by chunk, past the L2.
  GemmLaunch t3() const {
    GemmLaunch launch;
    launch.output.dmaMap({0, tiling.tiles()});
    launch.chunkOrder = ringChunkOrder(GpuId{0}, tiling.chunks());
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

TEST(GemmOrder, SlabsWalkedRowAfterRowReadBForEveryChunk) {
  GpuConfig config;
  config.gemm.slab_rows = 1;
  const double bands = Orders(config, kFc2).reads(Orders(config, kFc2).t3());
  config.gemm.workgroup_order = WorkgroupOrder::RowMajor;
  EXPECT_GT(Orders(config, kFc2).reads(Orders(config, kFc2).t3()), 2 * bands);
}

TEST(GemmOrder, SlabsAreWalkedInBandsOnlyWhereThatReadsLess) {
  GpuConfig config;
  config.gemm.slab_rows = 1;
  const Orders wide(config, kFc2);  // B is more than the L2 holds
  EXPECT_EQ(wide.choose(wide.t3()).swizzleRows, 8U);
  const Orders narrow(config, {16384, 3072, 1536, 8});  // Mega-GPT-2 FC-2: it stays in the L2
  EXPECT_EQ(narrow.choose(narrow.t3()).swizzleRows, 1U);
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
  EXPECT_EQ(countReads(gemm.config, gemm.tiling, gemm.blocks, OutputMap{},
                       gemm.choose(Orders::baseline()).workgroups),
            2U * 100 * 256);
}

}  // namespace
}  // namespace t3::test
