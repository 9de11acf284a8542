// SPDX-License-Identifier: Apache-2.0
// Method: single promises of docs/switch-merge.md, in cycles. The bench holds the RTL beside its
// twin all the time; what the tests say is about both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tests/switch/merge_bench.h"

namespace t3::switch_test::merge_unit_test {
namespace {

template <class Model>
MergeFlit one(std::uint64_t line, float value, std::uint32_t count = 1) {
  return {.line = line,
          .count = count,
          .format = MergeFormat::Fp32,
          .values = floats(SizesOf<Model>::kSizes.dataBytes, value)};
}
template <class Model>
MergeWrite plain(std::uint64_t line, float value) {
  return {.line = line, .values = floats(SizesOf<Model>::kSizes.dataBytes, value)};
}

/// A line of docs/switch-merge.md, "Rate".
void printRate(const char* updates, std::uint64_t taken, std::uint64_t cycles) {
  std::printf("updates per cycle, %s: %.3f\n", updates,
              static_cast<double>(taken) / static_cast<double>(cycles));
}

using Default = MergeBench<Vmerge_default>;
using Small = MergeBench<Vmerge_small>;

TEST(MergeUnit, JoinsUpdatesOfOneLineInSuccessiveCyclesAndSendsTheSumOnce) {
  Default bench(7);
  bench.start();
  const std::uint64_t from = bench.cycle();
  for (int i = 1; i <= 7; ++i) EXPECT_EQ(bench.send(one<Vmerge_default>(5, float(i))), 1u);
  bench.clocks(20);
  ASSERT_EQ(bench.seen.size(), 1u);
  EXPECT_EQ(bench.seen[0].cycle, from + 6 + 4) << "the fourth cycle after the last one was taken";
  EXPECT_EQ(bench.seen[0].flit.line, 5u);
  EXPECT_EQ(bench.seen[0].flit.count, 7u);
  EXPECT_EQ(firstFloat(bench.seen[0].flit.values), 28.0f);
  EXPECT_TRUE(bench.empty());
}

TEST(MergeUnit, TakesAnUpdateEveryCycleWhateverTheLines) {
  std::uint64_t taken = 0, cycles = 0;
  // Cycles between two updates of a line: 1, 2, 3, 4 … 512.
  for (const std::uint32_t lines : {1u, 2u, 3u, 4u, 5u, 7u, 512u}) {
    Default bench(8);
    bench.start();
    const std::uint64_t from = bench.cycle();
    const std::uint32_t updates = 8 * lines * (1024 / lines);
    for (std::uint32_t i = 0; i < updates; ++i) {
      bench.update = one<Vmerge_default>(i % lines, 1.0f);
      ASSERT_TRUE(bench.clock().updateTaken) << lines << " lines, update " << i;
    }
    if (lines == 1) printRate("one line", updates, bench.cycle() - from);
    taken += updates;
    cycles += bench.cycle() - from;
    bench.clocks(10);
    EXPECT_EQ(bench.seen.size(), lines * (1024 / lines)) << lines << " lines";
    EXPECT_TRUE(bench.empty());
  }
  printRate("lines in turn", taken, cycles);
}

TEST(MergeUnit, TakesAWriteEveryCycleButThoseInWhichASumLeaves) {
  Default bench(8);
  bench.start();
  std::uint64_t updates = 0, writes = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    bench.write = plain<Vmerge_default>(i, 1.0f);
    ASSERT_TRUE(bench.clock().writeTaken) << i;
  }
  for (std::uint32_t i = 0; i < 9000; ++i) {
    if (!bench.update) bench.update = one<Vmerge_default>(updates / 8, 1.0f);
    if (!bench.write) bench.write = plain<Vmerge_default>(i, 1.0f);
    const auto taken = bench.clock();
    updates += taken.updateTaken;
    writes += taken.writeTaken;
  }
  // The link is never idle, and a sum waits for one write at most, and the updates with it.
  EXPECT_GE(writes + updates / 8, 8995u);
  EXPECT_GE(updates, 8000u);
  printRate("beside writes", updates, 9000);
}

TEST(MergeUnit, SendsTheOldestEntryOfAFullSetAsAPartialSum) {
  Small bench(6);
  bench.start();
  // Lines of set 0: the XOR of their groups of two bits is 0.
  const std::uint64_t lines[] = {0, 5, 10};
  bench.send(one<Vmerge_small>(lines[0], 1.0f));
  bench.send(one<Vmerge_small>(lines[1], 2.0f));
  bench.send(one<Vmerge_small>(lines[0], 4.0f));  // is still the oldest
  bench.send(one<Vmerge_small>(lines[2], 8.0f));
  bench.clocks(10);
  ASSERT_EQ(bench.seen.size(), 1u);
  EXPECT_EQ(bench.seen[0].flit.line, lines[0]);
  EXPECT_EQ(bench.seen[0].flit.count, 2u);
  EXPECT_EQ(firstFloat(bench.seen[0].flit.values), 5.0f);
  EXPECT_EQ(bench.twin().table().entries(), 2u);
}

TEST(MergeUnit, KeepsTheRateWhenEveryUpdatePutsAnotherLineOut) {
  MergeBench<Vmerge_one> bench(6);
  bench.start();
  // One credit that comes back in the next cycle: every other cycle at the link. The link sets the
  // pace, and the unit is ready when it is.
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_LE(bench.send(one<Vmerge_one>(i, float(i))), 2u) << i;
  }
  bench.clocks(20);
  EXPECT_EQ(bench.seen.size(), 99u);

