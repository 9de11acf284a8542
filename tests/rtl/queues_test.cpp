// SPDX-License-Identifier: Apache-2.0
// Method: queues, the arbiter and the record port by themselves, against std::deque and a pointer
// that walks the requesters, under random pushes, pops and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <memory>
#include <vector>

#include "Varb5.h"
#include "Vqueue2_ctrl.h"
#include "Vready_queue.h"
#include "Vspill_port.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test {
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
      const bool toHead = (unit.model.to_head_o >> q & 1) != 0;
      const bool toTail = (unit.model.to_tail_o >> q & 1) != 0;
      const bool shift = (unit.model.shift_o >> q & 1) != 0;
      EXPECT_EQ(toHead + toTail, static_cast<int>(push >> q & 1)) << "a pushed word has one place";
      EXPECT_FALSE(toHead && shift);
      if (shift) head[q] = tail[q];
      if (toHead) head[q] = words[q];
      if (toTail) tail[q] = words[q];
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

TEST(ReadyQueue, BehavesLikeAQueueAndKeepsItsHeadStable) {
  Clocked<Vready_queue> unit;
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
void push(Clocked<Vready_queue>& unit, std::uint32_t first, std::uint32_t count) {
  unit.model.push_i = 1;
  unit.model.ready_i = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    unit.model.data_i = first + i;
    unit.edge();
  }
  unit.model.push_i = 0;
}

/// Takes a word in every cycle: first … first + count - 1.
void take(Clocked<Vready_queue>& unit, std::uint32_t first, std::uint32_t count) {
  unit.model.ready_i = 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    ASSERT_TRUE(unit.model.valid_o);
    ASSERT_EQ(unit.model.data_o, first + i);
    unit.edge();
  }
}

TEST(ReadyQueue, AWordPushedIntoAnEmptyQueueIsThereInTheNextCycle) {
  Clocked<Vready_queue> unit;
  auto& m = unit.model;
  for (std::uint32_t i = 0; i < 50; ++i) {
    push(unit, i, 1);
    take(unit, i, 1);
    ASSERT_FALSE(m.valid_o);
  }
}

TEST(ReadyQueue, ABacklogLeavesAtOneWordPerCycle) {
  Clocked<Vready_queue> unit;
  auto& m = unit.model;
  push(unit, 0, 16);
  unit.edge();
  EXPECT_FALSE(m.active_o) << "a queue that nobody empties needs no clock";
  take(unit, 0, 16);
  EXPECT_FALSE(m.valid_o);
}

