// SPDX-License-Identifier: Apache-2.0
// What the memories of several GPUs have done, in one report. Method: figures made by hand.
#include <gtest/gtest.h>

#include "tlm/node/memory_report.h"

namespace t3 {
namespace {

GpuFigures withWindows(Picoseconds length, const std::vector<std::uint64_t>& reads) {
  GpuFigures gpu;
  gpu.windowLength = length;
  for (const std::uint64_t bytes : reads) gpu.overTime.push_back({{{{bytes, 0}}}});
  return gpu;
}

TEST(MemoryReport, BytesOverTimeAreTheMeanOfTheGpus) {
  const MemoryReport report =
      memoryReport({withWindows(2'000, {10, 20}), withWindows(2'000, {30, 40, 50})});
  EXPECT_DOUBLE_EQ(report.window_ns, 2);
  ASSERT_EQ(report.bytes_over_time.size(), 3U);
  EXPECT_EQ(report.bytes_over_time[0][Phase::Gemm][0], 20U);
  EXPECT_EQ(report.bytes_over_time[1][Phase::Gemm][0], 30U);
  EXPECT_EQ(report.bytes_over_time[2][Phase::Gemm][0], 25U);
}

TEST(MemoryReport, WindowsAreAsLongAsTheLongestOfAGpu) {
  const MemoryReport report =
      memoryReport({withWindows(1'000, {2, 4, 6, 8, 10}), withWindows(4'000, {100})});
  EXPECT_DOUBLE_EQ(report.window_ns, 4);
  ASSERT_EQ(report.bytes_over_time.size(), 2U);
  EXPECT_EQ(report.bytes_over_time[0][Phase::Gemm][0], (2U + 4 + 6 + 8 + 100) / 2);
  EXPECT_EQ(report.bytes_over_time[1][Phase::Gemm][0], 5U);
}

}  // namespace
}  // namespace t3