  MergeBench<Vmerge_default> wide(6);
  wide.start();
  const std::uint64_t from = wide.cycle();
  for (std::uint32_t i = 0; i < 2000; ++i) {
    wide.update = one<Vmerge_default>(i, float(i));
    ASSERT_TRUE(wide.clock().updateTaken) << i;
  }
  printRate("each of another line", 2000, wide.cycle() - from);
  wide.clocks(10);
  EXPECT_EQ(wide.seen.size(), 2000u - 512u);
}

TEST(MergeUnit, LetsPassWhatItMustNotAdd) {
  Small bench(4);
  bench.start();
  bench.send(one<Vmerge_small>(3, 1.0f));
  MergeFlit other = one<Vmerge_small>(3, 2.0f);
  other.format = MergeFormat::None;
  bench.send(other);                          // no format
  bench.send(one<Vmerge_small>(3, 3.0f, 4));  // complete by itself
  bench.clocks(10);
  ASSERT_EQ(bench.seen.size(), 2u);
  EXPECT_EQ(bench.seen[0].flit, other);
  EXPECT_EQ(bench.seen[1].flit.count, 4u);
  EXPECT_EQ(bench.twin().table().entries(), 1u);
  // With the entry more than expected: that leaves, and the update stays.
  bench.send(one<Vmerge_small>(3, 5.0f, 3));
  bench.send(one<Vmerge_small>(3, 6.0f, 2));
  bench.clocks(10);
  ASSERT_EQ(bench.seen.size(), 3u);
  EXPECT_EQ(bench.seen[2].flit, one<Vmerge_small>(3, 6.0f, 4)) << "1 + 5, of one and three";
  bench.send(one<Vmerge_small>(3, 7.0f, 3));
  bench.clocks(10);
  ASSERT_EQ(bench.seen.size(), 4u);
  EXPECT_EQ(bench.seen[3].flit, one<Vmerge_small>(3, 6.0f, 2))
      << "two and three are more than four";
  EXPECT_EQ(bench.twin().table().entries(), 1u);
}

TEST(MergeUnit, LetsAnUpdateOfNoContributionsPass) {
  Small bench(4);
  bench.start();
  bench.send(one<Vmerge_small>(3, 1.0f));
  bench.send(one<Vmerge_small>(3, 2.0f, 0));
  bench.send(one<Vmerge_small>(4, 3.0f, 0));  // has no entry, and gets none
  bench.clocks(10);
  ASSERT_EQ(bench.seen.size(), 2u);
  EXPECT_EQ(bench.seen[0].flit, one<Vmerge_small>(3, 2.0f, 0));
  EXPECT_EQ(bench.seen[1].flit, one<Vmerge_small>(4, 3.0f, 0));
  EXPECT_EQ(bench.twin().table().entries(), 1u);
}

