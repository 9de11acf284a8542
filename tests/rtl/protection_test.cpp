// SPDX-License-Identifier: Apache-2.0
// Method: tiny units without protection, with parity and with SECDED, whose memories the test
// changes (memories.vlt). For each kind of memory: bring a word into it that matters, flip each of
// its bits in turn, go on, and look at what leaves the unit and at what its registers say. With
// SECDED also two bits at once. The unit of the default size, with SECDED, says whose word it was:
// in every bank, in every way, and in slots of any number.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"
#include "tests/rtl/wide_map.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;

constexpr std::uint64_t kBase = 0x1'0000'0000;
constexpr std::uint64_t kRecords = 0x10'0000'0000;
constexpr std::uint32_t kBytes = 100;
constexpr std::uint32_t kWg = 6;

enum class Kind : std::uint32_t { Table, Parked, Record, Command, Ready, Row, Release };

struct Setup {
  std::uint32_t updates = 1;
  bool park = false;
};

void program(TrackTriggerBench& bench, const Setup& setup = {}) {
  bench.waitOpen();
  TrackTriggerBench::Geometry grid;
  grid.tilesAcross = 4;
  grid.tilesDown = 64;
  grid.spillBase = kRecords;
  for (auto& tileClass : grid.expected) tileClass.fill(kBytes);
  bench.program(0, grid);
  TrackTriggerBench::Region region;
  region.updatesPerElement = setup.updates;
  region.park = setup.park;
  region.firstRow = 0;
  bench.program(0, region);
  bench.enable();
}

void send(TrackTriggerBench& bench, std::uint32_t wg, std::uint32_t bytes) {
  bench.lanes[0].push_back({wg, 0, kBase + wg * 4096ull, bytes});
  bench.ticks(60);  // also if nobody takes what follows
  ASSERT_TRUE(bench.lanesEmpty());
}

/// The memory whose name ends like this.
Memory memory(TrackTriggerBench& bench, const std::string& end) {
  for (const Memory& found : bench.model->memories())
    if (found.name.ends_with(end)) return found;
  ADD_FAILURE() << "no memory " << end;
  return {};
}

std::string bank(TrackTriggerBench& bench, const std::string& name) {
  return "gen_bank[" + std::to_string(bench.bankOf(kWg, 0)) + "]." + name;
}

/// One memory: how a word that matters gets into it, which bits of it matter, and what follows.
struct Case {
  Kind kind;
  std::string name;
  std::function<void(TrackTriggerBench&)> before;
  std::function<Memory(TrackTriggerBench&)> where;
  std::uint32_t word;
  std::uint32_t first = 0, bits = 0;  ///< of the word; all if 0
  /// Goes on; true if all came as without a fault.
  std::function<bool(TrackTriggerBench&)> after;
  std::uint32_t index = 0;       ///< of the slot, in ERROR_ADDRESS
  bool ofTile = false;           ///< ERROR_FIRST has the workgroup
  bool completesAnyway = false;  ///< nothing is lost with the word
};

struct Outcome {
  bool good = false;
  std::uint64_t corrected = 0;
  std::uint32_t errors = 0, damaged = 0, first = 0;
  std::uint64_t address = 0;
};

Outcome run(const Unit& unit, const Case& c, const std::vector<std::uint32_t>& flips) {
  TrackTriggerBench bench(unit);
  c.before(bench);
  const Memory word = c.where(bench);
  for (const std::uint32_t bit : flips) word.flip(c.word, bit);
  Outcome outcome;
  outcome.good = c.after(bench);
  outcome.corrected = bench.read64(r::kCorrected);
  outcome.errors = bench.read(r::kErrors);
  outcome.damaged = bench.read(r::kDamaged);
  outcome.first = bench.read(r::kErrorFirst);
  outcome.address = bench.read(r::kErrorAddressLo);
  return outcome;
}

/// The command of the workgroup, once, and nothing else.
bool issued(TrackTriggerBench& bench, std::uint32_t wg) {
  const auto is = [wg](const Command& command) { return command.wg == wg; };
  EXPECT_LE(std::ranges::count_if(bench.commands, is), 1);
  return std::ranges::any_of(bench.commands, is);
}

