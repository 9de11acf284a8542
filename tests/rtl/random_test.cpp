// SPDX-License-Identifier: Apache-2.0
// Method: two kinds of random runs on every size of the unit. (1) Traffic: random regions, blocks,
// rows and updates over all lanes with random back-pressure, as sound producers send them; nothing
// in it depends on order, so the untimed reference (reference.h) says exactly what must come out
// and what all registers must read. (2) Steps: one random access or a few updates at a time, sound
// or not, with neighbours that take or refuse; after each the unit comes to rest, and everything is
// compared, errors and their details included.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rtl_test/random.h"
#include "tests/rtl/reference.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::random_test {
namespace {

namespace r = registers;

/// The registers that are compared; without what depends on time (STALLS, STATUS, CTRL).
std::vector<std::uint32_t> comparedRegisters(const UnitSize& size) {
  std::vector<std::uint32_t> all{r::kId,      r::kVersion,   r::kConfig0, r::kConfig1,
                                 r::kConfig2, r::kIrqStatus, r::kErrors,  r::kRegionDone,
                                 r::kIrqTest, r::kIrqEnable, r::kLock,    r::kFill};
  for (std::uint32_t counter = r::kUpdates; counter <= r::kReleased; counter += 8) {
    all.push_back(counter);
    all.push_back(counter + 4);
  }
  for (std::uint32_t cause = 0; cause < kCauses; ++cause) all.push_back(r::errorCount(cause));
  for (std::uint32_t w = 0; w < size.windows; ++w) {
    for (std::uint32_t offset = 0; offset <= r::kWindowPageHigh; offset += 4)
      all.push_back(r::window(w) + offset);
  }
  for (std::uint32_t region = 0; region < size.regions; ++region) {
    for (std::uint32_t offset = 0; offset <= r::kRegDone; offset += 4)
      all.push_back(r::region(region) + offset);
  }
  return all;
}

/// A unit and the reference, which get the same.
class Pair {
 public:
  Pair(const Unit& unit, std::uint64_t seed)
      : size(unit.size), bench(unit), random(seed), reference(unit.size) {
    bench.waitOpen();
  }

  const UnitSize size;
  TrackTriggerBench bench;
  Random random;
  Reference reference;

  void write(std::uint32_t address, std::uint32_t data, bool privileged = false) {
    const std::uint32_t want = reference.write(address, data, privileged);
    const std::uint32_t got =
        privileged ? bench.writePrivileged(address, data) : bench.write(address, data);
    EXPECT_EQ(got, want) << "writing " << registerValueText(address, data) << " to "
                         << registerText(address);
    // A fill or a clear goes on.
    for (int i = 0; i < 20000 && (address == r::kFill || address == r::kCtrl); ++i) {
      if (!bench.model->busy_o) break;
      bench.tick();
    }
  }
  void update(std::uint32_t lane, const Update& update) {
    bench.lanes[lane].push_back(update);
    reference.update(update);
  }

  void compareRegisters() {
    for (const std::uint32_t address : comparedRegisters(size))
      ASSERT_EQ(bench.read(address), reference.read(address)) << "at " << registerText(address);
  }
  void compareWords() {
    for (std::uint32_t slot = 0; slot < size.slots; ++slot)
      ASSERT_EQ(bench.read(r::slot(slot)), reference.read(r::slot(slot))) << "slot " << slot;
    for (std::uint32_t row = 0; row < size.rows; ++row)
      ASSERT_EQ(bench.read(r::row(row)), reference.read(r::row(row))) << "row " << row;
  }
  void compareFirst() {
    ASSERT_EQ((bench.read(r::kErrorFirst) & r::kErrorFirstValid) != 0, reference.first.has_value());
    if (!reference.first) return;
    const std::uint32_t first = bench.read(r::kErrorFirst);
    ASSERT_EQ(first & r::kErrorFirstCause, reference.first->cause);
    ASSERT_EQ(bench.read(r::kErrorInfo), reference.first->info);
    if (reference.first->region) {
      ASSERT_EQ((first & r::kErrorFirstRegion) >> r::kErrorFirstRegionShift,
                *reference.first->region);
    }
  }
  /// `ordered`: the order is known, too.
  void compareStreams(bool ordered) {
    std::vector<std::pair<std::uint32_t, bool>> got, want;
    for (const Done& done : bench.done) got.emplace_back(done.slot, done.spoiled);
    for (const Done& done : reference.done) want.emplace_back(done.slot, done.spoiled);
    std::vector<std::uint32_t> rows, wantRows = reference.rows;
    for (const Release& release : bench.releases) rows.push_back(release.row);
    if (!ordered) {
      std::ranges::sort(got);
      std::ranges::sort(want);
      std::ranges::sort(rows);
      std::ranges::sort(wantRows);
    }
    ASSERT_EQ(got, want);
    ASSERT_EQ(rows, wantRows);
  }
};

// ---- traffic ------------------------------------------------------------------------------------

struct Plan {
  std::uint32_t slots = 0;   ///< of a region, at most
  std::uint32_t window = 8;  ///< slots in flight
  std::uint32_t offerPercent = 100;
  std::uint32_t donePercent = 100;
  std::uint32_t releasePercent = 50;
  std::uint32_t maxBytes = 4096;  ///< of a slot
  bool disturb = false;           ///< inputs change and change back within every cycle
};

class Traffic {
 public:
  Traffic(const Unit& unit, std::uint64_t seed, const Plan& plan)
      : plan_(plan), pair_(unit, seed) {}

