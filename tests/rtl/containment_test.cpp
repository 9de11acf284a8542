// SPDX-License-Identifier: Apache-2.0
// Method: every error of docs/tracker.md, "Errors", once or often, beside tiles that do nothing
// wrong. Each is reported with its place, and the others complete as if nothing had happened.
#include <algorithm>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;
using DefaultBench = Bench<kDefaultUnit>;
using TinyBench = Bench<kTinyUnit>;

constexpr std::uint64_t kBase = 0x1'0000'0000;
constexpr std::uint64_t kSpill = 0x7000'0000'0000;
enum Cause : std::uint32_t {
  kOverrun,
  kStray,
  kBytes,
  kBorder,
  kArmedEarly,
  kUnasked,
  kBadRecord,
  kWrapped,
  kRestarted,
  kLocked
};

void programPlain(TrackTriggerBench& bench, std::uint32_t bytes, bool trigger = true,
                  std::uint64_t spillBase = kSpill) {
  bench.waitOpen();
  TrackTriggerBench::Geometry geometry;
  geometry.tilesAcross = 8;
  geometry.tilesDown = 32;
  geometry.spillBase = spillBase;
  geometry.epoch = 0xabcd;
  for (auto& tileClass : geometry.expected) tileClass.fill(bytes);
  bench.program(0, geometry);
  bench.program(0, {.pageFirst = kBase / 4096,
                    .pageLast = kBase / 4096 + 0xff,
                    .target = 1,
                    .trigger = trigger,
                    .notify = true});
  bench.enable();
}

void expectErrors(TrackTriggerBench& bench, std::uint32_t cause, std::uint32_t count) {
  EXPECT_EQ(bench.read(r::kErrors), count == 0 ? 0 : 1u << cause);
  for (std::uint32_t other = 0; other < kCauses; ++other)
    EXPECT_EQ(bench.read(errorCountOf(other)), other == cause ? count : 0) << other;
  EXPECT_EQ(bench.read(r::kIrqStatus) & r::kIrqStatusError, count == 0 ? 0 : r::kIrqStatusError);
}

void expectFirst(TrackTriggerBench& bench, std::uint32_t cause, std::uint32_t region,
                 std::uint32_t wg, std::uint32_t wf, std::uint64_t address) {
  EXPECT_EQ(bench.read(r::kErrorFirst), r::kErrorFirstValid | cause << r::kErrorFirstCauseShift |
                                            region << r::kErrorFirstRegionShift |
                                            wf << r::kErrorFirstWfShift | wg);
  EXPECT_EQ(bench.read(r::kErrorAddressLo), static_cast<std::uint32_t>(address));
  EXPECT_EQ(bench.read(r::kErrorAddressHi), address >> 32);
}

void send(TrackTriggerBench& bench, const Update& update, std::uint32_t lane = 0) {
  bench.lanes[lane].push_back(update);
  ASSERT_TRUE(bench.drain());
}

// ---- updates ----------------------------------------------------------------------------------

TEST(Containment, AnUpdateOfNoneOrTooManyBytesIsDropped) {
  DefaultBench bench;
  programPlain(bench, 256);
  for (std::uint32_t wg : {3u, 4u}) bench.set(r::command(wg), 1);
  send(bench, {3, 2, kBase + 0x40, 128});
  std::uint32_t errors = 0;
  for (const std::uint32_t bytes : {0u, 129u, 200u, 255u, 0u}) {
    send(bench, {3, 2, kBase + 0x1020, bytes}, 5);
    expectErrors(bench, kBytes, ++errors);
  }
  expectFirst(bench, kBytes, 0, 3, 2, kBase + 0x1020);
  EXPECT_TRUE(bench.commands.empty());
  // What was there stays right, also of the tile itself.
  send(bench, {3, 2, kBase + 0xc0, 128});
  send(bench, {4, 2, kBase, 128});
  send(bench, {4, 2, kBase, 128});
  ASSERT_EQ(bench.commands.size(), 2u);
  EXPECT_EQ(bench.notifications.at(0).address, kBase + 0x40);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  // Outside all regions it is nobody's error.
  send(bench, {3, 2, 0x1000, 0});
  EXPECT_EQ(bench.read64(r::kUntracked), 1u);
  expectErrors(bench, kBytes, errors);
}