bool released(TrackTriggerBench& bench, std::uint32_t row) {
  const auto is = [row](const Release& release) { return release.row == row; };
  EXPECT_LE(std::ranges::count_if(bench.releases, is), 1);
  return std::ranges::any_of(bench.releases, is);
}

/// Three slots fall to zero while nobody takes them: the third one's place is in the queue's RAM.
void queueThree(TrackTriggerBench& bench) {
  program(bench);
  bench.dmaReady = bench.releaseReady = [] { return false; };
  for (const std::uint32_t wg : {0u, 4u, 8u}) {
    bench.set(r::command(wg), 1);
    bench.set(r::row(wg / 4), 1);
    send(bench, wg, kBytes);
  }
}

std::vector<Case> cases() {
  const auto half = [](TrackTriggerBench& bench) {
    program(bench);
    bench.set(r::command(kWg), 1);
    bench.set(r::row(1), 1);
    send(bench, kWg, 50);
  };
  const auto rest = [](TrackTriggerBench& bench) {
    send(bench, kWg, 50);
    return issued(bench, kWg) && released(bench, 1);
  };
  const auto table = [](TrackTriggerBench& bench) { return memory(bench, bank(bench, "u_table")); };
  const auto named = [](const char* name) {
    return [name](TrackTriggerBench& bench) { return memory(bench, name); };
  };
  const auto armed = [](TrackTriggerBench& bench) {
    program(bench);
    bench.set(r::command(kWg), 1);
    bench.set(r::row(1), 1);
  };
  const auto whole = [](TrackTriggerBench& bench) {
    send(bench, kWg, kBytes);
    return issued(bench, kWg) && released(bench, 1);
  };
  const auto drained = [](TrackTriggerBench& bench) {
    bench.dmaReady = bench.releaseReady = [] { return true; };
    bench.ticks(20);
    return issued(bench, 0) && issued(bench, 4) && issued(bench, 8) && released(bench, 0) &&
           released(bench, 1) && released(bench, 2);
  };
  // A slot that waits is armed again: refused as long as it waits, never armed while that is
  // unknown.
  const auto waiting = [](TrackTriggerBench& bench) {
    program(bench);
    bench.dmaReady = bench.releaseReady = [] { return false; };
    bench.set(r::command(kWg), 1);
    bench.set(r::row(1), 1);
    send(bench, kWg, kBytes);
  };
  const auto readsWaiting = [](std::uint32_t slot) {
    return [slot](TrackTriggerBench& bench) {
      EXPECT_NE(bench.read(slot) & r::kCommandWaits, 0u) << "never said to be free";
      EXPECT_EQ(bench.write(slot, 1), TrackTriggerBench::kSlvErr);
      bench.set(r::kErrors, r::kErrorsArmedEarly | r::kErrorsRowArmedEarly);
      return bench.read(r::kDamaged) == 0;
    };
  };
  return {
      {Kind::Table, "an entry", half, table, 0, 0, 0, rest, 0, true, false},
      {Kind::Parked, "a parked count",
       [](TrackTriggerBench& bench) {
         program(bench, {.updates = 2, .park = true});
         bench.set(r::command(kWg), 1);
         bench.set(r::row(1), 1);
         send(bench, kWg, kBytes);
       },
       [](TrackTriggerBench& bench) { return memory(bench, bank(bench, "u_parked.u_ram")); }, kWg,
       0, 0, whole, 0, true, false},
      {Kind::Command, "a command slot's count", armed, named("u_trigger.u_slots.u_counts.u_ram"),
       kWg, 0, 0, whole, kWg, false, false},
      {Kind::Row, "a row slot's count", armed, named("u_release.u_slots.u_counts.u_ram"), 1, 0, 0,
       whole, 1, false, false},
      {Kind::Command, "whether a command was issued", waiting,
       named("u_trigger.u_slots.u_entered.u_ram"), kWg, 0, 0, readsWaiting(r::command(kWg)), kWg,
       false, false},
      {Kind::Command, "whether a command left", waiting, named("u_trigger.u_slots.u_left.u_ram"),
       kWg, 0, 0, readsWaiting(r::command(kWg)), kWg, false, false},
      {Kind::Row, "whether a row was released", waiting, named("u_release.u_slots.u_entered.u_ram"),
       1, 0, 0, readsWaiting(r::row(1)), 1, false, false},
      {Kind::Row, "whether a row left", waiting, named("u_release.u_slots.u_left.u_ram"), 1, 0, 0,
       readsWaiting(r::row(1)), 1, false, false},
      {Kind::Ready, "a command that waits", queueThree,
       named("u_trigger.u_slots.u_queue.u_ram.u_ram"), 1, 0, 0, drained, 0, false, false},
      {Kind::Release, "a row that waits", queueThree,
       named("u_release.u_slots.u_queue.u_ram.u_ram"), 1, 0, 0, drained, 0, false, false},
  };
}