  void run() {
    auto& bench = pair_.bench;
    bench.doneReady = [this] { return random_.chance(plan_.donePercent); };
    bench.releaseReady = [this] { return random_.chance(plan_.releasePercent); };
    bench.offer = [this](std::uint32_t) { return random_.chance(plan_.offerPercent); };
    program();
    feed();
    if (plan_.disturb) {
      // Responses that wait, too.
      bench.disturb = [this] { return random_.below(std::uint64_t{1} << 32); };
      bench.axiDelay = [this] { return random_.below(4); };
      while (!bench.lanesEmpty()) bench.read(r::slot(random_.below(size_.slots)));
    }
    ASSERT_TRUE(bench.drain(2'000'000)) << "the unit did not come to rest";
    pair_.reference.settle(true, true);
    EXPECT_EQ(bench.read64(r::kStalls), bench.stalled);
    pair_.compareRegisters();
    pair_.compareStreams(false);
    pair_.compareWords();
    EXPECT_EQ(bench.read(r::kErrors), 0u);
    EXPECT_GT(bench.read64(r::kCompleted), 0u);
    std::cout << bench.accepted << " updates, " << bench.done.size() << " done, "
              << bench.releases.size() << " rows, " << bench.stalled << " stalls, " << bench.cycle
              << " cycles\n";
  }

 private:
  /// What is missing of a slot, and which identities are its.
  struct Block {
    std::uint32_t region, firstId, ids, left;
    std::uint64_t pages;  ///< first page of the window
  };

