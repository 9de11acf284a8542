// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace t3 {

/// Bytes counted for each burst of a range. Nearly all bursts are counted as a whole, a few times:
/// that number is in a cell of a few bits. Bursts for which it does not fit, or of which a part was
/// counted, have a number of their own.
class BurstCounts {
 public:
  /// No burst needs a number of its own for being counted as a whole up to `most` times.
  BurstCounts(std::size_t bursts, std::uint32_t burstBytes, std::uint32_t most)
      : burstBytes_(burstBytes) {
    while (cellBits_ < 8 && (1U << cellBits_) - 1 <= most) cellBits_ *= 2;
    own_ = (1U << cellBits_) - 1;
    cells_.resize((bursts * cellBits_ + 7) / 8);
  }

  std::uint32_t bytes(std::size_t burst) const {
    const std::uint32_t times = cell(burst);
    return times != own_ ? times * burstBytes_ : numbers_.at(burst);
  }

  /// Returns the new sum.
  std::uint32_t add(std::size_t burst, std::uint32_t bytes) {
    const std::uint32_t sum = this->bytes(burst) + bytes;
    const std::uint32_t times = sum / burstBytes_;
    const bool fits = times < own_ && sum % burstBytes_ == 0;
    if (!fits) {
      numbers_[burst] = sum;
    } else if (cell(burst) == own_) {
      numbers_.erase(burst);
    }
    setCell(burst, fits ? times : own_);
    return sum;
  }

 private:
  std::uint32_t shift(std::size_t burst) const {
    return static_cast<std::uint32_t>(burst * cellBits_ % 8);
  }
  std::uint32_t cell(std::size_t burst) const {
    return (std::uint32_t{cells_[burst * cellBits_ / 8]} >> shift(burst)) & own_;
  }
  void setCell(std::size_t burst, std::uint32_t value) {
    std::uint8_t& byte = cells_[burst * cellBits_ / 8];
    byte = static_cast<std::uint8_t>((byte & ~(own_ << shift(burst))) | value << shift(burst));
  }

  std::uint32_t burstBytes_;
  std::uint32_t cellBits_ = 1;  ///< 1, 2, 4 or 8
  std::uint32_t own_;           ///< in a cell: the burst has a number of its own
  std::vector<std::uint8_t> cells_;
  std::unordered_map<std::size_t, std::uint32_t> numbers_;  ///< bytes, by burst
};

/// Counts the updated bytes of each burst as the DRAM serves them, with or without data. So every
/// run checks the ordering promise: a read that the tracker triggered must find all updates of its
/// bytes done. Bytes may be complete in another way: another GPU stores them once (`arrived`).
class UpdateLedger {
 public:
  explicit UpdateLedger(std::uint32_t burstBytes) : burstBytes_(burstBytes) {}

  /// What is known of a watched range when it begins to be watched.
  enum class Start : std::uint8_t {
    Free,      ///< nothing has to come before its updates
    Uncleared  ///< a burst has to be cleared before its first update
  };

  /// Watches [base, base + bytes): each byte is to be updated `expected` times. Watching a range
  /// again clears its counts.
  void watch(std::uint64_t base, std::uint64_t bytes, std::uint32_t expected,
             Start start = Start::Free);
  /// Each byte of a part of a watched range is to be updated `expected` times, no more than the
  /// others. Once for each byte, before its first update. Of a burst whose bytes differ,
  /// `unfinished` asks for the lowest count.
  void expect(std::uint64_t address, std::uint64_t bytes, std::uint32_t expected);
  bool watching() const { return !ranges_.empty(); }

  /// An update is served that stands for `times`. Returns the address of a burst that has now been
  /// updated too often, if there is one.
  std::optional<std::uint64_t> updated(std::uint64_t address, std::uint64_t bytes,
                                       std::uint32_t times = 1);
  /// A tracked plain write is served: the bytes are final. Returns the address of a burst that has
  /// now been stored twice, if there is one.
  std::optional<std::uint64_t> arrived(std::uint64_t address, std::uint64_t bytes);
  /// Address of a watched burst that is neither updated as often as expected nor stored, if there
  /// is one.
  std::optional<std::uint64_t> unfinished(std::uint64_t address, std::uint64_t bytes) const;
  /// Address of a watched burst that has had an update or a store, which a plain store would lose.
  std::optional<std::uint64_t> begun(std::uint64_t address, std::uint64_t bytes) const;
  /// The memory has set the bytes to zero.
  void cleared(std::uint64_t address, std::uint64_t bytes);
  /// Address of a burst that has to be cleared first and is not, if there is one.
  std::optional<std::uint64_t> uncleared(std::uint64_t address, std::uint64_t bytes) const;
  /// Whether every byte is watched and was updated, cleared or stored exactly `times` times; of a
  /// burst that is partly in the range, at least that many bytes.
  bool everyBurstUpdated(std::uint64_t address, std::uint64_t bytes, std::uint32_t times) const;
  bool everyBurstCleared(std::uint64_t address, std::uint64_t bytes, std::uint32_t times) const;
  bool everyBurstArrived(std::uint64_t address, std::uint64_t bytes, std::uint32_t times) const;

 private:
  struct Range {
    std::uint64_t base, bytes;
    std::uint32_t expected;  ///< of each byte, but where `parts` says less
    Start start;
    BurstCounts updated, cleared;
    std::optional<BurstCounts> arrived;  ///< none: nothing has
    struct Part {
      std::uint64_t begin, end;
      std::uint32_t expected;
    };
    std::vector<Part> parts;  ///< by address; neighbours that expect the same are one

    /// What is expected of a burst: in all its bytes together, and of the byte with the fewest.
    struct Expected {
      std::uint32_t bytes, least;
    };
    Expected expects(std::size_t burst, std::uint32_t burstBytes) const;
    std::uint32_t arrivedBytes(std::size_t burst) const {
      return arrived ? arrived->bytes(burst) : 0;
    }
  };

  const Range* find(std::uint64_t address) const;
  BurstCounts counts(std::uint64_t bursts, std::uint32_t most) const {
    return {static_cast<std::size_t>(bursts), burstBytes_, most};
  }
  /// `add(range, burst, bytes)` counts, and says whether that is too much. Returns the first burst
  /// of which it is.
  template <typename Add>
  std::optional<std::uint64_t> count(std::uint64_t address, std::uint64_t bytes, Add add);
  /// Address of the first watched burst for which `is(range, burst, bytes)`.
  template <typename Is>
  std::optional<std::uint64_t> first(std::uint64_t address, std::uint64_t bytes, Is is) const;
  /// `bytesOf(range, burst)` are those that were counted.
  template <typename BytesOf>
  bool everyBurst(std::uint64_t address, std::uint64_t bytes, std::uint32_t times,
                  BytesOf bytesOf) const;
  /// Calls visit(range, burst index, bytes of the burst inside) until it returns false; the range
  /// is null for bursts that nobody watches.
  template <typename Visit>
  void forBursts(std::uint64_t address, std::uint64_t bytes, Visit visit) const;

  std::uint32_t burstBytes_;
  std::vector<Range> ranges_;
};

}  // namespace t3