void expectDamage(const Case& c, const Outcome& outcome) {
  EXPECT_EQ(outcome.errors & r::kErrorsDamaged, r::kErrorsDamaged);
  EXPECT_GE(outcome.damaged, 1u);
  EXPECT_EQ(outcome.first & r::kErrorFirstValid, r::kErrorFirstValid);
  EXPECT_EQ((outcome.first & r::kErrorFirstCause) >> r::kErrorFirstCauseShift, kDamagedCause);
  EXPECT_EQ(outcome.address, (c.index << 3 | static_cast<std::uint32_t>(c.kind)) * 32u);
  if (c.ofTile) {
    EXPECT_EQ(outcome.first & 0xffffu, kWg);
  }
}

std::uint32_t bitsOf(const Unit& unit, const Case& c) {
  TrackTriggerBench bench(unit);
  return c.where(bench).bits;
}

TEST(Protection, IsSaidInConfig3) {
  Bench<kPlainUnit> plain;
  Bench<kParityUnit> parity;
  Bench<kSecdedUnit> secded;
  const auto said = [](TrackTriggerBench& bench) {
    return (bench.read(r::kConfig3) & r::kConfig3Protection) >> r::kConfig3ProtectionShift;
  };
  EXPECT_EQ(said(plain), 0u);
  EXPECT_EQ(said(parity), 1u);
  EXPECT_EQ(said(secded), 2u);
}

TEST(Protection, WithoutAFaultNothingIsReported) {
  for (const Unit* unit : {&kPlainUnit, &kParityUnit, &kSecdedUnit}) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(c.name);
      const Outcome outcome = run(*unit, c, {});
      EXPECT_TRUE(outcome.good);
      EXPECT_EQ(outcome.corrected, 0u);
      EXPECT_EQ(outcome.errors & r::kErrorsDamaged, 0u);
    }
  }
}

TEST(Protection, SecdedCorrectsEveryBitOfEveryMemoryAndCountsIt) {
  for (const Case& c : cases()) {
    for (std::uint32_t bit = 0; bit < bitsOf(kSecdedUnit, c); ++bit) {
      SCOPED_TRACE(c.name + ", bit " + std::to_string(bit));
      const Outcome outcome = run(kSecdedUnit, c, {bit});
      EXPECT_TRUE(outcome.good);
      EXPECT_GE(outcome.corrected, 1u);
      EXPECT_EQ(outcome.errors & r::kErrorsDamaged, 0u);
    }
  }
}

// Where a word of the table is concerned, the bit may be of a way that holds nothing.
TEST(Protection, ParityReportsEveryBitOfEveryMemoryAndNothingWrongLeaves) {
  for (const Case& c : cases()) {
    std::uint32_t lost = 0;
    for (std::uint32_t bit = 0; bit < bitsOf(kParityUnit, c); ++bit) {
      SCOPED_TRACE(c.name + ", bit " + std::to_string(bit));
      const Outcome outcome = run(kParityUnit, c, {bit});
      expectDamage(c, outcome);
      EXPECT_EQ(outcome.corrected, 0u);
      if (!outcome.good) ++lost;
    }
    EXPECT_GT(lost, 0u) << c.name;
    if (c.kind != Kind::Table) {
      EXPECT_EQ(lost, bitsOf(kParityUnit, c)) << c.name;
    }
  }
}

