// SPDX-License-Identifier: Apache-2.0
// Method: the real program draws small runs; the files are read back with the FST library and
// judged as a logic analyser would: what happens at the rising edges of the drawn clocks must add
// up to the report of the same run. Windows, triggers and the flight recorder must show exactly a
// part of the whole. Runs that fail or are interrupted must leave a readable waveform.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "testbench/probe/scope.h"
#include "testbench/wave/fst_file.h"
#include "testbench/wave/wave.h"
#include "tests/system/runs.h"
#include "tests/testbench/family.h"
#include "tests/testbench/refused.h"

namespace t3::wave_test {
namespace {

using test::expectRefused;
using test::t3sim;
using test::TemporaryDirectory;
using test::Words;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const Words kRun = "run --preset tiny-tp4 --mode t3-mca --data elided --quiet";

/// A waveform in memory.
class Recording {
 public:
  using Change = std::tuple<std::uint64_t, std::uint32_t, std::string>;

  explicit Recording(const std::string& path) {
    for (const FstSignal& signal : fstSignals(path)) handles_[signal.name] = signal.handle;
    forEachChange(path, [&](std::uint64_t time, std::uint32_t handle, const char* value) {
      changes_.emplace_back(time, handle, value);
    });
  }

  bool has(const std::string& name) const { return handles_.contains(name); }
  const std::vector<Change>& changes() const { return changes_; }

  /// Calls `see(values)` with the values just before each rising edge of `clock`, as a register
  /// would take them. `values` are in the order of `names`.
  template <typename See>
  void atRisingEdges(const std::string& clock, const std::vector<std::string>& names,
                     See see) const {
    std::map<std::uint32_t, std::string> present;
    for (std::size_t i = 0; i < changes_.size();) {
      const std::uint64_t time = std::get<0>(changes_[i]);
      std::size_t end = i;
      bool rises = false;
      for (; end < changes_.size() && std::get<0>(changes_[end]) == time; ++end) {
        const auto& [when, handle, value] = changes_[end];
        rises |= handle == handles_.at(clock) && value == "1" && present[handle] == "0";
      }
      if (rises) {
        std::vector<std::string> values;
        for (const std::string& name : names) values.push_back(present[handles_.at(name)]);
        see(values);
      }
      for (; i < end; ++i) present[std::get<1>(changes_[i])] = std::get<2>(changes_[i]);
    }
  }

  /// Times and values of one signal.
  std::vector<std::pair<std::uint64_t, std::string>> of(const std::string& name) const {
    std::vector<std::pair<std::uint64_t, std::string>> list;
    for (const auto& [time, handle, value] : changes_) {
      if (handle == handles_.at(name)) list.emplace_back(time, value);
    }
    return list;
  }

  /// Values at `time`, and the changes after it, by name.
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> from(
      std::uint64_t time) const {
    std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> all;
    for (const auto& [name, handle] : handles_) {
      auto& list = all[name];
      std::string value;
      for (const auto& [when, changed, text] : changes_) {
        if (changed != handle || text == value) continue;
        value = text;
        if (when <= time) list.clear();
        list.emplace_back(std::max(when, time), text);
      }
    }
    return all;
  }

 private:
  std::map<std::string, std::uint32_t> handles_;
  std::vector<Change> changes_;
};

std::uint64_t valueOf(const std::string& bits) {
  return bits.empty() ? 0 : std::stoull(bits, nullptr, 2);
}

/// The waves of the trackers show every update and command that the report of the run counts.
void expectHandshakesOf(const boost::json::object& run, const Recording& wave, int gpus) {
  std::uint64_t updates = 0, commands = 0;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    const std::string unit = "gpu" + std::to_string(gpu) + ".tracker.t3_track_trigger.";
    wave.atRisingEdges(unit + "clk_i",
                       {unit + "lane_valid_i", unit + "lane_ready_o", unit + "done_valid_o",
                        unit + "done_ready_i"},
                       [&](const std::vector<std::string>& at) {
                         updates +=
                             static_cast<unsigned>(std::popcount(valueOf(at[0]) & valueOf(at[1])));
                         commands += at[2] == "1" && at[3] == "1" ? 1 : 0;
                       });
  }
  EXPECT_EQ(updates, test::tracker(run, "updates"));
  EXPECT_EQ(commands, test::tracker(run, "triggers"));
}

/// Runs `run` without and with a waveform of `scopes` in `directory`/run.fst, and expects the same
/// report, which it returns.
boost::json::object runWithAndWithout(const TemporaryDirectory& directory, const Words& run,
                                      const std::string& scopes) {
  test::mustRun(run + "--json" + directory.path("off.json"));
  test::mustRun(run + "--json" + directory.path("on.json") + "--wave" + directory.path("run.fst") +
                "--wave-scope" + scopes);
  auto on = test::runIn(directory.path("on.json"));
  auto off = test::runIn(directory.path("off.json"));
  on.erase("host");
  off.erase("host");
  EXPECT_EQ(on, off);
  return on;
}

TEST(Wave, ShowsEveryUpdateAndCommandOfItsTrackersAndChangesNothing) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.fst");
  const auto on = runWithAndWithout(directory, kRun, "*.tracker,gpu0.gpu,gpu1.hbm");
  const Recording wave(path);
  expectHandshakesOf(on, wave, 4);

