// SPDX-License-Identifier: Apache-2.0
// Method: a bank of words by itself, one operation in every cycle, against the table in its header,
// written down once more as a model of words. A failure names the cycle, the operation, the word
// and the output. And all banks together (t3_slots), which in the whole unit seldom take their
// updates at once: how many updates they say that they took.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "Vbank.h"
#include "Vslots.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test::bank_test {
namespace {

constexpr std::uint32_t kDepth = 64, kIndexBits = 6;
constexpr std::uint32_t kWidth = 12, kMostCount = 1U << (kWidth - 1);  // its top bit is set
constexpr std::uint32_t kMostWeight = (1U << 11) - 1;

/// What a word is: the vocabulary of the header.
struct Word {
  enum class Is { Idle, Counts, Waits, Spoiled, Both } is = Is::Idle;
  std::uint32_t missing = 0;

  std::string text() const {
    switch (is) {
      case Is::Idle:
        return "idle";
      case Is::Counts:
        return "counts " + std::to_string(missing);
      case Is::Waits:
        return "waits";
      case Is::Spoiled:
        return "spoiled";
      case Is::Both:
        return "waits, spoiled";
    }
    return "";
  }
  bool waits() const { return is == Is::Waits || is == Is::Both; }
  bool spoiled() const { return is == Is::Spoiled || is == Is::Both; }
};
using Is = Word::Is;

struct Operation {
  enum class Kind { None, Update, Arm, Offer, Look } kind = Kind::None;
  std::uint32_t index = 0;
  std::uint32_t amount = 0;  ///< weight, or value
  std::uint32_t tag = 0;
  bool force = false;
  bool waits = false, ignore = false;  ///< said in B

  std::string text() const {
    const std::string word = " of word " + std::to_string(index);
    switch (kind) {
      case Kind::None:
        return "no operation";
      case Kind::Update:
        return std::string(ignore ? "ignored " : "") + "update" + word + " by " +
               std::to_string(amount);
      case Kind::Arm:
        return std::string(force ? "forced " : "") + "arm" + word + " with " +
               std::to_string(amount);
      case Kind::Offer:
        return "offer" + word;
      case Kind::Look:
        return "look" + word;
    }
    return "";
  }
};
using Kind = Operation::Kind;

Operation update(std::uint32_t index, std::uint32_t weight, bool waits = false) {
  return {.kind = Kind::Update, .index = index, .amount = weight, .waits = waits};
}
Operation arm(std::uint32_t index, std::uint32_t value, bool force = false) {
  return {.kind = Kind::Arm, .index = index, .amount = value, .force = force};
}
Operation offer(std::uint32_t index) { return {.kind = Kind::Offer, .index = index}; }
Operation look(std::uint32_t index) { return {.kind = Kind::Look, .index = index}; }

class BankTest : public testing::Test {
 protected:
  BankTest() : words_(kDepth) {
    for (std::uint32_t index = 0; index < kDepth; ++index) clock(arm(index, 0, true));
    clock({});
  }
  void TearDown() override {
    // Every word, without a word between that could be forwarded.
    for (std::uint32_t index = 0; index < kDepth; ++index) {
      clock(look(index));
      clock({});
    }
  }

  /// One cycle: `operation` is in A, the one before it in B.
  void clock(const Operation& operation) {
    auto& m = bank_.model;
    m.update_i = operation.kind == Kind::Update;
    m.arm_i = operation.kind == Kind::Arm;
    m.offer_i = operation.kind == Kind::Offer;
    m.look_i = operation.kind == Kind::Look;
    m.index_i = static_cast<CData>(operation.index);
    m.weight_i = static_cast<SData>(operation.amount & kMostWeight);
    m.value_i = static_cast<SData>(inB_.amount);
    m.tag_i = static_cast<CData>(operation.tag);
    m.force_i = inB_.force;
    m.waits_i = inB_.waits;
    m.ignore_i = inB_.ignore;
    m.eval();
    judge();
    bank_.edge();
    inB_ = operation;
    ++cycle_;
  }
  void run(const std::vector<Operation>& operations) {
    for (const Operation& operation : operations) clock(operation);
    clock({});
  }

