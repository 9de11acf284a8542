// SPDX-License-Identifier: Apache-2.0
// Method: thread blocks that hear from one another, in an order in which it is plain what each of
// them can know.
#include "tlm/collectives/step_clock.h"

#include <gtest/gtest.h>

namespace t3 {
namespace {

TEST(StepClock, CoversItsOwnStepsThatHaveEnded) {
  StepClock clock(3);
  EXPECT_FALSE(clock.covers({3, 0}));
  clock.tick();
  EXPECT_TRUE(clock.covers({3, 0}));
  EXPECT_FALSE(clock.covers({3, 1}));
  EXPECT_FALSE(clock.covers({2, 0}));
}

TEST(StepClock, KnowsWhatItHeardAndWhatTheOtherHadHeard) {
  StepClock a(0), b(1), c(2);
  c.tick();
  b.hear(c);
  c.tick();
  b.tick();
  b.tick();
  a.hear(b);
  b.tick();
  EXPECT_TRUE(a.covers({1, 1}));
  EXPECT_FALSE(a.covers({1, 2})) << "ended after it was heard";
  EXPECT_TRUE(a.covers({2, 0})) << "from b";
  EXPECT_FALSE(a.covers({2, 1}));
  EXPECT_FALSE(a.covers({0, 0})) << "its own";
}

TEST(StepClock, ForgetsNothingThatItHeardBefore) {
  StepClock a(0), b(1), c(2), d(4);
  c.tick();
  b.tick();
  d.tick();
  a.hear(c);
  a.hear(b);
  a.hear(d);
  StepClock old(1);
  a.hear(old);  // knows less
  EXPECT_TRUE(a.covers({1, 0}));
  EXPECT_TRUE(a.covers({2, 0}));
  EXPECT_TRUE(a.covers({4, 0}));
  EXPECT_FALSE(a.covers({3, 0}));
}

TEST(StepClock, WhatItKnowsOfItselfIsNotWhatOthersRemember) {
  StepClock a(0), b(1);
  a.tick();
  b.hear(a);
  a.tick();
  b.tick();
  a.hear(b);
  EXPECT_TRUE(a.covers({0, 1}));
  EXPECT_FALSE(a.covers({0, 2}));
}

}  // namespace
}  // namespace t3
