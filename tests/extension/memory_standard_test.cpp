// SPDX-License-Identifier: Apache-2.0
// Method: a memory standard of this file's own; the peak bandwidth that follows from its row shows
// that the memories are of that standard.
#include "tlm/hbm/hbm_standard.h"

#include <gtest/gtest.h>

#include "tests/extension/checked_run.h"

namespace t3::memory_standard_test {
namespace {

/// Half the channels of HBM2, each with pseudo-channel bursts at 1.2 GHz.
constexpr HbmStandard kHalf{.name = "half",
                            .source = "made up for this test",
                            .config = {.clock_mhz = 1200,
                                       .channels = 16,
                                       .channel_bits = 64,
                                       .burst_length = 4,
                                       .page_bytes = 1024,
                                       .timing = {.ccd_s_clocks = 2, .ccd_l_clocks = 4}}};

TEST(Extension, AMemoryStandardOfOnesOwnRunsInEveryGpu) {
  SystemConfig config = test::tinyTp4();
  config.hbm = kHalf.config;
  const RunResult result = test::checkedRun(config, Mode::T3Mca);
  // 16 channels x 8 bytes x 2 beats x 1.2 GHz, which the whole period of 833 ps raises a little.
  EXPECT_NEAR(test::memoryFigure(result, "peak_bandwidth"), 16 * 8 * 2 * 1.2, 0.2);
  // Bursts of 4 beats of 8 bytes: all bytes of all GPUs.
  EXPECT_GE(result.dram_bursts * 32, config.gpus * result.totalBytes());
}

}  // namespace
}  // namespace t3::memory_standard_test
