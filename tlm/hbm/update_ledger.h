// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace t3 {

/// Counts the updates of each burst as the DRAM serves them, whether or not data is carried. With
/// it every run checks the ordering promise: a read that the tracker triggered must find all
/// updates of its bytes done.
///
/// Bytes may be complete in another way: another GPU stores them as they are to be (`arrived`),
/// once.
///
/// What is counted is updated bytes, so the count of a burst that two tiles share is right too.
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
  /// Each byte of a part of a watched range is to be updated `expected` times instead, no more than
  /// the others. To be called before its first update, once for each byte. Of a burst that bytes of
  /// different counts share, `unfinished` asks only for the lowest count.
  void expect(std::uint64_t address, std::uint64_t bytes, std::uint32_t expected);
  bool watching() const { return !ranges_.empty(); }

  /// An update of [address, address + bytes) is served. Returns the address of a burst that has now
  /// been updated more often than expected, if there is one.
  std::optional<std::uint64_t> updated(std::uint64_t address, std::uint64_t bytes);
  /// A tracked plain write of [address, address + bytes) is served: the bytes are final. Returns
  /// the address of a burst that has now been stored more than once, if there is one.
  std::optional<std::uint64_t> arrived(std::uint64_t address, std::uint64_t bytes);
  /// Address of a burst of [address, address + bytes) that is watched and neither updated as often
  /// as expected nor stored by another GPU, if there is one.
  std::optional<std::uint64_t> unfinished(std::uint64_t address, std::uint64_t bytes) const;
  /// Address of a watched burst of [address, address + bytes) that has had an update or has
  /// arrived, if there is one: a plain store there would lose it.
  std::optional<std::uint64_t> begun(std::uint64_t address, std::uint64_t bytes) const;
  /// [address, address + bytes) has been set to zero by the memory.
  void cleared(std::uint64_t address, std::uint64_t bytes);
  /// Address of a burst of [address, address + bytes) that has to be cleared first and is not, if
  /// there is one.
  std::optional<std::uint64_t> uncleared(std::uint64_t address, std::uint64_t bytes) const;
  /// Whether the burst that begins at `burst` is watched and has had no update.
  bool untouched(std::uint64_t burst) const;
  /// Whether every byte of the range is watched and was updated exactly `times` times. Of a burst
  /// that is only partly in the range, at least that many bytes must have been updated.
  bool everyBurstUpdated(std::uint64_t address, std::uint64_t bytes, std::uint32_t times) const;
  /// The same of clears.
  bool everyBurstCleared(std::uint64_t address, std::uint64_t bytes, std::uint32_t times) const;
  /// The same of arrivals.
  bool everyBurstArrived(std::uint64_t address, std::uint64_t bytes, std::uint32_t times) const;

 private:
  struct Range {
    std::uint64_t base, bytes;
    std::uint32_t expected;  ///< of each byte, but where `parts` says less
    Start start;
    std::vector<std::uint16_t> updatedBytes, clearedBytes;  ///< per burst
    std::vector<std::uint16_t> arrivedBytes;                ///< empty: none has
    /// What is expected of a burst: in all its bytes together, and of the byte with the fewest.
    struct Part {
      std::uint16_t bytes, least;
    };
    std::vector<Part> parts;  ///< per burst; empty: `expected` of every byte

    std::uint32_t least(std::size_t burst) const {
      return parts.empty() ? expected : parts[burst].least;
    }

    std::uint32_t arrived(std::size_t burst) const {
      return arrivedBytes.empty() ? 0 : arrivedBytes[burst];
    }
  };

  const Range* find(std::uint64_t address) const;
  /// Adds to counts of watched bursts; returns the first burst whose count is above
  /// `limit(range, burst)`.
  template <typename Limit>
  std::optional<std::uint64_t> count(std::vector<std::uint16_t> Range::*counts,
                                     std::uint64_t address, std::uint64_t bytes, Limit limit);
  bool everyBurst(std::vector<std::uint16_t> Range::*counts, std::uint64_t address,
                  std::uint64_t bytes, std::uint32_t times) const;
  /// Calls visit(range, burst index, bytes of the burst inside) until it returns false; `visit`
  /// gets a null range for bursts that nobody watches.
  template <typename Visit>
  void forBursts(std::uint64_t address, std::uint64_t bytes, Visit visit) const;

  std::uint32_t burstBytes_;
  std::vector<Range> ranges_;
};

}  // namespace t3
