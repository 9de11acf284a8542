// SPDX-License-Identifier: Apache-2.0
// Method: t3_stack_join by itself, in four sizes, against docs/stack-join.md in C++: for each slot
// the stacks that have not said it yet. When `share_ready_o` of a stack rises, the share that it
// took last was counted in the cycle before (promise 4): so the model counts what the RTL has
// counted, in its order, and says what `done_*` may show and in which order. Each promise has a
// test of its own; random traffic with back pressure, commands and aborts has all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "Vstack_join2.h"
#include "Vstack_join3.h"
#include "Vstack_join4.h"
#include "Vstack_join8.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"
#include "tests/rtl/leaving.h"
#include "tests/support/memories_of.h"
#include "tests/support/vectors.h"

namespace t3::rtl_test::stack_join_test {
namespace {

/// A size in which tests/rtl/CMakeLists.txt builds it.
template <class M, std::uint32_t stacks, std::uint32_t slots, std::uint32_t depth>
struct Size {
  using Model = M;
  static constexpr std::uint32_t kStacks = stacks, kSlots = slots, kDepth = depth,
                                 kAll = (1U << stacks) - 1;
};
using Two = Size<Vstack_join2, 2, 16, 16>;
using Three = Size<Vstack_join3, 3, 32, 16>;  // with parity
using Four = Size<Vstack_join4, 4, 64, 16>;   // with SECDED
using Eight = Size<Vstack_join8, 8, 8192, 32>;

struct Said {
  std::uint32_t slot = 0;
  bool spoiled = false;
  friend bool operator==(const Said&, const Said&) = default;
  friend void PrintTo(const Said& said, std::ostream* out) {
    *out << "slot " << said.slot << (said.spoiled ? ", spoiled" : "");
  }
};

struct Command {
  std::uint32_t first = 0, last = 0, shares = 0;
  bool force = false, write = true;
};

/// Units that say slots, a neighbour that takes them, and the model.
template <class S>
class Join {
  static constexpr std::uint32_t kSlotBits = std::bit_width(S::kSlots - 1);
  struct Word {
    std::uint32_t missing = 0;
    bool spoiled = false, waits = false;
  };
  Clocked<typename S::Model> clocked_;
  test::Vectors vectors_{clocked_.model.modelName()};

 public:
  typename S::Model& model = clocked_.model;
  std::array<std::deque<Said>, S::kStacks> shares;  ///< that the units still have to say
  std::function<bool()> offers, ready;  ///< whether one is shown from this cycle on; taken
  bool skipIdleClocks = false;
  bool compares = true;  ///< what commands say; not while shares of their slots come

  std::uint64_t cycle = 0;
  std::vector<Said> due;             ///< in the order of their last shares
  std::vector<Said> left;            ///< as taken
  std::vector<std::uint64_t> shown;  ///< cycle in which each of those showed
  std::uint64_t strays = 0, expectedStrays = 0, damaged = 0, corrected = 0, rested = 0;
  std::uint64_t mostWait = 0;  ///< cycles in which `share_ready_o` of a stack was low, at most
  std::optional<std::uint64_t> counted;  ///< cycle of the last share
  Said event;                            ///< and its stack in `eventStack`
  std::uint32_t eventStack = 0;

  Join() {
    clear();
    model.rst_ni = 0;
    model.eval();
    record();
    model.rst_ni = 1;
    for (std::uint32_t i = 0; !model.cmd_ready_o && i < S::kSlots + 8; ++i) tick();
    EXPECT_TRUE(model.cmd_ready_o) << "the walk after reset";
    mostWait = 0;
  }

  void clear() {
    model.share_valid_i = model.cmd_valid_i = model.look_i = model.done_ready_i = 0;
    words_.assign(S::kSlots, {});
    for (auto& taken : taken_) taken.reset();
    held_.reset();
    offering_ = 0;
  }
  void reset() {
    model.rst_ni = 0;
    model.eval();
    record();
    clocked_.edge();
    model.rst_ni = 1;
    clear();
    for (auto& queue : shares) queue.clear();
  }

  const Word& word(std::uint32_t slot) const { return words_[slot]; }