TEST(Protection, SecdedReportsTwoBitsOfAWordAndNothingWrongLeaves) {
  Random random(testSeed(71));
  for (const Case& c : cases()) {
    // Two bits of the same code: the first way's entry holds the tile.
    const std::uint32_t bits =
        c.kind == Kind::Table ? (bitsOf(kSecdedUnit, c) - 9) / 2 : bitsOf(kSecdedUnit, c);
    for (std::uint32_t round = 0; round < 40; ++round) {
      const std::uint32_t one = random.below(bits);
      const std::uint32_t other = (one + 1 + random.below(bits - 1)) % bits;
      SCOPED_TRACE(c.name + ", bits " + std::to_string(one) + " and " + std::to_string(other));
      const Outcome outcome = run(kSecdedUnit, c, {one, other});
      expectDamage(c, outcome);
      EXPECT_FALSE(outcome.good);
    }
  }
}

TEST(Protection, WithoutItAWrongBitIsNotSeen) {
  std::uint32_t silent = 0;
  for (const Case& c : cases()) {
    for (std::uint32_t bit = 0; bit < bitsOf(kPlainUnit, c) && c.kind == Kind::Table; ++bit) {
      const Outcome outcome = run(kPlainUnit, c, {bit});
      EXPECT_EQ(outcome.corrected, 0u);
      EXPECT_EQ(outcome.damaged, 0u);
      if (!outcome.good && outcome.errors == 0) ++silent;
    }
  }
  EXPECT_GT(silent, 0u);
}

/// Three tiles of one set of two ways: the first one's record is in memory. It is changed there, or
/// the place of `wg`'s, which has none, and the rest of its updates come, or the first of `wg`'s.
Outcome withRecord(const Unit& unit, const std::vector<std::uint32_t>& flips,
                   std::uint32_t wg = kWg) {
  TrackTriggerBench bench(unit);
  program(bench);
  bench.set(r::command(kWg), 1);
  bench.set(r::row(1), 1);
  for (const std::uint32_t one : {kWg, kWg + 8, kWg + 16}) send(bench, one, 50);
  const std::uint64_t address = kRecords + (wg << 2) * 32;
  EXPECT_EQ(bench.memory.contains(address), wg == kWg);
  for (const std::uint32_t bit : flips) bench.memory[address][bit / 32] ^= 1u << bit % 32;
  send(bench, wg, 50);
  Outcome outcome;
  outcome.good = issued(bench, kWg) && released(bench, 1);
  outcome.corrected = bench.read64(r::kCorrected);
  outcome.errors = bench.read(r::kErrors);
  outcome.damaged = bench.read(r::kDamaged);
  outcome.first = bench.read(r::kErrorFirst);
  outcome.address = bench.read(r::kErrorAddressLo);
  return outcome;
}

TEST(Protection, ARecordInMemoryIsProtectedToo) {
  const Case record{.kind = Kind::Record,
                    .name = "a record",
                    .before = {},
                    .where = {},
                    .word = 0,
                    .after = {},
                    .ofTile = true};
  for (const Unit* unit : {&kPlainUnit, &kParityUnit, &kSecdedUnit}) {
    EXPECT_TRUE(withRecord(*unit, {}).good);
    EXPECT_EQ(withRecord(*unit, {}).errors, 0u);
  }
  for (std::uint32_t bit = 0; bit < 113; ++bit) {
    SCOPED_TRACE(bit);
    const Outcome secded = withRecord(kSecdedUnit, {bit});
    EXPECT_TRUE(secded.good);
    EXPECT_EQ(secded.corrected, 1u);
    EXPECT_EQ(secded.errors, 0u);
    const Outcome two = withRecord(kSecdedUnit, {bit, (bit + 1 + bit % 7) % 113});
    EXPECT_FALSE(two.good);
    expectDamage(record, two);
    if (bit > 105) continue;
    const Outcome parity = withRecord(kParityUnit, {bit});
    EXPECT_FALSE(parity.good);
    expectDamage(record, parity);
  }
}

