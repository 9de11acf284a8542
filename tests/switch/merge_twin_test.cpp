// SPDX-License-Identifier: Apache-2.0
// Method: what a model of a switch uses beside what lockstep tests see: the table without time,
// updates without values, and quiet cycles that are left out: a second unit is clocked in each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "rtl_test/random.h"
#include "tlm/switch/merge_unit.h"

namespace t3::switch_test::merge_twin_test {
namespace {

using rtl_test::Random;
using rtl_test::testSeed;

TEST(MergeTwin, CountsWhatBecameOfEveryUpdate) {
  MergeTable table(8, 2);
  Random random(testSeed(96));
  std::uint64_t left = 0;
  for (int i = 0; i < 20000; ++i) {
    MergeFlit flit{.line = random.below(40), .count = 1, .format = MergeFormat::Bf16, .values = {}};
    if (random.below(10) == 0) flit.count = 5;
    left += table.take(flit, 5).has_value();
    if (random.below(10) == 0) left += table.visit(random.below(8)).has_value();
  }
  const MergeFigures& s = table.figures();
  EXPECT_EQ(s.updates, 20000u);
  EXPECT_EQ(left, s.complete + s.partial + s.aged + s.passed);
  EXPECT_EQ(s.updates, s.joined + s.passed + s.complete + s.partial + s.aged + table.entries())
      << "each entry began with an update of its own";
  for (const std::uint64_t part : {s.joined, s.complete, s.partial, s.aged, s.passed}) {
    EXPECT_GT(part, 100u);
  }
  EXPECT_LE(s.most_entries, 16u);
}

TEST(MergeTwin, ThatPassesOverQuietCyclesDoesTheSameAsOneThatIsClocked) {
  const MergeConfig config{.sets = 4, .ways = 2, .credits = 2, .expected = 3, .age = 40};
  MergeUnit passing(config), clocked(config);
  Random random(testSeed(97));
  std::uint64_t passed = 0, left = 0;
  std::uint32_t credits = 0;
  for (int i = 0; i < 20000; ++i) {
    const bool busy = random.below(4) != 0;
    if (random.below(100) == 0) {
      const std::uint64_t age = random.below(4) * 13;
      passing.age(age);
      clocked.age(age);
    }
    if (!busy) {
      std::uint64_t quiet = std::min<std::uint64_t>(passing.quiet(), random.below(200));
      if (random.below(2) != 0) quiet = std::min<std::uint64_t>(quiet, random.below(4));
      passing.pass(quiet);
      for (std::uint64_t c = 0; c < quiet; ++c) {
        EXPECT_EQ(clocked.onLink().update, nullptr);
        clocked.clock({});
      }
      passed += quiet;
    }
    ASSERT_EQ(passing.updateReady(), clocked.updateReady()) << i;
    ASSERT_EQ(passing.empty(), clocked.empty()) << i;
    const MergeFlit *flit = passing.onLink().update, *other = clocked.onLink().update;
    ASSERT_EQ(flit != nullptr, other != nullptr) << i;
    if (flit != nullptr) {
      EXPECT_EQ(*flit, *other);
      ++credits;
      ++left;
    }
    MergeUnit::Inputs inputs;
    if (busy && passing.updateReady() && random.below(3) == 0) {
      inputs.update = {.line = random.below(12), .format = MergeFormat::Fp16, .values = {}};
    }
    inputs.updateCredit = credits != 0 && random.below(5) == 0;
    credits -= inputs.updateCredit;
    passing.clock(inputs);
    clocked.clock(inputs);
  }
  EXPECT_GT(passed, 20000u);
  EXPECT_GT(left, 500u);
  EXPECT_GT(passing.table().figures().aged, 100u);
}

}  // namespace
}  // namespace t3::switch_test::merge_twin_test
