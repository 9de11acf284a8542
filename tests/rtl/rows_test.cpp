// SPDX-License-Identifier: Apache-2.0
// Method: the row of a completion (t3_rows by itself, at its largest size) against integer
// division. First the formula of docs/tracker.md, promise 8, for every block number and every
// number of blocks per row; then the RTL at every number at which a row begins, and at the one
// before it. A row slot that counts nothing reports each completion as a stray with its row, a row
// beyond the memory is outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iostream>

#include "Vrows.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test {
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
  kSlotFirstLsb = kRowFirstLsb + kRowBits + kSlotBits,
  kRowsLsb = kSlotFirstLsb + kSlotBits + 2 * 16 + 2 + 4,
};

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
  }
  void settings(std::uint32_t perRow, std::uint32_t slotFirst, std::uint32_t phase,
                std::uint32_t rowFirst) {
    while (!expected_.empty()) clock();
    setBits(unit_.model.regions_i, kReciprocalLsb, 27, reciprocal(perRow));
    setBits(unit_.model.regions_i, kSlotFirstLsb, kSlotBits, slotFirst);
    setBits(unit_.model.regions_i, kPhaseLsb, kSlotBits, phase);
    setBits(unit_.model.regions_i, kRowFirstLsb, kRowBits, rowFirst);
  }
  void complete(std::uint32_t slot, std::uint32_t row) {
    expected_.push_back({slot, row});
    unit_.model.completed_i = 1;
    unit_.model.completion_i = static_cast<SData>(slot);
    clock();
    unit_.model.completed_i = 0;
  }
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

}  // namespace
}  // namespace t3::rtl_test