TEST(Protection, BitsAboveARecordMatterOnlyWhereItHasNoCheckBits) {
  for (std::uint32_t bit = 105; bit < 128; ++bit) {
    SCOPED_TRACE(bit);
    EXPECT_EQ(withRecord(kPlainUnit, {bit}).errors, r::kErrorsBadRecord);
    for (const Unit* unit : {&kParityUnit, &kSecdedUnit}) {
      if (bit < (unit == &kParityUnit ? 106U : 113U)) continue;  // a check bit
      const Outcome outcome = withRecord(*unit, {bit});
      EXPECT_TRUE(outcome.good);
      EXPECT_EQ(outcome.corrected, 0u);
      EXPECT_EQ(outcome.errors, 0u);
    }
  }
}

TEST(Protection, AWrongBitWhereARecordCouldBeIsNoBadRecordIfItIsCorrected) {
  constexpr std::uint32_t kNew = kWg + 24;  // of the same set
  for (std::uint32_t bit = 0; bit < 113; ++bit) {
    SCOPED_TRACE(bit);
    const Outcome outcome = withRecord(kSecdedUnit, {bit}, kNew);
    EXPECT_EQ(outcome.corrected, 1u);
    EXPECT_EQ(outcome.errors, 0u);
    EXPECT_EQ(withRecord(kPlainUnit, {bit}, kNew).errors, r::kErrorsBadRecord);
  }
}

TEST(Protection, ADamagedCountIsGoodAgainWhenSoftwareWritesIt) {
  for (const std::uint32_t slot : {r::command(kWg), r::row(1)}) {
    Bench<kParityUnit> bench;
    program(bench);
    const bool command = slot == r::command(kWg);
    bench.set(r::command(kWg), 2);
    bench.set(r::row(1), 2);
    memory(bench, command ? "u_trigger.u_slots.u_counts.u_ram" : "u_release.u_slots.u_counts.u_ram")
        .flip(command ? kWg : 1, 3);
    send(bench, kWg, kBytes);
    EXPECT_EQ(bench.read(slot), 0u);
    EXPECT_EQ(bench.read(r::kErrors), r::kErrorsDamaged);
    EXPECT_EQ(bench.read(r::kIrqStatus) & r::kIrqStatusError, r::kIrqStatusError);
    bench.set(slot, 1);
    bench.set(r::kErrors, r::kErrorsDamaged);
    send(bench, kWg, kBytes);
    EXPECT_TRUE(command ? issued(bench, kWg) : released(bench, 1));
    EXPECT_EQ(bench.read(r::kErrors), 0u);
  }
}

// The parity bit of a turn is wrong: the slot may wait, so it is not armed. Nor does its last
// completion put it into the queue, where it might be twice.
TEST(Protection, ASlotOfWhichItIsNotKnownWhetherItWaitsIsNeverQueued) {
  for (const bool command : {true, false}) {
    Bench<kParityUnit> bench;
    program(bench);
    bench.set(r::command(kWg), 1);
    bench.set(r::row(1), 1);
    const std::string slots = command ? "u_trigger.u_slots." : "u_release.u_slots.";
    memory(bench, slots + "u_entered.u_ram").flip(command ? kWg : 1, 0);
    send(bench, kWg, kBytes);
    EXPECT_EQ(issued(bench, kWg), !command);
    EXPECT_EQ(released(bench, 1), command);
    EXPECT_EQ(bench.read(r::kErrors), r::kErrorsDamaged);
    const std::uint32_t slot = command ? r::command(kWg) : r::row(1);
    EXPECT_EQ(bench.write(slot, 1), TrackTriggerBench::kSlvErr);
    EXPECT_EQ(bench.read(r::kErrors), r::kErrorsDamaged) << "not armed early: nobody knows";
    EXPECT_EQ(bench.write(slot, 0), TrackTriggerBench::kOkay);
  }
}

TEST(Protection, ADamagedCountOfRecordsSendsEveryMissToMemoryAndLosesNothing) {
  Bench<kParityUnit> bench;
  program(bench);
  bench.set(r::command(kWg), 1);
  bench.set(r::row(1), 1);
  send(bench, kWg, 50);
  const Memory table = memory(bench, bank(bench, "u_table"));
  table.flip(0, table.bits - 2);
  send(bench, kWg + 8, 50);
  EXPECT_EQ(bench.read(r::kErrors), r::kErrorsDamaged);
  EXPECT_EQ(bench.read64(r::kFills), 1u);
  send(bench, kWg, 50);
  EXPECT_TRUE(issued(bench, kWg));
  EXPECT_TRUE(released(bench, 1));
  EXPECT_EQ(bench.read(r::kDamaged), 1u) << "written anew";
}

