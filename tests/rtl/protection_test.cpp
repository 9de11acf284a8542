// SPDX-License-Identifier: Apache-2.0
// Method: tiny units without protection, with parity and with SECDED, whose memories the test
// changes (memories.vlt). A word of each kind of memory is brought into each state that it can
// have, each of its bits is flipped in turn (with SECDED also two at once; also all zeros and all
// ones), then an operation of each kind finds it: what leaves the unit and what its registers say
// is looked at. The word of a slot or row is found by looking which word a write to it changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::protection_test {
namespace {

namespace r = registers;

constexpr std::uint64_t kPage = 0x1'0000;
constexpr std::uint32_t kBytes = 100;
constexpr std::uint32_t kOfRow = 1u << 16;  ///< in ERROR_INFO of a damaged word

/// A word of a memory.
struct Place {
  Memory memory;
  std::uint32_t word = 0;
  std::vector<bool> bits() const {
    std::vector<bool> all;
    for (std::uint32_t bit = 0; bit < memory.bits; ++bit) all.push_back(memory.bit(word, bit));
    return all;
  }
};

/// The word that a write to a slot or row changes; leaves it idle.
Place placeOf(TrackTriggerBench& bench, std::uint32_t address) {
  bench.set(address, 0);
  const auto all = bench.model->memories();
  std::vector<std::vector<std::vector<bool>>> before;
  for (const Memory& memory : all) {
    auto& words = before.emplace_back();
    for (std::uint32_t word = 0; word < memory.words; ++word)
      words.push_back(Place{memory, word}.bits());
  }
  bench.set(address, 0x2a55);
  Place found;
  int count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::uint32_t word = 0; word < all[i].words; ++word) {
      if (Place{all[i], word}.bits() == before[i][word]) continue;
      found = {all[i], word};
      ++count;
    }
  }
  EXPECT_EQ(count, 1) << "a slot is one word";
  bench.clear();
  return found;
}

/// A region of 16 slots of a workgroup each, with a row for each slot, which trigger.
struct Protected {
  TrackTriggerBench bench;
  bool ready = true;

  explicit Protected(const Unit& unit) : bench(unit) {
    bench.doneReady = bench.releaseReady = [this] { return ready; };
    bench.waitOpen();
    bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
    bench.program(0, {.wgLast = 15, .shift = bench.size.wfWidth, .firstRow = 0});
    bench.setState(0, State::On);
    bench.enable();
  }
  void update(std::uint32_t wg, std::uint32_t weight) {
    bench.lanes[wg % bench.size.lanes].push_back({wg, 0, kPage, weight});
    ASSERT_TRUE(bench.settle());
  }
  void completeFiller() {
    // Something else stands at the ports, so that the next ones wait.
    ready = false;
    bench.set(r::slot(9), 1);
    bench.set(r::row(9), 1);
    update(9, 1);
  }
  std::size_t doneOf(std::uint32_t slot) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(bench.done, [slot](const Done& done) { return done.slot == slot; }));
  }
  std::size_t releasesOf(std::uint32_t row) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        bench.releases, [row](const Release& release) { return release.row == row; }));
  }
  /// One damaged word, told once, and forgotten.
  void expectDamaged(std::uint32_t info) {
    bench.ticks(3);
    EXPECT_TRUE(bench.model->alert_o);
    EXPECT_EQ(bench.read(r::kErrors) & r::kErrorsDamaged, r::kErrorsDamaged);
    EXPECT_EQ(bench.read(r::errorCount(kDamaged)), 1u);
    EXPECT_EQ(bench.read(r::kErrorFirst) & r::kErrorFirstCause, std::uint32_t{kDamaged});
    EXPECT_EQ(bench.read(r::kErrorInfo), info);
    EXPECT_NE(bench.read(r::kIrqStatus) & r::kIrqStatusError, 0u);
    bench.set(r::kErrors, r::kErrorsDamaged);
    bench.ticks(3);
    EXPECT_FALSE(bench.model->alert_o);
  }
};

constexpr std::uint32_t kSlot = 6;

/// A state of slot 6, or of row 6, and what brings it there.
struct Condition {
  const char* name;
  std::function<void(Protected&, bool row)> reach;
  std::uint32_t reads;
};

void arm(Protected& unit, bool row, std::uint32_t count) {
  unit.bench.set(row ? r::row(kSlot) : r::slot(kSlot), count);
}

