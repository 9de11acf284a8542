// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "tlm/tracker/stack_join.h"

namespace t3 {
namespace {

using Said = StackJoin::Said;

/// The hints of slots that wait, in the order in which they became so. A word is at the head in the
/// cycle after it came into the empty queue, and two cycles after into one that had its last word
/// taken: the memory behind the head has a register.
class Hints {
 public:
  std::size_t count() const { return inside_.size() + (mid_ ? 1 : 0) + (head_ ? 1 : 0); }
  const std::optional<std::uint32_t>& head() const { return head_; }
  /// A register changes although nobody takes the head.
  bool moves() const { return (!head_ && mid_) || (!mid_ && !inside_.empty()); }

  void clock(bool taken, std::optional<std::uint32_t> pushed) {
    const bool headFree = !head_ || taken;
    const bool midFree = !mid_ || headFree;
    const bool passes = pushed && headFree && !mid_ && inside_.empty();
    std::optional<std::uint32_t> read;
    if (!inside_.empty() && midFree) {
      read = inside_.front();
      inside_.pop_front();
    }
    if (headFree) head_ = passes ? pushed : mid_;
    if (midFree) mid_ = read;
    if (pushed && !passes) inside_.push_back(*pushed);
  }

 private:
  std::deque<std::uint32_t> inside_;
  std::optional<std::uint32_t> mid_, head_;
};

/// Shows the slots that wait, one after the other. It asks the word of a slot: *offer* takes it
/// away if it waits, *look* only looks.
class Waiting {
 public:
  struct Ask {
    std::uint32_t slot = 0;
    bool offers = false;

    enum class Why : std::uint8_t { Hint, Found, Look, Sort } why = Why::Hint;
  };

  const std::optional<Said>& shown() const { return shown_; }
  bool sorting() const { return sort_; }
  bool stale() const { return stale_ && hints_.count() != 0; }
  bool active() const { return ask().has_value() || asked_ || hints_.moves() || sort_; }
  bool waits() const { return shown_ || asked_ || found_ || hints_.count() != 0 || lookLeft_ != 0; }

  /// What it asks in this cycle.
  std::optional<Ask> ask() const {
    using enum Ask::Why;
    if (asked_) return std::nullopt;
    const auto& hint = hints_.head();
    if (sort_)
      return hint && sortLeft_ != 0 ? std::optional(Ask{*hint, false, Sort}) : std::nullopt;
    const bool found = !shown_ && found_ && (foundTurn_ || !hint);
    const bool hinted = !shown_ && hint && !found;
    if (lookLeft_ != 0 && !found_ && (lookTurn_ || !hinted)) return Ask{lookAt_, false, Look};
    if (found) return Ask{lookAt_, true, Found};
    if (hinted) return Ask{*hint, true, Hint};
    return std::nullopt;
  }

  /// One cycle. `granted`: its ask goes on to the word. `answer`: the word of the ask before.
  /// `waiting`: a slot that waits from now on. `sorts`: drop the hints of slots that do not wait.
  struct Answer {
    bool waits = false, spoiled = false;
  };
  void clock(bool granted, const Answer& answer, std::optional<std::uint32_t> waiting, bool sorts,
             bool taken) {
    using enum Ask::Why;
    const std::optional<Ask> now = granted ? ask() : std::nullopt;
    const std::optional<Ask> before = asked_;
    const std::size_t places = hints_.count();
    const bool full = places >= StackJoin::kQueueDepth;

    if (sorts || sort_) sort_ = sorts || before || (sortLeft_ != 0 && places != 0);
    if (sorts) {
      sortLeft_ = places;
    } else if (now && now->why == Sort) {
      --sortLeft_;
    }
    if (sorts) stale_ = false;
    if (before && before->why == Found) stale_ = true;

    const bool kept = before && before->why == Sort && answer.waits;
    std::optional<std::uint32_t> pushed = waiting && !full ? waiting : std::nullopt;
    if (kept) pushed = before->slot;

    if (now && now->why != Sort) lookTurn_ = now->offers;
    if (now && now->offers) foundTurn_ = now->why != Found;
    if (taken) shown_.reset();
    if (before && before->offers && answer.waits) shown_ = Said{before->slot, answer.spoiled};
    if (before && before->why == Look) {
      --lookLeft_;
      found_ = answer.waits;
      if (!found_) lookAt_ = (lookAt_ + 1) % StackJoin::kSlots;
    }
    if (before && before->why == Found) {
      found_ = false;
      lookAt_ = (lookAt_ + 1) % StackJoin::kSlots;
    }
    if (waiting && full) lookLeft_ = StackJoin::kSlots;
    hints_.clock(now && (now->why == Hint || now->why == Sort), pushed);
    asked_ = now;
  }

