// SPDX-License-Identifier: Apache-2.0
// Method: one channel of a random configuration gets random traffic of mixed kinds, sizes, streams,
// localities and loads. An independent checker reads its command trace. The served pieces are
// compared with what is promised: each is served once, and overlapping ones in order.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <vector>

#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/command_checker.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_standard.h"

namespace t3::test {

/// Checks that commands come in order of time and passes them on.
class InOrder : public CommandObserver {
 public:
  explicit InOrder(CommandChecker& checker) : checker_(checker) {}
  void command(const DramCommand& command) override {
    EXPECT_GE(command.when, last_);
    last_ = command.when;
    checker_.command(command);
  }

 private:
  CommandChecker& checker_;
  Picoseconds last_ = 0;
};

inline HbmConfig randomConfig(std::mt19937_64& random) {
  const auto pick = [&](auto... choices) {
    const std::array all{choices...};
    return all[random() % all.size()];
  };
  HbmConfig config = pick(&kHbm2, &kHbm2Pseudo, &kHbm2e, &kHbm3)->config;
  config.channels = 1;
  config.capacity_gib = 1;
  config.address_mapping =
      pick(AddressMappingPolicy::BurstOverGroups, AddressMappingPolicy::BlockOverGroups,
           AddressMappingPolicy::PageOverGroups);
  config.channel_interleave_bytes = pick(256u, 512u, 1024u);
  config.bank_hash = pick(false, true);
  config.group_hash = pick(false, true);
  config.coalescing = pick(false, true);
  config.page_policy = pick(PagePolicy::Open, PagePolicy::Closed, PagePolicy::Adaptive);
  config.refresh = pick(RefreshMode::Off, RefreshMode::AllBank, RefreshMode::PerBank);
  config.stream_queue_requests = pick(1u, 4u, 32u);
  config.dram_queue_bursts = pick(32u, 64u, 128u);
  config.row_hit_cap_bursts = pick(4u, 32u, 256u);
  config.batch_bursts = pick(16u, 64u, 256u);
  config.batch_least_bursts = pick(1u, 16u);
  config.write_drain_bursts = pick(1u, 8u);
  config.decision_clocks = pick(1u, 8u, 16u, 64u);
  config.near_memory = pick(false, true, true);
  config.update_ccd_l_factor = pick(1u, 2u, 3u);
  config.arbitration = *pick(&kRoundRobinArbitration, &kComputeFirstArbitration,
                             &kCommFirstArbitration, &kMcaArbitration);
  config.mca.threshold_default_bursts = static_cast<std::uint32_t>(random() % 32);
  config.scheduling = pick(SchedulingPolicy::Batches, SchedulingPolicy::FirstReady);
  return config;
}

inline std::vector<ChannelHarness::Arrival> randomTraffic(std::mt19937_64& random,
                                                          const HbmConfig& config,
                                                          std::size_t count) {
  std::vector<ChannelHarness::Arrival> arrivals;
  const std::uint64_t span = std::uint64_t{1} << (10 + random() % 20);
  const std::uint64_t writes = random() % 101;
  const std::uint64_t gap = random() % 40;
  const std::uint64_t locality = random() % 101;
  std::uint64_t address = 0;
  Cycles at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ChannelHarness::Arrival arrival;
    at += gap == 0 ? 0 : static_cast<Cycles>(random() % gap);
    if (random() % 200 == 0) at += static_cast<Cycles>(random() % 20000);
    arrival.at = at;
    const std::uint64_t block = config.channel_interleave_bytes;
    address = random() % 100 < locality ? address + block : random() % span;
    address %= config.capacityBytes();
    const std::uint64_t room = block - address % block;
    arrival.address = address & ~std::uint64_t{3};
    arrival.bytes = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(4, std::min(room, (random() % block + 1)) & ~std::uint64_t{3}));
    if (random() % 100 < writes) {
      arrival.kind = random() % 2 == 0 ? DramCommandKind::Write : DramCommandKind::Update;
    }
    const bool reads = isRead(arrival.kind);
    const auto clears = random() % 8;
    if (clears == 0 && reads) arrival.kind = DramCommandKind::ReadClear;
    if (clears == 0 && !reads && config.near_memory) arrival.kind = DramCommandKind::Clear;
    if (clears == 1 && !reads && config.near_memory && random() % 4 == 0) {
      arrival.kind = DramCommandKind::RowClear;
      arrival.bytes = 4;
    }
    arrival.stream = static_cast<Stream>(random() % 2);
    arrivals.push_back(arrival);
  }
  return arrivals;
}

