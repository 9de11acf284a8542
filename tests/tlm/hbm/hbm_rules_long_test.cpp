// SPDX-License-Identifier: Apache-2.0
// Method: as hbm_rules_test, other seeds and many more of them.
#include <gtest/gtest.h>

#include "tests/support/seed.h"
#include "tests/tlm/hbm/random_traffic.h"

namespace t3::test {
namespace {

TEST(HbmRulesLong, NoCommandBreaksARuleUnderRandomTrafficOfThousandsOfSeeds) {
  checkRandomTraffic(seed(100'000), 5000);
}

}  // namespace
}  // namespace t3::test
