// SPDX-License-Identifier: Apache-2.0
// Method: the counter by itself, at its limit and one tile beside it; the sequence of what it says
// is compared.
#include "tlm/node/gpu_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace t3::ring_lag_test {
namespace {

class RingLagTest : public testing::Test {
 protected:
  RingLag lag{[this](bool behind) { said.push_back(behind); }};
  std::vector<bool> said;
};

TEST_F(RingLagTest, IsBehindAboveTheLimitAndNotAtIt) {
  lag.limit(3);
  for (int i = 0; i < 3; ++i) lag.produced();
  EXPECT_FALSE(lag.behind());
  lag.produced();
  EXPECT_TRUE(lag.behind());
  EXPECT_EQ(lag.tiles(), 4);
  lag.produced();
  lag.through(2);
  EXPECT_FALSE(lag.behind());
  EXPECT_THAT(said, testing::ElementsAre(true, false)) << "each change once";
}

TEST_F(RingLagTest, ARingThatIsAheadOfTheCountOfStoresIsNotBehind) {
  lag.limit(1);
  lag.through(4);
  EXPECT_EQ(lag.tiles(), -4);
  for (int i = 0; i < 5; ++i) lag.produced();
  EXPECT_FALSE(lag.behind());
  lag.produced();
  EXPECT_TRUE(lag.behind());
}

TEST_F(RingLagTest, ALimitOfZeroIsNone) {
  for (int i = 0; i < 1000; ++i) lag.produced();
  EXPECT_TRUE(said.empty());
}

TEST_F(RingLagTest, IsBehindWhileAnyUpdateWaitsForZeros) {
  lag.waitsForZeros(true);
  lag.waitsForZeros(true);
  lag.waitsForZeros(false);
  EXPECT_TRUE(lag.behind());
  lag.waitsForZeros(false);
  EXPECT_THAT(said, testing::ElementsAre(true, false));
}

}  // namespace
}  // namespace t3::ring_lag_test
