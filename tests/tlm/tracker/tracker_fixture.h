// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/tlm/tracker/tracker_bench.h"
#include "tlm/tracker/make_tracker.h"

namespace t3::test {

inline constexpr std::uint64_t kBase = 0x10'0000'0000;  // beyond 32 bits: all of an address counts

/// A bench around each kind of tracker. Each test ends with a comparison of a lockstep pair.
class TrackerFixture : public testing::TestWithParam<TrackerKind> {
 protected:
  TrackerBench& bench(const TrackerConfig& config = {}) {
    bench_ = std::make_unique<TrackerBench>("bench", config, [](const TrackerConfig& c) {
      return makeTracker("tracker", GetParam(), c);
    });
    return *bench_;
  }
  void TearDown() override {
    if (bench_) bench_->tracker().compare();
  }
  /// Region 0 alone, on, with so many bytes missing in each of its slots; window 0 is 1 MiB.
  static void start(TrackerBench& b, const RegionSetup& setup, std::uint32_t bytes) {
    b.setWindow(0, kBase, kBase + 0xf'ffff);
    b.program(0, setup);
    b.setState(0, TrackerBench::kStopped);
    b.fill(0, bytes);
    b.setState(0, TrackerBench::kOn);
    b.enable();
  }

  std::unique_ptr<TrackerBench> bench_;
};

inline std::vector<std::uint32_t> ids(const std::vector<TrackerBench::Said>& said) {
  std::vector<std::uint32_t> result;
  for (const auto& item : said) result.push_back(item.message.command.value);
  return result;
}

inline std::vector<std::uint32_t> rows(const std::vector<TrackerBench::Row>& released) {
  std::vector<std::uint32_t> result;
  for (const auto& row : released) result.push_back(row.slot);
  return result;
}

inline std::string kindName(TrackerKind kind) {
  return kind == TrackerKind::Rtl ? "Rtl" : kind == TrackerKind::Model ? "Model" : "Lockstep";
}

inline const auto kAllKinds =
    testing::Values(TrackerKind::Rtl, TrackerKind::Model, TrackerKind::Lockstep);
inline const auto kindNameOf = [](const testing::TestParamInfo<TrackerKind>& test) {
  return kindName(test.param);
};

}  // namespace t3::test
