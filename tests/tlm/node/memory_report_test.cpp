// SPDX-License-Identifier: Apache-2.0
// What the memories of several GPUs have done, in one report. Method: figures made by hand.
#include <gtest/gtest.h>

#include "tlm/node/memory_report.h"

namespace t3 {
namespace {

GpuFigures withWindows(Picoseconds length, const std::vector<std::uint64_t>& reads) {
  GpuFigures gpu;
  gpu.windowLength = length;
  for (const std::uint64_t bytes : reads) {
    gpu.overTime.push_back({{{bytes, 0}}});
    gpu.result.by_phase.row(Phase::Gemm).dram_read += bytes;
  }
  return gpu;
}

RunResult resultOf(const std::vector<GpuFigures>& gpus) {
  RunResult result;
  addGpus(kReduceScatterAndAllGather, gpus, result);
  return result;
}

TEST(MemoryReport, BytesOverTimeAreTheMeanOfTheGpus) {
  const RunResult result =
      resultOf({withWindows(2'000, {10, 20}), withWindows(2'000, {30, 40, 50})});
  EXPECT_DOUBLE_EQ(result.memory.window_ns, 2);
  const PhaseFigures& gemm = result.by_phase.of(Phase::Gemm);
  EXPECT_EQ(gemm.read_over_time, (std::vector<std::uint64_t>{20, 30, 25}));
  EXPECT_EQ(gemm.write_over_time, (std::vector<std::uint64_t>{0, 0, 0}));
  EXPECT_EQ(gemm.dram_read, 75U);
  EXPECT_EQ(result.by_phase.rows.size(), 1U) << "no row for a phase that has moved nothing";
}

TEST(MemoryReport, WindowsAreAsLongAsTheLongestOfAGpu) {
  const RunResult result =
      resultOf({withWindows(1'000, {2, 4, 6, 8, 10}), withWindows(4'000, {100})});
  EXPECT_DOUBLE_EQ(result.memory.window_ns, 4);
  EXPECT_EQ(result.by_phase.of(Phase::Gemm).read_over_time,
            (std::vector<std::uint64_t>{(2 + 4 + 6 + 8 + 100) / 2, 5}));
}

}  // namespace
}  // namespace t3
