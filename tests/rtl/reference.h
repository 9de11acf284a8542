// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tests/rtl/track_trigger_bench.h"
#include "tests/rtl/unit_model.h"

namespace t3::rtl_test {

/// The unit without time, written from docs/tracker.md alone: what one update or one access does,
/// all of it at once. It shares no code with the RTL or the behavioural twin. A test that lets the
/// unit come to rest after each step can compare everything; one that does not can compare what
/// does not depend on order.
class Reference {
 public:
  /// The state of a slot or of a row slot.
  struct Word {
    std::uint32_t missing = 0;
    bool waits = false;
    bool spoiled = false;
    bool busy() const { return missing != 0 || waits; }
    std::uint32_t read() const;
  };
  struct FirstError {
    std::uint32_t cause = 0;
    /// Empty where the page names none.
    std::optional<std::uint32_t> region = std::nullopt;
    std::uint32_t info = 0;
  };

  explicit Reference(const UnitSize& size);

  /// Registers that keep what is written, with the bits that they have.
  static std::map<std::uint32_t, std::uint32_t> writable(const UnitSize& size);
  /// Where there is a register.
  static bool mapped(const UnitSize& size, std::uint32_t address);

  void update(const Update& update);
  /// The response.
  std::uint32_t write(std::uint32_t address, std::uint32_t data, bool privileged = false);
  /// A fill that is under way when the write is answered is over.
  std::uint32_t read(std::uint32_t address) const;
  /// What waits is shown, and taken by those who are ready.
  void settle(bool doneReady, bool releaseReady);

  std::vector<Done> done;           ///< taken, without cycles
  std::vector<std::uint32_t> rows;  ///< taken
  std::vector<Word> slotWords, rowWords;
  std::uint32_t errors = 0;
  std::array<std::uint32_t, kCauses> errorCounts{};
  std::optional<FirstError> first;
  std::map<std::uint32_t, std::uint64_t> counters;  ///< by the address of the low word
  /// More slots or rows waited than their queue has places for, or all are looked through. So they
  /// may leave in another order than here.
  bool orderUnknown = false;

 private:
  struct Matched {
    std::uint32_t region;
    State state;
  };
  std::uint32_t field(std::uint32_t address) const;
  State state(std::uint32_t region) const;
  std::optional<Matched> match(const Update& update) const;
  void report(std::uint32_t cause, std::optional<std::uint32_t> region, std::uint32_t info);
  void complete(std::uint32_t region, std::uint32_t slot);
  void countRow(std::uint32_t region, std::uint32_t slot);
  /// Some of the slots are of a region in this state.
  bool areOf(State state, std::uint32_t from, std::uint32_t to) const;
  std::uint64_t rowOf(std::uint32_t region, std::uint32_t slot) const;
  /// The row is one of a region that is stopped, and of none that is on.
  bool rowOfStopped(std::uint32_t row) const;
  bool refusedInUse(std::uint32_t address, std::uint32_t data) const;
  std::uint32_t arm(Word& word, std::uint32_t missing, bool anyway, std::uint32_t cause,
                    std::uint32_t number);
  void fill(std::uint32_t region, std::uint32_t bytes);
  void clear();

  UnitSize size_;
  std::map<std::uint32_t, std::uint32_t> bits_;  ///< of writable()
  std::map<std::uint32_t, std::uint32_t> kept_;
  std::uint32_t regionDone_ = 0, irqStatus_ = 0;
  std::vector<std::uint32_t> regionCounts_;
  std::deque<std::uint32_t> doneQueue_, rowQueue_;
  std::optional<Done> donePort_;
  std::optional<std::uint32_t> rowPort_;
};

}  // namespace t3::rtl_test
