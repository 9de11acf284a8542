// SPDX-License-Identifier: Apache-2.0
// Method: queues and the arbiter by themselves, against std::deque and a pointer
// that walks the requesters, under random pushes, pops and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <memory>
#include <vector>

#include "Varb5.h"
#include "Vqueue.h"
#include "Vqueue2_ctrl.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test::queues_test {
namespace {

/// Three two-place queues whose words this owner keeps, as it is told to.
class TwoPlaceQueues {
 public:
  static constexpr std::size_t kCount = 3;
  Clocked<Vqueue2_ctrl> unit;
  std::uint32_t head[kCount] = {};
  std::uint32_t tail[kCount] = {};

  bool valid(std::size_t q) { return (unit.model.valid_o >> q & 1) != 0; }
  bool full(std::size_t q) { return (unit.model.full_o >> q & 1) != 0; }
  void clock(std::uint32_t push, std::uint32_t pop, const std::uint32_t (&words)[kCount]) {
    unit.model.push_i = static_cast<CData>(push);
    unit.model.pop_i = static_cast<CData>(pop);
    unit.model.eval();
    for (std::size_t q = 0; q < kCount; ++q) {
      if ((pop >> q & 1) != 0 || !valid(q)) head[q] = full(q) ? tail[q] : words[q];
      if (!full(q)) tail[q] = words[q];
    }
    unit.edge();
  }
};

TEST(Queue2Ctrl, EachBehavesLikeAQueueOfTwoWhateverTheOthersDo) {
  TwoPlaceQueues queues;
  std::deque<std::uint32_t> reference[TwoPlaceQueues::kCount];
  Random random(testSeed(31));
  std::uint32_t next = 1;
  std::size_t fullSeen = 0;
  for (int i = 0; i < 20000; ++i) {
    // Long phases that fill, drain, and run at full rate.
    const std::uint32_t pushPercent = i / 500 % 3 == 0 ? 90 : i / 500 % 3 == 1 ? 20 : 100;
    const std::uint32_t popPercent = i / 500 % 3 == 0 ? 30 : 100;
    std::uint32_t push = 0;
    std::uint32_t pop = 0;
    std::uint32_t words[TwoPlaceQueues::kCount];
    for (std::size_t q = 0; q < TwoPlaceQueues::kCount; ++q) {
      ASSERT_EQ(queues.valid(q), !reference[q].empty());
      ASSERT_EQ(queues.full(q), reference[q].size() == 2);
      if (queues.valid(q)) {
        ASSERT_EQ(queues.head[q], reference[q].front());
      }
      fullSeen += queues.full(q);
      words[q] = next++;
      if (!queues.full(q) && random.chance(pushPercent)) push |= 1u << q;
      if (queues.valid(q) && random.chance(popPercent)) pop |= 1u << q;
      if ((pop >> q & 1) != 0) reference[q].pop_front();
      if ((push >> q & 1) != 0) reference[q].push_back(words[q]);
    }
    queues.clock(push, pop, words);
  }
  EXPECT_GT(fullSeen, 100u);
}

TEST(Queue2Ctrl, TwoPlacesSustainAWordPerCycle) {
  TwoPlaceQueues queues;
  queues.clock(7, 0, {0, 0, 0});
  for (std::uint32_t i = 1; i < 100; ++i) {
    for (std::size_t q = 0; q < TwoPlaceQueues::kCount; ++q) {
      ASSERT_TRUE(queues.valid(q));
      ASSERT_FALSE(queues.full(q));
      ASSERT_EQ(queues.head[q], i - 1);
    }
    queues.clock(7, 7, {i, i, i});
  }
}

TEST(Queue, BehavesLikeAQueueAndKeepsItsHeadStable) {
  Clocked<Vqueue> unit;
  auto& m = unit.model;
  std::deque<std::uint32_t> reference;
  Random random(testSeed(33));
  std::uint32_t next = 1;
  std::size_t pushes = 0;
  bool held = false;
  std::size_t most = 0;
  for (int i = 0; i < 40000; ++i) {
    const std::uint32_t pushPercent = i / 300 % 2 == 0 ? 80 : 30;
    const std::uint32_t readyPercent = i / 300 % 2 == 0 ? 10 : 90;
    if (held) {
      ASSERT_TRUE(m.valid_o);
    }
    if (m.valid_o) {
      ASSERT_FALSE(reference.empty());
      ASSERT_EQ(m.data_o, reference.front());
    }
    m.push_i = reference.size() < 16 && random.chance(pushPercent);
    m.data_i = next;
    m.ready_i = random.chance(readyPercent);
    m.eval();
    const bool taken = m.valid_o && m.ready_i;
    held = m.valid_o && !m.ready_i;
    const bool mayRest = !m.push_i && !taken && !m.active_o;
    if (mayRest) {
      ASSERT_EQ(m.valid_o, !reference.empty()) << "a word would never come out";
    }
    // Half of the time its clock does rest.
    if (!mayRest || i / 600 % 2 == 0) unit.edge();
    if (taken) reference.pop_front();
    if (m.push_i) {
      reference.push_back(next);
      next += 0x9e3779b1u;
      ++pushes;
    }
    most = std::max(most, reference.size());
  }
  EXPECT_EQ(most, 16u);
  EXPECT_GT(pushes, 5000u);
}

/// Pushes first … first + count - 1 while nobody takes a word.
void push(Clocked<Vqueue>& unit, std::uint32_t first, std::uint32_t count) {
  unit.model.push_i = 1;
  unit.model.ready_i = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    unit.model.data_i = first + i;
    unit.edge();
  }
  unit.model.push_i = 0;
}

