// SPDX-License-Identifier: Apache-2.0
// Method: a kernel between a simple memory and a simple link (test_memory.h). Time is compared with
// closed forms, traffic with counts made from the tiling alone, values with a GEMM written here.
#include "tlm/gpu/gemm_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include "tests/support/error_of.h"
#include "tests/support/seed.h"
#include "tests/support/watched.h"
#include "tests/tlm/gpu/gemm_bench.h"

namespace t3::gemm_kernel_test {
namespace {

using test::GemmBench;
using test::Shape;
using test::smallGpu;
using test::Speed;
using test::Watch;
using Request = test::Request;

constexpr Speed kFast{1000, 1e6, 1 << 20};  ///< a memory that is never the limit

Picoseconds period(const GpuConfig& config) { return Clock(config.clock_mhz).period(); }

double ratio(Picoseconds measured, double expected) {
  return static_cast<double>(measured) / expected;
}

/// Math time of one tile: whole cycles per K step.
double tileMath(const GpuConfig& config, std::uint32_t depth) {
  const GemmConfig& gemm = config.gemm;
  const double perK = static_cast<double>(gemm.tile_rows) * gemm.tile_columns /
                      (gemm.macs_per_cu_per_cycle * gemm.issue_efficiency);
  double cycles = 0;
  for (std::uint32_t k = 0; k < depth; k += gemm.k_step) {
    cycles += std::ceil(perK * std::min(gemm.k_step, depth - k));
  }
  return cycles * static_cast<double>(period(config));
}
/// Time of one tile alone on its compute unit, operands always on time: each step passes through
/// local memory first.
double tileTime(const GpuConfig& config, std::uint32_t depth) {
  const std::uint32_t steps = (depth + config.gemm.k_step - 1) / config.gemm.k_step;
  return tileMath(config, depth) + static_cast<double>(steps) * config.gemm.step_sync_cycles *
                                       static_cast<double>(period(config));
}

/// Everything drained: what must hold at the end of each run.
void expectDrained(GemmBench& bench, std::size_t launches = 1) {
  EXPECT_TRUE(bench.kernel.idle());
  EXPECT_EQ(bench.doneAt.size(), launches);
  EXPECT_EQ(bench.firstStageAt.size(), launches);
  EXPECT_EQ(bench.pool.inUse(), 0U);
  EXPECT_TRUE(bench.memory.idle());
  EXPECT_TRUE(bench.link.idle());
  EXPECT_DOUBLE_EQ(bench.kernel.progress(), 1.0);
}

// ---- time ---------------------------------------------------------------------------------------

TEST(GemmTime, ComputeBoundIsWavesTimesTileMath) {
  GpuConfig config;
  config.compute_units = 16;
  GemmBench bench("gemm", config, {1024, 640, 2048});  // 40 tiles: 3 waves on 16 CUs
  const Picoseconds time = bench.run(&OutputMap::dmaMap);
  const double expected = 3 * tileTime(config, 2048);
  EXPECT_GE(ratio(time, expected), 1.0);
  EXPECT_LE(ratio(time, expected), 1.03);
  expectDrained(bench);
}

TEST(GemmTime, MemoryBoundIsBytesOverBandwidth) {
  GpuConfig config;
  config.gemm.macs_per_cu_per_cycle = 65536;
  config.gemm.issue_efficiency = 1;
  config.l2.capacity_bytes = 1 << 20;  // far less than a wave's operands: much traffic
  GemmBench bench("gemm", config, {4096, 4096, 1024}, {300'000, 500, 256});
  const Picoseconds time = bench.run(&OutputMap::dmaMap);
  const double bytes = static_cast<double>(bench.memory.bytesRead() + bench.memory.bytesWritten());
  const double expected = bytes / 500 * 1000;
  EXPECT_GT(expected, 5 * 13 * tileTime(config, 1024));  // clearly memory bound
  EXPECT_GE(ratio(time, expected), 1.0);
  EXPECT_LE(ratio(time, expected), 1.03);
}

TEST(GemmTime, OneStepOfOneTileIsLatenciesPlusMathPlusStores) {
  GpuConfig config;
  config.compute_units = 1;
  constexpr Picoseconds kLatency = 500'000;
  GemmBench bench("gemm", config, {128, 128, 64}, {kLatency, 1e6, 1 << 20});
  const Picoseconds time = bench.run(&OutputMap::dmaMap);
  // Two operands of 16 KiB follow each other on the CU's fill path (64 B per cycle); the bands of
  // the tile on its store path. The memory itself takes next to nothing for its bytes.
  const double cycle = static_cast<double>(period(config));
  const double expected = kLatency + config.l2.hit_latency_ns * 1000 + 256 * cycle +
                          tileTime(config, 64) + 1024 * cycle + kLatency;
  EXPECT_NEAR(static_cast<double>(time), expected, 1000.0);
}

TEST(GemmTime, StagesEndOneTileTimeApartAndTheFirstIsAnnounced) {
  GpuConfig config;
  config.compute_units = 8;
  GemmBench bench("gemm", config, {1024, 384, 1024});  // 24 tiles: 3 waves
  bench.run(&OutputMap::dmaMap);
  const auto& ends = bench.kernel.statistics().stageEnds;
  ASSERT_EQ(ends.size(), 3U);
  for (int stage = 1; stage < 3; ++stage) {
    const auto i = static_cast<std::size_t>(stage);
    EXPECT_NEAR(ratio(ends[i] - ends[i - 1], tileTime(config, 1024)), 1.0, 0.09);
  }
  EXPECT_EQ(bench.firstStageAt, (std::vector{ends[0]}));
  expectDrained(bench);
}

TEST(GemmTime, WorkgroupsOfOneCuShareItsMatrixUnit) {
  GpuConfig config;
  config.compute_units = 4;
  config.gemm.workgroups_per_cu = 2;
  GemmBench bench("gemm", config, {512, 512, 1024});  // 16 tiles: 4 per CU
  const Picoseconds time = bench.run(&OutputMap::dmaMap);
  EXPECT_GE(ratio(time, 4 * tileMath(config, 1024)), 1.0);
  EXPECT_LE(ratio(time, 4 * tileMath(config, 1024)), 1.03);
  EXPECT_EQ(bench.kernel.statistics().peakWorkgroups, 8U);
  EXPECT_NEAR(static_cast<double>(bench.kernel.statistics().mathTime), 16 * tileMath(config, 1024),
              1.0);
}

// ---- stores -------------------------------------------------------------------------------------

/// How often each output byte (from layout.output) was written by `requests`.
std::vector<int> coverage(const GemmBench& bench, const std::vector<Request>& requests,
                          std::uint64_t base) {
  std::vector<int> count(bench.tiling.outputBytes());
  for (const Request& request : requests) {
    if (!request.write) continue;
    for (std::uint64_t i = 0; i < request.bytes; ++i) ++count.at(request.address - base + i);
  }
  return count;
}

TEST(GemmStores, UpdatesCarryTheIdsOfTheWavefrontTileTheyBelongTo) {
  GemmBench bench("gemm", smallGpu(), {100, 150, 96});
  bench.run(&OutputMap::dmaMap);
  std::uint64_t updates = 0;
  for (const Request& r : bench.memory.requests()) {
    if (!r.write) continue;
    ++updates;
    const Rectangle band = bench.tiling.wavefrontTile(r.workgroup, r.wavefront);
    const std::uint64_t offset = r.address - bench.layout.output;
    const std::uint64_t row = offset / bench.tiling.pitchBytes();
    EXPECT_GE(row, band.row);
    EXPECT_LT(row, band.row + band.rows);
    EXPECT_EQ(offset % bench.tiling.pitchBytes(), band.column * 2U);
    EXPECT_EQ(r.bytes, band.columns * 2);
    EXPECT_EQ(r.operation, MemoryOperation::Add);
    EXPECT_EQ(r.stream, Stream::Compute);
    EXPECT_EQ(r.phase, Phase::Gemm);
    EXPECT_EQ(r.source, GpuId{3});
    EXPECT_TRUE(r.tracked);
    EXPECT_FALSE(r.triggered);
    EXPECT_FALSE(r.hasData);
  }
  EXPECT_EQ(updates, 100U * 5);
  EXPECT_EQ(coverage(bench, bench.memory.requests(), bench.layout.output),
            std::vector<int>(bench.tiling.outputBytes(), 1));
  EXPECT_EQ(bench.link.bytesWritten(), 0U);
  expectDrained(bench);
}

TEST(GemmStores, RemoteTilesLeaveThroughTheLinkToTheirOwner) {
  GemmBench bench("gemm", smallGpu(), {100, 150, 96});
  OutputMap map;
  map.remoteMap({0, bench.tiling.tiles()}, GpuId{5});
  bench.launch(std::move(map));
  sc_core::sc_start();
  const std::uint64_t base = globalAddress(GpuId{5}, bench.layout.output);
  EXPECT_EQ(coverage(bench, bench.link.requests(), base),
            std::vector<int>(bench.tiling.outputBytes(), 1));
  for (const Request& r : bench.link.requests()) {
    EXPECT_EQ(r.stream, Stream::Communication);
    EXPECT_EQ(r.phase, Phase::ReduceScatter);
    EXPECT_EQ(r.operation, MemoryOperation::Add);
    EXPECT_TRUE(r.tracked);
  }
  EXPECT_EQ(bench.memory.bytesWritten(), 0U);
  EXPECT_EQ(bench.kernel.statistics().remoteBytes, bench.tiling.outputBytes());
  expectDrained(bench);
}

TEST(GemmStores, EachMappingGetsItsTilesAndEveryByteGoesOnce) {
  GemmBench bench("gemm", smallGpu(), {128, 128, 64, 4});  // 16 tiles, 4 per chunk
  OutputMap map;
  map.remoteMap(bench.tiling.chunk(ChunkId{2}), GpuId{1});
  map.dmaMap(bench.tiling.chunk(ChunkId{1}));
  map.discard(bench.tiling.chunk(ChunkId{0}));
  Watch watch;
  watch.watch(bench.kernel);
  bench.launch(std::move(map), ringChunkOrder(GpuId{3}, 4));  // chunk 3 is cached
  sc_core::sc_start();
  for (const char* chunk : {"0", "1", "2", "3"}) {
    EXPECT_EQ(std::ranges::count_if(watch.events,
                                    [&](const std::string& event) {
                                      return event.starts_with(std::string("ChunkEnd ") + chunk);
                                    }),
              1)
        << "the end of a chunk is that of its last tile";
  }
  std::vector<int> local = coverage(bench, bench.memory.requests(), bench.layout.output);
  const auto remote =
      coverage(bench, bench.link.requests(), globalAddress(GpuId{1}, bench.layout.output));
  const std::uint64_t chunk = bench.tiling.chunkBytes(ChunkId{0});
  for (std::uint64_t byte = 0; byte < local.size(); ++byte) {
    const std::uint64_t owner = byte / chunk;  // a chunk is a whole tile row here
    EXPECT_EQ(local[byte], owner == 1 || owner == 3 ? 1 : 0) << byte;
    EXPECT_EQ(remote[byte], owner == 2 ? 1 : 0) << byte;
  }
  const GemmStatistics& s = bench.kernel.statistics();
  EXPECT_EQ(s.remoteBytes, chunk);
  EXPECT_EQ(s.updateBytes, chunk);
  EXPECT_EQ(s.writeBackBytes, chunk);
  EXPECT_EQ(s.storedBytes, 3 * chunk);
  EXPECT_EQ(s.tiles, 16U);
  expectDrained(bench);
}

TEST(GemmStores, ChunksAreProducedInTheOrderOfTheLaunch) {
  GpuConfig config = smallGpu();
  config.compute_units = 1;
  GemmBench bench("gemm", config, {128, 128, 64, 4});
  OutputMap map;
  map.dmaMap({0, 16});
  bench.launch(std::move(map), ringChunkOrder(GpuId{1}, 4));
  sc_core::sc_start();
  std::vector<std::uint32_t> chunks;
  for (const Request& r : bench.memory.requests()) {
    if (!r.write) continue;
    const std::uint32_t chunk = bench.tiling.chunkOf(r.workgroup).value;
    if (chunks.empty() || chunks.back() != chunk) chunks.push_back(chunk);
  }
  EXPECT_EQ(chunks, (std::vector<std::uint32_t>{0, 3, 2, 1}));
}

TEST(GemmStores, CachedTilesAreWrittenBackOnceEachEvenWhenTheyDoNotFit) {
  GpuConfig config = smallGpu();
  config.l2.capacity_bytes = 1 << 16;
  GemmBench bench("gemm", config, {512, 300, 64});  // 300 KiB of output through 64 KiB
  bench.run(&OutputMap::cached);
  EXPECT_EQ(coverage(bench, bench.memory.requests(), bench.layout.output),
            std::vector<int>(bench.tiling.outputBytes(), 1));
  for (const Request& r : bench.memory.requests()) {
    if (r.write) {
      EXPECT_EQ(r.operation, MemoryOperation::Store);
      EXPECT_FALSE(r.tracked);
    }
  }
  EXPECT_EQ(bench.kernel.statistics().writeBackBytes, bench.tiling.outputBytes());
  // Done means performed: the flush is part of the kernel's time.
  EXPECT_GE(bench.doneAt.at(0), bench.memory.busyUntil());
  expectDrained(bench);
}

TEST(GemmStores, WriteBacksLeaveInOrderOfAddress) {
  GemmBench bench("gemm", smallGpu(), {128, 256, 64});  // 4 x 8 tiles of 2 KiB: all fit the L2
  bench.run(&OutputMap::cached);
  std::vector<std::uint64_t> addresses;
  for (const Request& r : bench.memory.requests()) {
    if (r.write) addresses.push_back(r.address);
  }
  EXPECT_EQ(addresses.size(), 128U * 8);
  EXPECT_TRUE(std::is_sorted(addresses.begin(), addresses.end()));
}

TEST(GemmStores, CachedOutputDisplacesOperandsAndUpdatesDoNot) {
  GpuConfig config;
  config.compute_units = 2;
  config.l2.capacity_bytes = 384 << 10;
  config.gemm.workgroup_order = WorkgroupOrder::RowMajor;  // tuning would find a way around
  // From one tile row to the next pass 192 KiB of B, 32 KiB of A and 192 KiB of output.
  constexpr Shape kShape{768, 768, 128};
  constexpr double kOperands = 2.0 * 768 * 256;
  GemmBench cached("cached", config, kShape);
  GemmBench updates("updates", config, kShape);
  OutputMap map;
  cached.launch(map);
  map.dmaMap({0, updates.tiling.tiles()});
  updates.launch(std::move(map));
  sc_core::sc_start();
  EXPECT_GE(ratio(updates.memory.bytesRead(), kOperands), 1.0);
  EXPECT_LE(ratio(updates.memory.bytesRead(), kOperands), 1.1);
  EXPECT_GE(ratio(cached.memory.bytesRead(), kOperands), 1.5);
}

TEST(GemmStores, ALinkThatTakesNothingStopsTheComputeUnits) {
  GpuConfig config = smallGpu();
  const Speed stuck{1000, 1e-6, 1};  // one row segment takes 64 ms
  GemmBench bench("gemm", config, {512, 512, 64}, kFast, stuck);
  OutputMap map;
  map.remoteMap({0, bench.tiling.tiles()}, GpuId{1});
  bench.launch(std::move(map));
  sc_core::sc_start(10, sc_core::SC_MS);
  // Four slots: four tiles computed, none of them stored, none started after them.
  const GemmStatistics& s = bench.kernel.statistics();
  EXPECT_EQ(s.multiplyAdds, 4ULL * 32 * 32 * 64);
  EXPECT_EQ(s.tiles, 0U);
  EXPECT_EQ(s.peakWorkgroups, 4U);
  EXPECT_FALSE(bench.kernel.idle());
  EXPECT_EQ(bench.link.requests().size(), 1U);
  EXPECT_TRUE(bench.firstStageAt.empty());
}

TEST(GemmStores, ASlowMemorySlowsTheKernelToItsPace) {
  const Speed slow{1000, 0.5, 4};
  GemmBench cached("cached", smallGpu(), {256, 256, 32}, slow);
  GemmBench updates("updates", smallGpu(), {256, 256, 32}, slow);
  cached.launch({});
  OutputMap map;
  map.dmaMap({0, updates.tiling.tiles()});
  updates.launch(std::move(map));
  sc_core::sc_start();
  for (GemmBench* bench : {&cached, &updates}) {
    const double bytes =
        static_cast<double>(bench->memory.bytesRead() + bench->memory.bytesWritten());
    EXPECT_NEAR(ratio(bench->kernel.statistics().end, bytes / 0.5 * 1000), 1.0, 0.05);
    expectDrained(*bench);
  }
}

TEST(GemmStores, DiscardedTilesCostMathOnly) {
  GpuConfig config = smallGpu();
  GemmBench bench("gemm", config, {256, 256, 64}, kFast);
  bench.run(&OutputMap::discard);
  EXPECT_EQ(bench.memory.bytesWritten(), 0U);
  EXPECT_EQ(bench.kernel.statistics().storedBytes, 0U);
  EXPECT_EQ(bench.kernel.statistics().tiles, 64U);
  expectDrained(bench);
}

// ---- loads --------------------------------------------------------------------------------------

TEST(GemmLoads, SharedOperandsAreFetchedOnceWhenTheyFit) {
  GpuConfig config = smallGpu();
  config.compute_units = 16;
  GemmBench bench("gemm", config, {100, 150, 200});  // edges everywhere: 400 B rows, pitch 512
  bench.run(&OutputMap::dmaMap);
  std::map<std::uint64_t, int> reads;
  for (const Request& r : bench.memory.requests()) {
    if (r.write) continue;
    EXPECT_EQ(r.bytes, 256U);
    EXPECT_EQ(r.stream, Stream::Compute);
    EXPECT_EQ(r.phase, Phase::Gemm);
    ++reads[r.address];
  }
  std::map<std::uint64_t, int> expected;
  for (std::uint64_t row = 0; row < 100; ++row) {
    for (std::uint64_t at : {0, 256}) expected[bench.layout.operandA + row * 512 + at] = 1;
  }
  for (std::uint64_t row = 0; row < 150; ++row) {
    for (std::uint64_t at : {0, 256}) expected[bench.layout.operandB + row * 512 + at] = 1;
  }
  EXPECT_EQ(reads, expected);
  expectDrained(bench);
}

TEST(GemmLoads, RequestersOfABlockBeingFetchedShareTheFetch) {
  GpuConfig config = smallGpu();
  config.compute_units = 16;
  config.gemm.k_step = 128;
  GemmBench bench("gemm", config, {32, 512, 128}, {50'000'000, 1e6, 1 << 20});
  bench.run(&OutputMap::discard);
  // 16 workgroups ask for the one A block at once: one fetch, 15 join it.
  const GemmStatistics& s = bench.kernel.statistics();
  EXPECT_EQ(s.readBytes, (32U + 512) * 256);
  EXPECT_EQ(s.l2Misses, 32U + 512);
  // Lines: of each fetch the second line joins the first; then 15 x 32 rows x 2 lines.
  EXPECT_EQ(s.l2Merged, 32U + 512 + 15 * 32 * 2);
  EXPECT_EQ(s.l2Hits, 0U);
}

/// One row of 16 tiles on 4 compute units: the panel of A is read from memory once and used from
/// the L2 by all waves. Half-way its first row is stored by another GPU.
TEST(GemmLoads, AStaleBlockIsReadAgainAfterAnotherGpuHasStoredItsBytes) {
  const Shape shape{32, 512, 128, 1};
  GemmBench still("still", smallGpu(), shape);
  GemmBench changed("changed", smallGpu(), shape);
  const Picoseconds time = still.run(&OutputMap::discard);
  OutputMap output;
  output.discard({0, changed.tiling.tiles()});
  changed.launch(std::move(output));
  sc_core::sc_start(fromPicoseconds(time / 2));
  ASSERT_TRUE(changed.doneAt.empty());
  changed.kernel.storedByOthers(changed.layout.operandA, 256);
  sc_core::sc_start();
  // 128 elements of 2 bytes are one fetch: a block is 32 rows of 256 bytes.
  EXPECT_EQ(changed.kernel.statistics().readBytes, still.kernel.statistics().readBytes + 32 * 256);
}

TEST(GemmLoads, LineCountsAddUp) {
  GemmBench bench("gemm", smallGpu(), {256, 256, 256});
  bench.run(&OutputMap::dmaMap);
  const GemmStatistics& s = bench.kernel.statistics();
  // 64 tiles x 8 steps of 64 B: each touches one line in 2 x 32 rows.
  EXPECT_EQ(s.l2Hits + s.l2Merged + s.l2Misses, 64U * 8 * 2 * 32);
  EXPECT_EQ(s.l2Misses * 256, s.readBytes);
  EXPECT_EQ(s.readBytes, bench.memory.bytesRead());
}

TEST(GemmLoads, TuningLeavesABandHeightThatReadsTwiceAsMuchAsAnother) {
  // Wide: 4 x 64 tiles, bands of 4 rows share B; tall: 64 x 4 tiles, bands of 1 row do.
  GpuConfig config = smallGpu();
  config.compute_units = 4;
  config.l2.capacity_bytes = 3 << 16;
  const auto run = [&](const Shape& shape, std::uint32_t height) {
    config.gemm.swizzle_rows = height;
    auto bench = std::make_unique<GemmBench>(
        "gemm" + std::to_string(shape.rows) + "_" + std::to_string(height), config, shape, kFast);
    OutputMap map;
    map.dmaMap({0, bench->tiling.tiles()});
    bench->launch(std::move(map));
    return bench;
  };
  std::vector<std::vector<std::unique_ptr<GemmBench>>> all;
  for (const Shape& shape : {Shape{128, 2048, 512}, Shape{2048, 128, 512}}) {
    all.emplace_back();
    for (std::uint32_t height : {0, 1, 2, 4, 8, 16, 32, 64}) {
      all.back().push_back(run(shape, height));
    }
  }
  sc_core::sc_start();
  for (const auto& benches : all) {
    std::vector<std::uint64_t> reads;
    for (const auto& bench : benches) reads.push_back(bench->memory.bytesRead());
    const auto [fewest, most] = std::minmax_element(reads.begin() + 1, reads.end());
    EXPECT_GT(*most, 2 * *fewest);
    EXPECT_LE(reads[0], 2 * *fewest);
    EXPECT_NE(benches[0]->kernel.statistics().swizzleRows, 0U);
  }
}

TEST(GemmLoads, StepsWiderThanAFetchReadAllTheirBlocks) {
  GpuConfig config = smallGpu();
  config.gemm.k_step = 300;  // 600 B: three blocks, none aligned after the first
  GemmBench bench("gemm", config, {64, 64, 1000});
  bench.run(&OutputMap::dmaMap);
  EXPECT_EQ(bench.memory.bytesRead(), 2U * 64 * 2048);
  EXPECT_EQ(bench.kernel.statistics().multiplyAdds, 64ULL * 64 * 1000);
  expectDrained(bench);
}

// ---- values -------------------------------------------------------------------------------------

/// Random operands in `bench`'s memory, and the product a person would write down.
template <typename Element, typename Accumulator>
class Product {
 public:
  Product(GemmBench& bench, const Shape& shape, std::mt19937_64& random)
      : bench_(bench), shape_(shape) {
    fill(a_, shape.rows, bench.layout.operandA, random);
    fill(b_, shape.columns, bench.layout.operandB, random);
  }

  void expectOutputAt(test::TestMemory& memory, std::uint64_t base) {
    std::uint64_t checks = 0, differences = 0;
    for (std::uint32_t row = 0; row < shape_.rows; ++row) {
      for (std::uint32_t column = 0; column < shape_.columns; ++column) {
        Accumulator sum = 0;
        for (std::uint32_t k = 0; k < shape_.depth; ++k) {
          sum += static_cast<Accumulator>(a_[row * shape_.depth + k]) *
                 static_cast<Accumulator>(b_[column * shape_.depth + k]);
        }
        const Element expected(sum);
        Element found;
        memory.read(base + (std::uint64_t{row} * shape_.columns + column) * sizeof(Element), &found,
                    sizeof found);
        ++checks;
        if (std::memcmp(&found, &expected, sizeof found) != 0) ++differences;
      }
    }
    EXPECT_EQ(checks, std::uint64_t{shape_.rows} * shape_.columns);
    EXPECT_EQ(differences, 0U);
  }

 private:
  void fill(std::vector<Element>& values, std::uint32_t rows, std::uint64_t base,
            std::mt19937_64& random) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t k = 0; k < shape_.depth; ++k) {
        values.push_back(Element(
            static_cast<Accumulator>(static_cast<int>(random() % 2001) - 1000) / Accumulator(8)));
      }
      bench_.memory.write(base + row * bench_.layout.operandPitchBytes,
                          values.data() + std::size_t{row} * shape_.depth,
                          shape_.depth * sizeof(Element));
    }
  }

