// SPDX-License-Identifier: Apache-2.0
// Method: post values before or during the simulation, record what is delivered when, and compare
// with a stable sort by time of what was posted.
#include "tlm/transport/agenda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/seed.h"

namespace t3::timed_queue_test {
namespace {

using testing::ElementsAre;
using testing::Pair;
using Log = std::vector<std::pair<Picoseconds, int>>;

TEST(TimedQueue, AnEarlierPostMovesTheDeliveryForwardAndTheLaterOneStillComes) {
  Log log;
  TimedQueue<int> queue("queue", [&](int value) { log.emplace_back(now(), value); });
  queue.post(100, 2);
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_PS));
  queue.post(20, 1);
  sc_core::sc_start();
  EXPECT_THAT(log, ElementsAre(Pair(20, 1), Pair(100, 2)));
}

TEST(TimedQueue, TakesValuesThatCanOnlyBeMoved) {
  int sum = 0;
  TimedQueue<std::unique_ptr<int>> queue("queue",
                                         [&](std::unique_ptr<int> value) { sum += *value; });
  queue.post(2, std::make_unique<int>(40));
  queue.post(1, std::make_unique<int>(2));
  sc_core::sc_start();
  EXPECT_EQ(sum, 42);
}

TEST(TimedQueue, MatchesAStableSortOnRandomPosts) {
  std::mt19937_64 random(test::seed(1));
  Log log;
  Log expected;
  int next = 0;
  TimedQueue<int>* self = nullptr;
  const auto postOne = [&] {
    const Picoseconds when = now() + random() % 50;  // short range: many equal times
    expected.emplace_back(when, next);
    self->post(when, next++);
  };
  TimedQueue<int> queue("queue", [&](int value) {
    log.emplace_back(now(), value);
    for (int count = static_cast<int>(random() % 3); count > 0 && next < 5000; --count) postOne();
  });
  self = &queue;
  for (int count = 0; count < 50; ++count) postOne();
  sc_core::sc_start();
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  ASSERT_GT(log.size(), 50U);
  EXPECT_EQ(log, expected);
}

}  // namespace
}  // namespace t3::timed_queue_test
