// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/system/runs.h"

namespace t3::test {

/// The modes in which kernels gather. Those in which trackers do have a test of their own
/// (all_gather_test.cpp).
inline const Words kKernelsGather = "--modes sequential,t3,t3-mca,ideal-overlap,ideal-rs-nmc";

/// Simulates a scenario in `modes` modes with one GPU and with all of them, and compares: every
/// byte and every count that does not depend on time must be the same, the traffic of GEMMs within
/// 1 %, and time within `timeTolerance`.
inline void expectSymmetricAgrees(const Words& scenario, std::size_t modes,
                                  double timeTolerance = 0.01) {
  const Words words = "compare --data elided" + scenario;
  const auto all = runs(words + "--gpus explicit");
  const auto one = runs(words + "--gpus symmetric");
  ASSERT_EQ(all.size(), modes);
  ASSERT_EQ(one.size(), modes);
  for (const auto& [mode, expected] : all) {
    SCOPED_TRACE(mode);
    const boost::json::object& run = one.at(mode);
    EXPECT_EQ(run.at("per_gpu").as_array().size(), 1U);
    EXPECT_EQ(number(run, "link_bytes"), number(expected, "link_bytes"));
    for (const char* count : {"updates", "triggers"}) {
      EXPECT_EQ(tracker(run, count), tracker(expected, count)) << count;
    }
    for (const auto& [kind, bytes] : expected.at("dram_bytes").as_object()) {
      const auto have = run.at("dram_bytes").at(kind).to_number<double>();
      const auto want = bytes.to_number<double>();
      // When a line is evicted from the L2 depends on time.
      const bool depends = kind.starts_with("gemm_") || kind.starts_with("consumer_");
      EXPECT_NEAR(have, want, depends ? 0.01 * want : 0) << std::string(kind);
    }
    const auto time = static_cast<double>(number(expected, "time_ps"));
    EXPECT_NEAR(static_cast<double>(number(run, "time_ps")), time, timeTolerance * time);
  }
}

}  // namespace t3::test
