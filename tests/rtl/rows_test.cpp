// SPDX-License-Identifier: Apache-2.0
// Method: the row of a completion (t3_rows by itself, at its largest size) against integer
// division. First the formula of docs/tracker.md, promise 8, for every block number and every
// number of blocks per row; then the RTL at every number at which a row begins, and at the one
// before it. A row slot that counts nothing reports each completion as a stray with its row, a row
// beyond the memory is outside. Then rows of any number that count, are armed anew and leave, with
// settings of any value.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iostream>
#include <optional>
#include <vector>

#include "Vrows.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test::rows_test {
namespace {

constexpr std::uint32_t kBlocks = 1u << 13, kRows = 4096, kSlotBits = 13, kRowBits = 12,
                        kInfoBits = 19;

/// As software writes it.
constexpr std::uint32_t reciprocal(std::uint32_t perRow) {
  return ((1u << 26) + perRow - 1) / perRow;
}

TEST(Rows, TheReciprocalDividesExactly) {
  for (std::uint32_t perRow = 1; perRow <= kBlocks; ++perRow) {
    const std::uint64_t factor = reciprocal(perRow);
    for (std::uint32_t n = 0; n < kBlocks; ++n)
      ASSERT_EQ(n * factor >> 26, n / perRow) << n << " blocks, " << perRow << " a row";
  }
}

/// Bits of T3_REGION_T, from the lowest on.
enum RegionLsb : std::uint32_t {
  kReciprocalLsb = 16,
  kPhaseLsb = kReciprocalLsb + 27,
  kRowFirstLsb = kPhaseLsb + kSlotBits,
  kSlotLastLsb = kRowFirstLsb + kRowBits,
  kSlotFirstLsb = kSlotLastLsb + kSlotBits,
  kMatchLsb = kSlotFirstLsb + kSlotBits,
  kRowsLsb = kMatchLsb + 2 * 16 + 2 + 4,
  kTriggerLsb,
  kStoppedLsb,
  kOnLsb,
};

/// Bits of T3_ACCESS_T and T3_ANSWER_T, from the lowest on.
constexpr std::uint32_t kValueBits = 23;
enum AccessLsb : std::uint32_t {
  kNumberLsb = kValueBits,
  kForcedLsb = kNumberLsb + kSlotBits,
  kLookLsb,
  kArmLsb,
  kOfRowLsb,
};
enum AnswerLsb : std::uint32_t { kSpoiledLsb = kValueBits, kWaitsLsb, kRefusedLsb, kDoneLsb };

class Row {
 public:
  Row() {
    unit_.model.clear_i = unit_.model.clear_step_i = 1;
    for (std::uint32_t row = 0; row < kRows; ++row) {
      unit_.model.clear_row_i = static_cast<SData>(row);
      clock();
    }
    unit_.model.clear_i = unit_.model.clear_step_i = 0;
    setBits(unit_.model.regions_i, kRowsLsb, 1, 1);
    unit_.model.rel_ready_i = 1;
  }

  struct Settings {
    std::uint32_t reciprocal = 0, slotFirst = 0, slotLast = 0, phase = 0, rowFirst = 0;
    bool on = false, stopped = false;
    /// The row of a completion of this slot.
    std::uint32_t rowOf(std::uint32_t slot) const {
      const std::uint64_t n = slot - slotFirst + phase;
      return rowFirst + static_cast<std::uint32_t>(n * reciprocal >> 26);
    }
  };
  /// The settings that say nothing of rows take `others`.
  void settings(const Settings& settings, std::uint64_t others) {
    while (!expected_.empty()) clock();
    auto& region = unit_.model.regions_i;
    setBits(region, 0, kReciprocalLsb, others);
    setBits(region, kReciprocalLsb, 27, settings.reciprocal);
    setBits(region, kPhaseLsb, kSlotBits, settings.phase);
    setBits(region, kRowFirstLsb, kRowBits, settings.rowFirst);
    setBits(region, kSlotLastLsb, kSlotBits, settings.slotLast);
    setBits(region, kSlotFirstLsb, kSlotBits, settings.slotFirst);
    setBits(region, kMatchLsb, kRowsLsb - kMatchLsb, others >> 16);
    setBits(region, kTriggerLsb, 1, others >> 63);
    setBits(region, kStoppedLsb, 1, settings.stopped);
    setBits(region, kOnLsb, 1, settings.on);
  }
  /// Its state was written.
  void writeState() {
    unit_.model.state_write_i = 1;
    clock();
    unit_.model.state_write_i = 0;
    for (int i = 0; i < 4; ++i) clock();
  }
  void settings(std::uint32_t perRow, std::uint32_t slotFirst, std::uint32_t phase,
                std::uint32_t rowFirst) {
    settings({.reciprocal = reciprocal(perRow),
              .slotFirst = slotFirst,
              .phase = phase,
              .rowFirst = rowFirst},
             0);
  }
  void complete(std::uint32_t slot, std::uint32_t row) {
    expected_.push_back({slot, row});
    unit_.model.completed_i = 1;
    unit_.model.completion_i = static_cast<SData>(slot);
    clock();
    unit_.model.completed_i = 0;
  }
  /// Of a row that counts: nothing is reported.
  void countDown(std::uint32_t slot, std::uint32_t times) {
    unit_.model.completed_i = 1;
    unit_.model.completion_i = static_cast<SData>(slot);
    for (std::uint32_t i = 0; i < times; ++i) clock();
    unit_.model.completed_i = 0;
  }

