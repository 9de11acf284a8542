// SPDX-License-Identifier: Apache-2.0
// Method: every error of docs/tracker.md, "Errors", once or often, beside slots that do nothing
// wrong. Each is reported with what it is of, and the others complete as if nothing had happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::containment_test {
namespace {

namespace r = registers;

constexpr std::uint64_t kBase = 0x1'0000;

/// Two regions of 32 workgroups: region 1 over slots 0 …, region 4 over slots 32 …, armed with
/// `bytes`; one slot for each workgroup.
template <const Unit& kUnit>
struct Contained : Bench<kUnit> {
  explicit Contained(std::uint32_t bytes, bool trigger = true) {
    auto& bench = *this;
    bench.waitOpen();
    bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
    for (const std::uint32_t region : {1u, 4u}) {
      const std::uint32_t first = region == 1 ? 0 : 32;
      bench.start(region,
                  {.wgFirst = first,
                   .wgLast = first + 31,
                   .shift = bench.size.wfWidth,
                   .slotFirst = first,
                   .trigger = trigger},
                  bytes);
    }
    bench.enable();
  }
  void send(std::uint32_t wg, std::uint32_t weight, std::uint32_t lane = 0, std::uint32_t wf = 0) {
    this->lanes[lane].push_back({wg, wf, kBase, weight});
    ASSERT_TRUE(this->settle());
  }
  void expectDone(const std::vector<std::uint32_t>& want) {
    std::vector<std::uint32_t> slots;
    for (const Done& shown : this->done) slots.push_back(shown.slot);
    EXPECT_EQ(slots, want);
  }
};
using Default = Contained<kDefaultUnit>;
using Tiny = Contained<kTinyUnit>;

// ---- updates ----------------------------------------------------------------------------------

TEST(Containment, AnUpdateAboveWhatIsMissingSpoilsItsSlotAlone) {
  Default bench(256);
  bench.send(40, 128);
  bench.send(41, 100);
  bench.send(40, 128, 3);  // exactly the rest
  bench.send(41, 128);     // 28 of 156 would remain
  bench.send(41, 29, 5);   // one too many
  bench.expectErrors(kOverrun, 1);
  bench.expectFirst(kOverrun, 4, 41);
  EXPECT_EQ(bench.read(r::slot(41)), r::kSlotSpoiled);
  // Nothing counts for it, and nothing more is reported, until it is armed again.
  for (std::uint32_t lane = 0; lane < 8; ++lane) bench.send(41, 28, lane);
  bench.expectErrors(kOverrun, 1);
  EXPECT_EQ(bench.read(r::slot(41)), r::kSlotSpoiled);
  bench.send(42, 128);
  bench.send(42, 128);
  bench.expectDone({40, 42});
  EXPECT_EQ(bench.read64(r::kCompleted), 2u);
  EXPECT_EQ(bench.read64(r::kUpdates), 15u);
  bench.set(r::slot(41), 1);
  EXPECT_EQ(bench.read(r::slot(41)), 1u);
  bench.send(41, 1);
  bench.expectDone({40, 42, 41});
  EXPECT_FALSE(bench.done.back().spoiled);
}

/// Eight updates at once are one of eight times the weight: the slot is spoiled at once.
TEST(Containment, UpdatesThatArriveAtOnceOverrunTogether) {
  Default bench(7 * 128);
  for (std::uint32_t lane = 0; lane < 8; ++lane) bench.lanes[lane].push_back({3, 0, kBase, 128});
  ASSERT_TRUE(bench.drain());
  // Joined: an overrun. In several parts: the last one is a stray, or overruns.
  const std::uint32_t overrun = bench.read(r::errorCount(kOverrun));
  const std::uint32_t stray = bench.read(r::errorCount(kStray));
  EXPECT_EQ(overrun + stray, 1u);
  EXPECT_EQ(bench.done.size(), stray);
}

TEST(Containment, ASurplusIsReportedHoweverItArrives) {
  Random random(testSeed(95));
  for (int round = 0; round < 40; ++round) {
    Tiny bench(400);
    for (std::uint32_t i = 0; i < 5; ++i)
      bench.lanes[random.below(4)].push_back({random.chance(90) ? 3u : 4u, 0, kBase, 100});
    bench.offer = [&random](std::uint32_t) { return random.chance(60); };
    ASSERT_TRUE(bench.drain());
    std::uint32_t of3 = bench.read(r::slot(4)) == 0 ? 0 : 5 - (400 - bench.read(r::slot(4))) / 100;
    if (of3 == 0) continue;
    EXPECT_EQ(bench.read(r::errorCount(kOverrun)) + bench.read(r::errorCount(kStray)),
              of3 > 4 ? of3 - 4 : 0u);
  }
}

TEST(Containment, AnUpdateForASlotThatIsIdleIsAStray) {
  Default bench(128);
  bench.send(40, 128);
  bench.send(40, 1, 2);
  bench.expectErrors(kStray, 1);
  bench.expectFirst(kStray, 4, 40);
  EXPECT_EQ(bench.read(r::slot(40)), 0u) << "it stays idle";
  bench.send(40, 1, 2);
  bench.expectErrors(kStray, 2);
  bench.set(r::slot(40), 5);
  bench.send(40, 5);
  bench.expectDone({40, 40});
  EXPECT_FALSE(bench.done[1].spoiled);
}

TEST(Containment, AnUpdateForASlotThatWaitsMakesItSpoiledAndIsToldWithIt) {
  Default bench(128);
  bench.takesDone = false;
  for (const std::uint32_t wg : {5u, 6u, 7u}) bench.send(wg, 128);
  EXPECT_EQ(bench.read(r::slot(6)), r::kSlotWaits);
  bench.send(6, 1, 3);
  bench.expectErrors(kStray, 1);
  bench.expectFirst(kStray, 1, 6);
  EXPECT_EQ(bench.read(r::slot(6)), r::kSlotWaits | r::kSlotSpoiled);
  bench.send(6, 128);
  bench.expectErrors(kStray, 1);
  bench.send(5, 1);  // it is shown, and idle: a stray that spoils nothing
  bench.expectErrors(kStray, 2);
  EXPECT_EQ(bench.write(r::slot(6), 1), TrackTriggerBench::kSlvErr) << "it still waits";
  bench.takesDone = true;
  ASSERT_TRUE(bench.drain());
  bench.expectDone({5, 6, 7});
  EXPECT_FALSE(bench.done[0].spoiled);
  EXPECT_TRUE(bench.done[1].spoiled);
  EXPECT_FALSE(bench.done[2].spoiled);
  EXPECT_EQ(bench.read(r::slot(5)), 0u);
  EXPECT_EQ(bench.read(r::slot(6)), r::kSlotSpoiled);
  bench.set(r::slot(6), 3);
  EXPECT_EQ(bench.read(r::slot(6)), 3u);
}

template <const Unit& kUnit>
void wrongWeights() {
  Contained<kUnit> bench(256);
  const std::uint32_t most = bench.size.mostWeight(), all = 1u << bench.size.weightWidth;
  bench.set(r::region(1), 2);
  bench.set(r::slot(3), most + 10);
  bench.set(r::region(1), 1);
  std::uint32_t errors = 0;
  const std::uint32_t last = bench.size.lanes - 1, wf = bench.size.wavefronts() - 1;
  for (const std::uint32_t weight : {0u, most + 1, most + most / 2, all - 1, 0u}) {
    bench.send(3, weight, last, wf);
    bench.expectErrors(kWeight, ++errors);
    EXPECT_EQ(bench.read(r::slot(3)), most + 10);
  }
  bench.expectFirst(kWeight, 1, wf << 16 | 3u);
  bench.send(3, most);
  bench.send(3, 10);
  bench.expectDone({3});
  EXPECT_EQ(bench.read64(r::kUpdates), 7u);
  // Of no region, it is nobody's error.
  bench.send(100, 0);
  EXPECT_EQ(bench.read64(r::kUntracked), 1u);
  bench.expectErrors(kWeight, errors);
}

TEST(Containment, AnUpdateOfNoOrTooMuchWeightIsDropped) { wrongWeights<kDefaultUnit>(); }
TEST(Containment, AnUpdateOfNoOrTooMuchWeightIsDroppedInATinyUnit) { wrongWeights<kTinyUnit>(); }
TEST(Containment, AnUpdateOfNoOrTooMuchWeightIsDroppedInAWideUnit) { wrongWeights<kWideUnit>(); }

TEST(Containment, EveryBitOfAWrongUpdateIsReported) {
  Bench<kDefaultUnit> bench;
  bench.waitOpen();
  Random random(testSeed(96));
  bench.program(3, TrackTriggerBench::Window{});
  for (std::uint32_t i = 0; i < 8; ++i) {
    bench.program(i, {.window = 3,
                      .wgFirst = i * 0x2000,
                      .wgLast = i * 0x2000 + 0x1fff,
                      .shift = 15,
                      .slotFirst = i * 2,
                      .slotLast = i * 2});
    bench.setState(i, State::On);
  }
  bench.enable();
  for (int round = 0; round < 200; ++round) {
    const bool outside = random.chance(50);
    // The block of 4,096 workgroups from a region's first on is inside, the other one is not, and
    // nobody looks at the block of a wrong weight.
    const std::uint32_t wg = random.below(0x10000) | (outside ? 0x1000u : 0u);
    const std::uint32_t wf = random.below(8);
    const std::uint64_t address = random.below(1ull << 32) * 0x10000ull + random.below(0x10000);
    bench.lanes[random.below(8)].push_back({wg, wf, address, outside ? 1u : 0u});
    ASSERT_TRUE(bench.drain());
    const std::uint32_t cause = outside ? kOutside : kWeight;
    EXPECT_EQ(bench.read(r::kErrors), 1u << cause);
    bench.expectFirst(cause, wg / 0x2000, wf << 16 | wg);
    bench.forgetErrors();
  }
}

/// All lanes at once, and each counts; of several the lowest lane is the first.
TEST(Containment, EveryLaneMayBringWrongUpdatesAndTheOthersGoOn) {
  for (std::uint32_t lowest = 0; lowest < 8; ++lowest) {
    Default bench(128 * 64);
    for (std::uint32_t lane = lowest; lane < 8; ++lane)
      bench.lanes[lane].push_back({lane, lane, kBase, 0});
    ASSERT_TRUE(bench.drain());
    bench.expectErrors(kWeight, 8 - lowest);
    bench.expectFirst(kWeight, 1, lowest << 16 | lowest);
    bench.forgetErrors();
  }
  Default bench(128 * 64);
  const std::uint64_t start = bench.cycle;
  for (std::uint32_t i = 0; i < 64; ++i) {
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      const bool wrong = lane == 1 || lane == 4 || lane == 6;
      bench.lanes[lane].push_back({lane, 0, kBase + i * 128, wrong ? 0u : 128u});
    }
  }
  for (int i = 0; i < 100 && bench.done.size() < 5; ++i) bench.tick();
  EXPECT_EQ(bench.done.size(), 5u);
  EXPECT_LE(bench.cycle - start, 64u + 12u + 5 * 5u) << "no lane waited for another lane's errors";
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::errorCount(kWeight)), 3 * 64u);
}

