// SPDX-License-Identifier: Apache-2.0
// Not a test: what artifacts_test.cpp runs to see what a failing one leaves behind.
#include <gtest/gtest.h>

#include "Varb5.h"
#include "Vqueue.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test {
namespace {

TEST(Planted, Fault) {
  Random random(testSeed(71));
  Clocked<Varb5> unit;
  for (int i = 0; i < 100; ++i) {
    unit.model.req_i = static_cast<CData>(random.below(32));
    unit.edge();
  }
  EXPECT_TRUE(false);
}

// More words than there are places: never_overflows of the RTL fails.
TEST(Planted, Assertion) {
  Clocked<Vqueue> unit;
  unit.model.push_i = 1;
  for (int i = 0; i < 20; ++i) unit.edge();
}

TEST(Planted, Sound) {
  Clocked<Varb5> one;
  Clocked<Varb5> two;
  two.edge();
}

}  // namespace
}  // namespace t3::rtl_test