/// Takes a word in every cycle: first … first + count - 1.
void take(Clocked<Vqueue>& unit, std::uint32_t first, std::uint32_t count) {
  unit.model.ready_i = 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    ASSERT_TRUE(unit.model.valid_o);
    ASSERT_EQ(unit.model.data_o, first + i);
    unit.edge();
  }
}

TEST(Queue, AWordPushedIntoAnEmptyQueueIsThereInTheNextCycle) {
  Clocked<Vqueue> unit;
  auto& m = unit.model;
  for (std::uint32_t i = 0; i < 50; ++i) {
    push(unit, i, 1);
    take(unit, i, 1);
    ASSERT_FALSE(m.valid_o);
  }
}

TEST(Queue, ABacklogLeavesAtOneWordPerCycle) {
  Clocked<Vqueue> unit;
  auto& m = unit.model;
  push(unit, 0, 16);
  unit.edge();
  EXPECT_FALSE(m.active_o) << "a queue that nobody empties needs no clock";
  take(unit, 0, 16);
  EXPECT_FALSE(m.valid_o);
}

TEST(Queue, ResetEmptiesItWhereverItsPointersAre) {
  Clocked<Vqueue> unit;
  auto& m = unit.model;
  for (std::uint32_t round = 0; round < 20; ++round) {
    push(unit, 100 * round, 10);
    take(unit, 100 * round, round % 11);
    m.rst_ni = 0;
    m.eval();
    EXPECT_FALSE(m.valid_o);
    unit.edge();
    m.rst_ni = 1;
    for (std::uint32_t i = 0; i < 4; ++i) {
      unit.edge();
      EXPECT_FALSE(m.valid_o);
    }
  }
}

TEST(Arbiter, StartsWithTheLowestAfterReset) {
  Clocked<Varb5> unit;
  auto& m = unit.model;
  for (std::uint32_t last = 0; last < 5; ++last) {
    m.req_i = static_cast<CData>(1u << last);
    m.take_i = 1;
    unit.edge();
    m.take_i = 0;
    m.rst_ni = 0;
    unit.edge();
    m.rst_ni = 1;
    m.req_i = 0x1f;
    m.eval();
    EXPECT_EQ(m.grant_o, 1u);
  }
}

TEST(Arbiter, GrantsTheNextRequesterAfterTheLastOneTaken) {
  Clocked<Varb5> unit;
  auto& m = unit.model;
  Random random(testSeed(34));
  std::uint32_t last = 4;  // after reset the lowest index goes first
  for (int i = 0; i < 20000; ++i) {
    m.req_i = static_cast<CData>(random.below(32));
    m.eval();
    std::uint32_t expected = 0;
    for (std::uint32_t step = 1; step <= 5 && expected == 0; ++step) {
      expected = m.req_i & 1u << ((last + step) % 5);
    }
    ASSERT_EQ(m.grant_o, expected);
    m.take_i = m.req_i != 0 && random.chance(70);
    unit.edge();
    if (m.take_i) {
      last = 0;
      while ((expected >> last & 1u) == 0) ++last;
    }
    m.take_i = 0;
  }
}

TEST(Arbiter, ARequesterWaitsForAtMostAllOthers) {
  Clocked<Varb5> unit;
  auto& m = unit.model;
  Random random(testSeed(35));
  std::vector<int> waited(5, 0);
  std::uint32_t pending = 0;
  for (int i = 0; i < 20000; ++i) {
    pending |= random.below(32);
    m.req_i = static_cast<CData>(pending);
    m.take_i = pending != 0;
    m.eval();
    const std::uint32_t grant = m.grant_o;
    for (std::uint32_t k = 0; k < 5; ++k) {
      if ((grant >> k & 1u) != 0) {
        waited[k] = 0;
      } else if ((pending >> k & 1u) != 0) {
        ASSERT_LE(++waited[k], 4);
      }
    }
    unit.edge();
    pending &= ~grant;
  }
}

TEST(Queue, AClearEmptiesItWhereverItsPointersAre) {
  Clocked<Vqueue> unit;
  auto& m = unit.model;
  for (std::uint32_t round = 0; round < 20; ++round) {
    push(unit, 100 * round, 10);
    take(unit, 100 * round, round % 11);
    m.clear_i = 1;
    m.ready_i = round % 2;
    unit.edge();
    m.clear_i = 0;
    m.ready_i = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      EXPECT_FALSE(m.valid_o);
      EXPECT_EQ(m.count_o, 0u);
      unit.edge();
    }
  }
}

}  // namespace
}  // namespace t3::rtl_test::queues_test