TEST(ReadyQueue, ResetEmptiesItWhereverItsPointersAre) {
  Clocked<Vready_queue> unit;
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

TEST(SpillPort, ARequestLeavesOnceAsGrantedAndAnAnswerReachesItsBank) {
  struct Request {
    bool wraps = false;
    bool write = false;
    std::uint32_t bank = 0;
    std::uint64_t address = 0;
    std::array<std::uint32_t, 4> record{};
  };
  Clocked<Vspill_port> unit;
  auto& m = unit.model;
  std::deque<Request> waiting;
  std::array<std::uint32_t, 4> answer{};
  Random random(testSeed(36));
  std::uint32_t asked = 0;    // banks whose reads the memory has, one bit of 8
  std::uint32_t unasked = 0;  // answers of the cycle before that nobody asked for
  std::uint32_t lostSeen = 0;
  std::uint32_t answered = 0;  // the bank whose answer came in the cycle before, one bit of 8
  std::uint32_t grantedBefore = 0;
  std::uint32_t wrote = 0;
  bool live = false;  // and the record was a live one, not the mark of a taken one
  std::uint32_t twoSeen = 0;
  m.req_i = m.write_i = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t readyPercent = i / 200 % 2 == 0 ? 20 : 100;
    for (std::uint32_t bank = 0; bank < 8; ++bank) {
      if ((m.req_i >> bank & 1) != 0 || !random.chance(20)) continue;
      m.req_i = static_cast<CData>(m.req_i | 1u << bank);
      m.write_i = static_cast<CData>((m.write_i & ~(1u << bank)) | random.below(2) << bank);
    }
    m.mem_ready_i = random.chance(readyPercent);
    m.addr_i = std::uint64_t{random.below(1u << 16)} << 32 | random.below(std::uint64_t{1} << 32);
    m.wraps_i = random.chance(10);
    m.mem_rvalid_i = random.chance(50);
    m.mem_rid_i = static_cast<CData>(random.below(8));
    for (std::uint32_t word = 0; word < 4; ++word) {
      m.wdata_i[word] = random.below(std::uint64_t{1} << 32);
      m.mem_rdata_i[word] = random.below(std::uint64_t{1} << 32);
    }
    m.eval();

    ASSERT_EQ(m.mem_valid_o, !waiting.empty() && !waiting.front().wraps);
    if (m.mem_valid_o) {
      const Request& head = waiting.front();
      ASSERT_EQ(m.mem_write_o, head.write);
      ASSERT_EQ(m.mem_id_o, head.bank);
      ASSERT_EQ(m.mem_addr_o, head.address);
      for (std::uint32_t word = 0; word < 4; ++word)
        ASSERT_EQ(m.mem_wdata_o[word], head.record[word]);
    }
    ASSERT_EQ(m.rvalid_o, answered);
    for (std::uint32_t word = 0; word < 4 && answered != 0; ++word)
      ASSERT_EQ(m.rdata_o[word], answer[word]);
    ASSERT_EQ(m.unasked_o, unasked != 0);
    if (unasked != 0) {
      ASSERT_EQ(1u << m.unasked_bank_o, unasked);
    }
    ASSERT_EQ(m.evicted_o, grantedBefore != 0 && wrote != 0 && live);
    ASSERT_EQ(m.filled_o, grantedBefore != 0 && wrote == 0);

    const std::uint32_t grant = m.gnt_o;
    ASSERT_EQ(grant & ~m.req_i, 0u);
    ASSERT_EQ(std::popcount(grant), m.req_i != 0 && waiting.size() < 2 ? 1 : 0);
    m.mem_ready_i = !m.mem_ready_i;
    m.eval();
    ASSERT_EQ(m.gnt_o, grant) << "a grant follows the memory's ready";
    m.mem_ready_i = !m.mem_ready_i;
    m.eval();

    twoSeen += waiting.size() == 2;
    const std::uint32_t answers = m.mem_rvalid_i ? 1u << m.mem_rid_i : 0;
    unasked = answers & ~asked;
    answered = answers & asked;
    for (std::uint32_t word = 0; word < 4; ++word) answer[word] = m.mem_rdata_i[word];
    asked &= ~answered;
    if (!waiting.empty() && waiting.front().wraps) {
      // Its record is lost; a read is answered with zeros when there is no other answer.
      const Request& head = waiting.front();
      if (head.write) {
        waiting.pop_front();
      } else if (answered == 0) {
        answered = 1u << head.bank;
        answer.fill(0);
        ++lostSeen;
        waiting.pop_front();
      }
    } else if (!waiting.empty() && m.mem_ready_i) {
      if (!waiting.front().write) asked |= 1u << waiting.front().bank;
      waiting.pop_front();
    }
    grantedBefore = m.wraps_i ? 0 : grant;
    wrote = grant & m.write_i;
    live = (m.wdata_i[83 / 32] >> (83 % 32) & 1) != 0;
    if (grant != 0) {
      Request request{m.wraps_i != 0,
                      wrote != 0,
                      static_cast<std::uint32_t>(std::countr_zero(grant)),
                      m.addr_i,
                      {}};
      for (std::uint32_t word = 0; word < 4 && wrote != 0; ++word)
        request.record[word] = m.wdata_i[word];
      waiting.push_back(request);
    }
    unit.edge();
    m.req_i = static_cast<CData>(m.req_i & ~grant);
  }
  EXPECT_GT(twoSeen, 1000u);
  EXPECT_GT(lostSeen, 100u);
}

}  // namespace
}  // namespace t3::rtl_test
