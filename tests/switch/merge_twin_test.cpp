// SPDX-License-Identifier: Apache-2.0
// Method: what a model of a switch uses of the twin beside what lockstep tests see: pauses that it
// passes over, updates without values, the table without time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "rtl_test/random.h"
#include "tlm/switch/merge_unit.h"

namespace t3::switch_test {
namespace {

using rtl_test::Random;
using rtl_test::testSeed;

struct Left {
  std::uint64_t cycle;
  MergeFlit flit;
  bool operator==(const Left&) const = default;
};

/// A unit that is clocked from pause to pause, cycle by cycle or as fast as it can.
class Runner {
 public:
  Runner(const MergeConfig& config, bool skips) : unit_(config), skips_(skips) {}

  void send(const MergeFlit& flit) {
    std::optional<MergeFlit> update = flit;
    while (update) {
      const bool taken = unit_.updateReady();
      step(update);
      if (taken) update.reset();
    }
  }
  void pause(std::uint64_t cycles) {
    const std::uint64_t until = cycle_ + cycles;
    while (cycle_ < until) {
      const std::uint64_t rest = std::min(skips_ ? unit_.restCycles() : 0, until - cycle_);
      if (rest == 0) {
        step({});
        continue;
      }
      unit_.skip(rest);
      cycle_ += rest;
      skipped += rest;
    }
  }

  MergeUnit& unit() { return unit_; }
  std::vector<Left> left;
  std::uint64_t skipped = 0;

 private:
  void step(const std::optional<MergeFlit>& update) {
    const MergeFlit* flit = unit_.onLink().update;
    if (flit) left.push_back({cycle_, *flit});
    MergeUnit::Inputs inputs;
    inputs.update = update;
    inputs.updateCredit = flit != nullptr;
    unit_.clock(std::move(inputs));
    ++cycle_;
  }

  MergeUnit unit_;
  bool skips_;
  std::uint64_t cycle_ = 0;
};

TEST(MergeTwin, PassesOverPausesWithoutADifference) {
  std::uint64_t skipped = 0;
  for (const std::uint32_t age : {0u, 7u, 100u, 5000u}) {
    const MergeConfig config{.sets = 4, .ways = 2, .credits = 4, .expected = 4, .age = age};
    Runner slow(config, false);
    Runner fast(config, true);
    Random random(testSeed(95));
    for (int i = 0; i < 300; ++i) {
      const MergeFlit flit{
          .line = random.below(12), .count = 1, .format = MergeFormat::Fp16, .values = {}};
      const std::uint64_t pause = random.below(4) == 0 ? random.below(4000) : random.below(3);
      const bool drains = random.below(20) == 0;
      for (Runner* runner : {&slow, &fast}) {
        runner->unit().drain(drains);
        runner->send(flit);
        runner->pause(pause);
      }
      ASSERT_EQ(slow.left, fast.left) << "age " << age << ", update " << i;
    }
    EXPECT_GT(fast.left.size(), 50u);
    skipped += fast.skipped;
  }
  EXPECT_GT(skipped, 100000u);
}

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