  // The clock of all goes on where units were not simulated, to the end of the run.
  std::uint64_t cycles = 0;
  wave.atRisingEdges("rtl_clock", {}, [&](const auto&) { ++cycles; });
  EXPECT_NEAR(static_cast<double>(cycles), on.at("time_ns").to_number<double>(), 2);  // of 1 ns
  EXPECT_EQ(valueOf(wave.of("gpu0.gpu.gemm.tiles_done").back().second), 64U);
  EXPECT_TRUE(wave.has("gpu1.hbm.ch31.bus"));
  EXPECT_FALSE(wave.has("gpu0.hbm.ch0.bus"));
  EXPECT_FALSE(wave.has("gpu1.gpu.gemm.running"));

  const std::string view = test::readFile(directory.path("run.gtkw"));
  EXPECT_THAT(view, StartsWith("[dumpfile] \"run.fst\"\n[savefile] \"run.gtkw\"\n"))
      << "without a directory: both may be moved";
  EXPECT_THAT(view, HasSubstr("gpu0.tracker.t3_track_trigger.done_slot_o[11:0]\n"));
  EXPECT_THAT(view, HasSubstr("gpu0.gpu.all_gather begins"));
  EXPECT_THAT(view, HasSubstr("@c00200\n-gpu1.hbm.ch31\n")) << "GTKWave's flags of a closed group";
  EXPECT_THAT(view, HasSubstr("@1401200\n-gpu1.hbm.ch31\n")) << "and of its end";
  EXPECT_EQ(directory.names().size(), 4U) << "nothing but the reports, the waveform and its view";
}

TEST(Wave, ShowsEveryUpdateAndSumOfMergeUnitsAndChangesNothing) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.fst");
  const Words run = kRun + "--set fabric.topology=switch --set switch.merge=rtl";
  const auto on = runWithAndWithout(directory, run, "switch,gpu1.tracker");
  const Recording wave(path);
  std::uint64_t updates = 0, sums = 0, contributions = 0;
  for (int port = 0; port < 4; ++port) {
    const std::string unit = "switch.merge" + std::to_string(port) + ".t3_switch_merge.";
    wave.atRisingEdges(
        unit + "clk_i",
        {unit + "upd_valid_i", unit + "upd_ready_o", unit + "link_valid_o", unit + "link_count_o"},
        [&](const std::vector<std::string>& at) {
          updates += at[0] == "1" && at[1] == "1" ? 1 : 0;
          sums += at[2] == "1" ? 1 : 0;
          contributions += at[2] == "1" ? valueOf(at[3]) : 0;
        });
  }
  const auto& merged = on.at("merged");
  EXPECT_EQ(updates, merged.at("updates").to_number<std::uint64_t>());
  EXPECT_EQ(sums, updates - merged.at("joined").to_number<std::uint64_t>());
  EXPECT_EQ(contributions, updates);
  EXPECT_TRUE(wave.has("gpu1.tracker.t3_track_trigger.clk_i"));
  EXPECT_TRUE(wave.has("switch.link2.queued"));
  EXPECT_THAT(test::readFile(directory.path("run.gtkw")),
              HasSubstr("switch.merge0.t3_switch_merge.link_count_o["));
}

