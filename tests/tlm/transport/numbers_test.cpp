// SPDX-License-Identifier: Apache-2.0
#include "tlm/transport/numbers.h"

#include <gtest/gtest.h>

namespace t3::numbers_test {
namespace {

TEST(NumberPool, CountsFromZeroAndTakesAgainWhatWasGivenBack) {
  NumberPool pool;
  EXPECT_EQ(pool.made(), 0U);
  EXPECT_EQ(pool.take(), 0U);
  EXPECT_EQ(pool.take(), 1U);
  EXPECT_EQ(pool.take(), 2U);
  pool.giveBack(1);
  EXPECT_EQ(pool.take(), 1U);
  EXPECT_EQ(pool.made(), 3U) << "no more than were in use at once";
  EXPECT_EQ(pool.take(), 3U);
}

}  // namespace
}  // namespace t3::numbers_test