  /// The outputs in B, and what becomes of the word.
  void judge() {
    auto& m = bank_.model;
    Word& word = words_[inB_.index];
    const Word before = word;
    const auto says = [&](const char* output, std::uint32_t got, std::uint32_t expected) {
      if (got == expected) return;
      ADD_FAILURE() << "cycle " << cycle_ << ", " << inB_.text() << ", which " << before.text()
                    << ": " << output << " is " << got << ", expected " << expected;
    };
    const bool counted = inB_.kind == Kind::Update && !inB_.ignore;
    const bool counts = word.is == Is::Counts;
    says("active_o", m.active_o, inB_.kind != Kind::None);
    says("done_o", m.done_o, counted && counts && inB_.amount == word.missing);
    says("overrun_o", m.overrun_o, counted && counts && inB_.amount > word.missing);
    says("stray_o", m.stray_o, counted && (word.is == Is::Idle || word.is == Is::Waits));
    says("refused_o", m.refused_o,
         inB_.kind == Kind::Arm && !inB_.force && (counts || word.waits()));
    if (inB_.kind == Kind::None) return;
    says("index_o", m.index_o, inB_.index);
    if (inB_.kind == Kind::Update) says("tag_o", m.tag_o, inB_.tag);
    if (inB_.kind == Kind::Offer || inB_.kind == Kind::Look) {
      says("waits_o", m.waits_o, word.waits());
      says("spoiled_o", m.spoiled_o, word.spoiled());
    }
    if (inB_.kind == Kind::Look) says("missing_o", m.missing_o, counts ? word.missing : 0);
    if (counted && counts) {
      if (inB_.amount < word.missing) {
        word.missing -= inB_.amount;
      } else if (inB_.amount > word.missing) {
        word = {Is::Spoiled, 0};
      } else {
        word = {inB_.waits ? Is::Waits : Is::Idle, 0};
      }
    } else if (counted && word.is == Is::Waits) {
      word.is = Is::Both;
    } else if (inB_.kind == Kind::Arm && (inB_.force || !(counts || word.waits()))) {
      word = {inB_.amount == 0 ? Is::Idle : Is::Counts, inB_.amount};
    } else if (inB_.kind == Kind::Offer && word.waits()) {
      word.is = word.spoiled() ? Is::Spoiled : Is::Idle;
    }
  }

  /// What makes a word this, from any other.
  static std::vector<Operation> toMake(std::uint32_t index, Is is) {
    switch (is) {
      case Is::Idle:
        return {arm(index, 0, true)};
      case Is::Counts:
        return {arm(index, 7, true)};
      case Is::Waits:
        return {arm(index, 5, true), update(index, 5, true)};
      case Is::Spoiled:
        return {arm(index, 5, true), update(index, 6)};
      case Is::Both:
        return {arm(index, 5, true), update(index, 5, true), update(index, 1)};
    }
    return {};
  }