  struct Answer {
    bool refused = false, waits = false, spoiled = false;
    std::uint32_t missing = 0;
  };
  /// Software's, held until it is answered; to a slot that is never.
  std::optional<Answer> access(bool ofRow, bool arm, std::uint32_t number, std::uint32_t value) {
    auto& m = unit_.model;
    setBits(m.access_i, 0, kValueBits, value);
    setBits(m.access_i, kNumberLsb, kSlotBits, number);
    setBits(m.access_i, kLookLsb, 1, !arm);
    setBits(m.access_i, kArmLsb, 1, arm);
    setBits(m.access_i, kOfRowLsb, 1, ofRow);
    std::optional<Answer> answer;
    for (int i = 0; i < 8 && !answer; ++i) {
      m.eval();
      const auto flag = [&m](AnswerLsb lsb) { return bitsOf(m.answer_o, lsb, 1) != 0; };
      if (flag(kDoneLsb))
        answer = {.refused = flag(kRefusedLsb),
                  .waits = flag(kWaitsLsb),
                  .spoiled = flag(kSpoiledLsb),
                  .missing = static_cast<std::uint32_t>(bitsOf(m.answer_o, 0, kValueBits))};
      clock();
    }
    setBits(m.access_i, kLookLsb, 2, 0);
    return answer;
  }

  std::vector<std::uint32_t> left;           ///< rows, as they were taken
  std::vector<std::uint32_t> reportedEarly;  ///< rows whose arming was refused

  void finish() {
    for (int i = 0; i < 20; ++i) clock();
    ASSERT_TRUE(expected_.empty()) << "a completion without its row";
  }

 private:
  struct Expected {
    std::uint32_t slot, row;
  };
  void clock() {
    auto& m = unit_.model;
    m.eval();
    constexpr std::uint32_t kTimesLsb = kInfoBits + 1;
    const auto info = [](auto& event) { return bitsOf(event, 0, kInfoBits); };
    // What is outside is told a cycle earlier.
    if (bitsOf(m.outside_o, kTimesLsb, 1) != 0) {
      const auto found =
          std::ranges::find_if(expected_, [](const Expected& e) { return e.row >= kRows; });
      ASSERT_NE(found, expected_.end());
      ASSERT_EQ(info(m.outside_o), found->slot);
      expected_.erase(found);
    }
    if (bitsOf(m.stray_o, kTimesLsb, 1) != 0) {
      const auto found =
          std::ranges::find_if(expected_, [](const Expected& e) { return e.row < kRows; });
      ASSERT_NE(found, expected_.end());
      ASSERT_EQ(info(m.stray_o), found->row) << "slot " << found->slot;
      expected_.erase(found);
    }
    ASSERT_LE(expected_.size(), 8u) << "a completion without its row";
    if (bitsOf(m.refused_o, kTimesLsb, 1) != 0)
      reportedEarly.push_back(static_cast<std::uint32_t>(info(m.refused_o)));
    if (m.rel_valid_o) left.push_back(m.rel_row_o);
    unit_.edge();
  }