TEST(Containment, AnUpdateThatEndsBeyondItsRegionIsReportedAndCountedForItsTile) {
  DefaultBench bench;
  programPlain(bench, 128);
  for (std::uint32_t wg = 0; wg < 8; ++wg) bench.set(r::command(wg), 1);
  const std::uint64_t end = kBase + 0x100 * 4096;
  send(bench, {1, 0, end - 128, 128});        // ends with its region
  send(bench, {2, 0, end - 4096 - 64, 128});  // crosses a page, not the border
  send(bench, {3, 0, end - 1, 1});
  send(bench, {3, 0, end - 4096 + 1, 127});
  EXPECT_EQ(bench.commands.size(), 3u);
  expectErrors(bench, kBorder, 0);
  send(bench, {4, 1, end - 127, 128});
  send(bench, {5, 1, end - 1, 2});
  expectErrors(bench, kBorder, 2);
  expectFirst(bench, kBorder, 0, 4, 1, end - 128);
  EXPECT_EQ(bench.commands.size(), 4u);
  EXPECT_EQ(bench.read(r::kLive), 1u);
  // All lanes at once, and each is reported.
  for (std::uint32_t lane = 0; lane < 8; ++lane) bench.lanes[lane].push_back({6, 0, end - 8, 16});
  ASSERT_TRUE(bench.drain());
  expectErrors(bench, kBorder, 10);
  EXPECT_EQ(bench.commands.size(), 5u);
}

TEST(Containment, EveryLaneMayBringWrongUpdatesAndTheOthersGoOn) {
  DefaultBench bench;
  programPlain(bench, 128 * 64);
  for (std::uint32_t wg = 0; wg < 8; ++wg) bench.set(r::command(wg), 1);
  // All lanes at once; then three lanes wrong, and the others with a tile each.
  for (std::uint32_t lane = 0; lane < 8; ++lane) bench.lanes[lane].push_back({lane, 0, kBase, 0});
  ASSERT_TRUE(bench.drain());
  expectErrors(bench, kBytes, 8);
  bench.read(r::kId);
  const std::uint64_t start = bench.cycle;
  for (std::uint32_t i = 0; i < 64; ++i) {
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      const bool wrong = lane == 1 || lane == 4 || lane == 6;
      bench.lanes[lane].push_back({lane, 0, kBase + i * 128, wrong ? 0u : 128u});
    }
  }
  for (int i = 0; i < 100 && bench.commands.size() < 5; ++i) bench.tick();
  EXPECT_EQ(bench.commands.size(), 5u);
  EXPECT_LE(bench.cycle - start, 64u + 12u + 5u) << "no lane waited for another lane's errors";
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::errorCount(kBytes)), 8u + 3 * 64u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
}

// ---- software ---------------------------------------------------------------------------------

TEST(Containment, ASlotCannotBeArmedWhileItsCommandWaits) {
  TinyBench bench;
  programPlain(bench, 128);
  bool ready = false;
  bench.dmaReady = [&ready] { return ready; };
  for (std::uint32_t wg : {5u, 6u}) bench.set(r::command(wg), 1);
  for (std::uint32_t wg : {5u, 6u}) bench.lanes[0].push_back({wg, 0, kBase, 128});
  bench.ticks(30);
  EXPECT_EQ(bench.read(r::kQueued), 2u);
  EXPECT_EQ(bench.read(r::kStatus), r::kStatusQueued);
  EXPECT_EQ(bench.read64(r::kTaken), 0u);
  EXPECT_EQ(bench.read(r::command(5)), r::kCommandWaits);
  EXPECT_EQ(bench.read(r::command(7)), 0u);
  EXPECT_EQ(bench.write(r::command(5), 1), TrackTriggerBench::kSlvErr);
  expectErrors(bench, kArmedEarly, 1);
  expectFirst(bench, kArmedEarly, 0, 0, 0, 5 * 32);
  EXPECT_EQ(bench.read(r::command(5)), r::kCommandWaits) << "nothing was written";
  EXPECT_EQ(bench.write(r::command(5), 0), TrackTriggerBench::kOkay) << "zero arms nothing";
  EXPECT_EQ(bench.write(r::command(7), 3), TrackTriggerBench::kOkay);
  // A clear does not take back what was issued.
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
  bench.waitOpen();
  EXPECT_EQ(bench.read(r::kQueued), 2u);
  EXPECT_EQ(bench.write(r::command(6), 1), TrackTriggerBench::kSlvErr);
  expectErrors(bench, kArmedEarly, 1);
  ready = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.commands.size(), 2u);
  EXPECT_EQ(bench.read(r::kQueued), 0u);
  EXPECT_EQ(bench.read64(r::kTaken), 2u);
  for (std::uint32_t wg : {5u, 6u}) {
    EXPECT_EQ(bench.read(r::command(wg)), 0u);
    EXPECT_EQ(bench.write(r::command(wg), 1), TrackTriggerBench::kOkay);
    send(bench, {wg, 0, kBase, 128});
  }
  EXPECT_EQ(bench.commands.size(), 4u);
  EXPECT_EQ(bench.read64(r::kTaken), 4u);
}

