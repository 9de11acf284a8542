// SPDX-License-Identifier: Apache-2.0
// Method: whole runs in lockstep, with a mistake of planted.toml in the RTL of every unit. Whatever
// part of the system sees it, the run must end with what a designer needs: whose unit, which slot,
// which update, when the two parted; and with a waveform of it, whose view marks that moment and
// shows what the twin says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "testbench/presets/presets.h"
#include "testbench/simulate/simulation.h"
#include "tests/faults/planted_unit.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::lockstep_fault_test {
namespace {

using faults::Mistake;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

/// The error of a run of that preset, and the view that it leaves.
struct Ended {
  std::string error, view;
};
Ended run(Mistake mistake, const std::string& preset = "tiny-tp4", Mode mode = Mode::T3Mca) {
  const test::TemporaryDirectory directory;
  faults::plant(mistake);
  Observers observers;
  observers.differencePath = directory.path("difference.fst");
  const RunRecord record =
      simulate(findPreset(preset)->config, mode, TrackerKind::Lockstep, observers);
  EXPECT_THAT(record.result.error, HasSubstr("gtkwave " + directory.path("difference.gtkw")));
  return {record.result.error, test::readFile(directory.path("difference.gtkw"))};
}

const auto kWhose = ContainsRegex("[0-9.]+ [pnu]s, cycle [0-9]+ of gpu[0-3]\\.tracker: ");
const auto kUpdate =
    ContainsRegex("[0-9]+ bytes at 0x[0-9a-f]+ of workgroup [0-9]+, wavefront [0-7] at lane [0-7]");
const auto kParted = ContainsRegex("the two part at [0-9.]+ [pnu]s, [0-9]+ clocks before");
const auto kMarked = AllOf(HasSubstr("tracker difference is seen"), HasSubstr("twin_done_slot"),
                           HasSubstr("t3_track_trigger.done_slot_o"));
const auto kMarkedWhereTheyPart = AllOf(kMarked, HasSubstr("tracker parts from its twin"));

TEST(LockstepFault, NoMistakeNoDifference) {
  faults::plant(Mistake::None);
  EXPECT_EQ(
      simulate(findPreset("tiny-tp4")->config, Mode::T3Mca, TrackerKind::Lockstep, {}).result.error,
      "");
}

TEST(LockstepFault, ABankThatForwardsToANeighbourIsToldAtTheFirstWrongCommand) {
  const Ended ended = run(Mistake::ForwardsToANeighbour);
  EXPECT_THAT(ended.error, AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate,
                                 ContainsRegex("last events of slot [0-9]+")));
  EXPECT_THAT(ended.view, kMarked);
}

TEST(LockstepFault, AnEarlyCommandIsToldBeforeTheDmaEngineGetsIt) {
  const Ended ended = run(Mistake::SendsEarly);
  EXPECT_THAT(ended.error,
              AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate,
                    ContainsRegex("done_\\*: RTL slot [0-9]+; twin misses [0-9]+ bytes")));
  EXPECT_THAT(ended.view, kMarked);
}

TEST(LockstepFault, ACommandThatNeverComesIsToldWithTheTimeAtWhichItWasDue) {
  const Ended ended = run(Mistake::NeverSends);
  EXPECT_THAT(ended.error, AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate, kParted,
                                 HasSubstr("done_*: RTL "), ContainsRegex("twin slot [0-9]+ at ")));
  EXPECT_THAT(ended.view, kMarkedWhereTheyPart);
}

TEST(LockstepFault, ACommandThatComesTwiceIsToldTheSecondTime) {
  const Ended ended = run(Mistake::SendsTwice);
  EXPECT_THAT(ended.error, AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate,
                                 ContainsRegex("RTL slot [0-9]+ again, as at [0-9.]+ [nu]s")));
  EXPECT_THAT(ended.view, kMarked);
}

TEST(LockstepFault, ACommandThatIsSpoiledForNoReasonIsTold) {
  const Ended ended = run(Mistake::SaysSpoiled);
  EXPECT_THAT(ended.error, AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate,
                                 ContainsRegex("done_spoiled_o: RTL 1, slot [0-9]+; twin 0")));
  EXPECT_THAT(ended.view, kMarked);
}

TEST(LockstepFault, ARowThatIsSpoiledForNoReasonIsTold) {
  const Ended ended = run(Mistake::SaysRowSpoiled, "tiny-pair-tp4", Mode::T3Ag);
  EXPECT_THAT(ended.error, AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate,
                                 ContainsRegex("rel_spoiled_o: RTL 1, row slot [0-9]+; twin 0")));
  EXPECT_THAT(ended.view, kMarked);
}

TEST(LockstepFault, AnEarlyRowIsTold) {
  const Ended ended = run(Mistake::ReleasesEarly, "tiny-pair-tp4", Mode::T3Ag);
  EXPECT_THAT(ended.error,
              AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate,
                    ContainsRegex("rel_\\*: RTL row slot [0-9]+; twin misses [0-9]+ slots")));
  EXPECT_THAT(ended.view, kMarked);
}

TEST(LockstepFault, ALaneThatIsNeverReadyAgainIsToldWithTheUpdateThatWaits) {
  const Ended ended = run(Mistake::NeverTakes);
  EXPECT_THAT(ended.error, AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate, kParted));
  EXPECT_THAT(ended.view, kMarkedWhereTheyPart);
}

TEST(LockstepFault, AWrongCountIsToldWithTheTimeAtWhichAllCountsWereEqual) {
  const Ended ended = run(Mistake::Miscounts);
  // The counts of all GPUs are wrong. The first one that is told stays, whatever is asked later.
  EXPECT_THAT(ended.error,
              AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate,
                    ContainsRegex(" of gpu0\\.tracker: UPDATES: RTL [0-9]+; twin [0-9]+"),
                    ContainsRegex("all counts were equal at [0-9.]+ [a-z]+")));
  EXPECT_THAT(ended.view, kMarked);
}

TEST(LockstepFault, AnInterruptThatNeverComesIsTold) {
  const Ended ended = run(Mistake::NeverInterrupts);
  EXPECT_THAT(ended.error, AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate,
                                 ContainsRegex("REGION_DONE: RTL 0; twin [1-9]")));
  EXPECT_THAT(ended.view, kMarked);
}

TEST(LockstepFault, AnArbiterThatGrantsEverybodyIsTold) {
  const Ended ended = run(Mistake::GrantsEverybody, "tiny-tp4", Mode::T3Ag);
  EXPECT_THAT(ended.error, AllOf(HasSubstr("t3/lockstep"), kWhose, kUpdate));
  EXPECT_THAT(ended.view, kMarked);
}

TEST(LockstepFault, AFailedAssertionIsToldWithTheLastUpdates) {
  const Ended ended = run(Mistake::Asserts);
  EXPECT_THAT(ended.error, AllOf(HasSubstr("t3/rtl"), HasSubstr("an assertion of the RTL failed"),
                                 ContainsRegex("of gpu[0-3]\\.tracker"), kUpdate));
  EXPECT_THAT(ended.view, kMarked);
}

}  // namespace
}  // namespace t3::lockstep_fault_test