  void tick() {
    for (std::uint32_t s = 0; s < S::kStacks; ++s) {
      const bool valid = !shares[s].empty() && ((offering_ >> s & 1) != 0 || !offers || offers());
      setBits(model.share_valid_i, s, 1, valid);
      offering_ = (offering_ & ~(1U << s)) | static_cast<std::uint32_t>(valid) << s;
      const Said share = valid ? shares[s].front() : Said{};
      setBits(model.share_slot_i, s * kSlotBits, kSlotBits, share.slot);
      setBits(model.share_spoiled_i, s, 1, share.spoiled);
    }
    model.done_ready_i = !ready || ready();
    model.eval();
    look();
    const bool moves = model.busy_o || model.share_valid_i || model.cmd_valid_i || model.look_i ||
                       (model.done_valid_o && model.done_ready_i);
    if (moves || !skipIdleClocks) {
      record();
      clocked_.edge();
    } else {
      ++rested;
    }
    ++cycle;
  }
  void ticks(std::uint64_t count) {
    while (count-- > 0) tick();
  }
  /// Until nothing moves.
  void settle(std::uint64_t limit = 100'000) {
    const auto pending = [&] {
      return model.busy_o || (model.done_valid_o && (!ready || ready())) ||
             std::ranges::any_of(shares, [](const auto& queue) { return !queue.empty(); });
    };
    do tick();
    while (pending() && limit-- > 0);
    EXPECT_FALSE(pending()) << "it does not come to rest";
  }

  /// Begins one as soon as it may.
  void begin(const Command& command) {
    for (std::uint64_t i = 4 * S::kSlots + 1000; !model.cmd_ready_o && i > 0; --i) tick();
    ASSERT_TRUE(model.cmd_ready_o);
    model.cmd_valid_i = 1;
    model.cmd_write_i = command.write;
    setBits(model.cmd_first_i, 0, kSlotBits, command.first);
    setBits(model.cmd_last_i, 0, kSlotBits, command.last);
    model.cmd_shares_i = static_cast<CData>(command.shares);
    model.cmd_force_i = command.force;
    command_ = command;
    tick();
    model.cmd_valid_i = 0;
    ASSERT_FALSE(model.cmd_ready_o);
  }
  /// To its end. Shares of its slots that were not taken when it began are not counted before that.
  void finish() {
    for (std::uint64_t i = 4 * S::kSlots + 1000; !model.cmd_ready_o && i > 0; --i) tick();
    ASSERT_TRUE(model.cmd_ready_o);
    bool refused = false;
    Word seen;
    for (std::uint32_t i = 0;; ++i) {
      const std::uint32_t slot = (command_.first + i) % S::kSlots;
      Word& word = words_[slot];
      seen = word;
      const bool busy = word.missing != 0 || word.waits;
      if (command_.write && busy && !command_.force) refused = true;
      if (command_.write && (!busy || command_.force)) {
        if (word.waits) std::erase_if(due, [&](const Said& said) { return said.slot == slot; });
        word = {.missing = command_.shares};
      }
      if (slot == command_.last) break;
    }
    if (!compares) return;
    ASSERT_EQ(model.cmd_refused_o, refused);
    if (command_.write && command_.force) return;
    ASSERT_EQ(model.seen_missing_o, seen.missing);
    ASSERT_EQ(model.seen_waits_o, seen.waits);
    ASSERT_EQ(model.seen_spoiled_o, seen.spoiled);
  }
  void command(const Command& command) {
    begin(command);
    finish();
  }
  void arm(std::uint32_t slot, std::uint32_t stacks) { command({slot, slot, stacks}); }

  std::vector<test::Memory> memories() { return test::memoriesOf(*model.contextp()); }

