// SPDX-License-Identifier: Apache-2.0
// Method: limits, at the limit and one beside it. First the parts of a channel by themselves, then
// a channel whose commands can be told in advance to the clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "tests/tlm/hbm/channel_harness.h"
#include "tlm/hbm/channel/batches.h"
#include "tlm/hbm/channel/column_scheduler.h"
#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/channel/hazards.h"
#include "tlm/hbm/channel/queue_occupancy.h"

namespace t3::test {
namespace {

using State = QueueEntry::State;

/// A DRAM queue that a test fills by hand.
class FilledQueue {
 public:
  explicit FilledQueue(HbmConfig settings = {})
      : config(settings), queue(config), occupancy(config) {}

  Slot add(DramCommandKind kind, Cycles entered, State state = State::Waiting,
           std::uint32_t bursts = 1) {
    Piece& piece = pieces_.emplace_back();
    piece.kind = kind;
    piece.run.bursts = bursts;
    piece.bytes = bursts * config.burstBytes();
    const Slot slot = queue.take(piece, entered);
    queue.append(slot, state);
    occupancy.wait(directionOf(kind), bursts);
    return slot;
  }

  const HbmConfig config;
  DramQueue queue;
  QueueOccupancy occupancy;

 private:
  std::deque<Piece> pieces_;
};

TEST(QueueOccupancy, CountsAPlannedBurstUntilTheClockOfItsCommand) {
  FilledQueue q;
  q.occupancy.wait(Direction::Read, 8);
  EXPECT_EQ(q.occupancy.all(0), 8u);
  EXPECT_EQ(q.occupancy.whenAtMost(7), kNever) << "nothing is planned";
  q.occupancy.plan(Direction::Read, 8, 100);  // at 93 … 100
  EXPECT_EQ(q.occupancy.waiting(), 0u);
  for (const auto& [clock, left] :
       {std::pair{92, 8u}, {93, 8u}, {94, 7u}, {99, 2u}, {100, 1u}, {101, 0u}, {200, 0u}}) {
    EXPECT_EQ(q.occupancy.all(clock), left) << clock;
  }
  EXPECT_EQ(q.occupancy.whenAtMost(0), 101);
  EXPECT_EQ(q.occupancy.whenAtMost(3), 98);
  EXPECT_EQ(q.occupancy.all(98), 3u);
  EXPECT_EQ(q.occupancy.whenAtMost(8), 0) << "now";
}

TEST(QueueOccupancy, AddsUpPlannedPieces) {
  FilledQueue q;
  q.occupancy.wait(Direction::Write, 12);
  q.occupancy.plan(Direction::Write, 4, 50);
  q.occupancy.plan(Direction::Write, 4, 60);
  EXPECT_EQ(q.occupancy.all(50), 4u + 1 + 4);
  EXPECT_EQ(q.occupancy.whenAtMost(4 + 4), 51);
  EXPECT_EQ(q.occupancy.whenAtMost(4 + 3), 58);
  q.occupancy.retire(50);
  EXPECT_EQ(q.occupancy.all(51), 4u + 4);
  q.occupancy.retire(60);
  EXPECT_EQ(q.occupancy.all(60), 4u);
}

TEST(Hazards, OnlyOverlapsWithAWriteBlockAndTheLastOneReleases) {
  FilledQueue q;
  Hazards hazards(q.config, q.queue);
  const auto enter = [&](DramCommandKind kind, std::uint64_t begin, std::uint64_t end) {
    const Slot slot = q.add(kind, 0, State::Blocked);
    q.queue[slot].begin = begin;
    q.queue[slot].end = end;
    hazards.enter(slot);
    return slot;
  };
  const Slot read = enter(DramCommandKind::Read, 0, 64);
  const Slot alsoRead = enter(DramCommandKind::Read, 32, 64);
  const Slot write = enter(DramCommandKind::Write, 63, 96);
  const Slot behind = enter(DramCommandKind::Read, 96, 128);
  const Slot update = enter(DramCommandKind::Update, 95, 97);
  EXPECT_EQ(q.queue[read].blockers, 0);
  EXPECT_EQ(q.queue[alsoRead].blockers, 0) << "reads do not block reads";
  EXPECT_EQ(q.queue[write].blockers, 2) << "one byte in common is enough";
  EXPECT_EQ(q.queue[behind].blockers, 0) << "the byte behind the end is not part of it";
  EXPECT_EQ(q.queue[update].blockers, 2);
  const auto leave = [&](Slot slot) {
    q.queue.remove(slot);
    return hazards.leave(slot);
  };
  EXPECT_FALSE(leave(alsoRead));
  EXPECT_TRUE(leave(read));
  EXPECT_EQ(q.queue[write].state, State::Waiting);
  EXPECT_FALSE(leave(behind));
  EXPECT_EQ(q.queue[update].state, State::Blocked);
  EXPECT_TRUE(leave(write));
  EXPECT_EQ(q.queue[update].state, State::Waiting);
}

constexpr Cycles kAgeLimit = 1000;

TEST(Batches, OfReadsEndAtSoManyWritesAndNotOneBurstFewer) {
  FilledQueue q;
  Batches batches(q.config, kAgeLimit, q.queue, q.occupancy);
  q.add(DramCommandKind::Read, 0);
  for (std::uint32_t i = 0; i < q.config.write_high_bursts - 1; ++i) {
    q.add(DramCommandKind::Write, 0);
  }
  batches.served(Direction::Read, q.config.write_high_bursts - q.config.write_low_bursts);
  EXPECT_FALSE(batches.decide(0));
  q.add(DramCommandKind::Write, 0);
  EXPECT_TRUE(batches.decide(0));
  EXPECT_EQ(batches.running(), Direction::Write);
}

TEST(Batches, OfReadsHaveALeastLength) {
  FilledQueue q;
  Batches batches(q.config, kAgeLimit, q.queue, q.occupancy);
  q.add(DramCommandKind::Read, 0);
  for (std::uint32_t i = 0; i < q.config.write_high_bursts; ++i) q.add(DramCommandKind::Write, 0);
  batches.served(Direction::Read, q.config.write_high_bursts - q.config.write_low_bursts - 1);
  EXPECT_FALSE(batches.decide(0));
  batches.served(Direction::Write, 1);  // what went in a gap does not count
  EXPECT_FALSE(batches.decide(0));
  batches.served(Direction::Read, 1);
  EXPECT_TRUE(batches.decide(0));
}

TEST(Batches, OfReadsEndForAWriteOlderThanTheAgeLimitAndNoClockEarlier) {
  for (const State state : {State::Waiting, State::Ready}) {
    FilledQueue q;
    Batches batches(q.config, kAgeLimit, q.queue, q.occupancy);
    q.add(DramCommandKind::Write, 30, state);
    q.add(DramCommandKind::Read, 40);
    batches.served(Direction::Read, 100);
    EXPECT_FALSE(batches.decide(30 + kAgeLimit));
    EXPECT_TRUE(batches.decide(30 + kAgeLimit + 1));
  }
}

TEST(Batches, OfReadsEndAtOnceForAReadThatAWriteBlocks) {
  FilledQueue q;
  Batches batches(q.config, kAgeLimit, q.queue, q.occupancy);
  q.add(DramCommandKind::Write, 0);
  q.add(DramCommandKind::Read, 0);
  EXPECT_FALSE(batches.decide(0));
  q.add(DramCommandKind::Read, 0, State::Blocked);
  EXPECT_TRUE(batches.decide(0));
}

/// A queue with one read and so many bursts of writes, whose batch of writes is running.
struct WriteBatch {
  explicit WriteBatch(std::uint32_t bursts) : batches(q.config, kAgeLimit, q.queue, q.occupancy) {
    for (std::uint32_t i = 0; i < bursts; ++i) q.add(DramCommandKind::Write, 0);
    EXPECT_TRUE(batches.decide(0)) << "nothing else waits";
    q.add(DramCommandKind::Read, 0);
  }
  FilledQueue q;
  Batches batches;
};

TEST(Batches, OfWritesEndAtTheLowWatermarkAndNotOneBurstBefore) {
  const HbmConfig config;
  WriteBatch more(config.write_low_bursts + 1), few(config.write_low_bursts);
  EXPECT_FALSE(more.batches.decide(0));
  EXPECT_TRUE(few.batches.decide(0));
  WriteBatch old(config.write_low_bursts), alsoOld(config.write_low_bursts);
  EXPECT_TRUE(old.batches.decide(kAgeLimit));
  EXPECT_FALSE(alsoOld.batches.decide(kAgeLimit + 1)) << "an old write is served first";
}

TEST(Batches, OfWritesAreAtMostSoLongWhileAReadWaits) {
  const HbmConfig config;
  WriteBatch one(60);
  one.batches.served(Direction::Write, config.write_high_bursts - 1);
  EXPECT_FALSE(one.batches.decide(0));
  one.batches.served(Direction::Write, 1);
  EXPECT_TRUE(one.batches.decide(0));
}

/// Two reads of eight bursts over four bank groups, all rows open, the older one possible so many
/// clocks after the younger. Returns whether the older is chosen when it is `age` clocks old.
bool olderGoesFirst(Cycles later, Cycles age) {
  HbmConfig config;
  config.address_mapping = AddressMappingPolicy::BurstOverGroups;
  FilledQueue q(config);
  const TimingTable table(config);
  ChannelTiming timing(config, table, ChannelId{0}, config.bank_groups, 1000);
  HbmStatistics statistics(config);
  Batches batches(config, kAgeLimit, q.queue, q.occupancy);
  ColumnScheduler columns(table, timing, kAgeLimit, q.queue, q.occupancy, batches, ChannelId{0},
                          statistics);
  constexpr Cycles kNow = 5000;
  for (std::uint32_t group = 0; group < config.bank_groups; ++group) {
    timing.activate(timing.bank(group, 0), 0, 0, 0);
  }
  const Slot older = q.add(DramCommandKind::Read, kNow - age, State::Ready, 8);
  const Slot younger = q.add(DramCommandKind::Read, kNow, State::Ready, 8);
  q.queue[older].notBefore = kNow + later;
  const ColumnScheduler::Choice choice = columns.choose(kNow);
  EXPECT_EQ(choice.at, choice.slot == older ? kNow + later : kNow);
  EXPECT_TRUE(choice.slot == older || choice.slot == younger);
  return choice.slot == older;
}

TEST(ColumnScheduler, KeepsTheBusForTheOldestFromTheAgeLimitOnAndNoClockEarlier) {
  EXPECT_FALSE(olderGoesFirst(4, kAgeLimit));
  EXPECT_TRUE(olderGoesFirst(4, kAgeLimit + 1));
}

TEST(ColumnScheduler, LetsOthersGoBeforeAnOldOneOnlyIfTheyDelayItByLessThanOneBurst) {
  EXPECT_TRUE(olderGoesFirst(7, kAgeLimit + 1)) << "its eighth burst would go at that very clock";
  EXPECT_FALSE(olderGoesFirst(8, kAgeLimit + 1));
}

TEST(ColumnScheduler, TakesTheOlderOfEquals) { EXPECT_TRUE(olderGoesFirst(0, 0)); }

// The channel.

/// One bank of one channel, commands decided clock by clock.
HbmConfig plainChannel() {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  config.bank_hash = false;
  config.decision_clocks = 1;
  return config;
}
std::uint64_t rowAddress(const HbmConfig& config, std::uint64_t row) {
  return row * config.page_bytes * config.banks;
}

TEST(ChannelLimits, ExactlyTheCapOfRowHitsOvertakesAnOlderEntryThatWantsTheBank) {
  for (const std::uint32_t cap : {1u, 4u, 32u}) {
    HbmConfig config = plainChannel();
    config.row_hit_cap_bursts = cap;
    ChannelHarness one(config);
    std::vector<ChannelHarness::Arrival> arrivals{{.address = 0},
                                                  {.address = rowAddress(config, 1)}};
    // Hits of row 0 behind the conflict, in the same bank: bursts of one block.
    for (std::uint32_t i = 0; i < 40; ++i) arrivals.push_back({.address = i % 8 * 32ull});
    one.run(arrivals);
    std::size_t conflict = 0;
    while (one.served()[conflict].index != 1) ++conflict;
    EXPECT_EQ(conflict, cap);
  }
}

/// Clock at which a write is planned that entered at clock 0 among reads that never end, one burst
/// each clock.
Cycles writeAmongReads(double clockMhz, double ageLimitNs) {
  HbmConfig config = plainChannel();
  config.clock_mhz = clockMhz;
  config.age_limit_ns = ageLimitNs;
  config.address_mapping = AddressMappingPolicy::BurstOverGroups;
  ChannelHarness one(config);
  std::vector<ChannelHarness::Arrival> arrivals{
      {.address = 2 * 8192, .bytes = 32, .kind = DramCommandKind::Write}};
  for (std::uint32_t i = 0; i < 4000; ++i) arrivals.push_back({.address = i % 256 * 32ull});
  one.run(arrivals);
  for (const auto& served : one.served()) {
    if (served.index == 0) return served.decided;
  }
  ADD_FAILURE() << "not served";
  return 0;
}

TEST(ChannelLimits, AnOldWriteGoesOneTurnaroundAfterTheAgeLimit) {
  const TimingTable table(plainChannel());
  const Cycles turn =
      table.delay(DramCommandKind::Read, DramCommandKind::Write, RuleScope::Channel);
  for (const double limit : {500.0, 501.0, 1000.0}) {
    // The last read goes at the limit. The clock after, the write is too old.
    EXPECT_EQ(writeAmongReads(1000, limit), static_cast<Cycles>(limit) + turn);
  }
}

TEST(ChannelLimits, TheAgeLimitIsInNanoseconds) {
  HbmConfig config = plainChannel();
  config.clock_mhz = 2000;
  const TimingTable table(config);
  const Cycles turn =
      table.delay(DramCommandKind::Read, DramCommandKind::Write, RuleScope::Channel);
  EXPECT_EQ(writeAmongReads(2000, 500), 1000 + turn);
}

TEST(ChannelLimits, TheDramQueueTakesExactlyWhatItHoldsAndAnythingWhenEmpty) {
  // Served order tells what was in the queue together: reads overtake writes only in there.
  HbmConfig config = plainChannel();
  config.dram_queue_bursts = 16;
  config.write_high_bursts = 16;
  const auto mostWaiting = [&](std::uint32_t bytes) {
    ChannelHarness one(config);
    std::vector<ChannelHarness::Arrival> arrivals;
    for (std::uint32_t i = 0; i < 20; ++i)
      arrivals.push_back({.address = i * 256ull, .bytes = bytes});
    one.run(arrivals);
    const auto& occupancy = one.statistics().occupancy;
    std::size_t most = 0;
    for (std::size_t i = 0; i < occupancy.size(); ++i) {
      if (occupancy[i] > 0) most = i;
    }
    return most;  // before the entry of the last piece that fitted
  };
  EXPECT_EQ(mostWaiting(256), 8u) << "two pieces of eight bursts";
  EXPECT_EQ(mostWaiting(32), 15u);
  EXPECT_EQ(mostWaiting(160), 11u) << "of five bursts: three of them are 15";
}

}  // namespace
}  // namespace t3::test