/// What a view tells GTKWave.
struct View {
  explicit View(const std::string& path) {
    std::istringstream file(test::readFile(path));
    std::string flags;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("[timestart] ")) first = std::stoull(line.substr(12));
      if (line.starts_with("[markername] ")) labels[line[13]] = line.substr(14);
      if (line.starts_with("@")) flags = line;
      if (line.starts_with("-") && flags == "@800200") open.push_back(line.substr(1));
      if (line.starts_with("-") && flags == "@c00200") closed.push_back(line.substr(1));
      if (!line.starts_with("*")) continue;
      std::istringstream numbers(line.substr(1));
      numbers >> zoom >> cursor;
      char letter = 'A';
      for (long long when = 0; numbers >> when; ++letter) {
        if (when >= 0) markers[letter] = static_cast<std::uint64_t>(when);
      }
    }
  }
  std::uint64_t first = 0, cursor = 0;
  double zoom = 0;
  std::map<char, std::uint64_t> markers;
  std::map<char, std::string> labels;
  std::vector<std::string> open, closed;
};

TEST(Wave, ItsViewOpensAtTheEventOfInterestWithLabelsApart) {
  const TemporaryDirectory directory;
  const auto viewOf = [&](const Words& more) {
    test::mustRun(kRun + "--wave" + directory.path("run.fst") + more);
    return View(directory.path("run.gtkw"));
  };
  for (const char* scope : {"gpu0", "gpu0,gpu1,gpu2,gpu3", "gpu2.tracker,gpu3"}) {
    SCOPED_TRACE(scope);
    const View view = viewOf({"--wave-scope", scope});
    // The span of 16.6 us is 724 pixels wide; a label is centred at its marker, 6 pixels a letter.
    const auto at = [](std::uint64_t when) { return static_cast<double>(when) * 724 / 16.6e6; };
    double end = 0, last = -8;
    for (const auto& [letter, when] : view.markers) {
      EXPECT_GE(at(when), last + 7.5) << letter;
      last = at(when);
      const auto label = view.labels.find(letter);
      if (label == view.labels.end()) continue;
      const double half = 3.0 * static_cast<double>(label->second.size());
      EXPECT_GE(at(when) - half, end - 1) << label->second;
      end = at(when) + half;
    }
    EXPECT_GE(view.labels.size(), 3U);
    // The first trigger, a quarter from the left of 500 ns.
    EXPECT_THAT(view.labels.at('B'), HasSubstr("tracker first trigger"));
    EXPECT_EQ(view.cursor, view.markers.at('B'));
    EXPECT_EQ(view.first, view.cursor - 125'000);
    EXPECT_NEAR(view.zoom, 2 - std::log2(500'004.0), 0.01);
    // One group of signals is open, and it is of the GPU of the event.
    std::vector<std::string> open = view.open;
    std::erase(open, "marks");
    ASSERT_EQ(open.size(), 1U);
    EXPECT_THAT(open[0], testing::EndsWith(".tracker.t3_track_trigger"));
    if (view.labels.at('B').starts_with("gpu")) {
      EXPECT_EQ(open[0].substr(0, 4), view.labels.at('B').substr(0, 4));
    }
    EXPECT_GT(view.closed.size(), 10U);
  }
  const View window = viewOf("--wave-scope gpu0.gpu.gemm,gpu0.hbm --wave-window 5us:8us");
  EXPECT_NEAR(static_cast<double>(window.first), 5e6, 1e4) << "a short span is shown as a whole";
  EXPECT_NEAR(window.zoom, 2 - std::log2(3e6), 0.02);
}

TEST(Wave, WindowsTriggersAndTheFlightRecorderShowThatPartOfTheWhole) {
  const TemporaryDirectory directory;
  const Words scope = "--wave-scope gpu0.tracker,gpu0.gpu.gemm";
  const auto record = [&](const std::string& name, const Words& more) {
    test::mustRun(kRun + scope + "--wave" + directory.path(name) + more);
    return Recording(directory.path(name));
  };
  const Recording whole = record("whole.fst", {});
  const std::uint64_t end = std::get<0>(whole.changes().back());

  const Recording window = record("window.fst", "--wave-window 5us:7us");
  EXPECT_GE(std::get<0>(window.changes().front()), 5'000'000U);
  EXPECT_LT(std::get<0>(window.changes().back()), 7'000'000U);
  EXPECT_GT(std::get<0>(window.changes().back()), 6'999'000U);

  const Recording last = record("last.fst", "--wave-last 3us");
  EXPECT_EQ(last.from(end - 3'000'000), whole.from(end - 3'000'000));
  EXPECT_GE(std::get<0>(last.changes().front()), end - 3'000'010);

  const Recording from = record("from.fst", "--wave-from trigger");
  const std::uint64_t begin = std::get<0>(from.changes().front());
  EXPECT_GT(begin, 1'000'000U);
  std::uint64_t first = end;  // of any GPU's triggers
  test::mustRun(kRun + "--wave" + directory.path("all.fst") + "--wave-scope *.tracker");
  const Recording all(directory.path("all.fst"));
  for (const char* gpu : {"gpu0", "gpu1", "gpu2", "gpu3"}) {
    const auto issued = all.of(std::string(gpu) + ".tracker.t3_track_trigger.done_valid_o");
    const auto found =
        std::ranges::find(issued, "1", [](const auto& change) { return change.second; });
    ASSERT_NE(found, issued.end());
    first = std::min(first, found->first);
  }
  EXPECT_GE(begin, first);
  EXPECT_LE(begin, first + 5'000);

  const Recording command = record("command.fst", "--wave-from command:1");
  EXPECT_GT(std::get<0>(command.changes().front()), begin);
  EXPECT_TRUE(std::ranges::all_of(directory.names(), [](const std::string& name) {
    return name.ends_with(".fst") || name.ends_with(".gtkw");
  }));
}

TEST(Wave, OfACollectiveFromAFileShowsItsTrackersAndWhoDoesTheSteps) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.fst"), report = directory.path("report.json");
  const Words run = {"run --collective " T3_COLLECTIVES "/ring-all-reduce-4.xml",
                     "--set collective.bytes=262144 --quiet --json",
                     report,
                     "--wave",
                     path,
                     "--wave-scope *"};
  test::mustRun(run + "--mode t3");
  {
    const Recording wave(path);
    expectHandshakesOf(test::runIn(report), wave, 4);
    for (int gpu = 0; gpu < 4; ++gpu) {
      const std::string joins = "gpu" + std::to_string(gpu) + ".gpu.joins.";
      EXPECT_EQ(valueOf(wave.of(joins + "running").back().second), 0U);
      EXPECT_EQ(valueOf(wave.of(joins + "slices_done").back().second), 14U) << "7 steps, 2 slices";
    }
    const std::string view = test::readFile(directory.path("run.gtkw"));
    EXPECT_THAT(view, HasSubstr("gpu0.tracker first trigger"));
    EXPECT_LT(view.find("-gpu0.gpu.dma\n"), view.find("-gpu0.hbm\n"))
        << "what is useful comes first";
  }
  test::mustRun(run + "--mode sequential");
  const Recording wave(path);
  EXPECT_FALSE(wave.has("gpu0.tracker.t3_track_trigger.clk_i")) << "no tracker takes part";
  EXPECT_THAT(wave.of("gpu3.gpu.kernel.running"),
              testing::Contains(testing::Pair(testing::_, "1")));
  EXPECT_GT(valueOf(wave.of("gpu3.gpu.kernel.slices_done").back().second), 0U);
  const std::string view = test::readFile(directory.path("run.gtkw"));
  EXPECT_THAT(view, HasSubstr("kernel begins"));
  EXPECT_LT(view.find("-gpu0.gpu.kernel\n"), view.find("-gpu0.hbm\n"));
}

TEST(Wave, IsTheSameAsVcdWithAViewOfItsOwn) {
  const TemporaryDirectory directory;
  for (const char* name : {"a.fst", "a.vcd"}) {
    test::mustRun(kRun + "--wave" + directory.path(name) +
                  "--wave-scope gpu0.gpu.dma --wave-last 8us");
  }
  EXPECT_THAT(directory.names(),
              testing::UnorderedElementsAre("a.fst", "a.gtkw", "a.vcd", "a.vcd.gtkw"));
  for (const auto& [wave, view] : {std::pair("a.fst", "a.gtkw"), {"a.vcd", "a.vcd.gtkw"}}) {
    EXPECT_THAT(
        test::readFile(directory.path(view)),
        StartsWith("[dumpfile] \"" + std::string(wave) + "\"\n[savefile] \"" + view + "\"\n"));
  }
  const std::string vcd = test::readFile(directory.path("a.vcd"));
  EXPECT_THAT(vcd, StartsWith("$date"));
  EXPECT_THAT(vcd, HasSubstr("$scope module dma $end"));
  std::istringstream lines(vcd.substr(vcd.find("$enddefinitions")));
  std::uint64_t last = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) last = std::stoull(line.substr(1));
  }
  EXPECT_EQ(last, fstSpan(directory.path("a.fst")).last);
}

TEST(Wave, OfARunThatHangsReachesToItsEnd) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("hang.fst");
  test::expectFails(kRun + "--set watchdog_us=50 --set link.latency_ns=900000 --wave" + path +
                        "--wave-last 60us --wave-scope gpu0",
                    {"no progress since"});
  const FstSpan span = fstSpan(path);
  EXPECT_NEAR(static_cast<double>(span.last - span.first), 60e6, 1e4);
  const Recording wave(path);
  EXPECT_GT(valueOf(wave.of("gpu0.link.in_flight").back().second), 1000U) << "the link's fault";
}

