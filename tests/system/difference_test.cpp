// SPDX-License-Identifier: Apache-2.0
// Method: RTL and twin in lockstep on a test bench, with a fault planted: one update is kept from
// the twin. The report must say when, where and what differs and what led to it, and the flight
// recorder must hold the RTL's side of it up to that time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "testbench/wave/fst_file.h"
#include "testbench/wave/wave.h"
#include "tests/testbench/temporary_directory.h"
#include "tests/tlm/tracker/tracker_bench.h"
#include "tlm/tracker/lockstep_tracker.h"

namespace t3 {
namespace {

using test::TrackerBench;
using testing::HasSubstr;

constexpr std::uint64_t kBase = 0x1000'0000;

class Forgetful : public LockstepTracker {
 public:
  using LockstepTracker::LockstepTracker;

 private:
  bool showTwin(std::uint32_t, const LanePiece&) override { return ++seen_ != 20; }

  std::uint64_t seen_ = 0;
};

TEST(Difference, IsToldWithWhatLedToItAndDrawnUpToIt) {
  const test::TemporaryDirectory directory;
  WaveOptions options;
  options.path = directory.path("difference.fst");
  options.scopes = {"bench.tracker"};
  options.keep = 1'000'000;
  Wave wave(options);
  TrackerBench bench("bench", {}, [&](const TrackerConfig& config) {
    return std::make_unique<Forgetful>("tracker", config, wave.rtl("bench.tracker"));
  });
  const Tiling tiling(128, 192, 2, 64, 64, 8, 1);
  bench.programAll(tiling, kBase, 1);
  Listeners listeners;
  wave.begin(listeners);
  for (const std::uint32_t workgroup : {2U, 5U}) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) {
      bench.reportTile(tiling, kBase, workgroup, wf, bench.in(workgroup == 2 ? 0 : 5000));
    }
  }
  std::string told;
  try {
    bench.run();
  } catch (const sc_core::sc_report& report) {
    told = report.get_msg();
  }
  const Picoseconds found = now();
  wave.finish();

  EXPECT_THAT(told, HasSubstr("dma_*: RTL command 2 of region 0, workgroup 2"));
  EXPECT_THAT(told, HasSubstr("twin nothing within"));
  EXPECT_THAT(told, HasSubstr("last events of workgroup 2:"));
  EXPECT_THAT(told, HasSubstr("update of wavefront 7 on lane"));
  EXPECT_THAT(told, HasSubstr("the RTL says command 2"));
  EXPECT_THAT(told, HasSubstr("--wave-scope bench.tracker --wave-window 0ps:"));
  EXPECT_LE(std::ranges::count(told, '\n'), 16 + 2);

  const FstSpan span = fstSpan(options.path);
  EXPECT_EQ(span.last, found);
  EXPECT_EQ(span.first, found - std::min(found, *options.keep));
  std::uint64_t issued = 0;
  const auto signals = fstSignals(options.path);
  const auto valid =
      std::ranges::find(signals, "bench.tracker.t3_track_trigger.dma_valid_o", &FstSignal::name);
  ASSERT_NE(valid, signals.end());
  forEachChange(options.path, [&](std::uint64_t, std::uint32_t handle, const char* value) {
    issued += handle == valid->handle && value[0] == '1' ? 1 : 0;
  });
  EXPECT_EQ(issued, 1U) << "the command that the twin does not give";
}

}  // namespace
}  // namespace t3
