// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/hbm/burst_counts.h"

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

  /// An update of [address, address + bytes) is served, which stands for `times` of them. Returns
  /// the address of a burst that has now been updated more often than expected, if there is one.
  std::optional<std::uint64_t> updated(std::uint64_t address, std::uint64_t bytes,
                                       std::uint32_t times = 1);
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
  /// `add(range, burst, bytes)` counts, for watched bursts, and says whether that is too much.
  /// Returns the first burst of which it is.
  template <typename Add>
  std::optional<std::uint64_t> count(std::uint64_t address, std::uint64_t bytes, Add add);
  /// `bytesOf(range, burst)` are those that were counted.
  template <typename BytesOf>
  bool everyBurst(std::uint64_t address, std::uint64_t bytes, std::uint32_t times,
                  BytesOf bytesOf) const;
  /// Calls visit(range, burst index, bytes of the burst inside) until it returns false; `visit`
  /// gets a null range for bursts that nobody watches.
  template <typename Visit>
  void forBursts(std::uint64_t address, std::uint64_t bytes, Visit visit) const;

  std::uint32_t burstBytes_;
  std::vector<Range> ranges_;
};

}  // namespace t3