  Clocked<Vrows> unit_;
  std::deque<Expected> expected_;
};

TEST(Rows, EachRowBeginsAndEndsAtItsBlock) {
  Row rows;
  std::uint64_t tried = 0;
  for (std::uint32_t perRow = 1; perRow <= kBlocks && !testing::Test::HasFailure(); ++perRow) {
    rows.settings(perRow, 0, 0, 0);
    for (std::uint32_t n = 0; n < kBlocks; n += perRow) {
      if (n > 0) rows.complete(n - 1, n / perRow - 1);
      rows.complete(n, n / perRow);
      tried += 2;
    }
    rows.complete(kBlocks - 1, (kBlocks - 1) / perRow);
  }
  rows.finish();
  EXPECT_GT(tried, 150'000u);
}

TEST(Rows, ARegionMayBeginAnywhereInASlotARowAndItsBlocks) {
  Random random(testSeed(61));
  Row rows;
  for (int i = 0; i < 5000 && !testing::Test::HasFailure(); ++i) {
    const std::uint32_t perRow = random.between(1, random.chance(50) ? 64 : kBlocks);
    const std::uint32_t slotFirst = random.below(kBlocks), phase = random.below(slotFirst + 1);
    const std::uint32_t rowFirst = random.below(kRows);
    rows.settings(perRow, slotFirst, phase, rowFirst);
    for (int k = 0; k < 8; ++k) {
      const std::uint32_t slot = random.between(slotFirst, kBlocks - 1);
      rows.complete(slot, rowFirst + (slot - slotFirst + phase) / perRow);
    }
  }
  rows.finish();
}

/// Also those that divide nothing, with block numbers beyond 2^13: what is no row is outside.
TEST(Rows, SettingsOfAnyValueGiveTheRowOfTheFormulaOrNone) {
  Random random(testSeed(63));
  Row rows;
  // Often the least and the most, so that sums have all widths.
  const auto below = [&random](std::uint32_t bound) {
    return random.chance(20) ? 0 : random.chance(40) ? bound - 1 : random.below(bound);
  };
  std::uint32_t outside = 0, beyond = 0;
  for (int i = 0; i < 5000 && !testing::Test::HasFailure(); ++i) {
    Row::Settings settings;
    settings.reciprocal = below(1u << 27);
    settings.slotFirst = below(kBlocks);
    settings.slotLast = below(kBlocks);
    settings.phase = below(kBlocks);
    settings.rowFirst = below(kRows);
    rows.settings(settings, random.bits(64));
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t slot = settings.slotFirst + below(kBlocks - settings.slotFirst);
      const std::uint32_t row = settings.rowOf(slot);
      rows.complete(slot, row);
      outside += row >= kRows;
      beyond += slot - settings.slotFirst + settings.phase >= kBlocks;
    }
  }
  rows.finish();
  EXPECT_GT(outside, 1000u);
  EXPECT_GT(beyond, 1000u);
}

/// A row that counts is written over only while its region is stopped, from the region's first row
/// to that of its last slot, whatever else the settings say.
TEST(Rows, ARowOfAnyNumberIsArmedAnewThroughItsStoppedRegionOnlyAndLeavesOnce) {
  Random random(testSeed(64));
  Row rows;
  std::uint32_t forced = 0;
  std::vector<std::uint32_t> refused, expected;
  for (int i = 0; i < 1000; ++i) {
    Row::Settings settings;
    settings.reciprocal =
        random.chance(50) ? reciprocal(random.between(1, kBlocks)) : random.below(1u << 27);
    settings.slotFirst = random.below(kBlocks);
    settings.slotLast = random.between(settings.slotFirst, kBlocks - 1);
    settings.phase = random.below(kBlocks);
    settings.rowFirst = random.below(kRows);
    settings.on = random.chance(50);
    settings.stopped = random.chance(70);
    rows.settings(settings, random.bits(64));
    rows.writeState();
    const std::uint32_t last = std::min(settings.rowOf(settings.slotLast), kRows - 1);
    const std::uint32_t row =
        random.chance(50) ? random.below(kRows) : random.between(settings.rowFirst, last);
    const bool its = settings.stopped && row >= settings.rowFirst && row <= last;
    const std::uint32_t most = random.between(1, 0x3fff), few = random.between(1, 3);
    const auto arm = [&](std::uint32_t value, bool mayBe, std::uint32_t missing) {
      auto answer = rows.access(true, true, row, value);
      ASSERT_TRUE(answer);
      ASSERT_EQ(answer->refused, !mayBe) << "row " << row;
      if (!mayBe) refused.push_back(row);
      answer = rows.access(true, false, row, 0);
      ASSERT_TRUE(answer);
      ASSERT_EQ(answer->missing, missing) << "row " << row;
      ASSERT_FALSE(answer->waits || answer->spoiled);
    };
    ASSERT_NO_FATAL_FAILURE(arm(most, true, most)) << "it was idle";
    ASSERT_FALSE(rows.access(false, true, row + kRows, few)) << "it is a slot's";
    ASSERT_NO_FATAL_FAILURE(arm(few, its, its ? few : most));
    forced += its;
    settings = {.reciprocal = reciprocal(1), .rowFirst = row, .stopped = true};
    rows.settings(settings, random.bits(64));
    rows.writeState();
    ASSERT_NO_FATAL_FAILURE(arm(few, true, few)) << "it is a row of the last slot";
    rows.countDown(0, few);
    rows.finish();
    expected.push_back(row);
    ASSERT_EQ(rows.left, expected);
    ASSERT_EQ(rows.reportedEarly, refused);
  }
  EXPECT_GT(forced, 200u);
  EXPECT_GT(refused.size(), 200u);
}

}  // namespace
}  // namespace t3::rtl_test::rows_test