 private:
  /// In the order of stack_join_vectors_tb.sv.
  void record() {
    const auto& m = model;
    vectors_.line(m.rst_ni, m.share_valid_i, m.share_slot_i, m.share_spoiled_i, m.done_ready_i,
                  m.cmd_valid_i, m.cmd_write_i, m.cmd_first_i, m.cmd_last_i, m.cmd_shares_i,
                  m.cmd_force_i, m.look_i, m.share_ready_o, m.done_valid_o, m.done_slot_o,
                  m.done_spoiled_o, m.cmd_ready_o, m.cmd_refused_o, m.seen_missing_o,
                  m.seen_waits_o, m.seen_spoiled_o, m.stray_o, m.damaged_o, m.corrected_o,
                  m.event_slot_o, m.event_stack_o, m.waiting_o, m.busy_o);
  }
  /// What is at the ports in this cycle.
  void look() {
    std::uint32_t count = 0;
    for (std::uint32_t s = 0; s < S::kStacks; ++s) {
      const bool up = (model.share_ready_o >> s & 1) != 0;
      if (up && taken_[s]) {
        countShare(s, *taken_[s]);
        ++count;
        taken_[s].reset();
        counted = cycle - 1;
      }
      low_[s] = up ? 0 : low_[s] + 1;
      mostWait = std::max(mostWait, low_[s]);
      if (up && (model.share_valid_i >> s & 1) != 0) {
        taken_[s] = shares[s].front();
        shares[s].pop_front();
        offering_ &= ~(1U << s);
      }
    }
    ASSERT_LE(count, 1U) << "one share is counted in a cycle";
    if (held_) {
      ASSERT_TRUE(model.done_valid_o);
      ASSERT_EQ(*held_, (Said{model.done_slot_o, model.done_spoiled_o != 0}));
    }
    if (model.done_valid_o && !held_) show({model.done_slot_o, model.done_spoiled_o != 0});
    held_.reset();
    if (model.done_valid_o && !model.done_ready_i)
      held_ = Said{model.done_slot_o, model.done_spoiled_o != 0};
    if (model.done_valid_o && model.done_ready_i)
      left.push_back({model.done_slot_o, model.done_spoiled_o != 0});
    strays += model.stray_o;
    damaged += model.damaged_o;
    corrected += model.corrected_o;
    if (model.stray_o || model.damaged_o || model.corrected_o) {
      event.slot = model.event_slot_o;
      eventStack = model.event_stack_o;
    }
  }
  void countShare(std::uint32_t stack, const Said& share) {
    Word& word = words_[share.slot];
    if ((word.missing >> stack & 1) == 0) {
      ++expectedStrays;
      word.spoiled = word.missing != 0 || word.waits;
      for (Said& said : due) said.spoiled |= said.slot == share.slot && word.waits;
      return;
    }
    word.missing &= ~(1U << stack);
    word.spoiled |= share.spoiled;
    if (word.missing != 0) return;
    word.waits = true;
    due.push_back({share.slot, word.spoiled});
  }
  /// It waited, and does no more.
  void show(const Said& said) {
    const auto place =
        std::ranges::find_if(due, [&](const Said& one) { return one.slot == said.slot; });
    ASSERT_NE(place, due.end()) << "slot " << said.slot << " does not wait";
    // A stray that came when it had been asked for is too late.
    if (said.spoiled != place->spoiled) {
      ASSERT_TRUE(place->spoiled && cycle < *counted + 4) << "slot " << said.slot;
      ++late;
    }
    turns.push_back(static_cast<std::uint32_t>(place - due.begin()));
    due.erase(place);
    words_[said.slot] = {};
    shown.push_back(cycle);
  }

 public:
  std::vector<std::uint32_t> turns;  ///< of each that was shown: how many had been due before it
  std::uint64_t late = 0;            ///< strays that came when their slot had been asked for