TEST(Containment, ASlotBeyondItsRegionIsOutside) {
  Bench<kDefaultUnit> bench;
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{});
  bench.start(2, {.wgLast = 99, .shift = 3, .slotFirst = 10, .slotLast = 19}, 8);
  bench.start(3, {.wgFirst = 100, .wgLast = 199, .shift = 3, .slotFirst = 20, .slotLast = 119}, 8);
  bench.enable();
  bench.lanes[1].push_back({9, 3, kBase, 8});   // slot 19
  bench.lanes[1].push_back({10, 5, kBase, 8});  // slot 20, which is region 3's
  bench.lanes[1].push_back({99, 6, kBase, 8});
  bench.lanes[1].push_back({100, 0, kBase, 8});  // slot 20
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.done.size(), 2u);
  EXPECT_EQ(bench.done[0].slot, 19u);
  EXPECT_EQ(bench.done[1].slot, 20u);
  bench.expectErrors(kOutside, 2);
  bench.expectFirst(kOutside, 2, 5u << 16 | 10u);
  EXPECT_EQ(bench.read64(r::kUpdates), 4u);
  EXPECT_EQ(bench.read(r::slot(21)), 8u);
}

// ---- errors of several kinds ----------------------------------------------------------------

/// Several causes in one cycle, in any: the first one is the lowest, all are counted.
TEST(Containment, OfSeveralErrorsAtOnceTheLowestCauseIsTheFirst) {
  for (int shift = -6; shift <= 6; ++shift) {
    Default bench(128);
    // A wrong weight is found earlier than a stray: one of them is held back.
    bench.set(r::region(1), 2);
    bench.set(r::slot(3), 0);
    bench.set(r::region(1), 1);
    const std::uint64_t at = bench.cycle + 10;
    bench.offer = [&bench, at, shift](std::uint32_t lane) {
      return bench.cycle + 10 >= at + 10 + (lane == 0 ? 0 : static_cast<std::uint64_t>(shift + 6));
    };
    bench.lanes[0].push_back({3, 0, kBase, 1});
    bench.lanes[1].push_back({8, 1, kBase, 0});
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::kErrors), r::kErrorsStray | r::kErrorsWeight);
    const std::uint32_t cause = bench.read(r::kErrorFirst) & r::kErrorFirstCause;
    const std::uint32_t info = bench.read(r::kErrorInfo);
    EXPECT_TRUE(cause == kStray || cause == kWeight);
    EXPECT_EQ(info, cause == kStray ? 3u : 1u << 16 | 8u);
  }
}