TEST(MergeUnit, PutsAnEntryOfAnotherFormatOut) {
  Small bench(4);
  bench.start();
  bench.send(one<Vmerge_small>(3, 1.0f));
  MergeFlit other = one<Vmerge_small>(3, 2.0f);
  other.format = MergeFormat::Bf16;
  bench.send(other);
  bench.clocks(10);
  ASSERT_EQ(bench.seen.size(), 1u);
  EXPECT_EQ(bench.seen[0].flit, one<Vmerge_small>(3, 1.0f));
  EXPECT_EQ(bench.twin().table().entries(), 1u);
}

TEST(MergeUnit, JoinsNothingWhenNothingIsExpected) {
  for (const std::uint32_t expected : {0u, 1u}) {
    Small bench(expected);
    bench.start();
    for (int i = 0; i < 5; ++i) bench.send(one<Vmerge_small>(3, float(i)));
    bench.clocks(10);
    EXPECT_EQ(bench.seen.size(), 5u);
    EXPECT_TRUE(bench.empty());
  }
}

TEST(MergeUnit, ClassesDoNotBlockEachOther) {
  Small bench(0);
  bench.start();
  bench.updates.after.reset();  // the receiver takes no more updates than it has places for
  for (int i = 0; i < 200; ++i) {
    if (!bench.update) bench.update = one<Vmerge_small>(3, float(i));
    bench.write = plain<Vmerge_small>(4, float(i));
    bench.clock();
  }
  auto writes = [&] {
    return std::ranges::count_if(bench.seen, [](const Seen& s) { return s.write; });
  };
  EXPECT_EQ(static_cast<std::int64_t>(bench.seen.size()) - writes(), 3);
  EXPECT_GT(writes(), 140)
      << "three credits, back after a cycle: a write a cycle but for the first ones";
  // And the other way round.
  Small other(0);
  other.start();
  other.writes.after.reset();
  for (int i = 0; i < 200; ++i) {
    other.update = one<Vmerge_small>(3, float(i));
    if (!other.write) other.write = plain<Vmerge_small>(4, float(i));
    other.clock();
  }
  EXPECT_EQ(std::ranges::count_if(other.seen, [](const Seen& s) { return s.write; }), 3);
  EXPECT_GT(other.seen.size(), 180u);
}

TEST(MergeUnit, IgnoresCreditsForWhichNothingWasSent) {
  for (std::uint32_t surplus = 0; surplus <= 9; ++surplus) {
    Small bench(0);
    bench.start();
    bench.updates.after.reset();
    bench.writes.after.reset();
    bench.updates.surplus = bench.writes.surplus = surplus;
    bench.clocks(surplus);
    for (int i = 0; i < 20; ++i) {
      if (!bench.update) bench.update = one<Vmerge_small>(3, float(i));
      if (!bench.write) bench.write = plain<Vmerge_small>(4, float(i));
      bench.clock();
    }
    const auto writes = std::ranges::count_if(bench.seen, [](const Seen& s) { return s.write; });
    EXPECT_EQ(writes, 3) << surplus;
    EXPECT_EQ(std::ssize(bench.seen), 6) << surplus;
  }
}

TEST(MergeUnit, LinkServesBothClassesInTurn) {
  Default bench(0);
  bench.start();
  for (int i = 0; i < 200; ++i) {
    if (!bench.update) bench.update = one<Vmerge_default>(3, float(i));
    if (!bench.write) bench.write = plain<Vmerge_default>(4, float(i));
    bench.clock();
  }
  ASSERT_GT(bench.seen.size(), 190u);
  for (std::size_t i = 10; i < bench.seen.size(); ++i) {
    EXPECT_EQ(bench.seen[i].cycle, bench.seen[i - 1].cycle + 1);
    EXPECT_NE(bench.seen[i].write, bench.seen[i - 1].write);
  }
}

