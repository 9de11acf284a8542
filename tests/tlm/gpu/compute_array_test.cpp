// SPDX-License-Identifier: Apache-2.0
// Method: users that write down what they are given, on an array of two compute units with two
// slots each. Slots 0 and 2 belong to unit 0, slots 1 and 3 to unit 1.
#include "tlm/gpu/compute_array.h"

#include <gtest/gtest.h>

#include <vector>

namespace t3::compute_array_test {
namespace {

GpuConfig twoByTwo() {
  GpuConfig config;
  config.compute_units = 2;
  config.gemm.workgroups_per_cu = 2;
  return config;
}

struct User : SlotUser {
  int waiting = 0;
  std::vector<std::uint32_t> begun, math;

  bool wantsSlot() const override { return waiting > 0; }
  void begin(std::uint32_t slot) override {
    --waiting;
    begun.push_back(slot);
  }
  void matrixUnitFree(std::uint32_t slot) override { math.push_back(slot); }
};

using Slots = std::vector<std::uint32_t>;

struct Pair {
  ComputeArray array{twoByTwo()};
  User first, second;

  Pair() {
    array.add(first);
    array.add(second);
  }
};

TEST(ComputeArray, FreeSlotsGoToTheFirstUserThatWantsOne) {
  Pair pair;
  pair.first.waiting = 3;
  pair.second.waiting = 3;
  pair.array.offer();
  EXPECT_EQ(pair.first.begun, (Slots{0, 1, 2}));
  EXPECT_EQ(pair.second.begun, (Slots{3}));
}

TEST(ComputeArray, ASlotThatIsGivenBackGoesToTheFirstUserWhoeverHadIt) {
  Pair pair;
  pair.second.waiting = 6;
  pair.array.offer();
  EXPECT_EQ(pair.second.begun, (Slots{0, 1, 2, 3}));
  pair.first.waiting = 1;
  pair.array.offer();
  EXPECT_TRUE(pair.first.begun.empty()) << "no workgroup is interrupted";
  pair.array.giveBack(2);
  EXPECT_EQ(pair.first.begun, (Slots{2}));
  pair.array.giveBack(1);
  EXPECT_EQ(pair.second.begun, (Slots{0, 1, 2, 3, 1}));
}

TEST(ComputeArray, ASlotThatNobodyWantsStaysFree) {
  Pair pair;
  pair.first.waiting = 1;
  pair.array.offer();
  pair.array.giveBack(0);
  pair.second.waiting = 4;
  pair.array.offer();
  EXPECT_EQ(pair.second.begun, (Slots{0, 1, 2, 3}));
}

TEST(ComputeArray, AMatrixUnitServesTheSlotsOfItsUnitInTheOrderTheyAsk) {
  Pair pair;
  pair.first.waiting = 2;
  pair.second.waiting = 2;
  pair.array.offer();  // first: 0 and 1, second: 2 and 3
  EXPECT_TRUE(pair.array.takeMatrixUnit(2));
  EXPECT_TRUE(pair.array.takeMatrixUnit(1)) << "another unit";
  EXPECT_FALSE(pair.array.takeMatrixUnit(0)) << "whoever its user is";
  pair.array.freeMatrixUnit(2);
  EXPECT_EQ(pair.first.math, (Slots{0}));
  EXPECT_FALSE(pair.array.takeMatrixUnit(2)) << "slot 0 has it now";
  pair.array.freeMatrixUnit(0);
  EXPECT_EQ(pair.second.math, (Slots{2}));
  pair.array.freeMatrixUnit(2);
  EXPECT_TRUE(pair.array.takeMatrixUnit(0));
}

TEST(ComputeArray, SlotsOfOneUnitShareItsFillPath) {
  ComputeArray array(twoByTwo());
  EXPECT_EQ(array.slots(), 4U);
  array.fillPathFree(0) = 7;
  EXPECT_EQ(array.fillPathFree(2), 7U);
  EXPECT_EQ(array.fillPathFree(1), 0U);
}

/// Three units with two slots each: slots 0 and 3 belong to unit 0.
struct Claimed {
  ComputeArray array;
  User gemm;
  std::vector<Slots> units;  ///< of claims, in the order in which they got them

  Claimed()
      : array([] {
          GpuConfig config = twoByTwo();
          config.compute_units = 3;
          return config;
        }()) {
    array.add(gemm);
  }
  void claim(std::uint32_t count) {
    array.claim(count, [this](const Slots& some) { units.push_back(some); });
  }
};

TEST(ComputeArray, AClaimTakesWholeUnitsThatUsersThenDoNotGet) {
  Claimed one;
  one.gemm.waiting = 1;
  one.array.offer();
  one.claim(2);
  EXPECT_EQ(one.units, (std::vector<Slots>{{2, 1}})) << "the last of those that are free";
  one.gemm.waiting = 5;
  one.array.offer();
  EXPECT_EQ(one.gemm.begun, (Slots{0, 3}));
  one.array.unclaim(one.units.front());
  EXPECT_EQ(one.gemm.begun, (Slots{0, 3, 1, 2, 4, 5}));
}

TEST(ComputeArray, AClaimWaitsForAllOfItsUnitsAndKeepsThemFreeMeanwhile) {
  Claimed one;
  one.gemm.waiting = 8;
  one.array.offer();
  one.claim(1);
  EXPECT_EQ(one.array.claimsWaiting(), 1U);
  one.array.giveBack(2);
  one.array.giveBack(0);
  EXPECT_EQ(one.gemm.begun, (Slots{0, 1, 2, 3, 4, 5, 0})) << "slot 2 is kept free";
  EXPECT_TRUE(one.units.empty());
  one.array.giveBack(5);
  EXPECT_EQ(one.units, (std::vector<Slots>{{2}}));
  EXPECT_EQ(one.array.claimsWaiting(), 0U);
}

TEST(ComputeArray, OneUnitStaysWithTheUsersWhateverIsClaimed) {
  Claimed one;
  one.claim(1);
  one.claim(2);
  one.claim(1);
  EXPECT_EQ(one.units, (std::vector<Slots>{{2}})) << "claims are served in their order";
  one.gemm.waiting = 1;
  one.array.offer();
  one.array.unclaim({2});
  EXPECT_EQ(one.units, (std::vector<Slots>{{2}, {2, 1}}));
  one.array.unclaim({2, 1});
  EXPECT_EQ(one.units, (std::vector<Slots>{{2}, {2, 1}, {2}}));
}

}  // namespace
}  // namespace t3::compute_array_test
