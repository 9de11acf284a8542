// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/tracker/slot_words.h"
#include "tlm/tracker/tracker_config.h"

namespace t3 {

/// The registers of the behavioural twin: what docs/tracker.md says of each address, and the state
/// behind it. `ModelTracker` reads and changes that state directly.
class ModelRegisters {
 public:
  /// In the order of the bits of ERRORS. The twin's lanes cannot bring an update of the wrong
  /// weight, and no bit of its memories is ever wrong: these causes do not occur.
  enum class Cause : std::uint8_t {
    Overrun,
    Stray,
    Weight,
    Outside,
    RowStray,
    RowOutside,
    ArmedEarly,
    RowArmedEarly,
    InUse,
    Locked,
    Damaged
  };
  static constexpr std::size_t kCauses = 11;

  enum Counter : std::size_t {  // in register order from UPDATES on
    Updates,
    Untracked,
    Dropped,
    Completed,
    Triggers,
    Taken,
    Released,
    Stalls,
    Corrected  // the twin's memories do not fail
  };
  static constexpr std::size_t kCounters = 9;
  static constexpr std::uint32_t kCounterBits = 40;

  struct Window {
    std::uint64_t pageFirst = 0, pageLast = 0;
  };
  struct Region {
    std::uint32_t state = 0;
    std::uint32_t control = 0;
    std::uint32_t wgFirst = 0, wgLast = 0;
    std::uint32_t slotFirst = 0, slotLast = 0;
    std::uint32_t rowFirst = 0, rowPhase = 0, rowReciprocal = 0;
    std::uint32_t target = 0, done = 0;
    std::uint32_t inside = 0;  ///< completions that are not counted yet

    bool off() const { return state == 0; }
    bool on() const { return state == 1; }
    bool stopped() const { return state >= 2; }
    bool triggers() const;
    bool countsRows() const;
    std::uint32_t shift() const;
    std::uint32_t window() const;
    /// The row of a slot (promise 8).
    std::uint32_t rowOf(std::uint32_t slot) const;
    bool covers(std::uint32_t slot) const { return slot >= slotFirst && slot <= slotLast; }
    /// Has one of the slots.
    bool shares(std::uint32_t first, std::uint32_t last) const {
      return last >= slotFirst && first <= slotLast;
    }
    bool coversRow(std::uint32_t row) const {
      return countsRows() && slotFirst <= slotLast && row >= rowFirst && row <= rowOf(slotLast);
    }
  };

  /// A walk through the memories, which closes part of the register map.
  enum class Walk : std::uint8_t { None, Fill, Clear };

  explicit ModelRegisters(const TrackerConfig& config);

  /// The value at `offset`, or nothing if there is no register. STATUS is not one of them: it is
  /// about the twin as a whole. With `latch`, a read of a counter's low word keeps the high word
  /// for the next read, as in the unit.
  std::optional<std::uint32_t> read(std::uint32_t offset, bool latch);
  /// False if there is no register, one that cannot be written, or a write that is refused. Sets
  /// `walk` if it is one that begins a fill or a clear; what is to be filled is filled.
  bool write(std::uint32_t offset, std::uint32_t value, bool privileged);

  /// Keeps an error: ERRORS, ERROR_COUNT, ERROR_FIRST, IRQ_STATUS. Of those with the same `cycle`,
  /// if that is not 0, the one of the lowest cause and then of the lowest `number` is the first.
  void error(Cause cause, std::uint32_t region, std::uint32_t info, std::uint64_t cycle = 0,
             std::uint32_t number = 0);
  /// One more slot of the region is done.
  void countDone(std::uint32_t region);
  /// Its DONE has reached its TARGET.
  void reachTarget(std::uint32_t region);
  /// What CTRL.clear makes of it all.
  void clear();

  std::uint32_t bankOf(std::uint32_t slot) const;

  bool enabled = false;
  Walk walk = Walk::None;
  std::uint64_t walkCycles = 0;  ///< that the walk takes, set with `walk`
  std::uint32_t irqStatus = 0, irqEnable = 0, regionDone = 0;
  std::array<std::uint64_t, kCounters> counters{};
  std::uint32_t errors = 0;
  std::array<std::uint32_t, kCauses> errorCounts{};

  std::vector<Window> windows;
  std::vector<Region> regions;
  SlotWords slots;
  SlotWords rows;

 private:
  struct FirstError {
    Cause cause;
    std::uint32_t region, info;
    std::uint64_t cycle;
    std::uint32_t number;
  };

  /// Bits of a register that keeps what is written; all of one that does not.
  std::uint32_t bitsOf(std::uint32_t offset) const;
  /// Some of the slots are of a region in that state.
  bool someAre(bool (Region::*state)() const, std::uint32_t first, std::uint32_t last) const;
  /// The row is one of a region that is stopped, and of none that is on.
  bool rowIsStopped(std::uint32_t row) const;

  std::optional<std::uint32_t> readRegion(const Region& region, std::uint32_t offset) const;
  bool writeRegion(std::uint32_t index, std::uint32_t offset, std::uint32_t value);
  bool writeState(Region& region, std::uint32_t offset, std::uint32_t value);
  bool writeWindow(std::uint32_t index, std::uint32_t offset, std::uint32_t value);
  bool writeSlot(std::uint32_t slot, std::uint32_t value);
  bool writeRow(std::uint32_t row, std::uint32_t value);
  bool fill(std::uint32_t value);
  bool refuse(Cause cause, std::uint32_t info);

  TrackerConfig config_;
  bool locked_ = false, privileged_ = false;
  std::uint32_t latchedHigh_ = 0;
  std::uint32_t fillFirst_ = 0, fillLast_ = 0;  ///< slots of the latest fill
  std::optional<FirstError> firstError_;
  std::uint32_t windowMask_, slotMask_;
};

}  // namespace t3
