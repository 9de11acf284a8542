// SPDX-License-Identifier: Apache-2.0
// Method: a tracker of this file's own, the twin with another latency, in place of the unit. Who
// acts on what a tracker counts must act when this one says so, and no earlier.
#include "tlm/tracker/tracker.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/extension/checked_run.h"
#include "tlm/tracker/model_tracker.h"

namespace t3::tracker_test {
namespace {

constexpr std::uint32_t kLate = 1000;  // clocks

/// The trackers of the GPUs, each so many clocks later than usual.
RunResult runWith(const SystemConfig& config, Mode mode, const std::vector<std::uint32_t>& late) {
  EXPECT_EQ(config.check(), std::nullopt);
  SystemRtl rtl;
  auto gpu = late.begin();
  rtl.ownTracker = [&gpu](const sc_core::sc_module_name& name, const TrackerConfig& tracker) {
    return std::make_unique<ModelTracker>(name, tracker, ModelTracker::kLatencyCycles + *gpu++);
  };
  System system(config, mode, TrackerKind::Rtl, rtl);
  RunResult result = system.run();
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.verification.elements,
            std::uint64_t{config.gpus} * config.workload.rows * config.workload.columns);
  EXPECT_EQ(result.verification.mismatches, 0U);
  return result;
}

/// A statistic of each GPU's memory.
std::vector<double> ofGpus(const RunResult& result, const std::string& name) {
  for (const MemoryFigure& figure : result.memory.figures) {
    if (figure.name == name) return figure.per_gpu;
  }
  ADD_FAILURE() << "no statistic " << name;
  return std::vector<double>(result.per_gpu.size());
}

/// Two GPUs keep half of the output each and pass nothing on, so no DMA engine waits for a sum.
/// What a late unit moves beside the interrupt, it moves because the arbitration hears of the sums
/// late.
SystemConfig pair() {
  SystemConfig config = test::tinyTp4();
  config.gpus = 2;
  config.workload.depth = 512;
  config.hbm.mca.lag_stages = config.hbm.mca.lag_stages_long_ring = 0.1;
  return config;
}

TEST(Extension, TheArbitrationHearsOfSumsWhenTheTrackerSaysThem) {
  const RunResult result = runWith(pair(), Mode::T3Mca, {0, kLate});
  const std::vector<double> behind = ofGpus(result, "mca_behind");  // in nanoseconds
  EXPECT_GT(behind[1], behind[0] + kLate) << "tiles seem to wait for a thousand clocks more";
  const auto reduced = [&](std::size_t gpu) { return result.per_gpu[gpu].reduce_scatter_end_ps; };
  EXPECT_GT(reduced(1), reduced(0) + kLate * 900) << "a clock is a nanosecond";
}

/// What a run takes, in a process of its own.
Picoseconds timeWith(const SystemConfig& config, Mode mode,
                     const std::vector<std::uint32_t>& late) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Picoseconds time = runWith(config, mode, late).time_ps;
    _exit(write(ends[1], &time, sizeof time) == sizeof time ? 0 : 1);
  }
  Picoseconds time = 0;
  EXPECT_EQ(read(ends[0], &time, sizeof time), static_cast<ssize_t>(sizeof time));
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  close(ends[0]);
  close(ends[1]);
  return time;
}

class LateTracker : public testing::TestWithParam<Mode> {};

TEST_P(LateTracker, MakesARunLaterAndNoLessRight) {
  const SystemConfig config = test::tinyTp4();
  const std::vector<std::uint32_t> never(config.gpus), always(config.gpus, kLate);
  const Picoseconds usual = timeWith(config, GetParam(), never);
  EXPECT_GT(runWith(config, GetParam(), always).time_ps, usual + kLate * 1000);
}

INSTANTIATE_TEST_SUITE_P(Extension, LateTracker, testing::Values(Mode::T3Mca, Mode::T3Ag),
                         [](const auto& test) {
                           return test.param == Mode::T3Ag ? "T3Ag" : "T3Mca";
                         });

}  // namespace
}  // namespace t3::tracker_test