// ---- the default size -------------------------------------------------------------------------

/// A unit of the default size, and what it has said so far.
class DefaultSize {
 public:
  TrackTriggerBench bench{kDefaultSecdedUnit};

  DefaultSize() { bench.waitOpen(); }

  Memory memoryOf(std::uint32_t bank, const std::string& name) {
    return memory(bench, "gen_bank[" + std::to_string(bank) + "]." + name);
  }
  void update(std::uint32_t wg, std::uint32_t wf, std::uint32_t bytes) {
    bench.lanes[wg % 8].push_back({wg, wf, 0x1000, bytes});
    ASSERT_TRUE(bench.drain());
  }
  /// So many words more were corrected, and nothing went wrong.
  void expectCorrected(std::uint64_t words) {
    corrected_ += words;
    EXPECT_EQ(bench.read64(r::kCorrected), corrected_);
    EXPECT_EQ(bench.read(r::kErrors), 0u);
  }
  /// One word was damaged: of which memory, and of which tile {region, wg, wf} or slot.
  void expectDamaged(Kind kind, std::uint32_t region, std::uint32_t wg, std::uint32_t wf,
                     std::uint32_t slot = 0) {
    EXPECT_EQ(bench.read(r::kErrors), r::kErrorsDamaged);
    EXPECT_EQ(bench.read(r::kErrorFirst),
              r::kErrorFirstValid | kDamagedCause << r::kErrorFirstCauseShift |
                  region << r::kErrorFirstRegionShift | wf << r::kErrorFirstWfShift | wg);
    EXPECT_EQ(bench.read(r::kErrorAddressLo), (slot << 3 | static_cast<std::uint32_t>(kind)) * 32u);
    bench.set(r::kErrors, r::kErrorsDamaged);
    bench.set(r::kErrorFirst, r::kErrorFirstValid);
  }

 private:
  std::uint64_t corrected_ = 0;
};

TEST(Protection, EveryWayOfEveryBankIsCorrectedOrNamesItsTile) {
  constexpr std::uint32_t kWays = 4, kNoteBits = 5 + 5;
  DefaultSize unit;
  Random random(testSeed(72));
  WideMap map(unit.bench, random);
  map.expect(unit.bench, kBytes);
  unit.bench.enable();
  std::size_t commands = 0;
  for (std::uint32_t bank = 0; bank < 8; ++bank) {
    const Memory table = unit.memoryOf(bank, "u_table");
    const std::uint32_t entryBits = (table.bits - kNoteBits) / kWays;
    ASSERT_EQ(entryBits * kWays + kNoteBits, table.bits);
    const auto wrong = [&](std::uint32_t set, std::uint32_t way, std::uint32_t bits) {
      const std::uint32_t all = way < kWays ? entryBits : kNoteBits;
      const std::uint32_t bit = random.below(all);
      table.flip(set, way * entryBits + bit);
      if (bits == 2) table.flip(set, way * entryBits + (bit + 1 + random.below(all - 1)) % all);
    };
    for (std::uint32_t way = 0; way <= kWays; ++way) {  // the last one is what they share
      SCOPED_TRACE("bank " + std::to_string(bank) + ", way " + std::to_string(way));
      const std::uint32_t set = (way * 13 + bank * 7) % 64, wf = (set ^ bank) % 8;
      const std::uint32_t high = random.below(1024 - kWays);
      const auto wg = [&](std::uint32_t i) { return (high + i) << 6 | set; };
      for (std::uint32_t i = 0; i < kWays; ++i) {
        unit.bench.set(r::command(map.slot(wg(i))), 1);
        unit.update(wg(i), wf, 50);
      }
      const std::uint32_t one = way % kWays, other = (way + 1) % kWays;
      wrong(set, way, 1);
      unit.update(wg(one), wf, 50);
      EXPECT_EQ(unit.bench.commands.size(), ++commands);
      unit.expectCorrected(1);
      wrong(set, way < kWays ? other : kWays, 2);
      unit.update(wg(other), wf, 50);
      unit.expectDamaged(Kind::Table, wg(other) / WideMap::kWorkgroups, wg(other), wf);
      if (way == kWays) ++commands;  // the tile's own words are good
      EXPECT_EQ(unit.bench.commands.size(), commands);
      for (std::uint32_t i = 0; i < kWays; ++i) {
        if (i != one && i != other) unit.update(wg(i), wf, 50);
      }
      commands += kWays - 2;
      EXPECT_EQ(unit.bench.commands.size(), commands) << "the other tiles lose nothing";
    }
  }
}