TEST(Wave, OfAnInterruptedRunIsReadableAndTheRunSaysWhereItWas) {
  // An interrupt is answered at once, also before anything is simulated: then nothing is drawn. So
  // each try lets it work longer.
  for (double seconds = 0.1;; seconds *= 2) {
    const TemporaryDirectory directory;
    test::Program program({"run --preset t-nlg-fc2-tp8 --tracker model --quiet --json",
                           directory.path("x.json"), "--wave", directory.path("x.fst"),
                           "--wave-scope gpu3"});
    test::waitForWork(program.process(), seconds);
    program.signal(SIGINT);
    ASSERT_EQ(program.wait(), 130);
    if (directory.names().empty()) continue;
    EXPECT_THAT(program.error, HasSubstr("stopped at"));
    EXPECT_THAT(program.error, HasSubstr("gpu3.software waits for gpu3.gemm"));
    EXPECT_THAT(directory.names(), testing::UnorderedElementsAre("x.fst", "x.gtkw"));
    EXPECT_TRUE(Recording(directory.path("x.fst")).has("gpu3.hbm.open_requests"));
    return;
  }
}

TEST(Wave, WithoutItsEventIsNotWritten) {
  const TemporaryDirectory directory;
  const auto outcome =  // quiet, but this has to be said
      t3sim(kRun + "--wave" + directory.path("x.fst") + "--wave-from mismatch");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.error,
              testing::MatchesRegex("no waveform: the run ended at [0-9]+ ns, and the event "
                                    "to begin with did not happen\n"));
  EXPECT_THAT(directory.names(), ElementsAre());
}