TEST(Containment, AWrongWeightIsTheFirstBesideAnUpdateOutside) {
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    Bench<kDefaultUnit> bench;
    bench.waitOpen();
    bench.program(0, TrackTriggerBench::Window{});
    bench.start(2, {.wgLast = 99, .shift = 3, .slotFirst = 10, .slotLast = 19}, 8);
    bench.enable();
    for (std::uint32_t other = 0; other < 8; ++other)
      bench.lanes[other].push_back({50, other, kBase, 8});
    bench.lanes[lane].front() = {3, 1, kBase, 0};
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::kErrors), r::kErrorsWeight | r::kErrorsOutside);
    EXPECT_EQ(bench.read(r::errorCount(kWeight)), 1u);
    EXPECT_EQ(bench.read(r::errorCount(kOutside)), 7u);
    bench.expectFirst(kWeight, 2, 1u << 16 | 3u);
  }
}

TEST(Containment, TheFirstErrorStaysUntilItIsReadAndCountsStayAt255) {
  Default bench(128);
  bench.send(1, 0);
  bench.send(40, 129);
  bench.send(40, 128);
  bench.send(40, 128);
  bench.expectFirst(kWeight, 1, 1);
  EXPECT_EQ(bench.read(r::kErrors), r::kErrorsWeight | r::kErrorsStray);
  bench.set(r::kErrors, r::kErrorsWeight);
  EXPECT_EQ(bench.read(r::kErrors), std::uint32_t{r::kErrorsStray});
  bench.set(r::kErrorFirst, ~r::kErrorFirstValid);
  bench.expectFirst(kWeight, 1, 1);
  bench.set(r::kErrorFirst, r::kErrorFirstValid);
  EXPECT_EQ(bench.read(r::kErrorFirst) & r::kErrorFirstValid, 0u);
  bench.send(40, 1);
  bench.expectFirst(kStray, 4, 40);
  for (std::uint32_t i = 0; i < 300; ++i) bench.lanes[i % 8].push_back({2, 0, kBase, 0});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::errorCount(kWeight)), 255u);
  bench.send(2, 0);
  EXPECT_EQ(bench.read(r::errorCount(kWeight)), 255u);
  EXPECT_EQ(bench.read(r::errorCount(kStray)), 2u);
  bench.set(r::kErrors, ~0u);
  EXPECT_EQ(bench.read(r::errorCount(kWeight)), 255u) << "counts stay";
}

