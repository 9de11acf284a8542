// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace t3 {

/// The words of the twin's slots, or of its row slots, and the order in which those that wait are
/// shown (docs/tracker.md, "Vocabulary", promises 5 to 8).
class SlotWords {
 public:
  enum class Outcome : std::uint8_t {
    Counted,  ///< less is missing now, or nothing happens because the slot is spoiled
    Done,
    Overrun,
    Stray
  };
  struct Shown {
    std::uint32_t slot = 0;
    bool spoiled = false;
  };

  /// `queue` slots that wait keep their order.
  SlotWords(std::uint32_t slots, std::uint32_t queue) : words_(slots), most_(queue) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
  std::uint32_t missing(std::uint32_t slot) const {
    return words_[slot] < kWaiting ? words_[slot] : 0;
  }
  bool waits(std::uint32_t slot) const { return words_[slot] == kWaiting || words_[slot] == kBoth; }
  bool spoiled(std::uint32_t slot) const {
    return words_[slot] == kSpoiled || words_[slot] == kBoth;
  }

  /// Takes `amount` off what is missing. A slot that is done waits to be shown, if `shows`.
  Outcome take(std::uint32_t slot, std::uint32_t amount, bool shows);
  /// So much is missing. False, and nothing changes, if the slot counts or waits, unless `force`.
  /// One that waited is forgotten; its place in the order stays until the next `sort`.
  bool arm(std::uint32_t slot, std::uint32_t amount, bool force);
  /// All slots are idle.
  void clear();

  /// The completion of a slot that waits has been counted: it has a place in the order now.
  void queue(std::uint32_t slot);
  /// Drops the places of slots that do not wait.
  void sort();
  /// A slot that waited was armed since the latest `sort`.
  bool forgotten() const { return forgotten_; }
  /// Looks through all slots for those that wait.
  void look();
  /// The next slot to be shown, which waits no longer.
  std::optional<Shown> show();
  /// No slot has a place in the order, or found none.
  bool empty() const { return queue_.empty() && !looking_; }
  /// Slots that wait.
  std::uint32_t waiting() const { return waiting_; }

 private:
  // A count is below these.
  static constexpr std::uint32_t kWaiting = 0x8000'0000;
  static constexpr std::uint32_t kSpoiled = kWaiting + 1;
  static constexpr std::uint32_t kBoth = kWaiting + 2;

  std::optional<std::uint32_t> next();
  void dropForgotten();

  std::vector<std::uint32_t> words_;
  std::deque<std::uint32_t> queue_;
  std::uint32_t most_;
  std::uint32_t waiting_ = 0;
  bool forgotten_ = false;
  bool looking_ = false;      ///< through all slots, because one that waits found no place
  bool lookAgain_ = false;    ///< another one did meanwhile
  bool looksNext_ = false;    ///< it is not the queue's turn
  std::uint32_t looked_ = 0;  ///< the slot to look at next
};

}  // namespace t3