TEST(Protection, TheParkedCountsOfEveryBankAreCorrectedOrNameTheirTile) {
  DefaultSize unit;
  program(unit.bench, {.updates = 2, .park = true});
  Random random(testSeed(73));
  std::size_t commands = 0;
  for (std::uint32_t i = 0; i < 32; ++i) {
    SCOPED_TRACE(i);
    const std::uint32_t bank = i % 8, wg = random.below(256), wf = (wg ^ bank) % 8;
    const Memory parked = unit.memoryOf(bank, "u_parked.u_ram");
    unit.bench.set(r::command(wg), 1);
    unit.bench.set(r::row(wg / 4), 1);
    unit.update(wg, wf, kBytes);
    const std::uint32_t bit = random.below(parked.bits);
    parked.flip(wg, bit);
    unit.update(wg, wf, kBytes);
    EXPECT_EQ(unit.bench.commands.size(), ++commands);
    unit.expectCorrected(1);
    unit.update(wg, wf, kBytes);
    parked.flip(wg, bit);
    parked.flip(wg, (bit + 1) % parked.bits);
    unit.update(wg, wf, kBytes);  // counts as the first
    unit.expectDamaged(Kind::Parked, 0, wg, wf);
    EXPECT_EQ(unit.bench.commands.size(), commands);
    unit.bench.set(r::command(wg), 1);
    unit.bench.set(r::row(wg / 4), 1);
    unit.update(wg, wf, kBytes);
    EXPECT_EQ(unit.bench.commands.size(), ++commands);
  }
}

