// SPDX-License-Identifier: Apache-2.0
// Method: `scheduling = first-ready`. A few requests show each rule: who is answered in which
// order, and how often the bus turns. Then mixes of traffic are served by the channel and by a
// controller that is written here clock by clock, as public GPU simulators have it: the time, the
// turns of the bus and the activates of both are compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <vector>

#include "tests/tlm/hbm/channel_harness.h"

namespace t3::test::hbm_first_ready_test {
namespace {

using Arrival = ChannelHarness::Arrival;
using enum DramCommandKind;

constexpr std::uint64_t kRow = std::uint64_t{1} << 15;  ///< bytes until the next row of a bank
constexpr std::uint64_t kGroup = 256;                   ///< until the next bank group

HbmConfig firstReady() {
  HbmConfig config = oneChannel();
  config.scheduling = SchedulingPolicy::FirstReady;
  config.refresh = RefreshMode::Off;
  config.bank_hash = config.group_hash = config.coalescing = false;
  config.row_hit_cap_bursts = 65536;
  config.age_limit_ns = 1e9;
  config.decision_clocks = 1;
  return config;
}

struct Outcome {
  Outcome(const HbmConfig& config, const std::vector<Arrival>& arrivals) : one(config) {
    one.run(arrivals);
    for (const auto& served : one.served()) order.push_back(served.index);
  }
  std::uint64_t commands(DramCommandKind kind) {
    return one.statistics().commands[static_cast<std::size_t>(kind)];
  }
  ChannelHarness one;
  std::vector<std::size_t> order;
};

Arrival request(DramCommandKind kind, std::uint64_t address) {
  return {.address = address, .kind = kind};
}

using Order = std::vector<std::size_t>;

TEST(FirstReady, ABankServesRowHitsOfBothDirectionsInOrderOfAge) {
  const std::vector<Arrival> mixed = {request(Read, 0), request(Write, 32), request(Read, 64),
                                      request(Write, 96)};
  Outcome out(firstReady(), mixed);
  EXPECT_EQ(out.order, (Order{0, 1, 2, 3}));
  EXPECT_EQ(out.one.statistics().turnarounds, 3u);

  HbmConfig inBatches = firstReady();
  inBatches.scheduling = SchedulingPolicy::Batches;
  Outcome batches(inBatches, mixed);
  EXPECT_LT(batches.one.statistics().turnarounds, 3u);
}

TEST(FirstReady, ARowHitGoesBeforeAnOlderAccessToAnotherRowWhateverItsDirection) {
  Outcome out(firstReady(), {request(Read, 0), request(Read, kRow), request(Write, 32),
                             request(Read, kRow + 32)});
  EXPECT_EQ(out.order, (Order{0, 2, 1, 3}));
  EXPECT_EQ(out.commands(Activate), 2u);
}

TEST(FirstReady, TheBusGoesToTheFirstThatCanHaveItSoReadsOfOtherBanksPassAWrite) {
  // The write in the other bank group could go only after the bus has turned.
  Outcome out(firstReady(), {request(Read, 0), request(Write, kGroup), request(Read, 2 * kGroup),
                             request(Read, 3 * kGroup)});
  EXPECT_EQ(out.order, (Order{0, 2, 3, 1}));
}

TEST(FirstReady, AWriteHoldsUpTheReadsBehindItInItsBank) {
  Outcome out(firstReady(), {request(Read, 0), request(Write, kGroup), request(Read, kGroup + 32),
                             request(Read, 32), request(Read, 64)});
  EXPECT_EQ(out.order.back(), 2u);
  EXPECT_EQ(out.one.statistics().turnarounds, 2u);
}

/// A memory controller written clock by clock: a bank without an access takes the oldest of its
/// open row, or else its oldest; each clock has one column command and one row command.
class ClockByClock {
 public:
  ClockByClock(const HbmConfig& config, const TimingTable& table, const AddressMapping& mapping)
      : capacity_(config.dram_queue_bursts),
        groupBanks_(config.banks / config.bank_groups),
        table_(table),
        mapping_(mapping),
        banks_(config.banks),
        groups_(config.bank_groups) {}

  /// Serves all; returns the clock of the last column command.
  Cycles run(const std::vector<Arrival>& arrivals) {
    std::size_t next = 0, inside = 0;
    Cycles last = 0;
    for (Cycles now = 0; next < arrivals.size() || inside > 0; ++now) {
      while (next < arrivals.size() && arrivals[next].at <= now && inside < capacity_) {
        const DramLocation at = mapping_.locate(arrivals[next].address);
        Bank& bank = banks_[at.group * groupBanks_ + at.bankInGroup];
        bank.queue.push_back({next, at.row, arrivals[next].kind});
        ++next;
        ++inside;
      }
      for (Bank& bank : banks_) choose(bank);
      if (column(now)) {
        --inside;
        last = now;
      }
      row(now);
    }
    return last;
  }
  std::uint64_t turns = 0, activates = 0;

 private:
  struct Access {
    std::size_t age;
    std::uint32_t row;
    DramCommandKind kind;
  };
  struct Bank {
    std::deque<Access> queue;
    bool busy = false;
    Access access{};
    bool open = false;
    std::uint32_t row = 0;
    Cycles activate = 0, precharge = 0;
    std::array<Cycles, 2> column{};  ///< reads, writes
  };

  static void choose(Bank& bank) {
    if (bank.busy || bank.queue.empty()) return;
    auto chosen = std::find_if(bank.queue.begin(), bank.queue.end(), [&](const Access& access) {
      return bank.open && access.row == bank.row;
    });
    if (chosen == bank.queue.end()) chosen = bank.queue.begin();
    bank.access = *chosen;
    bank.queue.erase(chosen);
    bank.busy = true;
  }