/// Completes slot 6; a row that is looked at has one block left, a slot one byte.
void completeBoth(Protected& unit, bool row) {
  unit.completeFiller();
  unit.bench.set(r::slot(kSlot), 1);
  unit.bench.set(r::row(kSlot), row ? 1 : 9);
  unit.update(kSlot, 1);
}

const std::vector<Condition> kConditions{
    {"idle", [](Protected&, bool) {}, 0},
    {"counting", [](Protected& unit, bool row) { arm(unit, row, 0x155); }, 0x155},
    {"the largest count",
     [](Protected& unit, bool row) { arm(unit, row, row ? 0x3fff : 1u << 22); }, 0},
    {"waiting", completeBoth, r::kSlotWaits},
    {"waiting and spoiled",
     [](Protected& unit, bool row) {
       completeBoth(unit, row);
       if (row) unit.bench.set(r::row(kSlot + 1), 9);
       if (row) {
         // Another completion for the row.
         unit.bench.setState(0, State::Off);
         unit.bench.program(
             1, {.wgFirst = 0, .wgLast = 0, .shift = 2, .slotFirst = 40, .firstRow = kSlot});
         unit.bench.set(r::slot(40), 1);
         unit.bench.setState(1, State::On);
         unit.update(0, 1);
         unit.bench.setState(1, State::Off);
         unit.bench.setState(0, State::On);
       } else {
         unit.update(kSlot, 1);
       }
     },
     r::kSlotWaits | r::kSlotSpoiled},
};

/// Brings the word into a state, changes it, reads it: what a read of SLOT or ROW says.
void aReadFinds(const Unit& unit, bool row, const std::function<void(const Place&)>& change,
                bool corrected) {
  for (const Condition& condition : kConditions) {
    SCOPED_TRACE(condition.name);
    Protected p(unit);
    const std::uint32_t address = row ? r::row(kSlot) : r::slot(kSlot);
    const Place place = placeOf(p.bench, address);
    condition.reach(p, row);
    const std::uint32_t good = p.bench.read(address);
    if (condition.reads != 0) {
      ASSERT_EQ(good, condition.reads);
    }
    p.bench.forgetErrors();
    const std::uint64_t before = p.bench.read64(r::kCorrected);
    const auto image = place.bits();
    change(place);
    if (place.bits() == image) continue;  // all zeros or all ones never are
    const std::uint32_t got = p.bench.read(address);
    ASSERT_TRUE(p.bench.settle());
    if (corrected) {
      EXPECT_EQ(got, good);
      EXPECT_EQ(place.bits(), image) << "written back";
      EXPECT_EQ(p.bench.read64(r::kCorrected), before + 1);
      EXPECT_EQ(p.bench.read(r::kErrors), 0u);
      EXPECT_FALSE(p.bench.model->alert_o);
    } else {
      EXPECT_EQ(got, r::kSlotSpoiled) << "never a count, and it does not wait";
      p.expectDamaged(row ? kOfRow | kSlot : kSlot);
      EXPECT_EQ(p.bench.read(address), r::kSlotSpoiled) << "written back";
      EXPECT_EQ(p.bench.read(r::errorCount(kDamaged)), 1u) << "told once";
      EXPECT_EQ(p.bench.read64(r::kCorrected), before);
    }
    if (testing::Test::HasFailure()) return;
  }
}

std::uint32_t bitsOf(const Unit& unit, bool row) {
  Protected p(unit);
  return placeOf(p.bench, row ? r::row(kSlot) : r::slot(kSlot)).memory.bits;
}

