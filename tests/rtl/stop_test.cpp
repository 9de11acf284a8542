// SPDX-License-Identifier: Apache-2.0
// Method: what docs/tracker.md says of a region that is stopped and aborted, of each of sixteen
// regions in turn, while the others run beside it and one behind it covers the same workgroups.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::stop_test {
namespace {

namespace r = registers;

constexpr std::uint32_t kRegions = 16, kBehind = kRegions - 1, kArmed = 30'000, kWeight = 10;
constexpr std::uint64_t kAddress = 0x4'5678;

/// Two workgroups, of a slot each; the last region has all workgroups, and slots behind those of
/// the others.
TrackTriggerBench::Region regionOf(std::uint32_t index, std::uint32_t shift) {
  if (index == kBehind)
    return {.wgLast = 2 * kRegions - 1, .shift = shift, .slotFirst = 2 * kRegions};
  return {.wgFirst = 2 * index, .wgLast = 2 * index + 1, .shift = shift, .slotFirst = 2 * index};
}

void stopAndAbort(std::uint32_t victim, std::uint64_t seed) {
  SCOPED_TRACE("region " + std::to_string(victim));
  Bench<kWideUnit> bench;
  Random random(seed);
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
  bench.enable();
  for (std::uint32_t index = 0; index < kRegions; ++index)
    bench.start(index, regionOf(index, bench.size.wfWidth), kArmed);

  // A third of the traffic is the victim's.
  std::array<std::uint32_t, 4 * kRegions> bytes{};  // of each slot
  std::uint32_t sent = 0;
  const auto send = [&](std::uint32_t lane, std::uint32_t wg) {
    bench.lanes[lane].push_back({wg, random.below(8), kAddress, kWeight});
    bytes[wg / 2 < kBehind ? wg : 2 * kRegions + wg] += kWeight;
    ++sent;
  };
  for (int i = 0; i < 20; ++i) {
    for (std::uint32_t lane = 0; lane < bench.size.lanes; ++lane)
      send(lane, random.chance(33) ? 2 * victim + random.below(2) : random.below(2 * kRegions));
  }
  bench.ticks(random.below(30));
  // Stopped is 2, and 3, which has the bit of a region that is on.
  bench.set(r::region(victim) + r::kRegState, 2 + seed % 2);
  const auto first = regionOf(victim, 0).slotFirst;
  const std::uint32_t slots = victim == kBehind ? 2 * kRegions : 2;
  std::vector<std::uint32_t> missing;
  for (std::uint32_t slot = first; slot < first + slots; ++slot)
    missing.push_back(bench.read(r::slot(slot)));
  for (int i = 0; i < 3; ++i) send(random.below(bench.size.lanes), 2 * victim + 1);
  ASSERT_TRUE(bench.settle());

  // Nothing of the victim counts any more; all others count what was sent.
  for (std::uint32_t slot = 0; slot < bytes.size(); ++slot) {
    const std::uint32_t armed = slot < 2 * kBehind || slot >= 2 * kRegions ? kArmed : 0;
    const std::uint32_t now = bench.read(r::slot(slot));
    if (slot >= first && slot < first + slots)
      ASSERT_EQ(now, missing[slot - first]) << "slot " << slot << " counts after the stop";
    else
      ASSERT_EQ(now, armed - bytes[slot]) << "slot " << slot;
  }
  const std::uint64_t dropped = bench.read64(r::kDropped);
  EXPECT_GE(dropped, 3u);
  EXPECT_EQ(bench.read64(r::kUpdates) + dropped, sent);
  EXPECT_EQ(bench.read64(r::kUntracked), 0u);

  // Armed anew over its counts, by itself and all; then it works again, and the others still do.
  bench.set(r::slot(first), 0);
  EXPECT_EQ(bench.read(r::slot(first)), 0u);
  bench.fill(victim, 0);
  for (std::uint32_t slot = first; slot < first + slots; ++slot)
    ASSERT_EQ(bench.read(r::slot(slot)), 0u);
  bench.setState(victim, State::Off);
  bench.setState(victim, State::Stopped);
  bench.fill(victim, 2 * kWeight);
  bench.setState(victim, State::On);
  for (std::uint32_t i = 0; i < 2; ++i) send(i, 2 * victim);
  ASSERT_TRUE(bench.drain());
  const std::uint32_t done = victim == kBehind ? 2 * kRegions + 2 * victim : first;
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.done.front().slot, done);
  EXPECT_EQ(bench.read(r::region(victim) + r::kRegDone), 1u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(Stop, EachOfSixteenRegionsIsStoppedAndAbortedWhileTheOthersRun) {
  const std::uint64_t seed = testSeed(91);
  for (std::uint32_t victim = 0; victim < kRegions; ++victim) {
    for (std::uint64_t i = 0; i < 3; ++i) stopAndAbort(victim, seed + i);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace t3::rtl_test::stop_test