  bool column(Cycles now) {
    Bank* best = nullptr;
    for (std::size_t b = 0; b < banks_.size(); ++b) {
      Bank& bank = banks_[b];
      const std::size_t way = bank.access.kind == Read ? 0 : 1;
      if (!bank.busy || !bank.open || bank.row != bank.access.row) continue;
      if (now < std::max({bank.column[way], groups_[b / groupBanks_][way], channel_[way]}))
        continue;
      if (best == nullptr || bank.access.age < best->access.age) best = &bank;
    }
    if (best == nullptr) return false;
    const DramCommandKind kind = best->access.kind;
    const std::size_t group = static_cast<std::size_t>(best - banks_.data()) / groupBanks_;
    for (const DramCommandKind after : {Read, Write}) {
      const std::size_t way = after == Read ? 0 : 1;
      channel_[way] = std::max(channel_[way], now + table_.delay(kind, after, RuleScope::Channel));
      groups_[group][way] =
          std::max(groups_[group][way], now + table_.delay(kind, after, RuleScope::Group));
    }
    best->precharge =
        std::max(best->precharge, now + table_.delay(kind, Precharge, RuleScope::Bank));
    best->busy = false;
    turns += kind != busKind_ ? 1 : 0;
    busKind_ = kind;
    return true;
  }

  void row(Cycles now) {
    Bank* best = nullptr;
    for (Bank& bank : banks_) {
      if (!bank.busy || (bank.open && bank.row == bank.access.row)) continue;
      if (now < (bank.open ? bank.precharge : std::max(bank.activate, nextActivate_))) continue;
      if (best == nullptr || bank.access.age < best->access.age) best = &bank;
    }
    if (best == nullptr) return;
    if (best->open) {
      best->open = false;
      best->activate =
          std::max(best->activate, now + table_.delay(Precharge, Activate, RuleScope::Bank));
      return;
    }
    ++activates;
    best->open = true;
    best->row = best->access.row;
    best->column = {now + table_.delay(Activate, Read, RuleScope::Bank),
                    now + table_.delay(Activate, Write, RuleScope::Bank)};
    best->precharge = now + table_.delay(Activate, Precharge, RuleScope::Bank);
    best->activate = now + table_.delay(Activate, Activate, RuleScope::Bank);
    nextActivate_ = now + table_.delay(Activate, Activate, RuleScope::Channel);
  }

  std::size_t capacity_;
  std::uint32_t groupBanks_;
  const TimingTable& table_;
  const AddressMapping& mapping_;
  std::vector<Bank> banks_;
  std::vector<std::array<Cycles, 2>> groups_;
  std::array<Cycles, 2> channel_{};
  Cycles nextActivate_ = 0;
  DramCommandKind busKind_ = Read;
};

struct Mix {
  const char* name;
  unsigned writes;  ///< percent
  unsigned run;     ///< consecutive bursts of one direction
  unsigned streams;
};

/// Runs of consecutive bursts that begin at random addresses, `streams` of them mixed.
std::vector<Arrival> trafficOf(const Mix& mix, std::uint64_t seed) {
  struct Stream {
    std::uint64_t address = 0;
    unsigned left = 0;
    DramCommandKind kind = Read;
  };
  std::mt19937_64 random(seed);
  std::vector<Stream> streams(mix.streams);
  std::vector<Arrival> arrivals;
  for (int i = 0; i < 20'000; ++i) {
    Stream& stream = streams[random() % streams.size()];
    if (stream.left-- == 0) {
      stream = {random() % (1 << 24) * 32, mix.run - 1, random() % 100 < mix.writes ? Write : Read};
    }
    arrivals.push_back(request(stream.kind, stream.address));
    stream.address += 32;
  }
  return arrivals;
}

class FirstReadyMix : public testing::TestWithParam<Mix> {};

TEST_P(FirstReadyMix, TakesAsLongAsAControllerWrittenClockByClock) {
  HbmConfig config = firstReady();
  config.timing.rrd_l_ns = config.timing.rrd_s_ns;  // that controller knows no other
  config.timing.faw_ns = 1;
  config.timing.activate_command_clocks = 1;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::vector<Arrival> arrivals = trafficOf(GetParam(), seed);
    Outcome ours(config, arrivals);
    ClockByClock theirs(config, ours.one.table(), ours.one.mapping());
    const auto near = [&](const char* what, double a, double b, double share) {
      RecordProperty(what, std::to_string(a / b));
      EXPECT_NEAR(a / b, 1, share) << what << ", seed " << seed << ": " << a << " and " << b;
    };
    const Cycles end = theirs.run(arrivals);
    const auto last =
        std::max_element(ours.one.served().begin(), ours.one.served().end(),
                         [](const auto& a, const auto& b) { return a.dataEnd < b.dataEnd; });
    near("clocks", static_cast<double>(last->dataEnd) / static_cast<double>(ours.one.period()),
         static_cast<double>(end), 0.03);
    near("turns", static_cast<double>(ours.one.statistics().turnarounds + 1),
         static_cast<double>(theirs.turns + 1), 0.1);
    near("activates", static_cast<double>(ours.commands(Activate)),
         static_cast<double>(theirs.activates), 0.06);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FirstReadyMix,
                         testing::Values(Mix{"reads", 0, 64, 4}, Mix{"random_reads", 0, 1, 1},
                                         Mix{"rows", 20, 8, 8}, Mix{"halves", 50, 8, 8},
                                         Mix{"lines", 30, 4, 16}, Mix{"random", 50, 1, 1},
                                         Mix{"streams", 50, 512, 2}),
                         [](const auto& mix) { return std::string(mix.param.name); });

}  // namespace
}  // namespace t3::test::hbm_first_ready_test
