// SPDX-License-Identifier: Apache-2.0
// Method: figures worked out by hand from the frequency, no simulation.
#include "tlm/transport/clock.h"

#include <gtest/gtest.h>

namespace t3::clock_test {
namespace {

TEST(Clock, RoundsThePeriodToWholePicoseconds) {
  EXPECT_EQ(Clock(1400.0).period(), 714U);  // 714.28…
  EXPECT_EQ(Clock(1000.0).period(), 1000U);
  EXPECT_EQ(Clock(1500.0).period(), 667U);  // 666.67 rounds up
  EXPECT_EQ(Clock(0.5).period(), 2'000'000U);
}

TEST(Clock, CountsCyclesInTheRoundedPeriod) {
  // A second of 1.4 GHz is 1.4e9 cycles of 714 ps, 0.04% short of a second: the model's own time.
  EXPECT_EQ(Clock(1400.0).cycles(1'400'000'000), 999'600'000'000U);
  EXPECT_EQ(Clock(1400.0).cycles(0), 0U);
}

TEST(Clock, FindsTheNextEdgeAndKeepsATimeThatIsOne) {
  const Clock clock(1400.0);
  EXPECT_EQ(clock.edgeAtOrAfter(0), 0U);
  EXPECT_EQ(clock.edgeAtOrAfter(1), 714U);
  EXPECT_EQ(clock.edgeAtOrAfter(714), 714U);
  EXPECT_EQ(clock.edgeAtOrAfter(715), 1428U);
}

TEST(Clock, ConvertsNanosecondsToTheNearestPicosecond) {
  EXPECT_EQ(picosecondsFromNs(0.0), 0U);
  EXPECT_EQ(picosecondsFromNs(0.0004), 0U);
  EXPECT_EQ(picosecondsFromNs(0.7143), 714U);
  EXPECT_EQ(picosecondsFromNs(500.0), 500'000U);
}

TEST(Clock, SystemCTimeIsCountedInPicoseconds) {
  EXPECT_EQ(toPicoseconds(sc_core::sc_time(1.5, sc_core::SC_NS)), 1500U);
  EXPECT_EQ(fromPicoseconds(1500), sc_core::sc_time(1500, sc_core::SC_PS));
}

}  // namespace
}  // namespace t3::clock_test