/// Each cause alone, more than 255 times, in a region that is not the first. Damaged words:
/// protection_test.
TEST(Containment, EveryCauseCountsTo255AndNoOtherCountsWithIt) {
  Bench<kDefaultUnit> bench;
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{});
  constexpr std::uint32_t kRegion = 5;
  const auto update = [&bench](std::uint32_t weight) {
    for (std::uint32_t i = 0; i < 300; ++i)
      bench.lanes[i % 8].push_back({511 - i / 8, i % 8, kBase, weight});
    ASSERT_TRUE(bench.drain());
  };
  const auto write = [&bench](std::uint32_t address) {
    for (int i = 0; i < 300; ++i) EXPECT_EQ(bench.write(address, 1), TrackTriggerBench::kSlvErr);
  };
  for (std::uint32_t cause = 0; cause < kDamaged; ++cause) {
    SCOPED_TRACE("cause " + std::to_string(cause));
    bench.clear();
    TrackTriggerBench::Region region{.wgLast = 511, .trigger = false};
    if (cause == kOutside) region.slotLast = 0;
    if (cause == kRowStray) region.firstRow = 0, region.blocksPerRow = 16;
    if (cause == kRowOutside) region.firstRow = 255, region.rowPhase = 4095;
    bench.start(kRegion, region, cause == kStray ? 0 : 1);
    switch (cause) {
      case kArmedEarly:
        bench.setState(kRegion, State::Off);
        bench.fill(kRegion, 1);
        break;
      case kRowArmedEarly:
        bench.set(r::row(7), 5);
        write(r::row(7));
        break;
      case kInUse:
        write(r::region(kRegion) + r::kRegCtrl);
        break;
      case kLocked:
        bench.set(r::kLock, r::kLockLocked);
        write(r::kCtrl);
        bench.set(r::kLock, 0);
        break;
      default:
        update(cause == kOverrun ? 2 : cause == kWeight ? 0 : 1);
    }
    bench.expectErrors(cause, 300);
  }
}