TEST(MergeUnit, ForgetsWhatHadNoContributionForTwoRounds) {
  constexpr std::uint32_t kAge = 99;
  Small bench(6, kAge);
  bench.start();
  bench.send(one<Vmerge_small>(1, 1.0f));
  const std::uint64_t at = bench.cycle();
  // Another one gets a contribution in every round, and stays until it is complete.
  for (int i = 0; i < 5; ++i) {
    bench.send(one<Vmerge_small>(2, 1.0f));
    bench.clocks(kAge);
  }
  ASSERT_EQ(bench.seen.size(), 1u);
  EXPECT_EQ(bench.seen[0].flit, one<Vmerge_small>(1, 1.0f));
  EXPECT_GE(bench.seen[0].cycle - at, kAge + 1);
  EXPECT_LE(bench.seen[0].cycle - at, 2 * (kAge + 1) + 4 * 4);
  bench.send(one<Vmerge_small>(2, 1.0f));
  bench.clocks(10);
  ASSERT_EQ(bench.seen.size(), 2u);
  EXPECT_EQ(bench.seen[1].flit.count, 6u);
}

TEST(MergeUnit, AgesUnderFullTrafficToo) {
  Default bench(3, 500);
  bench.start();
  bench.send(one<Vmerge_default>(77, 1.0f));  // the others never come
  std::uint64_t refused = 0, cycles = 0, last = 0;
  std::uint64_t closest = 1000;  // cycles between two visits, of a round
  auto left = [&] {
    return std::ranges::any_of(bench.seen, [](const Seen& s) { return s.flit.line == 77; });
  };
  for (std::uint32_t i = 0; i < 40000 && !left(); ++i) {
    if (!bench.update) bench.update = one<Vmerge_default>(1000 + i % 2, 1.0f);
    ++cycles;
    if (bench.clock().updateTaken) continue;
    ++refused;
    closest = std::min(closest, cycles - std::exchange(last, cycles));
  }
  EXPECT_TRUE(left());
  printRate("while a round lasts", closest - 1, closest);
  EXPECT_LE(refused, cycles / 17 + 1) << "a visit in every 17th cycle at most";
  EXPECT_GT(refused, 0u);
}

/// Both classes ask in every cycle, and every update passes. Whether a sum that is never complete
/// leaves before so many more updates are taken as promise 9 allows cycles, while the receiver does
/// what `receive` says in each cycle.
template <class Model, class Receive>
bool leavesInTime(std::uint32_t age, std::uint32_t offset, Receive receive) {
  constexpr Sizes kSizes = MergeBench<Model>::kSizes;
  MergeBench<Model> bench(3, age);
  bench.start();
  bench.clocks(offset);
  bench.send(one<Model>(5, 1.0f));
  const std::uint64_t most = 2 * (age + 1) + 2 * 17 * kSizes.sets * (kSizes.ways + 1);
  for (std::uint64_t taken = 0; taken <= most;) {
    receive(bench);
    if (!bench.update) bench.update = one<Model>(6, 1.0f, 3);
    if (!bench.write) bench.write = plain<Model>(7, 1.0f);
    taken += bench.clock().updateTaken;
    if (bench.twin().table().empty() || bench.differs()) break;
  }
  return bench.twin().table().empty();
}

TEST(MergeUnit, BeginsARoundInTimeWhateverThePortsDo) {
  for (const std::uint32_t age : {1u, 2u, 3u, 6u, 7u, 8u, 9u, 98u, 99u, 100u, 254u, 255u}) {
    for (std::uint32_t offset = 0; offset < 4; ++offset) {
      SCOPED_TRACE("age " + std::to_string(age) + ", offset " + std::to_string(offset));
      for (std::uint32_t after = 1; after <= 9; ++after) {
        ASSERT_TRUE(leavesInTime<Vmerge_small>(age, offset,
                                               [&](Small& bench) {
                                                 bench.updates.after = after;
                                                 bench.writes.after = 10 - after;
                                               }))
            << "credits after " << after;
      }
      for (const std::uint32_t stall : {1u, 2u, 7u, 40u, age, age + 1}) {
        ASSERT_TRUE(leavesInTime<Vmerge_small>(age, offset,
                                               [&](Small& bench) {
                                                 const bool stalls = bench.cycle() / stall % 2 != 0;
                                                 bench.updates.after =
                                                     stalls ? std::nullopt : std::optional(1u);
                                               }))
            << "no credits in every other " << stall << " cycles";
      }
    }
  }
  for (const std::uint32_t age : {4998u, 4999u}) {
    ASSERT_TRUE(leavesInTime<Vmerge_default>(age, 0, [](Default&) {})) << age;
  }
}

