// SPDX-License-Identifier: Apache-2.0
// Method: what a model of a switch uses beside what lockstep tests see: the table without time, and
// updates without values.
#include <gtest/gtest.h>

#include <cstdint>

#include "rtl_test/random.h"
#include "tlm/switch/merge_table.h"

namespace t3::switch_test {
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
  const MergeTable::Statistics& s = table.statistics();
  EXPECT_EQ(s.taken, 20000u);
  EXPECT_EQ(left, s.complete + s.partial + s.aged + s.passed);
  EXPECT_EQ(s.taken, s.joined + s.passed + s.complete + s.partial + s.aged + table.entries())
      << "each entry began with an update of its own";
  for (const std::uint64_t part : {s.joined, s.complete, s.partial, s.aged, s.passed}) {
    EXPECT_GT(part, 100u);
  }
  EXPECT_LE(s.most, 16u);
}

}  // namespace
}  // namespace t3::switch_test