/// A slot that only notifies never waits.
TEST(Containment, ASlotOfARegionThatOnlyNotifiesCanBeArmedAtOnce) {
  TinyBench bench;
  programPlain(bench, 128, false);
  bench.dmaReady = [] { return false; };
  for (int round = 0; round < 3; ++round) {
    bench.set(r::command(5), 1);
    send(bench, {5, 0, kBase, 128});
    EXPECT_EQ(bench.read(r::command(5)), 0u);
  }
  EXPECT_EQ(bench.notifications.size(), 3u);
  expectErrors(bench, kArmedEarly, 0);
}

/// Software arms every slot again and again, at any time, and the DMA engine takes commands when it
/// likes: the queue never overflows (an assertion), and each arm that was accepted gives one
/// command.
TEST(Containment, EveryArmThatIsAcceptedGivesOneCommand) {
  Bench<kSmallestUnit> bench;
  bench.waitOpen();
  TrackTriggerBench::Geometry geometry;
  geometry.tilesAcross = 16;
  geometry.tilesDown = 1;
  for (auto& tileClass : geometry.expected) tileClass.fill(128);
  bench.program(0, geometry);
  bench.program(0, TrackTriggerBench::Region{});
  bench.enable();
  Random random(testSeed(81));
  std::uint32_t percent = 0;
  bench.dmaReady = [&] { return random.chance(percent); };
  std::array<std::uint32_t, 16> armed{};
  std::uint32_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    percent = i / 300 % 2 == 0 ? 1 : 20;
    const std::uint32_t slot = random.below(16);
    // A slot that is not zero would only be written once more.
    if ((bench.read(r::command(slot)) & 0xffff) == 0) {
      const bool ok = bench.write(r::command(slot), 1) == TrackTriggerBench::kOkay;
      armed[slot] += ok;
      refused += !ok;
    }
    bench.lanes[0].push_back({slot, slot % 2, kBase, 128});
    if (random.chance(50)) bench.tick();
  }
  percent = 100;
  ASSERT_TRUE(bench.drain());
  std::array<std::uint32_t, 16> issued{};
  for (const Command& command : bench.commands) ++issued[command.cmd];
  // The last arm of a slot may still wait for its tile.
  for (std::uint32_t slot = 0; slot < 16; ++slot)
    EXPECT_EQ(issued[slot] + bench.read(r::command(slot)), armed[slot]) << slot;
  EXPECT_GT(refused, 100u);
  EXPECT_EQ(bench.read(r::errorCount(kArmedEarly)), std::min(refused, 255u));
  EXPECT_EQ(bench.read64(r::kTaken), bench.commands.size());
}