TEST(Protection, ASlotOfAnyNumberIsCorrectedOrNamed) {
  DefaultSize unit;
  TrackTriggerBench& bench = unit.bench;
  TrackTriggerBench::Geometry grid;
  grid.tilesAcross = 16;
  grid.tilesDown = 0x1000;
  for (auto& tileClass : grid.expected) tileClass.fill(kBytes);
  bench.program(0, grid);
  bench.program(0, {.firstRow = 0});
  bench.enable();
  Random random(testSeed(74));
  std::vector<std::uint32_t> rows(256);
  std::iota(rows.begin(), rows.end(), 0u);
  for (std::uint32_t i = 256; i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
  for (std::uint32_t i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    const std::uint32_t row = rows[i], wg = row * 16 + random.below(16);
    // In turn: the count, and the two bits that say whether the slot waits.
    const char* part = i % 3 == 0 ? "u_counts" : i % 3 == 1 ? "u_entered" : "u_left";
    for (const bool command : {true, false}) {
      const std::uint32_t word = command ? wg : row;
      const std::uint32_t slot = command ? r::command(wg) : r::row(row);
      const Memory ram = memory(bench, (command ? "u_trigger.u_slots." : "u_release.u_slots.") +
                                           std::string(part) + ".u_ram");
      const std::uint32_t bit = random.below(ram.bits);
      const auto arm = [&] {
        bench.commands.clear();
        bench.releases.clear();
        bench.set(r::command(wg), 1);
        bench.set(r::row(row), 1);
      };
      arm();
      ram.flip(word, bit);
      unit.update(wg, 0, kBytes);
      EXPECT_EQ(bench.commands.size(), 1u);
      EXPECT_EQ(bench.releases.size(), 1u);
      unit.expectCorrected(1);
      if (i % 3 == 0) arm();
      ram.flip(word, bit);
      ram.flip(word, (bit + 1) % ram.bits);
      if (i % 3 == 0) {
        unit.update(wg, 0, kBytes);
        EXPECT_EQ(bench.commands.size(), command ? 0u : 1u);
        EXPECT_EQ(bench.releases.size(), command ? 1u : 0u);
      } else {
        EXPECT_EQ(bench.write(slot, 1), TrackTriggerBench::kSlvErr) << "nobody knows if it waits";
      }
      unit.expectDamaged(command ? Kind::Command : Kind::Row, 0, 0, 0, word);
      bench.set(slot, 0);  // a count is good again
      if (i % 3 == 0) continue;
      ram.flip(word, bit);
      ram.flip(word, (bit + 1) % ram.bits);
    }
  }
}

TEST(Protection, APlaceOfAQueueIsCorrectedOrItsLossReported) {
  for (const bool command : {true, false}) {
    for (const std::uint32_t bits : {1u, 2u}) {
      DefaultSize unit;
      queueThree(unit.bench);
      const Memory queue = memory(unit.bench, command ? "u_trigger.u_slots.u_queue.u_ram.u_ram"
                                                      : "u_release.u_slots.u_queue.u_ram.u_ram");
      for (std::uint32_t bit = 0; bit < bits; ++bit) queue.flip(1, 3 + bit);
      unit.bench.dmaReady = unit.bench.releaseReady = [] { return true; };
      ASSERT_TRUE(unit.bench.drain());
      const bool lost = bits == 2;
      EXPECT_EQ(unit.bench.commands.size(), lost && command ? 2u : 3u);
      EXPECT_EQ(unit.bench.releases.size(), lost && !command ? 2u : 3u);
      if (lost) {
        unit.expectDamaged(command ? Kind::Ready : Kind::Release, 0, 0, 0);
      } else {
        unit.expectCorrected(1);
      }
    }
  }
}

TEST(Protection, EveryBitOfARecordIsCorrectedAndADamagedOneNamesItsTile) {
  constexpr std::uint32_t kRecordBits = 113;
  DefaultSize unit;
  TrackTriggerBench& bench = unit.bench;
  Random random(testSeed(75));
  WideMap map(bench, random);
  map.expect(bench, kBytes);
  bench.enable();
  std::size_t commands = 0;
  for (const std::uint32_t bits : {1u, 2u}) {
    for (std::uint32_t bit = 0; bit < kRecordBits; ++bit) {
      SCOPED_TRACE(std::to_string(bits) + " from bit " + std::to_string(bit));
      // Five tiles of one set: the fifth evicts the first. Each set is used once.
      const std::uint32_t bank = bit % 8, set = bit / 8 * 4 + bits, wf = (set ^ bank) % 8;
      const std::uint32_t high = random.below(1024 - 5);
      const auto wg = [&](std::uint32_t i) { return (high + i) << 6 | set; };
      bench.spills.clear();
      for (std::uint32_t i = 0; i < 5; ++i) {
        bench.set(r::command(map.slot(wg(i))), 1);
        bench.lanes[i].push_back({wg(i), wf, random.below(1ull << 32) * 0x10000ull, 50});
        ASSERT_TRUE(bench.drain());
      }
      ASSERT_EQ(bench.spills.size(), 1u);
      Record& record = bench.memory.at(bench.spills[0].address);
      const std::uint32_t other = (bit + 1 + random.below(kRecordBits - 1)) % kRecordBits;
      record[bit / 32] ^= 1u << bit % 32;
      if (bits == 2) record[other / 32] ^= 1u << other % 32;
      unit.update(wg(0), wf, 50);  // evicts another one
      if (bits == 1) {
        EXPECT_EQ(bench.commands.size(), ++commands);
        unit.expectCorrected(1);
      } else {
        unit.expectDamaged(Kind::Record, wg(0) / WideMap::kWorkgroups, wg(0), wf);
        EXPECT_EQ(bench.commands.size(), commands);
      }
      for (std::uint32_t i = 1; i < 5; ++i) unit.update(wg(i), wf, 50);
      commands += 4;
      EXPECT_EQ(bench.commands.size(), commands) << "the other tiles lose nothing";
    }
  }
}

}  // namespace
}  // namespace t3::rtl_test