TEST(Containment, WritesThatAreOnlyWrongAreNoErrors) {
  Default bench(128);
  EXPECT_EQ(bench.write(0x3000, 1), TrackTriggerBench::kSlvErr);
  EXPECT_EQ(bench.write(r::kId, 1), TrackTriggerBench::kSlvErr);
  EXPECT_EQ(bench.write(r::slot(3) + 1, 1), TrackTriggerBench::kSlvErr);
  EXPECT_EQ(bench.write(r::slot(50), 1, 0x7), TrackTriggerBench::kSlvErr);
  EXPECT_EQ(bench.tryRead(0x3000).response, TrackTriggerBench::kSlvErr);
  bench.expectErrors(0, 0);
  EXPECT_EQ(bench.read(r::slot(50)), 128u);
}

/// Software arms every slot again and again, at any time, and done_* is taken when it likes: each
/// arm that was accepted gives one completion, whatever else happens.
TEST(Containment, EveryArmThatIsAcceptedGivesOneCompletion) {
  Bench<kSmallestUnit> bench;
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
  bench.program(0, {.wgLast = 15, .shift = 1});
  bench.setState(0, State::On);
  bench.enable();
  Random random(testSeed(81));
  std::uint32_t percent = 0;
  bench.doneReady = [&] { return random.chance(percent); };
  std::vector<std::uint32_t> armed(16), issued(16);
  std::uint32_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    percent = i / 300 % 2 == 0 ? 1 : 20;
    const std::uint32_t slot = random.below(16);
    const bool ok = bench.write(r::slot(slot), 100) == TrackTriggerBench::kOkay;
    armed[slot] += ok;
    refused += !ok;
    // Strays spoil slots that wait: they are shown all the same.
    bench.lanes[0].push_back({slot, slot % 2, kBase, 100});
    if (random.chance(50)) bench.tick();
    if (random.chance(20)) bench.ticks(20);
  }
  percent = 100;
  ASSERT_TRUE(bench.drain());
  for (const Done& done : bench.done) ++issued[done.slot];
  std::uint32_t sum = 0;
  for (std::uint32_t slot = 0; slot < 16; ++slot) {
    sum += issued[slot];
    // Armed, and its update had come before: it still counts.
    EXPECT_EQ(issued[slot] + (bench.read(r::slot(slot)) == 100 ? 1 : 0), armed[slot]) << slot;
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(sum, 300u);
  EXPECT_EQ(bench.read(r::errorCount(kArmedEarly)), std::min(refused, 255u));
  EXPECT_EQ(bench.read64(r::kTaken), sum);
  EXPECT_EQ(bench.read64(r::kCompleted), sum);
}

/// Arming a slot in every cycle around the one in which it is shown: refused, or it counts anew.
TEST(Containment, ASlotThatIsArmedAsItIsShownIsArmedOrRefused) {
  int refused = 0, armed = 0;
  for (std::uint64_t when = 0; when < 24; ++when) {
    Tiny bench(100);
    std::uint64_t opens = ~std::uint64_t{0};
    bench.doneReady = [&] { return bench.cycle >= opens; };
    bench.send(1, 100);
    bench.send(9, 100);
    opens = bench.cycle + 12;
    bench.ticks(when);
    const bool ok = bench.write(r::slot(9), 70) == TrackTriggerBench::kOkay;
    ++(ok ? armed : refused);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::slot(9)), ok ? 70u : 0u);
    bench.send(9, 70);
    ASSERT_TRUE(bench.drain());
    bench.expectDone(ok ? std::vector<std::uint32_t>{1, 9, 9} : std::vector<std::uint32_t>{1, 9});
    EXPECT_EQ(bench.read(r::errorCount(kStray)), ok ? 0u : 1u);
    EXPECT_EQ(bench.read(r::errorCount(kArmedEarly)), ok ? 0u : 1u);
  }
  EXPECT_GT(refused, 3);
  EXPECT_GT(armed, 3);
}

}  // namespace
}  // namespace t3::rtl_test::containment_test