TEST(Containment, ARestartAtAnyTimeOfAnIssueCountsAllOrNothing) {
  std::uint32_t restarted = 0;
  for (std::uint32_t wait = 0; wait < 16; ++wait) {
    TinyBench bench;
    programPlain(bench, 128);
    bench.set(r::command(9), 1);
    const std::uint32_t ctrl = bench.read(r::region(0) + r::kRegCtrl);
    bench.lanes[0].push_back({9, 3, kBase + 96, 128});
    bench.ticks(wait);
    bench.set(r::region(0) + r::kRegCtrl, ctrl);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.commands.size(), 1u);
    const std::uint32_t done = bench.read(r::region(0) + r::kRegDone);
    EXPECT_LE(done, 1u);
    if ((bench.read(r::kErrors) & r::kErrorsRestarted) == 0) continue;
    ++restarted;
    EXPECT_EQ(done, 0u);
    EXPECT_EQ(bench.read(r::kRegionDone), 0u) << "DONE never reached its target";
    expectErrors(bench, kRestarted, 1);
    expectFirst(bench, kRestarted, 0, 9, 3, kBase + 96);
  }
  EXPECT_EQ(restarted, 1u);
}

TEST(Containment, ALockedUnitKeepsItsConfigurationAndWorksOn) {
  TinyBench bench;
  programPlain(bench, 128);
  bench.set(r::command(2), 1);
  bench.set(r::kLock, r::kLockLocked);
  EXPECT_EQ(bench.write(r::region(0) + r::kRegCtrl, 0), TrackTriggerBench::kSlvErr);
  EXPECT_EQ(bench.write(r::kCtrl, 0), TrackTriggerBench::kSlvErr);
  EXPECT_EQ(bench.write(r::command(2), 9), TrackTriggerBench::kSlvErr);
  expectErrors(bench, kLocked, 3);
  expectFirst(bench, kLocked, 0, 0, 0, std::uint64_t{r::region(0) + r::kRegCtrl} / 4 * 32);
  send(bench, {2, 0, kBase, 128});
  EXPECT_EQ(bench.commands.size(), 1u);
  bench.set(r::kLock, 0);
  EXPECT_EQ(bench.write(r::region(0) + r::kRegCtrl, 0), TrackTriggerBench::kOkay);
}

TEST(Containment, SoftwareSeesWhichLanesWait) {
  TinyBench bench;
  programPlain(bench, 256);
  bench.memReady = [] { return false; };
  send(bench, {4, 0, kBase, 128});
  // Bank 0 waits for the memory; lanes 1 and 2 fill up behind it.
  for (std::uint32_t i = 0; i < 12; ++i) {
    bench.lanes[1].push_back({8 + i * 4, 0, kBase, 128});
    bench.lanes[2].push_back({8 + i * 4, 0, kBase, 128});
  }
  bench.ticks(100);
  EXPECT_EQ(bench.read(r::kLanesWaiting), 0x6u);
  EXPECT_EQ(bench.read(r::kStatus) & r::kStatusWaiting, r::kStatusWaiting);
  bench.memReady = nullptr;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::kLanesWaiting), 0u);
}

// ---- records ----------------------------------------------------------------------------------

std::uint64_t recordOf(std::uint32_t wg) { return kSpill + wg * 4 * 32; }