 private:
  Hints hints_;
  std::optional<Said> shown_;
  std::optional<Ask> asked_;  ///< in the cycle before
  bool foundTurn_ = false, lookTurn_ = false;
  bool found_ = false;  ///< `lookAt_` waits
  std::uint32_t lookAt_ = 0, lookLeft_ = 0;
  bool sort_ = false, stale_ = false;
  std::size_t sortLeft_ = 0;
};

class ModelStackJoin : public StackJoin {
 public:
  ModelStackJoin() : words_(kSlots) { show(); }

  const Outputs& outputs() const override { return outputs_; }
  void clock(Picoseconds edge, const Inputs& inputs, bool timed) override;

 private:
  enum class State : std::uint8_t { Idle, Walk, Sort };
  struct Word {
    std::uint32_t missing = 0;
    bool spoiled = false, waits = false;

    bool busy() const { return missing != 0 || waits; }
  };
  /// Who works on a word: one for each cycle.
  struct Turn {
    enum class Who : std::uint8_t { None, Ask, Share, Walk } who = Who::None;
    std::uint32_t slot = 0, stack = 0;
    bool offers = false, spoiled = false;
  };
  /// What became of the word of the turn before.
  struct Result {
    bool done = false, stray = false, refused = false;
    Waiting::Answer answer;
  };

  Turn nextTurn(const std::optional<Waiting::Ask>& ask);
  Result work(const Turn& turn);
  void show();