TEST(MergeUnit, ChangesOfTheAgeCountAtOnce) {
  Small bench(3, 255);
  bench.start();
  bench.clocks(256);
  bench.send(one<Vmerge_small>(5, 1.0f));
  bench.clocks(100);
  bench.age(40);  // 41 cycles have passed since the last time
  bench.clocks(4 * 2 + 5);
  EXPECT_TRUE(bench.seen.empty()) << "a round has marked it";
  bench.clocks(40);
  ASSERT_EQ(bench.seen.size(), 1u) << "and the next one has put it out";
  bench.send(one<Vmerge_small>(5, 1.0f));
  bench.age(0);
  bench.clocks(1000);
  bench.age(100);
  bench.clocks(100 + 4 * 2 + 5);
  bench.age(255);
  bench.clocks(245);
  EXPECT_EQ(bench.seen.size(), 1u) << "101 cycles after the age was set it was marked";
  bench.clocks(20);
  EXPECT_EQ(bench.seen.size(), 2u) << "256 cycles later it leaves";
}

TEST(MergeUnit, DrainPutsEverythingOutAndJoinsNothing) {
  Default bench(7);
  bench.start();
  for (std::uint32_t i = 0; i < 300; ++i) bench.send(one<Vmerge_default>(i, float(i)));
  EXPECT_EQ(bench.twin().table().entries(), 299u);
  bench.drain(true);
  bench.clock();
  bench.send(one<Vmerge_default>(5, 1.0f));
  bench.settle(2 * (300 + 128) + 20);
  EXPECT_EQ(bench.seen.size(), 301u);
  std::map<std::uint64_t, std::uint32_t> counts;
  for (const Seen& s : bench.seen) counts[s.flit.line] += s.flit.count;
  EXPECT_EQ(counts.size(), 300u);
  EXPECT_EQ(counts[5], 2u);
  bench.drain(false);
  bench.clocks(2);
  bench.send(one<Vmerge_default>(5, 1.0f));
  bench.clocks(20);
  EXPECT_FALSE(bench.empty());
}

TEST(MergeUnit, AddsInTheOrderOfArrivalInEachFormat) {
  // 1 and half of the last bit round to 1, twice; the two halves together count. The order shows in
  // the sum.
  struct Numbers {
    MergeFormat format;
    std::size_t bytes;
    std::uint32_t one, half, next;
  };
  for (const Numbers& n : {Numbers{MergeFormat::Fp16, 2, 0x3c00, 0x1000, 0x3c01},
                           Numbers{MergeFormat::Bf16, 2, 0x3f80, 0x3b80, 0x3f81},
                           Numbers{MergeFormat::Fp32, 4, 0x3f800000, 0x33800000, 0x3f800001}}) {
    SCOPED_TRACE(static_cast<int>(n.format));
    auto all = [&](std::uint32_t number) {
      MergeFlit flit{.line = 9, .format = n.format, .values = std::vector<unsigned char>(128)};
      for (std::size_t i = 0; i < 128; i += n.bytes) {
        std::memcpy(flit.values.data() + i, &number, n.bytes);
      }
      return flit;
    };
    Default bench(3);
    bench.start();
    for (const std::uint32_t number : {n.one, n.half, n.half}) bench.send(all(number));
    for (const std::uint32_t number : {n.half, n.half, n.one}) bench.send(all(number));
    bench.clocks(10);
    ASSERT_EQ(bench.seen.size(), 2u);
    EXPECT_EQ(bench.seen[0].flit.values, all(n.one).values);
    EXPECT_EQ(bench.seen[1].flit.values, all(n.next).values);
  }
}

}  // namespace
}  // namespace t3::switch_test::merge_unit_test