TEST(Containment, AnswersThatNobodyAskedForChangeNothing) {
  TinyBench bench;
  programPlain(bench, 256);
  for (std::uint32_t wg = 0; wg < 20; wg += 4) bench.set(r::command(wg), 1);
  for (std::uint32_t wg = 0; wg < 20; wg += 4) send(bench, {wg, 0, kBase + wg * 128, 128});
  // The record of tile 8, to banks that wait for nothing.
  const Record record = bench.memory.at(recordOf(8));
  for (std::uint32_t bank = 0; bank < 4; ++bank) bench.unasked.emplace_back(bank, record);
  bench.ticks(10);
  ASSERT_TRUE(bench.unasked.empty());
  expectErrors(bench, kUnasked, 4);
  expectFirst(bench, kUnasked, 0, 0, 0, 0);
  EXPECT_EQ(bench.read(r::kLive), 1u);
  // To bank 0 between its request and its answer, too early; and once more after it.
  bench.memLatency = [] { return 30u; };
  bool held = true;
  bench.memReady = [&held] { return !held; };
  bench.lanes[0].push_back({4, 0, kBase, 128});
  bench.ticks(12);
  bench.unasked.emplace_back(0, record);  // the memory does not have the request yet
  bench.ticks(4);
  held = false;
  ASSERT_TRUE(bench.drain());
  bench.unasked.emplace_back(0, record);
  bench.ticks(4);
  expectErrors(bench, kUnasked, 6);
  ASSERT_EQ(bench.commands.size(), 1u);
  for (std::uint32_t wg : {0u, 8u, 12u, 16u}) send(bench, {wg, 0, kBase + wg * 128, 128});
  EXPECT_EQ(bench.commands.size(), 5u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
}

TEST(Containment, ARecordThatIsNoneOfItsTileIsReportedAndSpoilsNoOther) {
  // Bits of the record of another tile, of nobody, and of no unit of this size.
  for (const std::uint32_t bit : {84u, 91u, 100u, 103u, 104u, 105u, 127u, 61u, 62u}) {
    TinyBench bench;
    programPlain(bench, 256);
    for (std::uint32_t wg : {4u, 8u, 12u}) {
      bench.set(r::command(wg), 1);
      send(bench, {wg, 0, kBase, 128});
    }
    bench.memory.at(recordOf(4))[bit / 32] ^= 1u << (bit % 32);
    send(bench, {4, 0, kBase, 128});
    expectErrors(bench, kBadRecord, 1);
    expectFirst(bench, kBadRecord, 0, 4, 0, 0);
    EXPECT_TRUE(bench.commands.empty()) << "its bytes are lost";
    for (std::uint32_t wg : {8u, 12u}) send(bench, {wg, 0, kBase, 128});
    EXPECT_EQ(bench.commands.size(), 2u) << "bit " << bit;
    EXPECT_EQ(bench.read64(r::kOverrun), 0u);
  }
  // Of no bytes; and what an earlier kernel has left is no error.
  TinyBench bench;
  programPlain(bench, 256);
  for (std::uint32_t wg : {4u, 8u}) send(bench, {wg, 0, kBase, 128});
  Record& record = bench.memory.at(recordOf(4));
  const Record good = record;
  record[43 / 32] &= (1u << (43 % 32)) - 1;
  record[62 / 32] &= ~((2u << (62 % 32)) - 1);
  send(bench, {4, 0, kBase, 1});
  expectErrors(bench, kBadRecord, 1);
  bench.memory.at(recordOf(8)) = Record{};
  send(bench, {8, 0, kBase, 1});
  for (const std::uint32_t bit : {63u, 78u, 79u, 82u}) {
    Record& other = bench.memory.at(recordOf(4));
    other = good;
    other[bit / 32] ^= 1u << (bit % 32);
    send(bench, {4, 0, kBase, 1});
    send(bench, {8, 0, kBase, 1});
  }
  expectErrors(bench, kBadRecord, 1);
}

TEST(Containment, ARecordBeyondTheAddressSpaceReachesNoMemory) {
  TinyBench bench;
  // Workgroups from 32 on have their records beyond the end.
  programPlain(bench, 256, true, (std::uint64_t{1} << 48) - 4096);
  for (std::uint32_t wg : {4u, 28u, 40u, 44u}) bench.set(r::command(wg), 1);
  for (std::uint32_t wg : {4u, 28u}) send(bench, {wg, 0, kBase, 128});
  expectErrors(bench, kWrapped, 0);
  send(bench, {40, 0, kBase, 128});  // evicts 28, whose record is the last page; its own read wraps
  expectErrors(bench, kWrapped, 1);
  expectFirst(bench, kWrapped, 0, 40, 0, 0);
  send(bench, {44, 0, kBase, 128});  // evicts 40: lost
  EXPECT_EQ(bench.read(r::errorCount(kWrapped)), 3u);
  for (std::uint32_t wg : {4u, 28u, 44u}) send(bench, {wg, 0, kBase, 128});
  for (const SpillRequest& request : bench.spills) EXPECT_GE(request.address, kSpill);
  std::vector<std::uint32_t> issued;
  for (const Command& command : bench.commands) issued.push_back(command.cmd);
  EXPECT_EQ(issued, (std::vector<std::uint32_t>{4, 28}))
      << "44 was evicted and lost, too; tiles within the address space are not";
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
  EXPECT_FALSE(bench.read(r::kStatus) & r::kStatusBusy);
}

}  // namespace
}  // namespace t3::rtl_test
