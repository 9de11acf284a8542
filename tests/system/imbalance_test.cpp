// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim runs a ring in which one GPU is late or slower, or one link slower or
// longer. Data is checked, so every run compares every GPU's sums with the reference; the times are
// compared with the balanced ring's and with what the one setting must cost at least.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "tests/system/runs.h"

namespace t3::imbalance_test {
namespace {

namespace json = boost::json;
using test::number;
using test::Words;

const Words kRing = {
    "compare --preset tiny-tp4 --tracker model --modes "
    "sequential,t3,t3-mca,t3-ag,ideal-overlap,ideal-rs-nmc"};

/// Times in us by mode, all sums exact.
std::map<std::string, double> times(const Words& settings) {
  std::map<std::string, double> result;
  for (const auto& [mode, run] : test::runs(kRing + settings)) {
    SCOPED_TRACE(mode);
    test::expectExact(run);
    result[mode] = static_cast<double>(number(run, "time_ps")) * 1e-6;
  }
  EXPECT_EQ(result.size(), 6U);
  return result;
}

class Imbalance : public testing::Test {
 protected:
  void expectSlower(const Words& settings, double byAtLeastUs) {
    const auto balanced = times({});
    const auto imbalanced = times(settings);
    for (const auto& [mode, time] : balanced) {
      EXPECT_GE(imbalanced.at(mode), time + byAtLeastUs) << mode;
    }
  }
};

TEST_F(Imbalance, ALateGpuDelaysTheWholeRingByItsDelayButForWhatOthersOverlap) {
  // The others have 40 us to finish all that does not need GPU 2; what is left is more than its
  // GEMM.
  const auto late = times("--set gpu2.launch_delay_us=40");
  const auto balanced = times({});
  for (const auto& [mode, time] : balanced) {
    EXPECT_GE(late.at(mode), 40 + 0.5 * time) << mode;
    EXPECT_LE(late.at(mode), 40 + 1.05 * time) << mode;
  }
}

TEST_F(Imbalance, ASlowerGpuSlowsTheRing) {
  expectSlower("--set gpu1.clock_mhz=350", 5);
  expectSlower("--set gpu3.compute_units=2", 5);
}

TEST_F(Imbalance, ASlowerLinkTakesTheTimeOfAllItHasToCarry) {
  // 3/4 of 512 KiB twice (in the bound too), at 5 instead of 75 GB/s.
  const double slow = 2 * 0.75 * 524288 / 5e3;
  const auto imbalanced = times("--set gpu0.link.bandwidth_gb_s=5");
  for (const auto& [mode, time] : imbalanced) {
    EXPECT_GE(time, slow) << mode;
    EXPECT_LE(time, slow + 25) << mode;
  }
}

TEST_F(Imbalance, ALongerLinkIsWaitedFor) { expectSlower("--set gpu0.link.latency_ns=5000", 5); }

TEST_F(Imbalance, TheTrackersRtlCopesAsWell) {
  for (const char* setting : {"gpu2.launch_delay_us=40", "gpu0.link.bandwidth_gb_s=5"}) {
    SCOPED_TRACE(setting);
    test::exactRun({"run --preset tiny-edge-tp4 --mode t3 --tracker lockstep --set", setting});
  }
}

TEST(Overrides, ArePartOfTheScenarioAndRepeatTheRun) {
  const json::object report = test::reportOf(
      {"run --preset tiny-tp4 --set gpu3.clock_mhz=700 --set gpu3.link.latency_ns=900"});
  ASSERT_FALSE(report.empty());
  const json::object& scenario = report.at("scenario").as_object();
  EXPECT_EQ(json::serialize(scenario.at("gpu3")), R"({"clock_mhz":7E2,"link":{"latency_ns":9E2}})");
  EXPECT_FALSE(scenario.contains("gpu2")) << "nothing is set there";
  const test::TemporaryDirectory directory;
  const std::string file = directory.write("scenario.json", json::serialize(scenario));
  EXPECT_EQ(number(test::runOf({"run --config", file}), "time_ps"),
            report.at("runs").at(0).at("time_ps").to_number<std::uint64_t>());
}

TEST(Overrides, AreRefusedWithOneLine) {
  const auto expectRefused = [](const Words& words, const std::string& about) {
    test::expectRefused("run --preset tiny-tp4" + words, {about});
  };
  expectRefused("--set gpu4.clock_mhz=1300", "gpu4: expected one of the 4 GPUs, gpu0 to gpu3");
  expectRefused("--set gpu64.clock_mhz=1300", "gpu64: unknown key");
  expectRefused("--set gpu3.clok_mhz=1300", "nearest is 'gpu3.clock_mhz'");
  expectRefused("--set gpu3.gemm.tile_rows=64", "gpu3.gemm: unknown key");
  expectRefused("--set gpu3.clock_mhz=0", "gpu3.clock_mhz: expected a number from 1");
  expectRefused("--set gpu3.clock_mhz=700 --data elided --gpus symmetric",
                "simulated_gpus: expected explicit");
}

}  // namespace
}  // namespace t3::imbalance_test
