// SPDX-License-Identifier: Apache-2.0
// Method: the trackers of a GPU with several stacks as one, of each kind: memory channels report to
// the lanes of all stacks, software programs each unit and both joins. What must leave follows from
// the bytes alone.
#include "tlm/tracker/stacked_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/seed.h"
#include "tests/tlm/tracker/tracker_fixture.h"
#include "tlm/tracker/registers.h"

namespace t3::test::stacked_tracker_test {
namespace {

namespace r = registers;

class Stacked : public TrackerFixture {
 protected:
  static constexpr std::uint32_t kLanes = 8;  // of each stack
  static constexpr std::uint32_t kWorkgroups = 32, kWorkgroupsPerRow = 4;

  TrackerBench& stacks(std::uint32_t count) {
    count_ = count;
    TrackerConfig config;
    config.lanes = count * kLanes;
    bench_ = std::make_unique<TrackerBench>("bench", config, [count](TrackerConfig c) {
      c.lanes = kLanes;
      return std::make_unique<StackedTracker>(
          "tracker", c,
          StackedTracker::Parts{count, GetParam(), [](const char* name, const TrackerConfig& unit) {
                                  return makeTracker(name, GetParam(), unit);
                                }});
    });
    return *bench_;
  }

  std::uint32_t face(std::uint32_t number) const { return stacked::face(number); }
  /// Region 0 of all units: a slot for each workgroup, which triggers and counts for a row.
  void program() {
    for (std::uint32_t s = 0; s < count_; ++s) {
      const auto set = [&](std::uint32_t address, std::uint32_t value) {
        bench_->write(face(s) | address, value);
      };
      set(r::window(0) + r::kWindowPageFirst, static_cast<std::uint32_t>(kBase / 4096));
      set(r::window(0) + r::kWindowPageLast, static_cast<std::uint32_t>(kBase / 4096) + 255);
      const std::uint64_t high = kBase / 4096 >> 32;
      set(r::window(0) + r::kWindowPageHigh, static_cast<std::uint32_t>(high | high << 16));
      const std::uint32_t region = r::region(0);
      set(region + r::kRegCtrl, r::kRegCtrlTrigger | r::kRegCtrlRows | 3 << r::kRegCtrlShiftShift);
      set(region + r::kRegWgLast, kWorkgroups - 1);
      set(region + r::kRegSlotLast, kWorkgroups - 1);
      set(region + r::kRegRowReciprocal, (1U << 26) / kWorkgroupsPerRow);
      set(region + r::kRegState, TrackerBench::kStopped);
      set(r::kIrqEnable, r::kIrqStatusRegionDone);
      set(r::kCtrl, r::kCtrlEnable);
    }
  }
  void turnOn() {
    for (std::uint32_t s = 0; s < count_; ++s) {
      bench_->write(face(s) | (r::region(0) + r::kRegState), TrackerBench::kOn);
    }
  }
  void armUnit(std::uint32_t stack, std::uint32_t slot, std::uint32_t bytes) {
    bench_->write(face(stack) | r::slot(slot), bytes);
  }
  /// A command of the join of slots (0) or of rows (1); whether it was refused.
  bool command(std::uint32_t join, std::uint32_t first, std::uint32_t last, std::uint32_t set,
               bool force = false) {
    const std::uint32_t base = face(count_ + join);
    bench_->write(base | stacked::kJoinRange, first | last << stacked::kJoinRangeLastShift);
    bench_->write(base | stacked::kJoinCommand,
                  set | stacked::kJoinCommandWrite | (force ? stacked::kJoinCommandForce : 0));
    return (bench_->read(base | stacked::kJoinStatus) & stacked::kJoinStatusRefused) != 0;
  }
  void report(std::uint32_t stack, std::uint32_t lane, std::uint32_t workgroup, std::uint32_t bytes,
              Picoseconds when = 0) {
    bench_->report({.lane = stack * kLanes + lane,
                    .workgroup = workgroup,
                    .address = kBase + workgroup * 4096,
                    .bytes = bytes,
                    .when = when});
  }

