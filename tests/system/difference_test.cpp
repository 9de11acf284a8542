// SPDX-License-Identifier: Apache-2.0
// Method: RTL and twin in lockstep on a test bench, with a fault planted: one update is kept from
// the twin. The report must say when, where and what differs and what led to it. The waveform, of a
// flight recorder that was asked for or of the second run that draws it unasked, must hold the
// RTL's side of it up to that time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "testbench/presets/presets.h"
#include "testbench/timeline/timeline.h"
#include "testbench/wave/difference_wave.h"
#include "testbench/wave/fst_file.h"
#include "testbench/wave/wave.h"
#include "tests/testbench/temporary_directory.h"
#include "tests/tlm/tracker/tracker_bench.h"
#include "tlm/tracker/lockstep_tracker.h"

namespace t3::difference_test {
namespace {

using test::TrackerBench;
using testing::HasSubstr;

constexpr std::uint64_t kBase = 0x1000'0000;

class Forgetful : public LockstepTracker {
 public:
  using LockstepTracker::LockstepTracker;

 private:
  LanePiece seenByTwin(const LanePiece& piece) override {
    LanePiece seen = piece;
    if (++seen_ == 20) seen.workgroup = WorkgroupId{TrackerConfig::kWorkgroups - 1};
    return seen;
  }

  std::uint64_t seen_ = 0;
};

/// The run with the fault, as a program would make it: what it was told, and when.
struct Told {
  std::string text;
  Picoseconds when = 0;
};
Told runToDifference(Wave* wave, FirstDifference& difference, Instrument* other = nullptr) {
  const RtlOptions rtl{.tracing = wave != nullptr ? wave->tracker("bench.tracker") : RtlTracing{}};
  TrackerBench bench("bench", {}, [&](const TrackerConfig& config) {
    return std::make_unique<Forgetful>("tracker", config, rtl);
  });
  const Tiling tiling({128, 192, 2}, {64, 64, 8}, 1);
  bench.programAll(tiling, kBase, 1);
  Listeners listeners;
  difference.listen(listeners);
  if (wave != nullptr) wave->begin(listeners);
  if (other != nullptr) other->begin(listeners);
  for (const std::uint32_t workgroup : {2U, 5U}) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) {
      bench.reportTile(tiling, kBase, workgroup, wf, bench.in(workgroup == 2 ? 0 : 5000));
    }
  }
  Told told;
  try {
    bench.run();
  } catch (const sc_core::sc_report& report) {
    told.text = report.get_msg();
  }
  told.when = now();
  if (wave != nullptr) wave->finish();
  if (other != nullptr) other->finish();
  return told;
}

/// How often the RTL issues a command in the waveform.
std::uint64_t commandsIn(const std::string& path) {
  std::uint64_t issued = 0;
  const auto signals = fstSignals(path);
  const auto valid =
      std::ranges::find(signals, "bench.tracker.t3_track_trigger.done_valid_o", &FstSignal::name);
  if (valid == signals.end()) return 0;
  forEachChange(path, [&](std::uint64_t, std::uint32_t handle, const char* value) {
    issued += handle == valid->handle && value[0] == '1' ? 1 : 0;
  });
  return issued;
}

TEST(Difference, IsToldWithWhatLedToItAndDrawnUpToIt) {
  const test::TemporaryDirectory directory;
  WaveOptions options;
  options.path = directory.path("difference.fst");
  options.scopes = {"bench.tracker"};
  options.keep = 1'000'000;
  Wave wave(options);
  FirstDifference difference;
  const Told told = runToDifference(&wave, difference);

  EXPECT_THAT(told.text, HasSubstr("done_*: RTL slot 2; twin misses "));
  EXPECT_THAT(told.text, HasSubstr("last update of slot 2 that the RTL took: "));
  EXPECT_THAT(told.text, HasSubstr("last events of slot 2:"));
  EXPECT_THAT(told.text, HasSubstr("the twin counts 1024 bytes"));
  EXPECT_LE(std::ranges::count(told.text, '\n'), 24 + 2);
  EXPECT_EQ(difference.tracker(), "bench.tracker");
  EXPECT_EQ(difference.options(),
            "--wave difference.fst --wave-scope bench.tracker --wave-window 0ps:" +
                std::to_string(told.when + 1'000'000) + "ps");

  const FstSpan span = fstSpan(options.path);
  EXPECT_EQ(span.last, told.when);
  EXPECT_EQ(span.first, told.when - std::min(told.when, *options.keep));
  EXPECT_EQ(commandsIn(options.path), 1U) << "the command that the twin does not give";
}

TEST(Difference, IsDrawnByASecondRunThatNobodyAskedFor) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("difference.fst");
  DifferenceWave drawing(path, [](Wave& wave) {
    FirstDifference again;
    runToDifference(&wave, again);
  });
  FirstDifference difference;
  const Told told = runToDifference(nullptr, difference);
  EXPECT_THAT(told.text, HasSubstr("done_*: RTL slot 2; twin misses "));
  EXPECT_THAT(directory.names(), testing::ElementsAre());
  EXPECT_EQ(drawing.draw(difference),
            "drawn by a second run: gtkwave " + directory.path("difference.gtkw"));
  EXPECT_THAT(directory.names(),
              testing::UnorderedElementsAre("difference.fst", "difference.gtkw"));
  EXPECT_EQ(fstSpan(path).last, told.when) << "the same difference at the same time";
  EXPECT_EQ(commandsIn(path), 1U) << "the command that the twin does not give";
}

TEST(Difference, IsInTheTimelineWithoutANumber) {
  const test::TemporaryDirectory directory;
  TimelineOptions options;
  options.path = directory.path("difference.json");
  const auto timeline = makeTimeline(options, findPreset("tiny-tp4")->config, Mode::T3Mca);
  FirstDifference first;
  runToDifference(nullptr, first, timeline.get());
  const std::string text = test::readFile(options.path);
  const std::size_t at = text.find(R"("name":"difference)");
  ASSERT_NE(at, std::string::npos);
  const std::string drawn = text.substr(at, text.find('\n', at) - at);
  EXPECT_THAT(drawn, testing::StartsWith(R"("name":"difference",)"));
  EXPECT_THAT(drawn, testing::Not(HasSubstr("args"))) << "it has neither command nor slot";
}

TEST(Difference, ThatIsNotThereIsNotDrawn) {
  const test::TemporaryDirectory directory;
  {
    DifferenceWave(directory.path("difference.fst"), [](Wave&) { std::abort(); });
  }
  EXPECT_THAT(directory.names(), testing::ElementsAre());
}

TEST(Difference, ThatCannotBeDrawnIsSaid) {
  const test::TemporaryDirectory directory;
  const auto again = [](Wave& wave) {
    FirstDifference ignored;
    runToDifference(&wave, ignored);
  };
  DifferenceWave drawing(directory.path("absent/difference.fst"), again);
  FirstDifference difference;
  runToDifference(nullptr, difference);
  EXPECT_EQ(drawing.draw(difference), "it could not be drawn");
}

}  // namespace
}  // namespace t3::difference_test