TEST(Wave, OfATimeBehindTheEndOfTheRunLeavesNoneOfAnEarlierRun) {
  const TemporaryDirectory directory;
  for (const char* name : {"x.fst", "x.gtkw", "x.vcd", "x.vcd.gtkw", "x.csv"}) {
    directory.write(name, "of yesterday");
  }
  for (const char* name : {"x.fst", "x.vcd"}) {
    const auto outcome =
        test::mustRun(kRun + "--wave" + directory.path(name) + "--wave-window 20us: --csv -");
    EXPECT_THAT(outcome.error,
                testing::MatchesRegex("no waveform: the run ended at [0-9]+ ns, before its window; "
                                      "that of an earlier run was removed\n"));
  }
  EXPECT_THAT(directory.names(), ElementsAre("x.csv"));
}

TEST(Wave, ItsViewHasAGroupForEachLaneAndNoPortTwice) {
  const TemporaryDirectory directory;
  test::mustRun(kRun + "--wave" + directory.path("run.fst") + "--wave-last 1us");
  const std::string view = test::readFile(directory.path("run.gtkw"));
  EXPECT_THAT(view, HasSubstr("\ngpu0.tracker.t3_track_trigger.done_slot_o[11:0]\n"));
  EXPECT_THAT(view, testing::Not(HasSubstr("\ngpu0.tracker.done_slot_o[11:0]\n")));
  // Bits of a vector are numbered from its left; lane 0 is on the right.
  const std::string unit = "gpu0.tracker.t3_track_trigger.";
  const std::string lane = view.substr(view.find("\n-gpu0.tracker.lane7\n"));
  EXPECT_THAT(lane, HasSubstr("\n#{valid_i} (0)" + unit + "lane_valid_i[7:0]\n"));
  EXPECT_THAT(lane, HasSubstr("\n#{wf_i[2:0]} (0)" + unit + "lane_wf_i[23:0] (1)" + unit +
                              "lane_wf_i[23:0] (2)" + unit + "lane_wf_i[23:0]\n"));
  EXPECT_THAT(lane, HasSubstr("\ngpu0.tracker.lane7.queued[15:0]\n"));
  EXPECT_THAT(view, HasSubstr("\n#{valid_i} (7)" + unit + "lane_valid_i[7:0]\n"));
  EXPECT_LT(view.find("\n-gpu0.tracker.lane7\n"), view.find("\n-gpu0.hbm\n"));
}