  std::uint32_t count_ = 0;
};

TEST_P(Stacked, ASlotIsSaidWhenEachStackHasSaidItsShare) {
  TrackerBench& b = stacks(2);
  program();
  for (const std::uint32_t s : {0, 1}) armUnit(s, 3, 128);
  armUnit(1, 4, 64);  // of which stack 0 has nothing
  EXPECT_FALSE(command(0, 3, 3, 0b11));
  EXPECT_FALSE(command(0, 4, 4, 0b10));
  turnOn();
  report(0, 2, 3, 128);
  b.run();
  EXPECT_TRUE(b.commands.empty());
  report(1, 7, 4, 64);
  b.run();
  EXPECT_THAT(ids(b.commands), testing::ElementsAre(4));
  report(1, 0, 3, 128);
  b.run();
  EXPECT_THAT(ids(b.commands), testing::ElementsAre(4, 3));
  EXPECT_TRUE(b.tracker().idle());
  const TrackerStatistics statistics = b.tracker().statistics();
  EXPECT_EQ(statistics.updates, 3U);
  EXPECT_EQ(statistics.completed, 3U);
  EXPECT_EQ(statistics.taken, 2U);
  EXPECT_EQ(b.read(face(2) | stacked::kJoinSaid), 2U);
  b.write(face(2) | stacked::kJoinSaid, 0);
  EXPECT_EQ(b.tracker().statistics().taken, 0U);
}

/// Random shares of random stacks, a DMA engine that makes commands wait, and rows.
TEST_P(Stacked, RandomSharesAreSaidOnceAndNotBeforeTheLastOfThem) {
  const std::uint64_t seed = test::seed(1);
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  TrackerBench& b = stacks(2 + below(StackJoin::kStacks - 1));
  program();
  b.dmaBusy = [&] { return Picoseconds{below(3) == 0 ? below(40) * 1000U : 0}; };
  std::map<std::uint32_t, std::set<std::uint32_t>> rowSets;  // by row: its stacks
  std::vector<std::map<std::uint32_t, std::uint32_t>> blocks(count_);
  struct Piece {
    std::uint32_t stack, workgroup, bytes;
  };
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> said;
  for (std::uint32_t wg = 0; wg < kWorkgroups; ++wg) {
    std::uint32_t set = 0;
    for (std::uint32_t s = 0; s < count_; ++s) {
      const std::uint32_t count = below(3);
      for (std::uint32_t i = 0; i < count; ++i) pieces.push_back({s, wg, 128});
      armUnit(s, wg, 128 * count);
      if (count == 0) continue;
      set |= 1U << s;
      rowSets[wg / kWorkgroupsPerRow].insert(s);
      ++blocks[s][wg / kWorkgroupsPerRow];
    }
    EXPECT_FALSE(command(0, wg, wg, set));
    if (set != 0) said.push_back(wg);
  }
  for (const auto& [row, sets] : rowSets) {
    std::uint32_t set = 0;
    for (const std::uint32_t s : sets) {
      set |= 1U << s;
      b.write(face(s) | r::row(row), blocks[s][row]);
    }
    EXPECT_FALSE(command(1, row, row, set));
  }
  turnOn();
  std::ranges::shuffle(pieces, random);
  std::map<std::uint32_t, Picoseconds> last, lastOfRow;
  Picoseconds when = b.in(10);
  for (const Piece& piece : pieces) {
    report(piece.stack, below(kLanes), piece.workgroup, piece.bytes, when += below(5) * 1000U);
    last[piece.workgroup] = when;
    lastOfRow[piece.workgroup / kWorkgroupsPerRow] = when;
  }
  b.run();
  std::vector<std::uint32_t> commands = ids(b.commands);
  std::ranges::sort(commands);
  EXPECT_EQ(commands, said);
  for (const auto& one : b.commands) {
    EXPECT_GT(one.time, last[one.message.command.value]);
    EXPECT_FALSE(one.message.spoiled);
  }
  EXPECT_EQ(b.releases.size(), rowSets.size());
  for (const auto& row : b.releases) EXPECT_GT(row.time, lastOfRow[row.slot]);
}

TEST_P(Stacked, TheInterruptIsUpWhileThatOfAUnitIs) {
  TrackerBench& b = stacks(3);
  program();
  for (std::uint32_t s = 0; s < 3; ++s) {
    armUnit(s, 0, 128);
    b.write(face(s) | (r::region(0) + r::kRegTarget), 1);
  }
  command(0, 0, 0, 0b111);
  turnOn();
  report(1, 0, 0, 128);
  b.run();
  EXPECT_EQ(b.tracker().interrupts(), 0b010U);
  EXPECT_EQ(b.interrupts.size(), 1U);
  report(2, 0, 0, 128);
  b.run();
  EXPECT_EQ(b.tracker().interrupts(), 0b110U);
  EXPECT_EQ(b.interrupts.size(), 2U);
  b.write(face(1) | r::kIrqStatus, r::kIrqStatusRegionDone);
  EXPECT_EQ(b.tracker().interrupts(), 0b100U);
  EXPECT_TRUE(b.tracker().interrupt());
}

TEST_P(Stacked, AJoinRefusesToArmWhatMissesSharesAndSaysWhatIsMissing) {
  TrackerBench& b = stacks(4);
  EXPECT_FALSE(command(0, 0, 4095, 0b1111));
  EXPECT_TRUE(command(0, 7, 9, 0b11));
  EXPECT_FALSE(command(0, 7, 9, 0b11, true));
  const std::uint32_t join = face(4);
  b.write(join | stacked::kJoinRange, 9 | 9 << stacked::kJoinRangeLastShift);
  b.write(join | stacked::kJoinCommand, 0);  // looks
  EXPECT_EQ(b.read(join | stacked::kJoinStatus) >> stacked::kJoinStatusMissingShift, 0b11U);
  const sc_core::sc_time before = b.registerTime();
  command(0, 0, 4095, 0, true);
  EXPECT_GE(b.registerTime() - before, fromPicoseconds(4096 * b.period()))
      << "a command walks over its slots";
  EXPECT_FALSE(b.tryRead(join | 0x10)) << "there is no such register";
  EXPECT_FALSE(b.tryRead(face(6))) << "nor more faces";
}

TEST_P(Stacked, AShareThatTheJoinDoesNotMissIsAnErrorReport) {
  TrackerBench& b = stacks(2);
  program();
  armUnit(1, 5, 128);
  command(0, 5, 5, 0b01);
  turnOn();
  report(1, 0, 5, 128);
  try {
    b.run(100);
    FAIL() << "a stray share is told";
  } catch (const sc_core::sc_report& error) {
    EXPECT_STREQ(error.get_msg_type(), "t3/tracker");
    EXPECT_THAT(error.get_msg(), testing::HasSubstr("bench.tracker: stack 1 has said slot 5"));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Stacked, kAllKinds,
                         [](const auto& kind) { return kindName(kind.param); });

}  // namespace
}  // namespace t3::test::stacked_tracker_test