  GemmBench& bench_;
  Shape shape_;
  std::vector<Element> a_, b_;
};

constexpr Shape kChecked{90, 75, 70};

/// All tiles go where `map` says; the product is then at `base` of the link or of the memory.
void expectProduct(const std::function<void(OutputMap&, TileRange)>& map, bool atLink,
                   std::uint64_t written) {
  std::mt19937_64 random(test::seed(21));
  GemmBench bench("gemm", smallGpu(), kChecked, {}, {}, DataMode::Checked);
  Product<Imath::half, float> product(bench, kChecked, random);
  OutputMap output;
  map(output, {0, bench.tiling.tiles()});
  bench.launch(std::move(output));
  sc_core::sc_start();
  product.expectOutputAt(atLink ? bench.link : bench.memory,
                         (atLink ? globalAddress(GpuId{5}, 0) : 0) + bench.layout.output);
  EXPECT_EQ(bench.memory.bytesWritten(), written);
}

constexpr std::uint64_t kOutputBytes = 90 * 75 * 2;

TEST(GemmValues, UpdatesAddUpToTheProduct) {
  expectProduct([](OutputMap& map, TileRange tiles) { map.dmaMap(tiles); }, false, kOutputBytes);
}

TEST(GemmValues, RemoteUpdatesCarryTheProduct) {
  expectProduct([](OutputMap& map, TileRange tiles) { map.remoteMap(tiles, GpuId{5}); }, true, 0);
}

TEST(GemmValues, CachedTilesAreInMemoryWhenTheKernelIsDone) {
  expectProduct([](OutputMap& map, TileRange tiles) { map.cached(tiles); }, false, kOutputBytes);
}

TEST(GemmValues, DiscardedTilesLeaveTheirValuesWithoutTraffic) {
  expectProduct([](OutputMap& map, TileRange tiles) { map.discard(tiles); }, false, 0);
}

TEST(GemmValues, Fp32AndInt32WorkToo) {
  std::mt19937_64 random(test::seed(24));
  GemmBench floats("floats", smallGpu(), kChecked, {}, {}, DataMode::Checked, DataType::Fp32);
  GemmBench ints("ints", smallGpu(), kChecked, {}, {}, DataMode::Checked, DataType::Int32);
  Product<float, float> floatProduct(floats, kChecked, random);
  Product<std::int32_t, std::int32_t> intProduct(ints, kChecked, random);
  floats.launch({});
  ints.launch({});
  sc_core::sc_start();
  floatProduct.expectOutputAt(floats.memory, floats.layout.output);
  intProduct.expectOutputAt(ints.memory, ints.layout.output);
}

TEST(GemmValues, DataDoesNotChangeTiming) {
  std::mt19937_64 random(test::seed(25));
  constexpr Shape kShape{90, 130, 70, 1};
  const Speed memory{200'000, 20, 8}, link{500'000, 3, 4};
  GemmBench checked("checked", smallGpu(), kShape, memory, link, DataMode::Checked);
  GemmBench elided("elided", smallGpu(), kShape, memory, link, DataMode::Elided);
  Product<Imath::half, float> product(checked, kShape, random);
  for (GemmBench* bench : {&checked, &elided}) {
    OutputMap map;
    map.dmaMap({0, 5});
    map.remoteMap({5, 4}, GpuId{4});
    bench->launch(std::move(map));  // the other six are cached
  }
  sc_core::sc_start();
  const auto withoutData = [](std::vector<Request> requests) {
    for (Request& request : requests) request.hasData = false;
    return requests;
  };
  EXPECT_GT(checked.memory.requests().size(), 100U);
  EXPECT_TRUE(withoutData(checked.memory.requests()) == withoutData(elided.memory.requests()));
  EXPECT_TRUE(withoutData(checked.link.requests()) == withoutData(elided.link.requests()));
  EXPECT_EQ(checked.doneAt, elided.doneAt);
}

// ---- launches -----------------------------------------------------------------------------------

TEST(GemmLaunches, OneAfterTheOtherBehavesAlike) {
  GemmBench bench("gemm", smallGpu(), {256, 256, 128});
  const Picoseconds first = bench.run(&OutputMap::dmaMap);
  const std::uint64_t reads = bench.memory.bytesRead();
  const Picoseconds second = bench.run(&OutputMap::dmaMap);
  EXPECT_EQ(first, second);
  EXPECT_EQ(bench.memory.bytesRead(), 2 * reads);
  EXPECT_EQ(bench.kernel.statistics().readBytes, reads);
  expectDrained(bench, 2);
}

TEST(GemmLaunches, ASecondLaunchWhileRunningIsAnError) {
  GemmBench bench("gemm", smallGpu(), {256, 256, 128});
  bench.launch({});
  EXPECT_THROW(bench.launch({}), sc_core::sc_report);
}

TEST(GemmLaunches, TheGpuIsUsedNoFurtherThanItsSlots) {
  std::mt19937_64 random(test::seed(31));
  std::vector<std::unique_ptr<GemmBench>> benches;
  for (int round = 0; round < 8; ++round) {
    GpuConfig config = smallGpu();
    config.compute_units = static_cast<std::uint32_t>(random() % 6 + 1);
    config.gemm.workgroups_per_cu = static_cast<std::uint32_t>(random() % 3 + 1);
    config.gemm.load_stages = static_cast<std::uint32_t>(random() % 4 + 1);
    config.gemm.outstanding_load_bytes_per_cu = 1024U << random() % 6;
    const auto size = [&] { return static_cast<std::uint32_t>(random() % 200 + 1); };
    benches.push_back(std::make_unique<GemmBench>("gemm" + std::to_string(round), config,
                                                  Shape{size(), size(), size()}, Speed{},
                                                  Speed{1000, 2, 2}));
    OutputMap map;
    const std::uint32_t tiles = benches.back()->tiling.tiles();
    map.dmaMap({0, tiles / 3});
    map.remoteMap({tiles / 3, tiles / 3}, GpuId{1});
    benches.back()->launch(std::move(map));
  }
  sc_core::sc_start();
  for (const auto& bench : benches) {
    const GemmStatistics& s = bench->kernel.statistics();
    const std::uint32_t slots = bench->config.compute_units * bench->config.gemm.workgroups_per_cu;
    EXPECT_EQ(s.peakWorkgroups, std::min(slots, bench->tiling.tiles()));
    EXPECT_EQ(s.tiles, bench->tiling.tiles());
    EXPECT_EQ(s.storedBytes, bench->tiling.outputBytes());
    EXPECT_EQ(s.updateBytes + s.remoteBytes + s.writeBackBytes, bench->tiling.outputBytes());
    EXPECT_EQ(s.multiplyAdds, bench->tiling.outputBytes() / 2 * bench->shape.depth);
    expectDrained(*bench);
  }
}

// --- errors -----------------------------------------------------------------------------------

TEST(GemmErrors, AnOperandThatTheMemoryDoesNotGiveEndsTheRun) {
  GemmBench bench("gemm", smallGpu(), {64, 64, 64});
  bench.memory.brokenFrom = bench.layout.operandB;
  EXPECT_THAT(test::errorOf([&] { bench.run(&OutputMap::dmaMap); }),
              testing::AllOf(testing::HasSubstr("gemm.memory: a read of "),
                             testing::HasSubstr("TLM_ADDRESS_ERROR_RESPONSE")));
}

TEST(GemmErrors, AStoreThatTheMemoryDoesNotTakeEndsTheRun) {
  GemmBench bench("gemm", smallGpu(), {64, 64, 64});
  bench.memory.brokenFrom = bench.layout.output + 1;
  EXPECT_THAT(test::errorOf([&] { bench.run(&OutputMap::dmaMap); }),
              testing::HasSubstr("gemm.memory: a write of "));
}

}  // namespace
}  // namespace t3::gemm_kernel_test
