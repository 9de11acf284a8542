// SPDX-License-Identifier: Apache-2.0
// Method: recordings of the real t3sim under mpirun, in one to four processes, against those of
// t3sim alone, byte for byte (but for the date in a waveform). Process 0 puts them together after
// the run, so a run is also killed before that: nothing may be left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "tests/system/mpirun.h"
#include "tests/system/runs.h"
#include "tests/testbench/family.h"
#include "tests/testbench/file_watch.h"

namespace t3::cut_recording_test {
namespace {

using test::kSmallMachine;
using test::launch;
using test::Launched;
using test::Outcome;
using test::TemporaryDirectory;
using test::Words;

Words tiny(const std::string& mode, const Words& more = {}) {
  return Words{"run --mode", mode} + kSmallMachine + more;
}

struct Files {
  int code = 0;
  std::string timeline, transactions, commands;
};

Files recorded(int processes, const Words& words) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      launch(processes, words + "--timeline" + directory.path("t.json") + "--transactions" +
                            directory.path("t.csv") + "--command-trace" + directory.path("c.csv"));
  EXPECT_EQ(directory.names().size(), 3U) << outcome.error;
  return {outcome.code, test::readFile(directory.path("t.json")),
          test::readFile(directory.path("t.csv")), test::readFile(directory.path("c.csv"))};
}

void expectTheSameIn(std::initializer_list<int> processes, const Words& words, int code = 0) {
  const Files alone = recorded(0, words);
  EXPECT_EQ(alone.code, code);
  EXPECT_GT(alone.timeline.size(), 10'000U);
  EXPECT_GT(alone.transactions.size(), 10'000U);
  EXPECT_GT(alone.commands.size(), 10'000U);
  for (const int count : processes) {
    const Files cut = recorded(count, words);
    EXPECT_EQ(cut.code, code);
    // No difference of megabytes on the screen.
    EXPECT_TRUE(cut.timeline == alone.timeline) << words[2] << " in " << count << " processes";
    EXPECT_TRUE(cut.transactions == alone.transactions) << words[2] << " in " << count;
    EXPECT_TRUE(cut.commands == alone.commands) << words[2] << " in " << count << " processes";
  }
}

TEST(CutRecording, OneToFourProcessesWriteTheFilesOfOne) {
  expectTheSameIn({1, 2, 3, 4}, tiny("t3-mca"));
}

TEST(CutRecording, WritesTheFilesOfOneInEveryMode) {
  for (const char* mode :
       {"sequential", "cu-split:4", "t3", "t3-ag", "ideal-overlap", "ideal-rs-nmc", "ideal-ag"}) {
    expectTheSameIn({3}, tiny(mode));
  }
}

TEST(CutRecording, WritesTheFilesOfOneOnEveryTopology) {
  for (const char* topology : {"bidirectional-ring", "fully-connected", "switch"}) {
    expectTheSameIn({2}, tiny("t3-mca", {std::string("--set fabric.topology=") + topology}));
  }
}

TEST(CutRecording, WritesTheFilesOfOneWhereTheSwitchLoadsAndCopies) {
  expectTheSameIn({2}, tiny("nvls", test::onFabric("merging-switch")));
}

TEST(CutRecording, WritesTheFilesOfOneOverSeveralSublayersOfDifferentGpus) {
  expectTheSameIn({2}, tiny("t3", "--set workload.repeat=2 --set gpu2.clock_mhz=700"));
}

TEST(CutRecording, WritesTheFilesOfOneWithScopesWindowsAndPeriods) {
  expectTheSameIn(
      {3}, tiny("t3",
                "--timeline-sample 0.3us --timeline-window 5us:20us --timeline-scope "
                "gpu1,gpu2.link --transactions-scope gpu2,gpu3.hbm --transactions-window 3us:"));
}

TEST(CutRecording, WritesTheFilesOfOneOnTheTrackersRtlWithCheckedData) {
  expectTheSameIn({2}, "run --mode t3-mca --preset tiny-tp4 --quiet");
}

TEST(CutRecording, WritesTheFilesOfOneForACollectiveFromAFile) {
  expectTheSameIn(
      {2}, tiny("t3", {"--set workload.collective=" T3_COLLECTIVES "/ring-reduce-scatter-4.xml"}));
}

TEST(CutRecording, WritesTheFilesOfOneWhateverTheOrderOfGpusAtEqualTimes) {
  expectTheSameIn({2}, tiny("t3", "--set order_seed=3"));
}

TEST(CutRecording, WritesTheFilesOfOneAlsoWhereARunStandsStill) {
  expectTheSameIn({3}, tiny("t3", "--set gpu1.link.lose_write=20"), 1);
}

struct Waveform {
  int code = 0;
  std::string changes, view, error;
};

/// As VCD, without the lines that say when and by what it was written.
Waveform drawn(int processes, const Words& words) {
  const TemporaryDirectory directory;
  const Outcome outcome = launch(processes, words + "--wave" + directory.path("w.vcd"));
  EXPECT_EQ(directory.names().size(), 2U) << outcome.error;
  std::string changes = test::readFile(directory.path("w.vcd"));
  changes.erase(0, changes.find("$timescale"));
  std::string view = test::readFile(directory.path("w.gtkw"));
  for (std::size_t at; (at = view.find(directory.path())) != std::string::npos;) {
    view.erase(at, directory.path().size());
  }
  return {outcome.code, std::move(changes), std::move(view), outcome.error};
}

void expectTheSameWaveIn(std::initializer_list<int> processes, const Words& words, int code = 0) {
  const Waveform alone = drawn(0, words);
  EXPECT_EQ(alone.code, code) << alone.error;
  EXPECT_GT(alone.changes.size(), 10'000U);
  for (const int count : processes) {
    const Waveform cut = drawn(count, words);
    EXPECT_EQ(cut.code, code) << cut.error;
    EXPECT_TRUE(cut.changes == alone.changes) << words[2] << " in " << count << " processes";
    EXPECT_EQ(cut.view, alone.view);
  }
}

const Words kAllGpus = "--wave-scope *";

TEST(CutRecording, DrawsTheWaveformOfOneProcessInOneToFour) {
  expectTheSameWaveIn({1, 2, 3, 4}, tiny("t3-mca", kAllGpus));
}

Words rtl(const std::string& mode, const std::string& scope, const Words& more = {}) {
  return Words{"run --mode", mode, "--preset tiny-tp4 --data elided --quiet --wave-scope", scope} +
         more;
}

TEST(CutRecording, DrawsTheRtlOfAllProcesses) {
  expectTheSameWaveIn({3}, rtl("t3-mca", "gpu0.tracker,gpu2.tracker"));
  expectTheSameWaveIn({2}, rtl("t3-ag", "gpu3.tracker"));
  expectTheSameWaveIn({2}, rtl("t3", "gpu2.tracker", "--tracker lockstep"));
}

TEST(CutRecording, DrawsTheWaveformOfOneProcessWithTheCompanionsOfWave) {
  expectTheSameWaveIn({2}, rtl("t3", "gpu1", "--wave-from trigger"));
  expectTheSameWaveIn({2}, rtl("t3", "gpu2.tracker", "--wave-last 3us"));
  expectTheSameWaveIn({2}, rtl("t3", "gpu3", "--wave-window 5us:9us"));
  expectTheSameWaveIn({2}, rtl("t3", "*.link", "--wave-sample 70ns"));
}

TEST(CutRecording, DrawsTheWaveformOfOneProcessOverSeveralSublayersAndWhereARunStandsStill) {
  expectTheSameWaveIn({2}, rtl("t3", "gpu2.tracker", "--set workload.repeat=2"));
  expectTheSameWaveIn({3}, tiny("t3", "--set gpu1.link.lose_write=20" + kAllGpus), 1);
}

TEST(CutRecording, AWaveformOfRtlThatIsNotThereIsOneLine) {
  const Outcome outcome =
      launch(2, tiny("t3", "--wave /dev/null.fst --wave-scope gpu0.tracker.t3_track_trigger"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.error, testing::StartsWith("t3sim: --wave"));
}

TEST(CutRecording, FollowsATileThroughAllProcesses) {
  for (const char* workgroup : {"1", "13"}) {
    const Words words = Words{"follow --mode t3 --gpu 1 --wg", workgroup} + kSmallMachine;
    const Outcome alone = launch(0, words);
    EXPECT_EQ(alone.code, 0) << alone.error;
    for (const int processes : {2, 4}) {
      const Outcome cut = launch(processes, words);
      EXPECT_EQ(cut.code, 0) << cut.error;
      EXPECT_EQ(cut.output, alone.output);
    }
  }
}

TEST(CutRecording, AScopeThatDoesNotExistIsOneLine) {
  const Outcome outcome = launch(2, tiny("t3", "--timeline /dev/null --timeline-scope gpu7"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error,
            "t3sim: --timeline-scope: nothing is called 'gpu7'; the GPUs are gpu0 to gpu3\n");
}

TEST(CutRecording, AKilledRunLeavesNothing) {
  const TemporaryDirectory directory;
  const test::FileWatch watch(directory.path());
  Launched program(2, {"run --preset t-nlg-fc2-tp8 --tracker model --quiet --timeline",
                       directory.path("t.json")});
  watch.wait();
  pid_t other = 0;  // process 1, the last that mpirun has started
  while (other == 0) {
    const std::vector<pid_t> children = test::childrenOf(program.process());
    if (children.size() == 2 && test::runsT3sim(children.back())) other = children.back();
  }
  kill(other, SIGKILL);
  EXPECT_EQ(program.wait(), 128 + SIGKILL);
  EXPECT_THAT(directory.names(), testing::IsEmpty());
}

}  // namespace
}  // namespace t3::cut_recording_test
