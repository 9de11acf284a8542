// SPDX-License-Identifier: Apache-2.0
// Method: the monitor by itself, under random commands, against counts and a set kept beside it.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <utility>

#include "Vtrigger_monitor.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace {

using t3::rtl_test::Clocked;
using t3::rtl_test::Random;
using t3::rtl_test::testSeed;

TEST(TriggerMonitor, CountsEachGpusCommandsAndSeesTheFirstThatComesTwice) {
  Clocked<Vtrigger_monitor> unit;
  Random random(testSeed(1));
  std::array<std::uint32_t, 4> counts{};
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  bool twice = false;
  for (int cycle = 0; cycle < 1000; ++cycle) {
    const std::uint32_t gpu = random.below(4);
    const std::uint32_t command = random.below(64);
    const bool valid = random.chance(10);
    unit.model.valid_i = valid;
    unit.model.gpu_i = static_cast<CData>(gpu);
    unit.model.cmd_i = static_cast<CData>(command);
    unit.edge();
    if (valid) {
      ++counts[gpu];
      twice |= !seen.insert({gpu, command}).second;
    }
    for (std::uint32_t g = 0; g < 4; ++g) {
      ASSERT_EQ(unit.model.count_o >> (16 * g) & 0xFFFF, counts[g]) << "cycle " << cycle;
    }
    ASSERT_EQ(unit.model.duplicate_o != 0, twice) << "cycle " << cycle;
  }
  EXPECT_TRUE(twice) << "the test saw nothing of what it looks for";
}

}  // namespace