TEST(Wave, NeedsAMebibyteOfDiskAndOneForEachUnitAnd256Values) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  EXPECT_EQ(waveRoom(0, 0), kMebibyte);
  EXPECT_EQ(waveRoom(0, 255), kMebibyte);
  EXPECT_EQ(waveRoom(0, 256), 2 * kMebibyte);
  EXPECT_EQ(waveRoom(4, 1000), 8 * kMebibyte);
}

TEST(Wave, RefusesWhatItCannotDrawInOneLine) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.fst");
  const auto refuses = [&](const Words& more, const std::string& says) {
    expectRefused(kRun + more, {says});
    EXPECT_THAT(directory.names(), ElementsAre());
  };
  refuses({"--wave", directory.path("x.txt")}, "--wave: expected a name that ends in .fst or .vcd");
  refuses("--wave-scope gpu0", "--wave-scope: expected --wave FILE with it");
  refuses({"--wave", path, "--wave-scope gpu9.hbm"},
          "nothing is called 'gpu9.hbm'; the GPUs are gpu0 to gpu3");
  refuses({"--wave", path, "--tracker model --wave-scope gpu0.tracker.t3_track_trigger"},
          "--wave-scope: 'gpu0.tracker.t3_track_trigger' is of the RTL");
  const Words switched = {"--wave", path, "--set fabric.topology=switch"};
  refuses(switched + "--set switch.merge=model --wave-scope switch.merge0.t3_switch_merge",
          "of which none is drawn in this run; expected switch.merge = rtl, in one process");
  refuses(switched +
              "--set switch.merge=rtl --set switch.merge_clock_mhz=900 --wave-scope "
              "*.tracker,switch.merge0",
          "--wave-scope: expected RTL of one clock");
  refuses({"--wave", path, "--wave-window 5us"}, "--wave-window: expected FROM:TO");
  refuses({"--wave", path, "--wave-window 5us:5us"}, "an end after the beginning");
  refuses({"--wave", path, "--wave-window 5us:7B"}, "expected a time such as 1.2ms");
  refuses({"--wave", path, "--wave-from lunch"}, "expected trigger, stall, mismatch");
  refuses({"--wave", path, "--wave-from command:x"}, "or command:K");
  refuses({"--wave", path, "--wave-last 0ns"}, "expected more than 0");
  refuses({"--wave", path, "--wave-last 1us --wave-window 5us:7us"},
          "--wave-last: expected no --wave-window with it");
  refuses({"--wave", directory.path("absent/x.fst")}, "cannot be written");
}

TEST(WaveScope, IsAPlaceOrAPatternOfPlaces) {
  EXPECT_TRUE(liesIn("gpu3.hbm.ch7.bus", "gpu3.hbm.ch7"));
  EXPECT_TRUE(liesIn("gpu3.hbm.ch7.bus", "*.hbm"));
  EXPECT_FALSE(liesIn("gpu3.hbm.ch70.bus", "gpu3.hbm.ch7"));
  EXPECT_FALSE(liesIn("gpu3.hbm", "gpu3.hbm.ch7"));
  EXPECT_TRUE(overlaps("gpu3.tracker.t3_track_trigger", "gpu3.tracker.t3_track_trigger.u_banks"));
  EXPECT_TRUE(overlaps("gpu3.tracker.t3_track_trigger", "gpu3"));
  EXPECT_FALSE(overlaps("gpu3.tracker.t3_track_trigger", "gpu3.hbm"));
}

}  // namespace
}  // namespace t3::wave_test
