// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/slot_words.h"

#include <algorithm>
#include <utility>

namespace t3 {

SlotWords::Outcome SlotWords::take(std::uint32_t slot, std::uint32_t amount, bool shows) {
  std::uint32_t& word = words_[slot];
  if (spoiled(slot)) return Outcome::Counted;
  if (word == kWaiting) word = kBoth;
  if (word == 0 || word == kBoth) return Outcome::Stray;
  if (amount > word) {
    word = kSpoiled;
    return Outcome::Overrun;
  }
  word -= amount;
  if (word != 0) return Outcome::Counted;
  if (shows) {
    word = kWaiting;
    ++waiting_;
  }
  return Outcome::Done;
}

bool SlotWords::arm(std::uint32_t slot, std::uint32_t amount, bool force) {
  if (!force && (waits(slot) || missing(slot) != 0)) return false;
  if (waits(slot)) {
    --waiting_;
    forgotten_ = true;
  }
  words_[slot] = amount;
  return true;
}

void SlotWords::clear() {
  std::ranges::fill(words_, 0U);
  queue_.clear();
  waiting_ = 0;
  forgotten_ = looking_ = lookAgain_ = looksNext_ = false;
}

void SlotWords::queue(std::uint32_t slot) {
  if (queue_.size() >= most_ && forgotten_) dropForgotten();
  if (queue_.size() < most_) {
    queue_.push_back(slot);
  } else {
    look();
  }
}

void SlotWords::dropForgotten() {
  std::erase_if(queue_, [this](std::uint32_t slot) { return !waits(slot); });
}

void SlotWords::sort() {
  dropForgotten();
  forgotten_ = false;
}

void SlotWords::look() {
  if (looking_) {
    lookAgain_ = true;
  } else {
    looking_ = true;
    looked_ = 0;
  }
}

/// A slot that may wait: those of the queue in turn with those that are looked for.
std::optional<std::uint32_t> SlotWords::next() {
  if (looking_ && (looksNext_ || queue_.empty())) {
    looksNext_ = false;
    while (looked_ < size()) {
      if (waits(looked_++)) return looked_ - 1;
    }
    looking_ = std::exchange(lookAgain_, false);
    looked_ = 0;
  }
  if (queue_.empty()) return std::nullopt;
  const std::uint32_t slot = queue_.front();
  queue_.pop_front();
  looksNext_ = true;
  return slot;
}

std::optional<SlotWords::Shown> SlotWords::show() {
  while (!empty()) {
    const auto slot = next();
    if (!slot || !waits(*slot)) continue;  // software has armed it since, or it has been found
    const Shown shown{*slot, spoiled(*slot)};
    words_[*slot] = shown.spoiled ? kSpoiled : 0;
    --waiting_;
    return shown;
  }
  return std::nullopt;
}

}  // namespace t3