  std::vector<Word> words_;
  std::array<std::optional<Said>, kStacks> held_;
  Turn turn_;  ///< the word of this one is written in this cycle
  std::uint32_t lastWinner_ = kStacks + 1;
  State state_ = State::Idle;
  Command command_;
  std::uint32_t at_ = 0;
  std::uint32_t before_ = 0;  ///< bit s: a share that was taken before the command
  bool sorts_ = false;
  Waiting waiting_;
  Outputs outputs_;
};

/// In turn: 0 asks, s + 1 is the share of stack s, the last is the walk of a command.
ModelStackJoin::Turn ModelStackJoin::nextTurn(const std::optional<Waiting::Ask>& ask) {
  constexpr std::uint32_t kAll = kStacks + 2, kWalk = kStacks + 1;
  std::uint32_t wants = ask ? 1 : 0;
  for (std::uint32_t s = 0; s < kStacks && state_ != State::Sort; ++s) {
    if (held_[s]) wants |= 2U << s;
  }
  if (state_ == State::Walk && before_ == 0) wants |= 1U << kWalk;
  if (wants == 0) return {};
  const std::uint32_t above = wants & ~((2U << lastWinner_) - 1) & ((1U << kAll) - 1);
  lastWinner_ = static_cast<std::uint32_t>(std::countr_zero(above != 0 ? above : wants));
  if (lastWinner_ == 0) return {.who = Turn::Who::Ask, .slot = ask->slot, .offers = ask->offers};
  if (lastWinner_ == kWalk) return {.who = Turn::Who::Walk, .slot = at_};
  const std::uint32_t stack = lastWinner_ - 1;
  const Said share = *std::exchange(held_[stack], std::nullopt);
  return {.who = Turn::Who::Share, .slot = share.slot, .stack = stack, .spoiled = share.spoiled};
}

ModelStackJoin::Result ModelStackJoin::work(const Turn& turn) {
  Result result;
  Word& word = words_[turn.slot];
  switch (turn.who) {
    case Turn::Who::None:
      break;
    case Turn::Who::Ask:
      result.answer = {word.waits, word.spoiled};
      if (turn.offers && word.waits) word = {};
      break;
    case Turn::Who::Share:
      if ((word.missing >> turn.stack & 1) != 0) {
        word.missing &= ~(1U << turn.stack);
        word.spoiled |= turn.spoiled;
        word.waits = result.done = word.missing == 0;
      } else {
        result.stray = true;
        word.spoiled = word.busy();
      }
      break;
    case Turn::Who::Walk: {
      const Word seen = command_.write && command_.force ? Word{} : word;
      outputs_.seenMissing = seen.missing;
      outputs_.seenWaits = seen.waits;
      outputs_.seenSpoiled = seen.spoiled;
      if (!command_.write) break;
      result.refused = seen.busy();
      if (!result.refused) word = {.missing = command_.shares};
      break;
    }
  }
  return result;
}

void ModelStackJoin::clock(Picoseconds /*edge*/, const Inputs& inputs, bool /*timed*/) {
  const bool stale = waiting_.stale();
  const bool sorting = waiting_.sorting();
  const bool sorts = state_ == State::Sort && sorts_;
  const bool taken = waiting_.shown() && inputs.doneReady;
  const std::optional<Waiting::Ask> ask = waiting_.ask();

  std::uint32_t free = 0;
  for (std::uint32_t s = 0; s < kStacks; ++s) free |= held_[s] ? 0 : 1U << s;
  const Turn before = turn_;
  turn_ = nextTurn(ask);
  for (std::uint32_t s = 0; s < kStacks; ++s) {
    if (inputs.shares[s] && (free >> s & 1) != 0) held_[s] = inputs.shares[s];
  }
  const Result result = work(before);
  waiting_.clock(turn_.who == Turn::Who::Ask, result.answer,
                 result.done ? std::optional(before.slot) : std::nullopt, sorts, taken);
  outputs_.stray.reset();
  if (result.stray) outputs_.stray = {before.slot, before.stack};

  if (turn_.who == Turn::Who::Share) before_ &= ~(1U << turn_.stack);
  if (result.refused) outputs_.refused = true;
  const bool walks = turn_.who == Turn::Who::Walk;
  switch (state_) {
    case State::Idle:
      if (!inputs.command) break;
      state_ = State::Walk;
      command_ = *inputs.command;
      at_ = command_.first;
      before_ = 0;
      for (std::uint32_t s = 0; s < kStacks; ++s) before_ |= held_[s] ? 1U << s : 0;
      sorts_ = command_.write && (command_.force || stale);
      outputs_.refused = false;
      break;
    case State::Walk:
      if (walks && at_ == command_.last) state_ = State::Sort;
      break;
    case State::Sort:
      if (!sorts_ && !sorting) state_ = State::Idle;
      break;
  }
  if (walks) at_ = (at_ + 1) % kSlots;
  if (sorts) sorts_ = false;
  show();
}

void ModelStackJoin::show() {
  outputs_.ready = 0;
  for (std::uint32_t s = 0; s < kStacks; ++s) outputs_.ready |= held_[s] ? 0 : 1U << s;
  outputs_.done = waiting_.shown();
  outputs_.commandReady = state_ == State::Idle;
  outputs_.waiting = waiting_.waits();
  outputs_.busy = outputs_.ready != (1U << kStacks) - 1 || turn_.who != Turn::Who::None ||
                  outputs_.stray.has_value() || !outputs_.commandReady || waiting_.active();
}

}  // namespace

std::unique_ptr<StackJoin> makeModelStackJoin() { return std::make_unique<ModelStackJoin>(); }

}  // namespace t3