  void program() {
    const std::uint32_t waves = size_.wavefronts();
    std::uint32_t slot = random_.below(3), wg = 0;
    std::map<std::uint32_t, std::uint32_t> rows;
    for (std::uint32_t w = 0; w < size_.windows; ++w) {
      // Windows side by side, two pages each.
      pair_.write(r::window(w) + r::kWindowPageFirst, 0x100 + w * 2);
      pair_.write(r::window(w) + r::kWindowPageLast, 0x101 + w * 2);
    }
    for (std::uint32_t i = 0; i < size_.regions; ++i) {
      const std::uint32_t base = r::region(i), window = random_.below(size_.windows);
      const std::uint32_t shift = random_.below(size_.wfWidth + 3);
      std::uint32_t blocks = random_.between(1, plan_.slots);
      blocks = std::min(blocks, size_.slots - std::min(size_.slots, slot));
      const std::uint32_t ids = blocks << shift;
      const std::uint32_t count = (ids + waves - 1) / waves;
      if (blocks == 0 || wg + count > size_.workgroups()) break;
      const bool hasRows = size_.rows != 0 && random_.chance(70);
      const std::uint32_t perRow = random_.between(1, 9), phase = random_.below(perRow);
      const std::uint32_t allRows = (blocks + phase - 1) / perRow + 1;
      if (hasRows && allRows > size_.rows) break;
      const std::uint32_t firstRow =
          allRows > size_.rows ? 0 : random_.below(size_.rows - allRows + 1);
      pair_.write(base + r::kRegCtrl, (random_.chance(75) ? r::kRegCtrlTrigger : 0u) |
                                          (hasRows ? r::kRegCtrlRows : 0u) |
                                          shift << r::kRegCtrlShiftShift |
                                          window << r::kRegCtrlWindowShift);
      pair_.write(base + r::kRegWgFirst, wg);
      pair_.write(base + r::kRegWgLast, wg + count - 1);
      pair_.write(base + r::kRegSlotFirst, slot);
      pair_.write(base + r::kRegSlotLast, slot + blocks - 1);
      pair_.write(base + r::kRegRowFirst, firstRow);
      pair_.write(base + r::kRegRowPhase, std::min(phase, size_.slots - 1));
      pair_.write(base + r::kRegRowReciprocal, ((1u << 26) + perRow - 1) / perRow);
      pair_.write(base + r::kRegTarget, random_.chance(80) ? blocks : random_.between(1, blocks));
      pair_.write(base + r::kRegState, 2);
      const std::uint32_t usual = random_.between(1, plan_.maxBytes);
      pair_.write(r::kFill, i << r::kFillRegionShift | usual);
      for (std::uint32_t block = 0; block < blocks; ++block) {
        std::uint32_t bytes = usual;
        if (random_.chance(30)) {
          bytes = random_.between(1, plan_.maxBytes);
          pair_.write(r::slot(slot + block), bytes);
        }
        // The last block of a region may have fewer identities.
        const std::uint32_t first = block << shift;
        blocks_.push_back({i, wg * waves + first, std::min(1u << shift, count * waves - first),
                           bytes, 0x100 + window * 2});
        if (hasRows) ++rows[firstRow + (block + phase) / perRow];
      }
      slot += blocks + random_.below(3);
      // Wavefronts beyond the last block would be outside: nobody sends them.
      wg += count + random_.below(2);
      states_.push_back(i);
    }
    for (const auto& [row, count] : rows) pair_.write(r::row(row), count);
    for (const std::uint32_t region : states_) pair_.write(r::region(region) + r::kRegState, 1);
    pair_.write(r::kCtrl, r::kCtrlEnable);
    untracked_ = wg;
  }

  /// Cuts the bytes of slots into updates, a window of slots at a time, over random lanes.
  void feed() {
    std::vector<std::size_t> window;
    std::size_t next = 0;
    while (next < blocks_.size() || !window.empty()) {
      while (window.size() < plan_.window && next < blocks_.size()) window.push_back(next++);
      const std::size_t place = random_.below(window.size());
      Block& block = blocks_[window[place]];
      const std::uint32_t lane = random_.below(size_.lanes);
      // Several updates in a row, as a store of a row gives, on neighbouring lanes.
      const std::uint32_t burst = random_.between(1, 2 * size_.lanes);
      for (std::uint32_t i = 0; i < burst && block.left > 0; ++i) {
        const std::uint32_t most = std::min(block.left, size_.mostWeight());
        const std::uint32_t weight = random_.chance(60) ? most : random_.between(1, most);
        const std::uint32_t id = block.firstId + random_.below(block.ids);
        pair_.update((lane + i) % size_.lanes, {id / size_.wavefronts(), id % size_.wavefronts(),
                                                block.pages * 4096 + random_.below(8192), weight});
        block.left -= weight;
      }
      if (block.left == 0) {
        window[place] = window.back();
        window.pop_back();
      }
      if (random_.chance(3))
        pair_.update(lane, {random_.below(size_.workgroups()), 0, random_.below(0x100000), 1});
    }
  }