void eachBit(const Unit& unit, bool row, bool corrected) {
  const std::uint32_t bits = bitsOf(unit, row);
  for (std::uint32_t bit = 0; bit < bits; ++bit) {
    SCOPED_TRACE((row ? "row, bit " : "slot, bit ") + std::to_string(bit));
    aReadFinds(
        unit, row, [bit](const Place& place) { place.memory.flip(place.word, bit); }, corrected);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Protection, ParityNoticesEachBitOfASlotAndOfARow) {
  for (const bool row : {false, true}) eachBit(kParityUnit, row, false);
}

TEST(Protection, SecdedCorrectsEachBitOfASlotAndOfARow) {
  for (const bool row : {false, true}) eachBit(kSecdedUnit, row, true);
}

TEST(Protection, SecdedNoticesAnyTwoBits) {
  Random random(testSeed(75));
  for (const bool row : {false, true}) {
    const std::uint32_t bits = bitsOf(kSecdedUnit, row);
    for (std::uint32_t bit = 0; bit < bits; ++bit) {
      const std::uint32_t other = (bit + 1 + random.below(bits - 1)) % bits;
      SCOPED_TRACE((row ? "row, bits " : "slot, bits ") + std::to_string(bit) + " and " +
                   std::to_string(other));
      aReadFinds(
          kSecdedUnit, row,
          [bit, other](const Place& place) {
            place.memory.flip(place.word, bit);
            place.memory.flip(place.word, other);
          },
          false);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Protection, AWordOfAllZerosOrAllOnesIsDamaged) {
  for (const Unit* unit : {&kParityUnit, &kSecdedUnit}) {
    for (const bool row : {false, true}) {
      for (const bool value : {false, true}) {
        aReadFinds(
            *unit, row, [value](const Place& place) { place.memory.fill(place.word, value); },
            false);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// No state of a word is all zeros or all ones, so that the test above had something to change.
TEST(Protection, NoWordIsAllZerosOrAllOnes) {
  for (const Unit* unit : {&kParityUnit, &kSecdedUnit}) {
    for (const bool row : {false, true}) {
      for (const Condition& condition : kConditions) {
        Protected p(*unit);
        const Place place = placeOf(p.bench, row ? r::row(kSlot) : r::slot(kSlot));
        condition.reach(p, row);
        const auto bits = place.bits();
        EXPECT_NE(std::ranges::count(bits, true), 0) << condition.name;
        EXPECT_NE(std::ranges::count(bits, false), 0) << condition.name;
      }
    }
  }
}

// ---- what each operation does with a wrong word -------------------------------------------------

void flips(const Place& place, std::uint32_t bit, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    place.memory.flip(place.word, (bit + i) % place.memory.bits);
}

/// An update finds the word of its slot.
TEST(Protection, AnUpdateFindsAWordThatIsCorrectedOrDamaged) {
  for (const auto& [unit, wrong] :
       {std::pair{&kParityUnit, 1u}, {&kSecdedUnit, 1u}, {&kSecdedUnit, 2u}}) {
    const bool corrected = unit == &kSecdedUnit && wrong == 1;
    for (std::uint32_t bit = 0; bit < bitsOf(*unit, false); ++bit) {
      SCOPED_TRACE(std::to_string(wrong) + " from bit " + std::to_string(bit));
      Protected p(*unit);
      const Place place = placeOf(p.bench, r::slot(kSlot));
      p.bench.set(r::slot(kSlot), kBytes);
      p.bench.set(r::slot(kSlot + 1), kBytes);
      for (const std::uint32_t row : {kSlot, kSlot + 1}) p.bench.set(r::row(row), 1);
      p.update(kSlot, 40);
      flips(place, bit, wrong);
      p.update(kSlot, 60);
      EXPECT_EQ(p.doneOf(kSlot), corrected ? 1u : 0u);
      EXPECT_EQ(p.releasesOf(kSlot), corrected ? 1u : 0u);
      EXPECT_EQ(p.bench.read64(r::kCorrected), corrected ? 1u : 0u);
      if (!corrected) {
        p.expectDamaged(kSlot);
        EXPECT_EQ(p.bench.read(r::slot(kSlot)), r::kSlotSpoiled);
        EXPECT_EQ(p.bench.read(r::kErrors), 0u) << "the update is no error besides";
      }
      // Its neighbour loses nothing, and the slot may be armed again.
      p.update(kSlot + 1, kBytes);
      EXPECT_EQ(p.doneOf(kSlot + 1), 1u);
      p.bench.set(r::slot(kSlot), 5);
      EXPECT_EQ(p.bench.read(r::slot(kSlot)), 5u);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// A completion finds the word of its row.
TEST(Protection, ACompletionFindsARowThatIsCorrectedOrDamaged) {
  for (const auto& [unit, wrong] :
       {std::pair{&kParityUnit, 1u}, {&kSecdedUnit, 1u}, {&kSecdedUnit, 2u}}) {
    const bool corrected = unit == &kSecdedUnit && wrong == 1;
    for (std::uint32_t bit = 0; bit < bitsOf(*unit, true); ++bit) {
      SCOPED_TRACE(std::to_string(wrong) + " from bit " + std::to_string(bit));
      Protected p(*unit);
      const Place place = placeOf(p.bench, r::row(kSlot));
      p.bench.set(r::slot(kSlot), kBytes);
      p.bench.set(r::row(kSlot), 1);
      flips(place, bit, wrong);
      p.update(kSlot, kBytes);
      EXPECT_EQ(p.doneOf(kSlot), 1u);
      EXPECT_EQ(p.releasesOf(kSlot), corrected ? 1u : 0u);
      EXPECT_EQ(p.bench.read64(r::kCorrected), corrected ? 1u : 0u);
      if (!corrected) {
        p.expectDamaged(kOfRow | kSlot);
        EXPECT_EQ(p.bench.read(r::row(kSlot)), r::kRowSpoiled);
        EXPECT_EQ(p.bench.read(r::kErrors), 0u);
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// A slot or row that waits is found wrong as it would be shown.
TEST(Protection, WhatWaitsIsShownOrReported) {
  for (const bool row : {false, true}) {
    for (const auto& [unit, wrong] :
         {std::pair{&kParityUnit, 1u}, {&kSecdedUnit, 1u}, {&kSecdedUnit, 2u}}) {
      const bool corrected = unit == &kSecdedUnit && wrong == 1;
      for (std::uint32_t bit = 0; bit < bitsOf(*unit, row); ++bit) {
        SCOPED_TRACE(std::to_string(wrong) + (row ? " of a row from " : " of a slot from ") +
                     std::to_string(bit));
        Protected p(*unit);
        const Place place = placeOf(p.bench, row ? r::row(kSlot) : r::slot(kSlot));
        completeBoth(p, row);
        flips(place, bit, wrong);
        p.ready = true;
        ASSERT_TRUE(p.bench.drain());
        EXPECT_EQ(row ? p.releasesOf(kSlot) : p.doneOf(kSlot), corrected ? 1u : 0u);
        if (!corrected) p.expectDamaged(row ? kOfRow | kSlot : kSlot);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// Arming writes a new word over it: the damage is told, and the slot counts.
TEST(Protection, ADamagedWordMayBeArmed) {
  for (const Unit* unit : {&kParityUnit, &kSecdedUnit}) {
    for (const bool row : {false, true}) {
      Protected p(*unit);
      const std::uint32_t address = row ? r::row(kSlot) : r::slot(kSlot);
      const Place place = placeOf(p.bench, address);
      p.bench.set(address, 3);
      flips(place, 1, 2 - (unit == &kParityUnit));
      p.bench.set(address, 7);
      p.expectDamaged(row ? kOfRow | kSlot : kSlot);
      EXPECT_EQ(p.bench.read(address), 7u);
    }
  }
}

// ---- queues -------------------------------------------------------------------------------------

/// The memory of the queue of slots, or of rows.
std::vector<Memory> queues(TrackTriggerBench& bench) {
  std::vector<Memory> found;
  for (const Memory& memory : bench.model->memories())
    if (memory.name.find("u_hints") != std::string::npos) found.push_back(memory);
  return found;
}

/// Hints are made wrong while slots and rows wait: nothing wrong is shown, and nothing is lost that
/// protection can find.
TEST(Protection, AWrongHintShowsNothingWrongAndUnderProtectionLosesNothing) {
  for (const auto& [unit, wrong] : {std::pair{&kParityUnit, 1u},
                                    {&kSecdedUnit, 1u},
                                    {&kSecdedUnit, 2u},
                                    {&kDefaultSecdedUnit, 1u},
                                    {&kPlainUnit, 1u}}) {
    for (std::uint32_t word = 0; word < 8; ++word) {
      for (std::uint32_t bit = 0; bit < 12; ++bit) {
        SCOPED_TRACE("word " + std::to_string(word) + ", " + std::to_string(wrong) + " from bit " +
                     std::to_string(bit));
        Protected p(*unit);
        p.ready = false;
        for (std::uint32_t wg = 0; wg < 10; ++wg) {
          p.bench.set(r::slot(wg), 1);
          p.bench.set(r::row(wg), 1);
        }
        for (std::uint32_t wg = 0; wg < 10; ++wg) p.update(wg, 1);
        ASSERT_EQ(queues(p.bench).size(), 2u);
        for (const Memory& memory : queues(p.bench)) {
          if (bit >= memory.bits) continue;
          for (std::uint32_t i = 0; i < wrong; ++i) memory.flip(word, (bit + i) % memory.bits);
        }
        p.ready = true;
        ASSERT_TRUE(p.bench.drain());
        std::set<std::uint32_t> slots, rows;
        for (const Done& done : p.bench.done)
          EXPECT_TRUE(slots.insert(done.slot).second) << "twice";
        for (const Release& release : p.bench.releases)
          EXPECT_TRUE(rows.insert(release.row).second) << "twice";
        for (const std::uint32_t slot : slots) EXPECT_LT(slot, 10u) << "it does not wait";
        for (const std::uint32_t row : rows) EXPECT_LT(row, 10u) << "it does not wait";
        if (unit == &kPlainUnit) continue;  // nobody knows of it
        EXPECT_EQ(slots.size(), 10u);
        EXPECT_EQ(rows.size(), 10u);
        EXPECT_EQ(p.bench.read(r::kErrors), 0u) << "nothing is lost";
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// A queue that lost its supply reads all zeros or all ones. The words are of even and of odd
/// widths (6 and 5 bits in the tiny units).
TEST(Protection, AQueueThatLostItsSupplyLosesNothing) {
  for (const Unit* unit : {&kParityUnit, &kSecdedUnit, &kDefaultSecdedUnit}) {
    for (const bool ones : {false, true}) {
      SCOPED_TRACE(ones);
      Protected p(*unit);
      p.ready = false;
      for (std::uint32_t wg = 0; wg < 10; ++wg) {
        p.bench.set(r::slot(wg), 1);
        p.bench.set(r::row(wg), 1);
      }
      for (std::uint32_t wg = 0; wg < 10; ++wg) p.update(wg, 1);
      for (const Memory& memory : queues(p.bench))
        for (std::uint32_t word = 0; word < memory.words; ++word) memory.fill(word, ones);
      p.ready = true;
      ASSERT_TRUE(p.bench.drain());
      EXPECT_EQ(p.bench.done.size(), 10u);
      EXPECT_EQ(p.bench.releases.size(), 10u);
    }
  }
}

// ---- reset --------------------------------------------------------------------------------------

/// What stands in the memories after power is switched on is nobody's error.
TEST(Protection, TheWalkAfterResetOrAClearReportsNothing) {
  for (const Unit* unit : {&kPlainUnit, &kParityUnit, &kSecdedUnit, &kDefaultSecdedUnit}) {
    for (const bool ones : {false, true}) {
      TrackTriggerBench bench(*unit);
      SCOPED_TRACE(bench.model->name());
      bench.waitOpen();
      for (const bool clear : {false, true}) {
        for (const Memory& memory : bench.model->memories()) {
          for (std::uint32_t word = 0; word < memory.words; ++word) memory.fill(word, ones);
        }
        if (clear) {
          bench.set(r::kCtrl, r::kCtrlClear);
        } else {
          bench.reset();
        }
        for (int i = 0; i < 700; ++i) {
          ASSERT_FALSE(bench.model->alert_o || bench.model->irq_o)
              << "in cycle " << i << " of the walk";
          bench.tick();
        }
        bench.waitOpen();
        EXPECT_EQ(bench.read(r::kErrors), 0u);
        EXPECT_EQ(bench.read(r::kIrqStatus), 0u);
        EXPECT_EQ(bench.read(r::kErrorFirst), 0u);
        EXPECT_EQ(bench.read64(r::kCorrected), 0u);
        EXPECT_EQ(bench.read(r::errorCount(kDamaged)), 0u);
        EXPECT_EQ(bench.read(r::slot(5)), 0u);
        EXPECT_EQ(bench.read(r::row(5)), 0u);
      }
    }
  }
}

/// Random slots of the default size, of each bank: the bank and the number of the slot are told
/// right.
TEST(Protection, ASlotOfAnyNumberIsCorrectedOrNamed) {
  Protected p(kDefaultSecdedUnit);
  Random random(testSeed(74));
  for (int i = 0; i < 24; ++i) {
    const bool row = i % 3 == 0;
    std::uint32_t number = random.below(row ? 256 : 4096);
    if (!row) number ^= p.bench.bankOf(number) ^ static_cast<std::uint32_t>(i - i / 3 - 1) % 8;
    const std::uint32_t address = row ? r::row(number) : r::slot(number);
    const Place place = placeOf(p.bench, address);
    const std::uint32_t bit = random.below(place.memory.bits), count = random.between(1, 0x3000);
    p.bench.set(address, count);
    flips(place, bit, 1);
    EXPECT_EQ(p.bench.read(address), count);
    EXPECT_EQ(p.bench.read64(r::kCorrected), 1u);
    flips(place, bit, 2);
    EXPECT_EQ(p.bench.read(address), r::kSlotSpoiled);
    p.expectDamaged(row ? kOfRow | number : number);
    p.bench.clear();
  }
}

}  // namespace
}  // namespace t3::rtl_test::protection_test