 private:
  std::vector<Word> words_;
  std::array<std::optional<Said>, S::kStacks> taken_;
  std::array<std::uint64_t, S::kStacks> low_{};
  std::optional<Said> held_;
  std::uint32_t offering_ = 0;
  Command command_;
};

template <class S>
class StackJoin : public testing::Test {};
using Sizes = testing::Types<Two, Three, Four, Eight>;
TYPED_TEST_SUITE(StackJoin, Sizes);

TYPED_TEST(StackJoin, SaysASlotOnceWhenAllOfAnySetOfSharesHaveCome) {
  using S = TypeParam;
  Join<S> join;
  for (std::uint32_t set = 1; set <= S::kAll; ++set) {
    const std::uint32_t slot = set % S::kSlots;
    join.arm(slot, set);
    for (std::uint32_t s = 0; s < S::kStacks; ++s) {
      if ((set >> s & 1) == 0) continue;
      ASSERT_TRUE(join.left.empty()) << "without the share of stack " << s;
      join.shares[s].push_back({slot});
      join.settle();
    }
    ASSERT_EQ(join.left, std::vector<Said>{{slot}});
    join.left.clear();
  }
  EXPECT_EQ(join.strays, 0U);
}

TYPED_TEST(StackJoin, SaysNothingOfASlotWithoutShares) {
  using S = TypeParam;
  Join<S> join;
  join.arm(3, 0);
  join.settle();
  EXPECT_TRUE(join.left.empty());
  EXPECT_FALSE(join.model.waiting_o);
}

TYPED_TEST(StackJoin, TakesTheLastSlotAsTheFirst) {
  using S = TypeParam;
  Join<S> join;
  for (const std::uint32_t slot : {0U, S::kSlots - 1}) {
    join.arm(slot, S::kAll);
    for (auto& queue : join.shares) queue.push_back({slot});
    join.settle();
    ASSERT_EQ(join.left.back(), Said{slot});
  }
  EXPECT_EQ(join.left.size(), 2U);
}

TYPED_TEST(StackJoin, IsSpoiledIfOneShareIs) {
  using S = TypeParam;
  Join<S> join;
  for (std::uint32_t spoiled = 0; spoiled <= S::kAll; ++spoiled) {
    join.arm(5, S::kAll);
    for (std::uint32_t s = 0; s < S::kStacks; ++s)
      join.shares[s].push_back({5, (spoiled >> s & 1) != 0});
    join.settle();
    ASSERT_EQ(join.left.back(), (Said{5, spoiled != 0}));
  }
  EXPECT_EQ(join.left.size(), S::kAll + 1U);
}

TYPED_TEST(StackJoin, AShareThatItsSlotDoesNotMissIsReportedAndSpoilsIt) {
  using S = TypeParam;
  Join<S> join;
  // One that is idle, of any number: nothing of it stays.
  for (std::uint32_t slot = 1; slot < S::kSlots; slot *= 2) {
    join.shares[1].push_back({slot - 1});
    join.shares[1].push_back({slot});
    join.settle();
    EXPECT_EQ(join.event.slot, slot);
    EXPECT_EQ(join.eventStack, 2U);
  }
  EXPECT_EQ(join.strays, join.expectedStrays);
  join.strays = 0;
  join.arm(7, S::kAll);
  for (auto& queue : join.shares) queue.push_back({7});
  join.settle();
  EXPECT_EQ(join.left, (std::vector<Said>{{7}}));
  // One that misses others.
  join.arm(7, S::kAll);
  join.shares[1].push_back({7});
  join.shares[1].push_back({7});
  join.settle();
  EXPECT_EQ(join.strays, 1U);
  EXPECT_EQ(join.left.size(), 1U) << "a second share of a stack is not that of another one";
  for (std::uint32_t s = 0; s < S::kStacks; ++s)
    if (s != 1) join.shares[s].push_back({7});
  join.settle();
  EXPECT_EQ(join.left.back(), (Said{7, true}));
  // One that waits.
  bool takes = false;
  join.ready = [&] { return takes; };
  for (const std::uint32_t slot : {8U, 9U}) {
    join.arm(slot, 1);
    join.shares[0].push_back({slot});
    join.settle();
  }
  join.shares[1].push_back({9});
  join.settle();
  takes = true;
  join.settle();
  EXPECT_EQ(join.left[2], (Said{8, false}));
  EXPECT_EQ(join.left[3], (Said{9, true}));
  EXPECT_EQ(join.strays, 2U);
}

TYPED_TEST(StackJoin, ShowsASlotFiveCyclesAfterItsLastShareWasTaken) {
  using S = TypeParam;
  Join<S> join;
  for (std::uint32_t round = 0; round < 20; ++round) {
    join.arm(round % S::kSlots, S::kAll);
    for (std::uint32_t s = 0; s < S::kStacks; ++s) {
      join.settle();
      join.ticks(round % 3);
      join.shares[(s + round) % S::kStacks].push_back({round % S::kSlots});
    }
    const std::uint64_t took = join.cycle;
    join.settle();
    ASSERT_EQ(join.shown.back(), took + 5);
  }
}

/// Shares of all stacks without a pause while slots are looked for, commands walk, and nobody takes
/// a slot.
TYPED_TEST(StackJoin, TakesAShareWithinStacksPlusOneCyclesWhateverElseHappens) {
  using S = TypeParam;
  Join<S> join;
  join.ready = [] { return false; };
  join.command({0, S::kSlots - 1, 1});
  for (std::uint32_t slot = 0; slot < S::kSlots; ++slot) join.shares[0].push_back({slot});
  join.settle();
  join.mostWait = 0;
  for (auto& queue : join.shares)
    for (std::uint32_t i = 0; i < 600; ++i) queue.push_back({i % 16});  // strays, all of them
  join.model.look_i = 1;
  join.tick();
  join.model.look_i = 0;
  for (std::uint32_t i = 0; i < 40; ++i) join.command({4, 9, 0, false, i % 2 == 0});
  join.settle();
  EXPECT_LE(join.mostWait, S::kStacks + 1);
  EXPECT_GE(join.mostWait, S::kStacks);
  EXPECT_EQ(join.strays, 600 * S::kStacks);
}

TYPED_TEST(StackJoin, AnAbortKeepsSharesWaitingForThreeCyclesAPlaceAtMost) {
  using S = TypeParam;
  Join<S> join;
  join.ready = [] { return false; };
  join.command({0, S::kSlots - 1, 1});
  for (std::uint32_t slot = 0; slot < S::kSlots; ++slot) join.shares[0].push_back({slot});
  join.settle();
  join.mostWait = 0;
  for (std::uint32_t round = 0; round < 8; ++round) {
    for (auto& queue : join.shares)
      for (std::uint32_t i = 0; i < 300; ++i) queue.push_back({15});
    join.command({1, 1, 0, true});  // one after the other
    join.command({0, 3, 0, true});
  }
  join.settle();
  EXPECT_LE(join.mostWait, S::kStacks + 1 + 3 * S::kDepth + 2);
  EXPECT_GE(join.mostWait, 2 * S::kDepth);
}

TYPED_TEST(StackJoin, UpToQueueDepthSlotsLeaveInTheOrderOfTheirLastShares) {
  using S = TypeParam;
  for (const std::uint32_t count : {S::kDepth, std::min(2 * S::kDepth, S::kSlots)}) {
    Join<S> join;
    Random random(testSeed(67));
    bool takes = false;
    join.ready = [&] { return takes; };
    join.command({0, count - 1, S::kAll});
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    for (auto& queue : join.shares) {
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);
      for (const std::uint32_t slot : order) queue.push_back({slot});
    }
    join.settle();
    std::vector<std::uint32_t> due, left;
    for (const Said& said : join.due) due.push_back(said.slot);
    due.insert(due.begin(), join.model.done_slot_o);
    takes = true;
    join.settle();
    for (const Said& said : join.left) left.push_back(said.slot);
    ASSERT_EQ(left.size(), count);
    if (count <= S::kDepth) {
      EXPECT_EQ(left, due);
    } else {
      EXPECT_EQ(outOfTurn(left, due, S::kDepth), 0U);
    }
  }
}

TYPED_TEST(StackJoin, ASlotThatWasMadeIdleWhileItWaitedTakesNoPlaceAndLeavesInItsNewTurn) {
  using S = TypeParam;
  Join<S> join;
  bool takes = false;
  join.ready = [&] { return takes; };
  join.command({0, S::kSlots - 1, 1});
  for (std::uint32_t slot = 0; slot < 15; ++slot) join.shares[0].push_back({slot});
  join.settle();
  join.command({1, 8, 1, true});
  for (std::uint32_t slot = 8; slot > 0; --slot) join.shares[0].push_back({slot});
  join.settle();
  takes = true;
  join.settle();
  const std::vector<std::uint32_t> expected{0, 9, 10, 11, 12, 13, 14, 8, 7, 6, 5, 4, 3, 2, 1};
  ASSERT_EQ(join.left.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(join.left[i].slot, expected[i]);
}

TYPED_TEST(StackJoin, AnAbortBetweenFirstAndLastShareLeavesNothingBehind) {
  using S = TypeParam;
  Join<S> join;
  join.arm(2, S::kAll);
  join.shares[0].push_back({2, true});
  join.settle();
  join.command({2, 2, 0, true});
  join.arm(2, S::kAll);
  for (std::uint32_t s = 1; s < S::kStacks; ++s) join.shares[s].push_back({2});
  join.settle();
  EXPECT_TRUE(join.left.empty()) << "the share from before the abort counts";
  join.shares[0].push_back({2});
  join.settle();
  EXPECT_EQ(join.left, std::vector<Said>{{2}}) << "and spoils nothing";
}

/// At the same time, and from one to four cycles later.
TYPED_TEST(StackJoin, ACommandWorksBehindTheSharesThatWereTakenBefore) {
  using S = TypeParam;
  for (std::uint32_t s = 0; s < S::kStacks; ++s) {
    for (std::uint32_t turn = 0; turn < 20; ++turn) {
      const std::uint32_t wait = turn % 5;
      Join<S> join;
      join.command({8, 15, S::kAll});
      join.arm(1, S::kAll);
      for (std::uint32_t other = 0; other < S::kStacks; ++other) {
        if (other != s) {
          for (std::uint32_t i = 0; i < 4; ++i) join.shares[other].push_back({i + 8});
        }
      }
      join.ticks(turn / 5);  // it is another one's turn
      join.shares[s].push_back({1});
      join.ticks(wait);
      ASSERT_EQ(join.shares[s].size(), wait == 0 ? 1U : 0U);
      join.command({1, 1, 0, true});
      join.settle();
      ASSERT_EQ(join.strays, 0U) << "a share that came before the command is counted behind it";
      join.arm(1, S::kAll);
    }
  }
}

TYPED_TEST(StackJoin, ACommandArmsFromFirstToLastAndRoundAndNothingElse) {
  using S = TypeParam;
  Join<S> join;
  for (const auto& [first, last] : {std::pair{3U, 6U}, {S::kSlots - 2, 1U}, {0U, 0U}}) {
    join.command({0, S::kSlots - 1, 0, true});
    join.command({first, last, S::kAll});
    for (std::uint32_t slot = 0; slot < S::kSlots; ++slot) {
      join.command({slot, slot, 0, false, false});  // compares what it sees
      const bool inside =
          (slot + S::kSlots - first) % S::kSlots <= (last + S::kSlots - first) % S::kSlots;
      ASSERT_EQ(join.model.seen_missing_o, inside ? S::kAll : 0) << "slot " << slot;
    }
  }
}

TYPED_TEST(StackJoin, ASlotThatMissesSharesOrWaitsIsArmedOnlyWithForce) {
  using S = TypeParam;
  Join<S> join;
  join.ready = [] { return false; };
  join.command({0, 3, 1});
  for (const std::uint32_t slot : {1U, 2U}) join.shares[0].push_back({slot});
  join.settle();  // 0 and 3 miss a share, 2 waits, 1 is at the port
  join.command({0, 3, 2});
  EXPECT_TRUE(join.model.cmd_refused_o);
  join.command({3, 4, 2});  // the last one is idle
  EXPECT_TRUE(join.model.cmd_refused_o);
  join.command({1, 1, 0, false, false});
  EXPECT_EQ(join.model.seen_missing_o, 2);
  join.command({1, 1, 0, true});
  EXPECT_FALSE(join.model.cmd_refused_o);
  join.command({0, 3, 1, true});
  EXPECT_FALSE(join.model.cmd_refused_o);
}

TYPED_TEST(StackJoin, AResetMakesAllSlotsIdle) {
  using S = TypeParam;
  Join<S> join;
  for (std::uint32_t round = 0; round < 12; ++round) {
    join.ready = [] { return false; };
    join.command({0, S::kSlots - 1, S::kAll, true});
    for (auto& queue : join.shares)
      for (std::uint32_t i = 0; i < 40; ++i) queue.push_back({i / 2 % 10});  // half of them strays
    join.ticks(11 + 7 * round);
    join.reset();
    join.due.clear();
    join.strays = 0;
    join.ready = nullptr;
    EXPECT_FALSE(join.model.done_valid_o || join.model.stray_o);
    EXPECT_EQ(join.model.share_ready_o, S::kAll);
    std::uint32_t cycles = 0;
    while (!join.model.cmd_ready_o && cycles <= S::kSlots + 4) {
      join.tick();
      ++cycles;
    }
    EXPECT_LE(cycles, S::kSlots + 2);
    join.settle();
    for (std::uint32_t slot = 0; slot < S::kSlots; slot += S::kSlots / 16)
      join.command({slot, slot, 0, false, false});
    EXPECT_TRUE(join.left.empty());
    EXPECT_EQ(join.strays, 0U) << "a share from before the reset";
  }
}

/// A bit of the word of a slot, and of the hint of one, is wrong.
template <class S>
void flips(bool corrects) {
  for (std::uint32_t bit = 0;; ++bit) {
    Join<S> join;
    const auto all = join.memories();
    ASSERT_EQ(all.size(), 2U) << "words of slots, and hints";
    const test::Memory& words = all[0].words == S::kSlots ? all[0] : all[1];
    if (bit == words.bits) break;
    join.arm(6, S::kAll);
    join.shares[0].push_back({6});
    join.settle();
    words.flip(6, bit);
    join.shares[1].push_back({6});
    for (std::uint32_t s = 2; s < S::kStacks; ++s) join.shares[s].push_back({6});
    join.settle();
    ASSERT_EQ(join.damaged, corrects ? 0U : 1U);
    ASSERT_EQ(join.corrected, corrects ? 1U : 0U);
    ASSERT_EQ(join.event.slot, 6U);
    ASSERT_EQ(join.eventStack, 2U);
    ASSERT_EQ(join.strays, 0U) << "one error is reported once";
    ASSERT_EQ(join.left.size(), corrects ? 1U : 0U);
    if (corrects) continue;
    join.command({6, 6, S::kAll, true});
    for (auto& queue : join.shares) queue.push_back({6});
    join.due.clear();
    join.settle();
    ASSERT_EQ(join.left.size(), 1U) << "armed anew it is as good as any";
  }
}
TEST(StackJoinProtection, AWordThatCannotBeTrustedIsReportedAndNeverSaid) { flips<Three>(false); }
TEST(StackJoinProtection, AWrongBitIsCorrected) { flips<Four>(true); }

TEST(StackJoinProtection, AWrongBitIsCorrectedByACommandThatChangesNothing) {
  for (const bool write : {false, true}) {
    Join<Four> join;
    const auto all = join.memories();
    const test::Memory& words = all[0].words == Four::kSlots ? all[0] : all[1];
    join.arm(6, Four::kAll);
    words.flip(6, 2);
    for (int i = 0; i < 2; ++i) {
      join.command({6, 6, 1, false, write});  // compares what it sees
      join.settle();
      EXPECT_EQ(join.corrected, 1U) << "it is written back, once";
    }
    for (auto& queue : join.shares) queue.push_back({6});
    join.settle();
    EXPECT_EQ(join.left, std::vector<Said>{{6}});
  }
}

TEST(StackJoinProtection, WordsOfAllZerosAndOfAllOnesAreDamaged) {
  const auto stuck = [](auto&& join, bool value) {
    const auto all = join.memories();
    const test::Memory& words = all[0].words > 16 ? all[0] : all[1];
    words.fill(4, value);
    join.shares[0].push_back({4});
    join.settle();
    EXPECT_EQ(join.damaged, 1U);
    EXPECT_EQ(join.event.slot, 4U);
  };
  for (const bool value : {false, true}) {
    stuck(Join<Three>(), value);
    stuck(Join<Four>(), value);
  }
}

TEST(StackJoinProtection, ASlotWhoseHintWasDamagedIsFoundAndALookFindsIt) {
  for (const bool look : {false, true}) {
    Join<Three> join;
    bool takes = false;
    join.ready = [&] { return takes; };
    join.command({0, 9, 1});
    for (std::uint32_t slot = 0; slot < 10; ++slot) join.shares[0].push_back({slot});
    join.settle();
    const auto all = join.memories();
    const test::Memory& hints = all[0].words == 16 ? all[0] : all[1];
    for (std::uint32_t place = 0; place < hints.words; ++place) {
      hints.flip(place, 0);
      if (look) hints.flip(place, 1);  // parity does not see it
    }
    takes = true;
    join.settle();
    if (look) {
      EXPECT_LT(join.left.size(), 10U);
      join.model.look_i = 1;
      join.tick();
      join.model.look_i = 0;
      join.settle();
    }
    EXPECT_EQ(join.left.size(), 10U);
  }
}

/// Regions of slots whose kernels arm them, say their shares, and are sometimes aborted half-way,
/// each at its own pace.
TYPED_TEST(StackJoin, RandomKernelsWithAbortsAreAsTheModelSays) {
  using S = TypeParam;
  constexpr std::uint32_t kRegions = 4, kOf = std::min(S::kSlots / kRegions, 24U);
  std::uint64_t checks = 0, aborts = 0, late = 0, rested = 0;
  const std::uint64_t seed = testSeed(62);
  for (std::uint64_t round = 0; round < testRounds(12); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random random(seed + round);
    Join<S> join;
    const std::uint32_t readyPercent = std::array{100U, 40U, 5U}[round % 3];
    const std::uint32_t offerPercent = std::array{100U, 20U}[round / 3 % 2];
    join.ready = [&] { return random.chance(readyPercent); };
    join.offers = [&] { return random.chance(offerPercent); };
    join.skipIdleClocks = round % 2 == 1;
    std::array<std::uint32_t, kRegions> left{};  // kernels that a region still has to run
    left.fill(6);
    for (std::uint32_t turn = 0; turn < 60; ++turn) {
      const std::uint32_t region = random.below(kRegions);
      const std::uint32_t first = region * kOf, last = first + kOf - 1;
      const auto mine = [&](const Said& said) { return said.slot >= first && said.slot <= last; };
      bool inside = std::ranges::any_of(join.due, mine);
      for (std::uint32_t slot = first; slot <= last; ++slot) inside |= join.word(slot).missing != 0;
      if (inside && random.chance(50)) {
        // Software stops the region in all units, which say nothing of it from now on, and forgets
        // its slots. (What is shown just now stays.)
        for (auto& queue : join.shares) std::erase_if(queue, mine);
        join.command({first, last, 0, true});
        ++aborts;
      } else if (!inside && left[region] > 0) {
        --left[region];
        join.command({first, last, S::kAll, false});
        for (std::uint32_t slot = first; slot <= last; ++slot) {
          const std::uint32_t set = random.chance(70) ? S::kAll : random.below(S::kAll + 1);
          if (set != S::kAll) join.command({slot, slot, set, true});
          for (std::uint32_t s = 0; s < S::kStacks; ++s) {
            auto& queue = join.shares[s];
            const auto at = [&] {
              return queue.begin() + random.below(queue.size() - (queue.empty() ? 0 : 1) + 1) +
                     (queue.empty() ? 0 : 1);
            };
            if ((set >> s & 1) != 0) queue.insert(at(), {slot, random.chance(10)});
            if (random.chance(1)) queue.insert(at(), {slot});  // one too many
          }
        }
      }
      // Looks beside all of it.
      join.compares = false;
      if (random.chance(30)) join.command({first, last, 0, false, false});
      join.compares = true;
      if (random.chance(20)) {
        join.model.look_i = 1;
        join.tick();
        join.model.look_i = 0;
      }
      join.ticks(random.below(120));
      if (testing::Test::HasFailure()) break;
    }
    join.ready = nullptr;
    join.offers = nullptr;
    join.settle();
    ASSERT_TRUE(join.due.empty()) << "a slot that waits was not shown";
    ASSERT_EQ(join.strays, join.expectedStrays);
    ASSERT_EQ(join.damaged + join.corrected, 0U);
    ASSERT_FALSE(testing::Test::HasFailure()) << "T3_TEST_SEED=" << seed;
    checks += join.left.size();
    late += join.late;
    rested += join.rested;
  }
  EXPECT_GT(rested, 0U);
  EXPECT_GT(checks, 100U);
  EXPECT_GT(aborts, 5U);
  std::cout << checks << " slots, " << aborts << " aborts, " << late << " late strays\n";
}

}  // namespace
}  // namespace t3::rtl_test::stack_join_test
