// SPDX-License-Identifier: Apache-2.0
// Method: random traffic of both classes, with settings that change, receivers that stop and
// drains, on the RTL beside its twin (merge_bench.h). At the end everything is drained, and for
// each line the contributions that left are those that came; the sums too, because all numbers are
// small integers, whose sums are exact in any order.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

#include "rtl_test/random.h"
#include "tests/switch/merge_bench.h"

namespace t3::switch_test::merge_random_test {
namespace {

using rtl_test::Random;
using rtl_test::testRounds;
using rtl_test::testSeed;

template <class Model>
class MergeRandom : public testing::Test {};
using Models = testing::Types<Vmerge_default, Vmerge_small, Vmerge_one, Vmerge_associative>;
TYPED_TEST_SUITE(MergeRandom, Models, );

TYPED_TEST(MergeRandom, LosesAndDoublesNothingAndAgreesWithItsTwin) {
  constexpr Sizes kSizes = MergeBench<TypeParam>::kSizes;
  constexpr std::uint32_t kMostLine = (1u << (std::min(kSizes.lineBits, 31u) - 1)) - 1;
  const std::uint64_t rounds = testRounds(6);
  std::uint64_t updates = 0, joined = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Random random(testSeed(81) + round);
    const std::uint32_t mostCount = (1u << kSizes.countBits) - 1;
    const std::uint32_t expected = random.between(2, std::min(mostCount, 9u));
    const auto anyAge = [&] {
      return random.below(3) == 0 ? 0 : random.between(1, (1u << kSizes.ageBits) - 1) % 700;
    };
    MergeBench<TypeParam> bench(expected, anyAge());

    struct Came {
      std::uint64_t count = 0;
      double sum = 0;
      bool operator==(const Came&) const = default;
    };
    std::map<std::uint64_t, Came> came, left;
    std::uint64_t writes = 0;
    std::uint64_t next = 0;
    std::uint32_t lines = 1, updatePercent = 100, writePercent = 0, jitter = 0;
    for (int i = 0; i < 12000; ++i) {
      if (i % 400 == 0) {  // another kind of traffic
        const std::uint32_t most = kSizes.sets * kSizes.ways * 2;
        lines = random.below(3) == 0 ? 1 : random.between(1, std::min(most, kMostLine));
        updatePercent = random.below(3) == 0 ? 30 : 100;
        writePercent = random.below(3) * 50;
        jitter = random.below(5);
        bench.updates.after = random.below(2) * 6 + 1;
        bench.writes.after = random.below(2) * 6 + 1;
        bench.updates.surplus = bench.writes.surplus = random.below(8) == 0 ? random.below(20) : 0;
        if (random.below(8) == 0) bench.updates.after.reset();
        if (random.below(8) == 0) bench.writes.after.reset();
        if (random.below(6) == 0) bench.expect(random.below(std::min(mostCount, 9u) + 1));
        if (random.below(3) == 0) bench.age(anyAge());
        bench.drain(random.below(10) == 0);
      }
      if (!bench.update && random.chance(updatePercent)) {
        MergeFlit flit;
        // In turn, as GPUs in step send them, with some out of turn.
        flit.line = (random.below(8) < jitter ? random.below(lines) : next++ / 3 % lines);
        flit.count = random.below(8) == 0 ? random.between(0, std::min(mostCount, 4u)) : 1;
        flit.format = random.below(64) == 0 ? MergeFormat::None : MergeFormat::Fp32;
        const auto value = static_cast<float>(random.below(16));
        flit.values = floats(kSizes.dataBytes, value);
        bench.update = flit;
      }
      if (!bench.write && random.chance(writePercent)) {
        bench.write = MergeWrite{.line = writes % kMostLine,
                                 .values = floats(kSizes.dataBytes, float(writes))};
      }
      const auto update = bench.update;
      const auto taken = bench.clock();
      if (taken.updateTaken) {
        came[update->line].count += update->count;
        came[update->line].sum += firstFloat(update->values);
      }
      writes += taken.writeTaken;
      ASSERT_FALSE(bench.differs()) << "round " << round << ", cycle " << i;
    }
    bench.update.reset();
    bench.write.reset();
    bench.updates.after = bench.writes.after = 1;
    bench.drain(true);
    bench.clock();
    bench.settle(10 * kSizes.sets * kSizes.ways + 200);
    std::uint64_t writesLeft = 0;
    for (const Seen& s : bench.seen) {
      if (s.write) {
        EXPECT_EQ(firstFloat(s.flit.values), float(writesLeft)) << "writes stay in order";
        ++writesLeft;
        continue;
      }
      left[s.flit.line].count += s.flit.count;
      left[s.flit.line].sum += firstFloat(s.flit.values);
    }
    EXPECT_EQ(came, left) << "round " << round;
    EXPECT_EQ(writes, writesLeft);
    updates += bench.twin().table().figures().updates;
    joined += bench.twin().table().figures().joined;
  }
  // Of all rounds: in one, `expected` may be such that nothing is joined.
  EXPECT_GT(updates, 1000 * rounds);
  EXPECT_GT(joined, 100 * rounds);
  std::printf("updates: %llu\n", static_cast<unsigned long long>(updates));
}

TYPED_TEST(MergeRandom, ForgetsEverythingAtAResetInTheMiddleOfWork) {
  constexpr Sizes kSizes = MergeBench<TypeParam>::kSizes;
  Random random(testSeed(83));
  MergeBench<TypeParam> bench(3, 20);
  for (int reset = 0; reset < 30; ++reset) {
    bench.updates.after = bench.writes.after = random.between(1, 9);
    // After a walk, or in it.
    const std::uint32_t cycles =
        kSizes.sets + random.below(60) - std::min(kSizes.sets, random.below(3));
    for (std::uint32_t i = 0; i < cycles; ++i) {
      if (!bench.update) {
        bench.update = MergeFlit{.line = random.below(2 * kSizes.sets + 2),
                                 .count = 1,
                                 .format = MergeFormat::Fp32,
                                 .values = floats(kSizes.dataBytes, float(i))};
      }
      if (!bench.write && random.chance(50)) {
        bench.write = MergeWrite{.line = i % 64, .values = floats(kSizes.dataBytes, float(i))};
      }
      bench.clock();
      ASSERT_FALSE(bench.differs()) << "reset " << reset << ", cycle " << i;
    }
    bench.reset();
    EXPECT_TRUE(bench.empty());
  }
  EXPECT_GT(bench.seen.size(), 100u);
}

// Values are random bits, so nothing is added up at the end: what is compared is RTL and twin.
TYPED_TEST(MergeRandom, CarriesEveryBitOfEveryPortInEveryFormat) {
  constexpr Sizes kSizes = MergeBench<TypeParam>::kSizes;
  Random random(testSeed(84));
  const std::uint32_t mostCount = (1u << kSizes.countBits) - 1;
  const std::uint32_t mostAge = (1u << kSizes.ageBits) - 1;
  MergeBench<TypeParam> bench(mostCount, mostAge);
  auto bytes = [&] {
    std::vector<unsigned char> values(kSizes.dataBytes);
    for (unsigned char& byte : values) byte = static_cast<unsigned char>(random.below(256));
    return values;
  };
  auto anyLine = [&] {
    const std::uint64_t line =
        std::uint64_t{random.below(1ull << 32)} << 32 | random.below(1ull << 32);
    return line & ((std::uint64_t{1} << kSizes.lineBits) - 1);
  };
  std::vector<std::uint64_t> lines(8);
  for (int i = 0; i < 6000; ++i) {
    if (i % 40 == 0) {
      for (std::uint64_t& line : lines) line = anyLine();
    }
    if (i % 200 == 0) bench.expect(random.below(2) == 0 ? mostCount : random.below(mostCount + 1));
    if (i % 500 == 0) bench.age(random.below(2) == 0 ? mostAge : random.below(64));
    if (!bench.update) {
      bench.update = MergeFlit{.line = lines[random.below(lines.size())],
                               .count = random.between(0, random.below(2) == 0 ? mostCount : 2),
                               .format = static_cast<MergeFormat>(i / 40 % 3),
                               .values = bytes()};
      if (random.below(16) == 0) bench.update->format = MergeFormat::None;
    }
    if (!bench.write && random.chance(30)) bench.write = MergeWrite{anyLine(), bytes()};
    bench.clock();
    ASSERT_FALSE(bench.differs()) << "cycle " << i;
  }
  EXPECT_GT(bench.twin().table().figures().joined, 150u);
}

}  // namespace
}  // namespace t3::switch_test::merge_random_test
