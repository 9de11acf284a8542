// SPDX-License-Identifier: Apache-2.0
// Method: a kernel that is launched row by row, and one that shares its compute units, between a
// simple memory and a simple link (test_memory.h). The probe says which workgroup begins when.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/tlm/gpu/gemm_bench.h"

namespace t3::gemm_rows_test {
namespace {

using test::GemmBench;
using test::smallGpu;

using Ids = std::vector<std::uint32_t>;

/// When the workgroups of a kernel begin.
struct Begins : EventSink {
  std::vector<Event> list;

  explicit Begins(Publisher& kernel) { kernel.subscribe(this, 0); }
  void happened(const Event& event) override {
    if (event.kind == EventKind::TileBegin) list.push_back(event);
  }
  Ids ids() const {
    Ids all;
    for (const Event& event : list) all.push_back(event.workgroup.value);
    return all;
  }
};

/// 4 x 2 tiles on 4 compute units with a slot each.
struct Rows : GemmBench {
  explicit Rows(const char* name, std::uint32_t swizzleRows)
      : GemmBench(name, configOf(swizzleRows), {128, 64, 64}) {}

  static GpuConfig configOf(std::uint32_t swizzleRows) {
    GpuConfig config = smallGpu();
    config.gemm.workgroups_per_cu = 1;
    config.gemm.swizzle_rows = swizzleRows;
    return config;
  }
  void start() {
    GemmLaunch launch;
    launch.rowByRow = true;
    launch.firstBegins = [this] { firstAt.push_back(now()); };
    launch.done = [this](Picoseconds when) { doneAt.push_back(when); };
    kernel.launch(std::move(launch));
  }
  void run(double us) { sc_core::sc_start(sc_core::sc_time(us, sc_core::SC_US)); }

  std::vector<Picoseconds> firstAt;
};

TEST(GemmRows, NothingBeginsBeforeItsRowIsReleased) {
  Rows bench("gemm", 1);
  Begins begins(bench.kernel);
  bench.start();
  bench.run(10);
  EXPECT_TRUE(begins.ids().empty());
  EXPECT_TRUE(bench.firstAt.empty());
  EXPECT_FALSE(bench.kernel.idle());
  bench.kernel.release(2);
  bench.run(10);
  EXPECT_EQ(begins.ids(), (Ids{4, 5}));
  EXPECT_EQ(bench.firstAt, (std::vector<Picoseconds>{10'000'000}));
  EXPECT_TRUE(bench.doneAt.empty()) << "three rows are missing";
  for (const std::uint32_t row : {3U, 0U, 1U}) bench.kernel.release(row);
  sc_core::sc_start();
  EXPECT_EQ(begins.ids(), (Ids{4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(bench.doneAt.size(), 1U);
  EXPECT_TRUE(bench.kernel.idle());
  EXPECT_EQ(bench.kernel.statistics().tiles, 8U);
  EXPECT_EQ(bench.pool.inUse(), 0U);
}

TEST(GemmRows, RowsThatWaitTogetherAreWalkedInOneBand) {
  Rows bench("gemm", 2);
  Begins begins(bench.kernel);
  bench.start();
  bench.run(1);
  // Row 3 begins at once; the others come while no slot is free.
  for (const std::uint32_t row : {3U, 0U, 2U, 1U}) bench.kernel.release(row);
  sc_core::sc_start();
  EXPECT_EQ(begins.ids(), (Ids{6, 7, 0, 1, 4, 2, 5, 3}));
}

TEST(GemmRows, AKernelThatIsAddedLaterGetsTheSlotsThatTheFirstLeaves) {
  const GpuConfig config = Rows::configOf(1);
  const auto array = std::make_shared<ComputeArray>(config);
  PayloadPool pool;
  test::TestMemory memory("memory", 100'000, 1000), link("link", 100'000, 1000);
  const test::Shape shape{96, 64, 64};  // 3 x 2 tiles
  const Tiling tiling = test::tilingOf(config, shape, DataType::Fp16);
  const MemoryLayout layout = test::layoutOf(config, shape, DataType::Fp16);
  const GemmShape gemm{tiling, shape.depth, layout};
  const RequestMaker requests{GpuId{0}, DataType::Fp16, DataMode::Elided, pool};
  GemmKernel first("first", config, gemm, requests, {}, {.array = array});
  GemmKernel second("second", config, gemm, requests, {.ports = 0},
                    {.array = array, .phase = Phase::Consumer});
  first.memory.socket.bind(memory.target);
  first.egress.port(0).socket.bind(link.target);
  second.memory.socket.bind(memory.target);
  Begins ofFirst(first), ofSecond(second);
  second.launch({});  // first in time, last in rank
  first.launch({});
  sc_core::sc_start();

  ASSERT_EQ(ofFirst.list.size(), 6U);
  ASSERT_EQ(ofSecond.list.size(), 6U);
  EXPECT_GE(ofSecond.list.front().when, ofFirst.list.back().when);
  EXPECT_LT(ofSecond.list.front().when, first.statistics().end) << "beside its last wave";
  // A request belongs to its kernel's phase.
  std::uint64_t consumer = 0;
  for (const auto& request : memory.requests()) {
    if (request.phase == Phase::Consumer) consumer += request.bytes;
  }
  EXPECT_EQ(consumer, second.statistics().readBytes + second.statistics().writeBackBytes);
  EXPECT_EQ(pool.inUse(), 0U);
}

}  // namespace
}  // namespace t3::gemm_rows_test