  Clocked<Vbank> bank_;
  std::vector<Word> words_;
  Operation inB_;
  std::uint64_t cycle_ = 0;
};

using Bank = BankTest;

constexpr Is kAll[] = {Is::Idle, Is::Counts, Is::Waits, Is::Spoiled, Is::Both};

TEST_F(Bank, EveryOperationDoesToEveryWordWhatTheTableSays) {
  Operation ignored = update(9, 7);
  ignored.ignore = true;
  for (const Operation& operation : {update(9, 6), update(9, 7), update(9, 7, true), update(9, 8),
                                     ignored, arm(9, 3), arm(9, 3, true), offer(9), look(9)}) {
    for (const Is is : kAll) {
      // At once, when the word is forwarded, and from the memory.
      for (const bool forwarded : {true, false}) {
        std::vector<Operation> all = toMake(9, is);
        if (!forwarded) all.insert(all.end(), 2, Operation{});
        all.push_back(operation);
        all.push_back(look(9));
        run(all);
      }
    }
  }
}

TEST_F(Bank, AWordIsForwardedToItselfAlone) {
  for (std::uint32_t bit = 0; bit < kIndexBits; ++bit) {
    for (const std::uint32_t index : {0U, 21U, 42U, 63U}) {
      const std::uint32_t other = index ^ 1U << bit;
      run({arm(index, 100, true), arm(other, 200, true)});
      run({update(index, 1), update(other, 2), update(index, 3), update(index, 4), look(other),
           look(index), update(other, 194), look(index), arm(other, 9), update(index, 92, true),
           offer(other), offer(index)});
    }
  }
}

TEST_F(Bank, TheLargestCountTakesTheLargestWeightsAndEndsAtExactlyZero) {
  for (const std::uint32_t left : {kMostWeight - 1, kMostWeight}) {
    // The first update takes the count to `left`.
    run({arm(3, kMostCount, true), look(3), update(3, kMostCount - left), look(3),
         update(3, kMostWeight, true), look(3), offer(3)});
  }
  run({arm(3, kMostCount, true), update(3, kMostWeight), update(3, 1, true), offer(3)});
}

TEST_F(Bank, TheTagOfAnUpdateComesBackWithIt) {
  run({arm(1, 100, true)});
  for (std::uint32_t tag = 0; tag < 8; ++tag) {
    Operation one = update(1, 1);
    one.tag = tag;
    clock(one);
  }
  clock({});
}

TEST_F(Bank, RandomOperationsInEveryCycle) {
  Random random(testSeed(41));
  std::uint32_t done = 0;
  for (int i = 0; i < 60'000; ++i) {
    // Phases on one word, on words that differ in one bit of the index, and on all.
    const std::uint32_t phase = static_cast<std::uint32_t>(i / 500) % 3;
    const std::uint32_t index = phase == 0   ? 37
                                : phase == 1 ? 37 ^ 1U << random.below(kIndexBits)
                                             : random.below(kDepth);
    Operation operation{.kind = static_cast<Kind>(random.below(5)), .index = index};
    operation.amount = operation.kind == Kind::Arm ? random.below(9) : 1 + random.below(4);
    if (operation.kind == Kind::Arm && random.chance(2)) operation.amount = kMostCount;
    operation.tag = random.below(8);
    operation.force = random.chance(30);
    operation.waits = random.chance(70);
    operation.ignore = random.chance(10);
    const Word& word = words_[inB_.index];
    done += inB_.kind == Kind::Update && !inB_.ignore && word.is == Is::Counts &&
            word.missing == inB_.amount;
    clock(operation);
    if (HasFailure()) return;
  }
  EXPECT_GT(done, 1000U) << "too few words were done to show anything";
}

TEST_F(Bank, ResetLeavesNoOperationInside) {
  run({arm(5, 10, true)});
  clock(update(5, 10));
  bank_.model.rst_ni = 0;
  bank_.model.update_i = 0;
  bank_.model.eval();
  EXPECT_EQ(bank_.model.active_o, 0) << "active_o in reset, with an update in B before";
  EXPECT_EQ(bank_.model.done_o, 0) << "done_o in reset, with an update in B before";
  bank_.edge();
  bank_.model.rst_ni = 1;
  inB_ = {};
  words_[5] = {Is::Counts, 10};
  run({look(5)});
}

/// Up to 64 in a cycle: each bank takes one of up to eight that were joined.
TEST(Slots, SayHowManyUpdatesAllBanksCountAndDropInACycle) {
  constexpr std::uint32_t kBanks = 8, kRegionBits = 3, kSlotBits = 12, kSumBits = 11,
                          kJoinedBits = 4, kCountBits = 23;
  Clocked<Vslots> slots;
  auto& m = slots.model;
  // All slots are armed with more bytes than come. T3_FILL_T, from its lowest bit on: forced,
  // value, last, first, index, step.
  setBits(m.fill_i, 0, 1, 1);
  setBits(m.fill_i, 1, kCountBits, 1u << (kCountBits - 1));
  setBits(m.fill_i, 1 + kCountBits, kSlotBits, ~0u);
  constexpr std::uint32_t kIndexLsb = 1 + kCountBits + 2 * kSlotBits, kStepLsb = kIndexLsb + 9;
  setBits(m.fill_i, kStepLsb, 1, 1);
  for (std::uint32_t index = 0; index < 512; ++index) {
    setBits(m.fill_i, kIndexLsb, 9, index);
    slots.edge();
  }
  setBits(m.fill_i, kStepLsb, 1, 0);

  struct Taken {
    std::uint32_t region = 0, joined = 0;
  };
  std::array<Taken, kBanks> taken;  ///< none where nothing was joined
  Random random(testSeed(36));
  std::uint32_t mostCounted = 0, mostDropped = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    // Often all of them, and of all lanes.
    const bool full = random.chance(50);
    const std::uint32_t valid = full ? 0xff : random.below(0x100);
    const std::uint32_t live = random.chance(50) ? random.below(2) * 0xff : random.below(0x100);
    m.valid_i = static_cast<CData>(valid);
    m.live_i = static_cast<CData>(live);
    std::array<Taken, kBanks> offered;
    for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
      const std::uint32_t region = random.below(1u << kRegionBits);
      const std::uint32_t joined = full ? 8 : random.between(1, 8);
      // The lowest bits of a slot follow from the others and its bank: nobody looks at them.
      const std::uint32_t key = region << kSlotBits | random.below(1u << kSlotBits);
      setBits(m.key_i, bank * (kRegionBits + kSlotBits), kRegionBits + kSlotBits, key);
      setBits(m.weight_i, bank * kSumBits, kSumBits, joined * random.between(1, 128));
      setBits(m.joined_i, bank * kJoinedBits, kJoinedBits, joined);
      offered[bank] = (valid >> bank & 1) != 0 ? Taken{region, joined} : Taken{};
    }
    m.eval();
    std::uint32_t counted = 0, dropped = 0;
    for (const Taken& update : taken)
      ((live >> update.region & 1) != 0 ? counted : dropped) += update.joined;
    ASSERT_EQ(m.counted_o, counted) << "cycle " << cycle;
    ASSERT_EQ(m.dropped_o, dropped) << "cycle " << cycle;
    mostCounted = std::max(mostCounted, counted);
    mostDropped = std::max(mostDropped, dropped);
    ASSERT_EQ(m.pop_o, valid) << "no bank is behind";
    taken = offered;
    slots.edge();
  }
  EXPECT_EQ(mostCounted, 64u);
  EXPECT_EQ(mostDropped, 64u);
}

}  // namespace
}  // namespace t3::rtl_test::bank_test
