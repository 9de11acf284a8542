// SPDX-License-Identifier: Apache-2.0
// Method: the norm between a simple memory and nothing else (test_memory.h). Bytes and requests are
// counted from the shape, values are computed here, in another way than the kernel does.
#include "tlm/gpu/norm_kernel.h"

#include <Imath/half.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "tests/support/error_of.h"
#include "tests/support/seed.h"
#include "tests/tlm/gpu/gemm_bench.h"

namespace t3::norm_kernel_test {
namespace {

/// 3 x 2 tiles of 32 x 32 on 4 compute units; the last tile of a row has 16 columns, those of the
/// last row have 6 rows, of which the wavefronts have 8, none, none and none.
struct Bench {
  PayloadPool pool;
  GpuConfig config;
  Tiling tiling{{70, 48, 2}, {32, 32, 4}, 1};
  MemoryLayout layout;
  test::TestMemory memory;
  ComputeArray array;
  NormKernel kernel;
  std::vector<Picoseconds> doneAt, firstAt;

  explicit Bench(DataMode mode = DataMode::Elided, std::uint32_t rowsPerWorkgroup = 4,
                 DataType type = DataType::Fp16)
      : config(configOf(rowsPerWorkgroup)),
        layout(layoutOf()),
        memory("memory", 100'000, 1000),
        array(config),
        kernel("norm", config, tiling, layout, {GpuId{1}, type, mode, pool}, array) {
    kernel.memory.socket.bind(memory.target);
  }
  static GpuConfig configOf(std::uint32_t rowsPerWorkgroup) {
    GpuConfig config = test::smallGpu();
    config.norm.rows_per_workgroup = rowsPerWorkgroup;
    return config;
  }
  static MemoryLayout layoutOf() {
    MemoryLayout layout;
    layout.output = 0x10000;
    layout.residual = 0x20000;
    layout.normed = 0x30000;
    return layout;
  }
  void launch(std::vector<std::uint32_t> tileRows, bool rowByRow = false, bool tracked = false) {
    NormLaunch launch;
    launch.tileRows = std::move(tileRows);
    launch.rowByRow = rowByRow;
    launch.tracked = tracked;
    launch.firstBegins = [this] { firstAt.push_back(now()); };
    launch.done = [this](Picoseconds when) { doneAt.push_back(when); };
    kernel.launch(std::move(launch));
  }
  /// Rows of elements whose normed bytes have been stored.
  std::set<std::uint64_t> storedRows() const {
    std::set<std::uint64_t> rows;
    for (const auto& request : memory.requests()) {
      if (request.write && request.address >= layout.normed) {
        rows.insert((request.address - layout.normed) / tiling.pitchBytes());
      }
    }
    return rows;
  }
};

class NormRows : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(PerWorkgroup, NormRows, testing::Values(1U, 4U, 5U, 1024U));

TEST_P(NormRows, ReadsSumsAndResidualAndStoresBothRowsOnce) {
  Bench bench(DataMode::Elided, GetParam());
  bench.launch({0, 1, 2});
  sc_core::sc_start();
  const std::uint64_t bytes = bench.tiling.outputBytes();
  EXPECT_EQ(bench.memory.bytesRead(), 2 * bytes);
  EXPECT_EQ(bench.memory.bytesWritten(), 2 * bytes);
  EXPECT_EQ(bench.storedRows().size(), 70U);
  EXPECT_EQ(bench.doneAt.size(), 1U);
  EXPECT_EQ(bench.firstAt.size(), 1U);
  EXPECT_TRUE(bench.kernel.idle());
  EXPECT_EQ(bench.pool.inUse(), 0U);
  for (const auto& request : bench.memory.requests()) {
    EXPECT_EQ(request.phase, Phase::Norm);
    EXPECT_FALSE(request.tracked);
    EXPECT_EQ(request.source, GpuId{1});
  }
}

TEST(Norm, LeavesTheRowsOfOthersAlone) {
  Bench bench;
  bench.launch({1});
  sc_core::sc_start();
  std::set<std::uint64_t> expected;
  for (std::uint64_t row = 32; row < 64; ++row) expected.insert(row);
  EXPECT_EQ(bench.storedRows(), expected);
  EXPECT_EQ(bench.memory.bytesRead(), 2 * 32 * bench.tiling.pitchBytes());
}

TEST(Norm, RowsOfTilesWaitForTheirRelease) {
  Bench bench;
  bench.launch({0, 2}, true);
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  EXPECT_TRUE(bench.memory.requests().empty());
  bench.kernel.release(2);
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  EXPECT_EQ(bench.firstAt, (std::vector<Picoseconds>{10'000'000}));
  EXPECT_EQ(bench.storedRows(), (std::set<std::uint64_t>{64, 65, 66, 67, 68, 69}));
  EXPECT_TRUE(bench.doneAt.empty());
  EXPECT_FALSE(bench.kernel.idle());
  bench.kernel.release(0);
  sc_core::sc_start();
  EXPECT_EQ(bench.storedRows().size(), 38U);
  EXPECT_EQ(bench.doneAt.size(), 1U);
}

TEST(Norm, TrackedStoresCarryTheIdsOfTheirTileAndAreAllOfIt) {
  Bench bench(DataMode::Elided, 5);  // a workgroup's rows are of two wavefronts
  bench.launch({0, 1, 2}, false, true);
  sc_core::sc_start();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> bytes;
  for (const auto& request : bench.memory.requests()) {
    const bool normed = request.write && request.address >= bench.layout.normed;
    EXPECT_EQ(request.tracked, normed);
    if (!normed) continue;
    EXPECT_EQ(request.operation, MemoryOperation::Store);
    bytes[{request.workgroup.value, request.wavefront.value}] += request.bytes;
  }
  std::size_t tiles = 0;
  for (std::uint32_t wg = 0; wg < bench.tiling.tiles(); ++wg) {
    for (std::uint32_t wf = 0; wf < bench.tiling.liveWavefronts(WorkgroupId{wg}); ++wf, ++tiles) {
      const Rectangle area = bench.tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf});
      EXPECT_EQ((bytes[{wg, wf}]), bench.tiling.bytes(area)) << wg << ", " << wf;
    }
  }
  EXPECT_EQ(bytes.size(), tiles);
}

TEST(Norm, ValuesAreTheResidualPlusTheSumAndItsNorm) {
  Bench bench(DataMode::Checked);
  std::mt19937 random(test::seed(5));
  const std::size_t count = 70 * 48;
  std::vector<Imath::half> sums(count), residual(count), normed(count), after(count);
  const auto draw = [&] {
    return Imath::half(static_cast<float>(static_cast<int>(random() % 2000) - 1000) / 256.0F);
  };
  std::generate(sums.begin(), sums.end(), draw);
  std::generate(residual.begin(), residual.end(), draw);
  std::fill_n(sums.begin(), 48, Imath::half(0.0F));  // a row of zeros stays one
  std::fill_n(residual.begin(), 48, Imath::half(0.0F));
  bench.memory.write(bench.layout.output, sums.data(), 2 * count);
  bench.memory.write(bench.layout.residual, residual.data(), 2 * count);
  bench.launch({0, 1, 2}, false, true);
  sc_core::sc_start();
  bench.memory.read(bench.layout.residual, after.data(), 2 * count);
  bench.memory.read(bench.layout.normed, normed.data(), 2 * count);
  for (std::size_t row = 0; row < count; row += 48) {
    double squares = 0;
    for (std::size_t i = row; i < row + 48; ++i) {
      const Imath::half sum(static_cast<float>(sums[i]) + static_cast<float>(residual[i]));
      ASSERT_EQ(after[i].bits(), sum.bits());
      squares += static_cast<double>(sum) * static_cast<double>(sum);
    }
    const double root = std::sqrt(squares / 48 + 1e-5);
    for (std::size_t i = row; i < row + 48; ++i) {
      ASSERT_NEAR(static_cast<float>(normed[i]), static_cast<float>(after[i]) / root, 2e-3);
    }
  }
}

TEST(Norm, NoMoreIsOutstandingThanAComputeUnitMayHave) {
  Bench bench(DataMode::Elided, 1024);
  // A row of 96 bytes twice is 192: three pieces of 64 bytes at most.
  GpuConfig config = Bench::configOf(1024);
  config.gemm.outstanding_load_bytes_per_cu = 192;
  ComputeArray array(config);
  NormKernel kernel("limited", config, bench.tiling, bench.layout,
                    {GpuId{1}, DataType::Fp16, DataMode::Elided, bench.pool}, array);
  kernel.memory.socket.bind(bench.memory.target);
  NormLaunch launch;
  launch.tileRows = {0};
  Picoseconds end = 0;
  launch.done = [&end](Picoseconds when) { end = when; };
  kernel.launch(std::move(launch));
  sc_core::sc_start();
  // One workgroup: 32 rows, each a read latency after the one before.
  EXPECT_GE(end, 32 * 100'000U);
  EXPECT_LE(end, 32 * 110'000U + 200'000U);
}

TEST(NormErrors, ASumThatTheMemoryDoesNotGiveEndsTheRun) {
  Bench bench;
  bench.memory.brokenFrom = bench.layout.output;
  bench.launch({0});
  EXPECT_THAT(test::errorOf([] { sc_core::sc_start(); }),
              testing::HasSubstr("norm.memory: a read of "));
}

TEST(NormErrors, ARowThatTheMemoryDoesNotTakeEndsTheRun) {
  Bench bench;
  bench.memory.brokenFrom = bench.layout.normed;
  bench.launch({0});
  EXPECT_THAT(test::errorOf([] { sc_core::sc_start(); }),
              testing::HasSubstr("norm.memory: a write of "));
}

}  // namespace
}  // namespace t3::norm_kernel_test
