// SPDX-License-Identifier: Apache-2.0
// Method: limits, at the limit and one beside it. First the parts of a channel by themselves, then
// a channel whose commands can be told in advance to the clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "tests/tlm/hbm/channel_harness.h"
#include "tlm/hbm/channel/bank_claims.h"
#include "tlm/hbm/channel/column_scheduler.h"
#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/channel/hazards.h"

namespace t3::test::channel_limits_test {
namespace {

using State = QueueEntry::State;

/// What stands around a channel; nobody is served.
struct Surroundings : ChannelHost {
  explicit Surroundings(const HbmConfig& config) : settings(config) {}
  bool track(ChannelId, Piece&) override { return true; }
  void served(ChannelId, Piece&, Picoseconds) override {}

  const HbmConfig settings;
  const TimingTable rules{settings};
  HbmStatistics counts{settings};
};

/// A channel whose DRAM queue a test fills by hand.
class FilledQueue : Surroundings, public ChannelState {
 public:
  explicit FilledQueue(const HbmConfig& memory = {})
      : Surroundings(memory),
        ChannelState({settings, rules, settings.bank_groups, 1000, *this, counts}, ChannelId{0}) {}

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
  Hazards hazards(q);
  const auto enter = [&](DramCommandKind kind, std::uint64_t begin, std::uint64_t end) {
    const Slot slot = q.add(kind, 0, State::Blocked);
    Piece& piece = *q.queue[slot].piece;
    piece.address = q.queue[slot].begin = begin;
    piece.bytes = static_cast<std::uint32_t>(end - begin);
    q.queue[slot].end = end;
    hazards.enter(slot, hazards.find(piece).overlaps);
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
    const bool released = hazards.served(q.queue[slot], *q.queue[slot].piece);
    hazards.leave(slot);
    return released;
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

/// Batches and claims over a queue that a test fills by hand. Entries of `FilledQueue` need no
/// bank: all that wait claim when they are asked.
struct FilledChannel : FilledQueue {
  explicit FilledChannel(const HbmConfig& memory = {}) : FilledQueue(memory) {}

  /// Entries of so many bursts in all have claimed their banks.
  void claimed(DramCommandKind kind, std::uint32_t bursts) {
    for (; bursts > 0; bursts -= std::min(bursts, 8u)) {
      add(kind, 0, State::Waiting, std::min(bursts, 8u));
    }
    claims.claim(0, directionOf(kind));
  }
  /// An entry of one burst waits for a row of a closed bank.
  Slot rowClosed(DramCommandKind kind, Cycles entered = 0) {
    const Slot slot = add(kind, entered);
    queue[slot].banks = maskOf(5);
    queue[slot].run.row = 1;
    return slot;
  }

  PageCloser pages{*this};
  BankClaims claims{*this, pages};
  Batches batches{*this, claims};
};

/// Bursts that the bus moves while a row is closed and another one opened.
std::uint32_t rowOpeningBursts(const HbmConfig& config) {
  return static_cast<std::uint32_t>(config.timing.rp_ns + config.timing.rcd_rd_ns);
}

TEST(Batches, OfReadsRunDryWhenWhatHasClaimedLastsAsLongAsARowTakesToOpen) {
  FilledChannel q;
  q.claimed(DramCommandKind::Read, rowOpeningBursts(q.config) + 1);
  for (std::uint32_t i = 0; i < q.config.write_drain_bursts; ++i)
    q.rowClosed(DramCommandKind::Write);
  EXPECT_FALSE(q.batches.decide(0));
  q.batches.served(Direction::Read, 1);
  EXPECT_TRUE(q.batches.decide(0));
  EXPECT_EQ(q.batches.running(), Direction::Write);
}

TEST(Batches, GoOnToTheirLastReadyBurstIfTheOtherDirectionFindsItsRowOpen) {
  FilledChannel q;
  q.claimed(DramCommandKind::Read, 8);
  for (std::uint32_t i = 0; i < q.config.write_drain_bursts; ++i) q.add(DramCommandKind::Write, 0);
  q.batches.served(Direction::Read, 7);
  EXPECT_FALSE(q.batches.decide(0));
  q.batches.served(Direction::Read, 1);
  EXPECT_TRUE(q.batches.decide(0));
}

TEST(Batches, OfReadsDoNotRunDryWhileAReadWaitsForARow) {
  FilledChannel q;
  q.claimed(DramCommandKind::Read, 8);
  q.add(DramCommandKind::Read, 0);
  for (std::uint32_t i = 0; i < q.config.write_drain_bursts; ++i)
    q.rowClosed(DramCommandKind::Write);
  EXPECT_FALSE(q.batches.decide(0));
}

TEST(Batches, OfReadsGiveWayToSoManyWritesAndNotToOneBurstFewer) {
  FilledChannel q;
  q.claimed(DramCommandKind::Read, 8);
  for (std::uint32_t i = 1; i < q.config.write_drain_bursts; ++i)
    q.rowClosed(DramCommandKind::Write);
  EXPECT_FALSE(q.batches.decide(0));
  q.rowClosed(DramCommandKind::Write);
  EXPECT_TRUE(q.batches.decide(0));
}

/// A channel whose batch of writes runs: so many bursts have claimed, and one read waits.
struct WriteBatch : FilledChannel {
  explicit WriteBatch(std::uint32_t bursts) {
    add(DramCommandKind::Write, 0);
    EXPECT_TRUE(batches.decide(0)) << "nothing else waits";
    claimed(DramCommandKind::Write, bursts);
    batches.served(Direction::Write, 1);  // the first one
    rowClosed(DramCommandKind::Read);
  }
};

TEST(Batches, OfWritesGiveWayToASingleReadWhenTheyRunDry) {
  const HbmConfig config;
  WriteBatch one(rowOpeningBursts(config) + 1);
  EXPECT_FALSE(one.batches.decide(0));
  one.batches.served(Direction::Write, 1);
  EXPECT_TRUE(one.batches.decide(0));
}

TEST(Batches, EndAtTheLongestLengthAndNotOneBurstBefore) {
  const HbmConfig config;
  WriteBatch writes(config.batch_bursts + 100);
  writes.batches.served(Direction::Write, config.batch_bursts - 2);
  EXPECT_FALSE(writes.batches.decide(0));
  writes.batches.served(Direction::Write, 1);
  EXPECT_TRUE(writes.batches.decide(0));

  FilledChannel reads;
  reads.claimed(DramCommandKind::Read, config.batch_bursts + 100);
  reads.batches.served(Direction::Read, config.batch_bursts);
  EXPECT_FALSE(reads.batches.decide(0)) << "no write waits";
  reads.add(DramCommandKind::Write, 0);
  EXPECT_TRUE(reads.batches.decide(0));
}

TEST(Batches, EndForWhatIsOlderThanTheAgeLimitAndNoClockEarlier) {
  FilledChannel q;
  q.claimed(DramCommandKind::Read, 64);
  q.add(DramCommandKind::Write, 30);
  q.batches.served(Direction::Read, q.config.batch_least_bursts);
  EXPECT_FALSE(q.batches.decide(30 + kAgeLimit));
  EXPECT_TRUE(q.batches.decide(30 + kAgeLimit + 1));
}

TEST(Batches, HaveALeastLengthAlsoIfSomethingOldWaits) {
  FilledChannel q;
  q.claimed(DramCommandKind::Read, 64);
  q.add(DramCommandKind::Write, 0);
  q.batches.served(Direction::Read, q.config.batch_least_bursts - 1);
  EXPECT_FALSE(q.batches.decide(kAgeLimit + 1));
  q.batches.served(Direction::Write, 1);  // left over from the batch before: it does not count
  EXPECT_FALSE(q.batches.decide(kAgeLimit + 1));
  q.batches.served(Direction::Read, 1);
  EXPECT_TRUE(q.batches.decide(kAgeLimit + 1));
}

TEST(Batches, OfReadsEndAtOnceForAReadThatAWriteBlocks) {
  FilledChannel q;
  q.claimed(DramCommandKind::Read, 64);
  q.add(DramCommandKind::Write, 0);
  EXPECT_FALSE(q.batches.decide(0));
  q.add(DramCommandKind::Read, 0, State::Blocked);
  EXPECT_TRUE(q.batches.decide(0));
}

TEST(Batches, DoNotEndBeforeWhatTheOtherDirectionHadClaimedIsServed) {
  FilledChannel q;
  q.claimed(DramCommandKind::Read, 8);
  for (std::uint32_t i = 0; i < q.config.write_drain_bursts; ++i)
    q.rowClosed(DramCommandKind::Write);
  ASSERT_TRUE(q.batches.decide(0));
  EXPECT_FALSE(q.batches.decide(1))
      << "the writes have nothing ready, but the bus is not theirs yet";
  q.queue.remove(q.queue.list(Direction::Read, State::Ready).first);
  q.add(DramCommandKind::Read, 0);
  EXPECT_TRUE(q.batches.decide(2)) << "now they could have begun, and none of them claims";
}

/// Whether a batch that has served so many reads, and whose last read of eight bursts wants a bank
/// that may be activated again at clock 48 (tRC), gives way at clock `now` to `writes` bursts.
bool busyBankGivesWay(std::uint32_t served, Cycles now, std::uint32_t writes) {
  FilledChannel q;
  q.claimed(DramCommandKind::Read, served);
  q.timing.activate(0, 1, 0, 0);
  const Slot waiting = q.add(DramCommandKind::Read, 0, State::Waiting, 8);
  q.queue[waiting].banks = maskOf(0);
  q.queue[waiting].run.row = 2;
  q.claims.claim(0, Direction::Read);
  EXPECT_EQ(q.claims.nextActivate(), 48);
  for (; writes > 0; --writes) q.rowClosed(DramCommandKind::Write);
  q.occupancy.plan(Direction::Read, served, 0);
  q.batches.served(Direction::Read, served);
  return q.batches.decide(now);
}

TEST(Batches, WhoseWaitingEntriesCannotUseTheActivatesGiveWayToAsMuchWork) {
  const HbmConfig config;
  const std::uint32_t least = config.batch_least_bursts;
  const Cycles lookahead = 2 * static_cast<Cycles>(config.decision_clocks);
  EXPECT_TRUE(busyBankGivesWay(least, 48 - lookahead, 8));
  EXPECT_FALSE(busyBankGivesWay(least - 1, 48 - lookahead, 8)) << "too short";
  EXPECT_FALSE(busyBankGivesWay(least, 48 - lookahead + 1, 8)) << "the activate is due";
  EXPECT_FALSE(busyBankGivesWay(least, 48 - lookahead, 7)) << "less work than the read";
}

/// Keeps the banks of activates in the order in which they are decided.
struct OrderOfActivates : CommandObserver {
  void command(const DramCommand& command) override {
    if (command.kind == DramCommandKind::Activate) banks.push_back(command.bank.value);
  }
  std::vector<std::uint32_t> banks;
};

/// Two reads that wait for rows of two banks. The last activate was in the bank group of the older
/// one. Returns whether the older has the next activate when it is `age` clocks old.
bool olderIsActivatedFirst(Cycles age, std::uint32_t youngersGroup) {
  FilledChannel q;
  constexpr Cycles kNow = 5000;
  const auto want = [&](Cycles entered, std::uint32_t bank) {
    const Slot slot = q.add(DramCommandKind::Read, entered);
    q.queue[slot].firstBank = static_cast<std::uint8_t>(bank);
    q.queue[slot].banks = maskOf(bank);
    q.queue[slot].run.row = 1;
    q.queue[slot].run.group = bank / (q.config.banks / q.config.bank_groups);
    q.queue[slot].run.bankInGroup = bank % (q.config.banks / q.config.bank_groups);
    return slot;
  };
  q.timing.activate(q.timing.banks().number(0, 3), 0, kNow, kNow);
  OrderOfActivates order;
  q.timing.observe(&order);
  want(kNow - age, q.timing.banks().number(0, 0));
  want(kNow, q.timing.banks().number(youngersGroup, 1));
  q.claims.claim(kNow, Direction::Read);
  EXPECT_EQ(order.banks.size(), 2u);
  return order.banks.front() == q.timing.banks().number(0, 0);
}

TEST(BankClaims, OpenTheRowOfAnotherBankGroupFirst) {
  EXPECT_FALSE(olderIsActivatedFirst(0, 1)) << "tRRDL holds its own group back longer than tRRDS";
}

TEST(BankClaims, OpenTheOlderOfEqualsFirst) { EXPECT_TRUE(olderIsActivatedFirst(0, 0)); }

TEST(BankClaims, OpenTheOldestFirstFromTheAgeLimitOnAndNoClockEarlier) {
  EXPECT_FALSE(olderIsActivatedFirst(kAgeLimit, 1));
  EXPECT_TRUE(olderIsActivatedFirst(kAgeLimit + 1, 1));
}

/// Two reads of eight bursts over four bank groups, all rows open, the older one possible so many
/// clocks after the younger. Returns whether the older is chosen when it is `age` clocks old.
bool olderGoesFirst(Cycles later, Cycles age) {
  HbmConfig config;
  config.address_mapping = AddressMappingPolicy::BurstOverGroups;
  FilledChannel q(config);
  ColumnScheduler columns(q, q.batches);
  constexpr Cycles kNow = 5000;
  for (std::uint32_t group = 0; group < config.bank_groups; ++group) {
    q.timing.activate(q.timing.banks().number(group, 0), 0, 0, 0);
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
  config.bank_hash = config.group_hash = false;
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

/// Reads that are in the queue beside the write below.
constexpr Cycles kReads = 63;

/// Clock at which a write is planned that entered at clock 0 among reads that never end, one burst
/// each clock.
Cycles writeAmongReads(double clockMhz, double ageLimitNs) {
  HbmConfig config = plainChannel();
  config.clock_mhz = clockMhz;
  config.age_limit_ns = ageLimitNs;
  config.batch_bursts = 65536;  // not this limit
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

TEST(ChannelLimits, AnOldWriteGoesAfterTheAgeLimitTheReadsInTheQueueAndOneTurnaround) {
  const TimingTable table(plainChannel());
  const Cycles turn =
      table.delay(DramCommandKind::Read, DramCommandKind::Write, RuleScope::Channel);
  for (const double limit : {500.0, 501.0, 1000.0}) {
    // The clock after the limit the write is too old. The rest of the queue are reads of open rows:
    // all of them have claimed, and go before it.
    EXPECT_EQ(writeAmongReads(1000, limit), static_cast<Cycles>(limit) + kReads + turn);
  }
}

TEST(ChannelLimits, TheAgeLimitIsInNanoseconds) {
  HbmConfig config = plainChannel();
  config.clock_mhz = 2000;
  const TimingTable table(config);
  const Cycles turn =
      table.delay(DramCommandKind::Read, DramCommandKind::Write, RuleScope::Channel);
  EXPECT_EQ(writeAmongReads(2000, 500), 1000 + kReads + turn);
}

TEST(ChannelLimits, TheDramQueueTakesExactlyWhatItHoldsAndAnythingWhenEmpty) {
  // Served order tells what was in the queue together: reads overtake writes only in there.
  HbmConfig config = plainChannel();
  config.dram_queue_bursts = 16;
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
}  // namespace t3::test::channel_limits_test
