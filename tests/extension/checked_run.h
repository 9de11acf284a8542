// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "testbench/presets/presets.h"
#include "tlm/node/system.h"

namespace t3::test {

/// Four GPUs, 512 x 512 elements in 64 tiles, checked data.
inline SystemConfig tinyTp4() { return findPreset("tiny-tp4")->config; }

/// Simulates a system of its own; every GPU must hold the whole sum at the end.
inline RunResult checkedRun(const SystemConfig& config, Mode mode,
                            TrackerKind tracker = TrackerKind::Rtl, Peers* peers = nullptr) {
  EXPECT_EQ(config.check(), std::nullopt);
  System system(config, mode, tracker, {}, peers);
  RunResult result = system.run();
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.verification.elements,
            std::uint64_t{config.gpus} * config.workload.rows * config.workload.columns);
  EXPECT_EQ(result.verification.mismatches, 0U);
  return result;
}

inline std::uint64_t outputBytes(const SystemConfig& config) {
  return std::uint64_t{config.workload.rows} * config.workload.columns *
         bytesOf(config.workload.data_type);
}

/// A statistic of the memories, of GPU 0; fails if there is none of that name.
inline double memoryFigure(const RunResult& result, const std::string& name) {
  for (const MemoryFigure& figure : result.memory.figures) {
    if (figure.name == name) return figure.per_gpu.front();
  }
  ADD_FAILURE() << "no statistic " << name;
  return 0;
}

}  // namespace t3::test
