// SPDX-License-Identifier: Apache-2.0
// Method: the twin of the join and its RTL get the same, cycle by cycle, and show the same at every
// pin. What the RTL promises is tested at its pins in tests/rtl/stack_join_test.cpp.
#include "tlm/tracker/stack_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <systemc>

#include "tests/support/seed.h"

namespace t3::stack_join_test {
namespace {

constexpr Picoseconds kPeriod = 1000;

/// Units that say slots among the first few, software that arms, forgets and looks, and a neighbour
/// who takes nothing for long, so that more slots wait than there are places.
class Around {
 public:
  explicit Around(std::uint64_t seed) : random_(seed) {}

  StackJoin::Inputs next(const StackJoin::Outputs& outputs) {
    if (left_-- == 0) {
      left_ = below(600);
      takes_ = below(2) == 0 ? 0 : below(101);
      says_ = below(60);
      commands_ = below(3) == 0 ? below(6) : 0;
      slots_ = 1 + below(200);
      stacks_ = 1 + below(StackJoin::kStacks);
    }
    StackJoin::Inputs inputs;
    inputs.doneReady = chance(takes_);
    for (std::uint32_t s = 0; s < stacks_; ++s) {
      if ((outputs.ready >> s & 1) == 0 || !chance(says_)) continue;
      inputs.shares[s] = {below(slots_), chance(5)};
    }
    if (outputs.commandReady && chance(commands_)) {
      const std::uint32_t first = below(slots_);
      inputs.command = {.first = first,
                        .last = (first + below(slots_)) % StackJoin::kSlots,
                        .shares = below(1U << stacks_),
                        .write = chance(80),
                        .force = chance(40)};
      if (chance(10)) inputs.command->first = StackJoin::kSlots - 1 - below(4);  // and round
    }
    return inputs;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

  std::mt19937_64 random_;
  std::uint32_t left_ = 0, takes_ = 0, says_ = 0, commands_ = 0, slots_ = 1, stacks_ = 1;
};

TEST(StackJoinTwin, ShowsWhatTheRtlShowsInEveryCycle) {
  const std::uint64_t seed = test::seed(1);
  for (std::uint64_t round = 0; round < test::rounds(6); ++round) {
    const auto rtl = makeRtlStackJoin("join", kPeriod);
    const auto twin = makeModelStackJoin();
    Around around(seed + round);
    std::uint64_t taken = 0, strays = 0;
    ASSERT_EQ(difference(rtl->outputs(), twin->outputs()), "");
    for (std::uint64_t cycle = 1; cycle <= 40'000; ++cycle) {
      const StackJoin::Inputs inputs = around.next(rtl->outputs());
      taken += rtl->outputs().done && inputs.doneReady ? 1 : 0;
      strays += rtl->outputs().stray ? 1 : 0;
      rtl->clock(cycle * kPeriod, inputs);
      twin->clock(cycle * kPeriod, inputs);
      ASSERT_EQ(difference(rtl->outputs(), twin->outputs()), "") << "cycle " << cycle;
    }
    EXPECT_GT(taken, 100U);
    EXPECT_GT(strays, 100U);
  }
}

TEST(StackJoinTwin, ShowsASlotFiveCyclesAfterItsLastShareWasTaken) {
  const auto twin = makeModelStackJoin();
  Picoseconds edge = 0;
  const auto clock = [&](const StackJoin::Inputs& inputs) { twin->clock(edge += kPeriod, inputs); };
  StackJoin::Inputs arm;
  arm.command = {.first = 3, .last = 3, .shares = 0b11};
  clock(arm);
  while (twin->outputs().busy) clock({});
  StackJoin::Inputs first, second;
  first.shares[0] = second.shares[1] = {3, false};
  clock(first);
  clock(second);
  for (int cycle = 1; cycle < 5; ++cycle, clock({})) EXPECT_FALSE(twin->outputs().done) << cycle;
  EXPECT_EQ(twin->outputs().done, (StackJoin::Said{3, false}));
}

/// Nothing changes in cycles that are left out.
TEST(StackJoinTwin, MayRestWhileItIsNotBusyAndNothingComes) {
  const std::uint64_t seed = test::seed(2);
  const auto always = makeModelStackJoin(), rests = makeRtlStackJoin("join", kPeriod);
  Around around(seed);
  std::uint64_t rested = 0;
  for (std::uint64_t cycle = 1; cycle <= 40'000; ++cycle) {
    StackJoin::Inputs inputs = around.next(always->outputs());
    if (cycle % 50 < 40) inputs.shares = {}, inputs.command = {};
    bool comes = inputs.command || (inputs.doneReady && always->outputs().done);
    for (const auto& share : inputs.shares) comes |= share.has_value();
    always->clock(cycle * kPeriod, inputs);
    if (comes || rests->outputs().busy) {
      rests->clock(cycle * kPeriod, inputs);
    } else {
      ++rested;
    }
    ASSERT_EQ(difference(rests->outputs(), always->outputs()), "") << "cycle " << cycle;
  }
  EXPECT_GT(rested, 100U);
}

TEST(StackJoinTwin, InLockstepTheFirstDifferenceEndsTheRun) {
  auto armed = makeModelStackJoin();
  StackJoin::Inputs arm;
  arm.command = {.first = 5, .last = 5, .shares = 0b1};
  for (armed->clock(0, arm); !armed->outputs().commandReady;) armed->clock(0, {});
  while (armed->outputs().busy) armed->clock(0, {});
  const auto pair =
      makeLockstepStackJoin("join", makeRtlStackJoin("join", kPeriod), std::move(armed));
  StackJoin::Inputs share;
  share.shares[0] = {5, false};
  pair->clock(kPeriod, share);
  pair->clock(2 * kPeriod, {});
  try {
    pair->clock(3 * kPeriod, {});
    FAIL() << "the RTL reports a stray share, and the twin does not";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg_type(), "t3/lockstep");
    EXPECT_THAT(report.get_msg(), testing::HasSubstr("join differs after the clock edge at 3 ns"));
    EXPECT_THAT(report.get_msg(),
                testing::HasSubstr("stray_o is slot 5, stack 0, of the twin not"));
  }
}

}  // namespace
}  // namespace t3::stack_join_test