/// A read that a queued write answered has the bytes of the last write before it.
inline void checkSource(const std::vector<ChannelHarness::Arrival>& arrivals,
                        const ChannelHarness::Served& read) {
  const ChannelHarness::Arrival& from = arrivals[*read.source];
  ASSERT_EQ(from.kind, DramCommandKind::Write);
  ASSERT_LE(from.address, read.arrival.address);
  ASSERT_GE(from.address + from.bytes, read.arrival.address + read.arrival.bytes);
  for (std::size_t i = 0; i < read.index; ++i) {
    const ChannelHarness::Arrival& other = arrivals[i];
    // Streams may overtake one another, so order is promised within a stream.
    if (other.kind == DramCommandKind::Read || other.stream != read.arrival.stream) continue;
    if (other.stream != from.stream || i <= *read.source) continue;
    ASSERT_TRUE(other.address >= read.arrival.address + read.arrival.bytes ||
                read.arrival.address >= other.address + other.bytes)
        << "answered by a write that another one had overwritten";
  }
}

/// The words that an access reads or writes.
inline std::vector<std::uint64_t> wordsOf(const ChannelHarness::Arrival& arrival,
                                          const AddressMapping& mapping, std::uint32_t burstBytes) {
  std::vector<std::uint64_t> words;
  const auto add = [&](std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t word = address; word < address + bytes; word += 4) words.push_back(word);
  };
  if (arrival.kind != DramCommandKind::RowClear) {
    add(arrival.address, arrival.bytes);
    return words;
  }
  DramLocation at = mapping.locate(arrival.address);
  for (at.column = 0; at.column < mapping.pageBytes() / burstBytes; ++at.column) {
    add(mapping.addressOf(at), burstBytes);
  }
  return words;
}

inline void checkServedOnceAndInOrder(const std::vector<ChannelHarness::Arrival>& arrivals,
                                      const ChannelHarness& channel) {
  ASSERT_EQ(channel.served().size(), arrivals.size());
  std::vector<bool> seen(arrivals.size());
  // Streams may overtake one another, so order is promised within a stream.
  std::map<std::uint64_t, std::map<Stream, std::pair<std::size_t, bool>>> lastOf;
  std::array<std::map<std::uint64_t, std::size_t>, kStreams> lastWrite, lastAny;
  for (const auto& served : channel.served()) {
    ASSERT_FALSE(seen[served.index]) << "served twice";
    seen[served.index] = true;
    if (served.source) {
      checkSource(arrivals, served);
      continue;
    }
    const auto stream = static_cast<std::size_t>(served.arrival.stream);
    const bool writes = served.arrival.kind != DramCommandKind::Read;
    for (const std::uint64_t word : wordsOf(served.arrival, channel.mapping(), 32)) {
      if (const auto w = lastWrite[stream].find(word); w != lastWrite[stream].end()) {
        ASSERT_LT(w->second, served.index) << "overtaken by a later write of the same bytes";
      }
      if (writes) {
        if (const auto a = lastAny[stream].find(word); a != lastAny[stream].end()) {
          ASSERT_LT(a->second, served.index) << "a later access passed this write";
        }
        lastWrite[stream][word] = served.index;
      }
      auto& any = lastAny[stream][word];
      any = std::max(any, served.index);
    }
  }
}

/// Runs `seeds` seeds from `first` on.
inline void checkRandomTraffic(std::uint64_t first, std::uint64_t seeds) {
  std::uint64_t commands = 0;
  for (std::uint64_t s = first; s < first + seeds; ++s) {
    std::mt19937_64 random(s);
    const HbmConfig config = randomConfig(random);
    ASSERT_EQ(config.check(), std::nullopt) << "seed " << s;
    CommandChecker checker(config);
    InOrder inOrder(checker);
    OrderedCommands ordered(config.channels, inOrder);
    ChannelHarness channel(config);
    channel.observe(&ordered);
    const auto arrivals = randomTraffic(random, config, 200 + random() % 200);
    channel.run(arrivals);
    ordered.finish();
    ASSERT_TRUE(channel.idle()) << "seed " << s;
    for (const std::string& line : checker.violations()) ADD_FAILURE() << line;
    checkServedOnceAndInOrder(arrivals, channel);
    if (testing::Test::HasFailure()) FAIL() << "seed " << s;
    commands += checker.trace().size();
  }
  EXPECT_GT(commands, seeds * 1000);
}

}  // namespace t3::test