  Plan plan_;
  Pair pair_;
  Random& random_ = pair_.random;
  const UnitSize size_ = pair_.size;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> states_;
  std::uint32_t untracked_ = 0;
};

void runTraffic(const Unit& unit, std::uint64_t seed, std::uint64_t rounds, const Plan& plan) {
  for (std::uint64_t i = 0; i < rounds; ++i) {
    SCOPED_TRACE("alone: T3_TEST_ROUNDS=1 T3_TEST_SEED=" + std::to_string(seed + i));
    Traffic(unit, seed + i, plan).run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomTraffic, DefaultSizeAtFullRate) {
  runTraffic(kDefaultUnit, testSeed(1), 1, {.slots = 500, .window = 12});
}

/// Lanes and neighbours are slow, so that more slots wait than the queue holds.
constexpr Plan backPressure(std::uint32_t slots) {
  return {.slots = slots, .window = 100, .offerPercent = 60, .donePercent = 2, .releasePercent = 2};
}

TEST(RandomTraffic, DefaultSizeWithBackPressureEverywhere) {
  runTraffic(kDefaultUnit, testSeed(2), 1, backPressure(300));
}
TEST(RandomTraffic, SecdedAtTheDefaultSize) {
  runTraffic(kDefaultSecdedUnit, testSeed(11), 1, backPressure(200));
}
TEST(RandomTraffic, DefaultSizeWithSlotsThatAreDoneEveryFewCycles) {
  runTraffic(kDefaultUnit, testSeed(7), 1,
             {.slots = 500, .window = 80, .donePercent = 3, .maxBytes = 128});
}
TEST(RandomTraffic, TinyUnitThatOverflowsAllTheTime) {
  runTraffic(kTinyUnit, testSeed(3), testRounds(20),
             {.slots = 12, .window = 40, .donePercent = 2, .releasePercent = 2, .maxBytes = 300});
}
TEST(RandomTraffic, TinyUnitAtFullRate) {
  runTraffic(kTinyUnit, testSeed(4), testRounds(20), {.slots = 12, .window = 3, .maxBytes = 2000});
}
TEST(RandomTraffic, ProtectedUnits) {
  for (const Unit* unit : {&kPlainUnit, &kParityUnit, &kSecdedUnit}) {
    runTraffic(*unit, testSeed(8), testRounds(8),
               {.slots = 12, .window = 20, .donePercent = 10, .maxBytes = 300});
  }
}
/// A checker that fires fails the test, like any assertion of the RTL.
TEST(RandomTraffic, TinyUnitWithTheCheckersOfItsPorts) {
  runTraffic(kCheckedUnit, testSeed(12), 10,
             {.slots = 12, .window = 40, .offerPercent = 80, .donePercent = 30, .maxBytes = 500});
}
TEST(RandomTraffic, TinyUnitBehindAClockGate) {
  runTraffic(kGatedUnit, testSeed(13), 10,
             {.slots = 12, .window = 40, .offerPercent = 30, .donePercent = 10, .maxBytes = 500});
}
TEST(RandomTraffic, OneLaneSixteenBanks) {
  runTraffic(kNarrowUnit, testSeed(5), testRounds(8),
             {.slots = 60, .window = 20, .offerPercent = 90, .donePercent = 5, .maxBytes = 60'000});
}
TEST(RandomTraffic, SixteenLanesTwoBanks) {
  runTraffic(kWideUnit, testSeed(6), testRounds(8),
             {.slots = 40, .window = 30, .donePercent = 30, .maxBytes = 65'536});
}
TEST(RandomTraffic, SmallestUnit) {
  runTraffic(kSmallestUnit, testSeed(9), testRounds(20),
             {.slots = 15, .window = 12, .donePercent = 4, .maxBytes = 300});
}
TEST(RandomTraffic, TinyUnitWithoutRows) {
  runTraffic(kRowlessUnit, testSeed(14), testRounds(8),
             {.slots = 12, .window = 20, .donePercent = 10, .maxBytes = 300});
}
TEST(RandomTraffic, LargestUnit) {
  runTraffic(kLargestUnit, testSeed(13), 1,
             {.slots = 500, .window = 60, .donePercent = 20, .maxBytes = 100'000});
}

/// Registers, full-rate paths and waiting responses alike: `*_ready_o` and `busy_o` are functions
/// of registers, every other output is one.
TEST(RandomTraffic, NoOutputFollowsAnInputWithinACycle) {
  const Plan plan{.slots = 10,
                  .window = 20,
                  .offerPercent = 80,
                  .donePercent = 20,
                  .maxBytes = 400,
                  .disturb = true};
  runTraffic(kTinyUnit, testSeed(10), 3, plan);
  runTraffic(kWideUnit, testSeed(10), 1, plan);
  runTraffic(kDefaultUnit, testSeed(10), 1, plan);
  runTraffic(kSecdedUnit, testSeed(10), 1, plan);
}

// ---- steps --------------------------------------------------------------------------------------

class Steps {
 public:
  Steps(const Unit& unit, std::uint64_t seed) : pair_(unit, seed) {
    pair_.bench.doneReady = [this] { return doneReady_; };
    pair_.bench.releaseReady = [this] { return releaseReady_; };
  }

  void run(int steps) {
    auto& bench = pair_.bench;
    pair_.write(r::kCtrl, r::kCtrlEnable);
    for (std::uint32_t w = 0; w < size_.windows; ++w)
      pair_.write(r::window(w) + r::kWindowPageLast, 3);
    for (std::uint32_t region = 0; region < size_.regions; ++region) startRegion(region);
    for (int step = 0; step < steps; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      act();
      ASSERT_TRUE(bench.settle());
      pair_.reference.settle(doneReady_, releaseReady_);
      // From here on the order is another one than the reference's.
      if (pair_.reference.orderUnknown) restart();
      ASSERT_NO_FATAL_FAILURE(pair_.compareRegisters());
      ASSERT_NO_FATAL_FAILURE(pair_.compareFirst());
      ASSERT_NO_FATAL_FAILURE(pair_.compareStreams(true));
      EXPECT_EQ(bench.read(r::kStatus), pair_.reference.read(r::kStatus));
      EXPECT_EQ(bench.read(r::kCtrl), pair_.reference.read(r::kCtrl));
      bench.ticks(2);
      EXPECT_EQ(bench.model->irq_o != 0,
                (pair_.reference.read(r::kIrqStatus) & pair_.reference.read(r::kIrqEnable)) != 0);
      if (step % 16 == 0) {
        ASSERT_NO_FATAL_FAILURE(pair_.compareWords());
      }
      if (testing::Test::HasFailure()) return;
    }
    shown_ += bench.done.size();
    rows_ += bench.releases.size();
    std::cout << shown_ << " done, " << rows_ << " rows; errors:";
    for (std::uint32_t cause = 0; cause < kDamaged; ++cause) std::cout << ' ' << seen_[cause];
    std::cout << "\n";
  }
  const std::array<std::uint32_t, kCauses>& seen() const { return seen_; }
  std::size_t shown() const { return shown_; }
  std::size_t rows() const { return rows_; }

 private:
  /// Everything is taken, and everything that waits is forgotten by both.
  void restart() {
    doneReady_ = releaseReady_ = true;
    ASSERT_TRUE(pair_.bench.drain());
    pair_.reference.settle(true, true);
    pair_.compareStreams(false);
    shown_ += pair_.bench.done.size();
    rows_ += pair_.bench.releases.size();
    pair_.bench.done.clear();
    pair_.bench.releases.clear();
    pair_.reference.done.clear();
    pair_.reference.rows.clear();
    pair_.reference.orderUnknown = false;
  }

  std::uint32_t anyRegion() { return random_.below(size_.regions); }
  std::uint32_t anySlot() { return random_.below(std::min(size_.slots, 40u)); }
  std::uint32_t anyRow() { return random_.below(std::clamp(size_.rows, 1u, 16u)); }
  std::uint32_t few() { return random_.chance(80) ? random_.below(300) : random_.below(3); }

  void act() {
    const auto before = pair_.reference.errorCounts;
    switch (random_.below(14)) {
      case 0:
        if (random_.chance(70)) {
          startRegion(anyRegion());
        } else {
          setRegion(anyRegion());
        }
        break;
      case 1: {
        const std::uint32_t state = random_.below(4);
        pair_.write(r::region(anyRegion()) + r::kRegState, random_.chance(60) ? 1 : state);
        break;
      }
      case 2:
        pair_.write(r::slot(anySlot()), random_.chance(95) ? few() : size_.mostCount() + 1);
        break;
      case 3:
        pair_.write(r::row(anyRow()), random_.chance(95) ? random_.below(4) : 1u << 14);
        break;
      case 4: {
        const std::uint32_t region = random_.chance(97) ? anyRegion() : random_.below(16);
        // Which of several slots is reported first is not said.
        if (fillMayReportSeveral(region)) break;
        pair_.write(r::kFill, region << r::kFillRegionShift | few());
        break;
      }
      case 5:
        pair_.write(r::window(random_.below(size_.windows)) + random_.below(3) * 4,
                    random_.chance(50) ? 0 : random_.below(4));
        // Most pages are in most windows again.
        if (random_.chance(80))
          pair_.write(r::window(random_.below(size_.windows)) + r::kWindowPageLast, 3);
        break;
      case 6:
        misc();
        break;
      case 7:
        doneReady_ = random_.chance(50);
        releaseReady_ = random_.chance(50);
        break;
      default: {
        // Updates of one lane: their order is known.
        const std::uint32_t lane = random_.below(size_.lanes);
        for (std::uint32_t i = random_.between(1, 6); i > 0; --i) {
          pair_.bench.lanes[lane].push_back(anyUpdate());
          pair_.reference.update(pair_.bench.lanes[lane].back());
          pair_.bench.settle();
          pair_.reference.settle(doneReady_, releaseReady_);
        }
      }
    }
    for (std::uint32_t cause = 0; cause < kCauses; ++cause)
      seen_[cause] += pair_.reference.errorCounts[cause] > before[cause];
  }

  bool fillMayReportSeveral(std::uint32_t region) {
    if (region >= size_.regions) return false;
    const std::uint32_t base = r::region(region);
    if (pair_.reference.read(base) != 0) return false;
    int busy = 0;
    for (std::uint32_t slot = pair_.reference.read(base + r::kRegSlotFirst);
         slot <= pair_.reference.read(base + r::kRegSlotLast) && slot < size_.slots; ++slot) {
      busy += pair_.reference.slotWords[slot].busy();
    }
    return busy > 1;
  }

  Update anyUpdate() {
    // Mostly of a region that is on, and often exactly what its slot misses.
    const std::uint32_t base = r::region(anyRegion());
    const auto read = [&](std::uint32_t offset) { return pair_.reference.read(base + offset); };
    std::uint32_t wg = random_.below(std::min(size_.workgroups(), 48u));
    std::uint32_t wf = random_.below(size_.wavefronts());
    std::uint32_t weight = random_.between(1, random_.chance(50) ? 30 : size_.mostWeight());
    const bool aimed = read(r::kRegState) == 1 && random_.chance(90);
    for (int attempt = 0; attempt < 8 && aimed; ++attempt) {
      wg = random_.between(read(r::kRegWgFirst), read(r::kRegWgLast));
      wf = random_.below(size_.wavefronts());
      const std::uint32_t shift = (read(r::kRegCtrl) & r::kRegCtrlShift) >> r::kRegCtrlShiftShift;
      const std::uint32_t slot =
          read(r::kRegSlotFirst) + (((wg - read(r::kRegWgFirst)) << size_.wfWidth | wf) >> shift);
      if (slot > read(r::kRegSlotLast)) continue;
      const std::uint32_t missing = pair_.reference.slotWords[slot].missing;
      if (missing == 0 && random_.chance(90)) continue;
      if (missing != 0 && random_.chance(80)) weight = std::min(missing, size_.mostWeight());
      break;
    }
    const bool wrong = random_.chance(3);
    if (wrong)
      weight = random_.chance(50)
                   ? 0
                   : random_.between(size_.mostWeight() + 1, 2 * size_.mostWeight() - 1);
    return {wg, wf, random_.below(4) * 4096ull + random_.below(4096), weight};
  }

  /// A region as software starts one: settings, stopped, filled, rows, on.
  void startRegion(std::uint32_t region) {
    const std::uint32_t base = r::region(region);
    pair_.write(base + r::kRegState, 0);
    setRegion(region);
    pair_.write(base + r::kRegState, 2);
    // Others that have some of its slots, or of its rows, are mostly off, or nothing can be armed.
    for (std::uint32_t other = 0; other < size_.regions; ++other) {
      if (other != region && random_.chance(85)) pair_.write(r::region(other) + r::kRegState, 0);
    }
    pair_.write(r::kFill, region << r::kFillRegionShift | random_.between(1, 200));
    for (std::uint32_t row = 0; row < std::min(size_.rows, 16u); ++row) {
      if (!pair_.reference.rowWords[row].busy()) pair_.write(r::row(row), random_.between(1, 4));
    }
    pair_.write(base + r::kRegState, 1);
  }

  void setRegion(std::uint32_t region) {
    const std::uint32_t base = r::region(region);
    if (random_.chance(70)) pair_.write(base + r::kRegState, 0);
    const std::uint32_t slots = std::min(size_.slots, 40u), first = random_.below(slots);
    const std::uint32_t wg = random_.below(40), perRow = random_.between(1, 5);
    // Mostly without rows where there are none, or the region keeps what it has.
    const bool rows = size_.rows != 0 || random_.chance(10);
    pair_.write(base + r::kRegCtrl, random_.below(rows ? 4 : 2) |
                                        random_.below(6) << r::kRegCtrlShiftShift |
                                        random_.below(size_.windows) << r::kRegCtrlWindowShift);
    pair_.write(base + r::kRegWgFirst, wg);
    pair_.write(base + r::kRegWgLast, wg + random_.below(12));
    pair_.write(base + r::kRegSlotFirst, first);
    pair_.write(base + r::kRegSlotLast, random_.between(first, slots - 1));
    pair_.write(base + r::kRegRowFirst, random_.chance(80) ? anyRow() : size_.rows - 1);
    pair_.write(base + r::kRegRowPhase, random_.below(perRow));
    pair_.write(base + r::kRegRowReciprocal, ((1u << 26) + perRow - 1) / perRow);
    pair_.write(base + r::kRegTarget, random_.below(6));
  }

  void misc() {
    switch (random_.below(9)) {
      case 0:
        return pair_.write(r::kIrqEnable, random_.below(5));
      case 1:
        return pair_.write(r::kIrqStatus, random_.below(4));
      case 2:
        return pair_.write(r::kIrqTest, random_.below(4));
      case 3:
        return pair_.write(r::kRegionDone, random_.below(0x10000));
      case 4:
        return pair_.write(r::kErrors, random_.below(0x800));
      case 5:
        return pair_.write(r::kErrorFirst, random_.chance(80) ? r::kErrorFirstValid : 0);
      case 6:
        return pair_.write(r::region(anyRegion()) + r::kRegDone, random_.below(9));
      case 7:
        // Locked for a while now and then; a lock does not stay.
        pair_.write(r::kLock, random_.below(4));
        pair_.write(random_.chance(50) ? r::slot(anySlot()) : r::region(anyRegion()), 1);
        pair_.write(r::kLock, random_.below(4));
        return pair_.write(r::kLock, 0, true);
      default:
        // A clear forgets what waits, and what stands at a port stays.
        if (random_.chance(10)) return pair_.write(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
        if (random_.chance(10)) return pair_.write(r::kCtrl, r::kCtrlEnable | r::kCtrlLook);
        pair_.write(r::kCtrl, random_.chance(20) ? 0 : r::kCtrlEnable);
        return pair_.write(r::kCtrl, r::kCtrlEnable);
    }
  }

  Pair pair_;
  Random& random_ = pair_.random;
  const UnitSize size_ = pair_.size;
  bool doneReady_ = true, releaseReady_ = true;
  std::size_t shown_ = 0, rows_ = 0;
  std::array<std::uint32_t, kCauses> seen_{};
};

void runSteps(const Unit& unit, std::uint64_t seed, std::uint64_t rounds, int steps) {
  std::array<std::uint32_t, kCauses> seen{};
  std::size_t shown = 0, rows = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    SCOPED_TRACE("alone: T3_TEST_ROUNDS=1 T3_TEST_SEED=" + std::to_string(seed + i));
    Steps run(unit, seed + i);
    run.run(steps);
    if (testing::Test::HasFailure()) return;
    for (std::uint32_t cause = 0; cause < kCauses; ++cause) seen[cause] += run.seen()[cause];
    shown += run.shown();
    rows += run.rows();
  }
  EXPECT_GT(shown, 10u);
  const bool hasRows = unit.size.rows != 0;
  EXPECT_EQ(rows > 1, hasRows);
  if (rounds < 3) return;
  for (std::uint32_t cause = 0; cause < kDamaged; ++cause) {
    const bool ofRows = cause == kRowStray || cause == kRowOutside || cause == kRowArmedEarly;
    EXPECT_EQ(seen[cause] > 0, hasRows || !ofRows) << "cause " << cause;
  }
}

TEST(RandomSteps, TinyUnitAgreesWithTheReference) {
  runSteps(kTinyUnit, testSeed(41), testRounds(6), 500);
}
TEST(RandomSteps, UnitWithoutRowsAgreesWithTheReference) {
  runSteps(kRowlessUnit, testSeed(51), testRounds(4), 500);
}
TEST(RandomSteps, DefaultUnitAgreesWithTheReference) {
  runSteps(kDefaultUnit, testSeed(42), 1, 900);
}
TEST(RandomSteps, SmallestUnitAgreesWithTheReference) {
  runSteps(kSmallestUnit, testSeed(43), testRounds(4), 500);
}
TEST(RandomSteps, WideUnitAgreesWithTheReference) {
  runSteps(kWideUnit, testSeed(44), testRounds(1), 900);
}
TEST(RandomSteps, NarrowUnitAgreesWithTheReference) {
  runSteps(kNarrowUnit, testSeed(45), testRounds(2), 300);
}
TEST(RandomSteps, SecdedUnitAgreesWithTheReference) {
  runSteps(kSecdedUnit, testSeed(46), testRounds(2), 500);
}

}  // namespace
}  // namespace t3::rtl_test::random_test
