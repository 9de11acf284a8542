// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "tlm/gpu/gemm_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// The contents of the L2, block by block: how much of a block is present, which blocks are being
/// fetched, which are dirty. No time, no traffic: the owner moves the bytes.
///
/// A block is what a kernel reads or writes as a whole (of a GEMM: the fetch-wide slab of an
/// operand panel, or an output tile). It has rows of equal length. In a cache whose sets are chosen
/// by a hash of the address, a line is gone when `ways` or more of the lines touched since its last
/// use fell into its set. With d bytes touched since, their number is Poisson distributed with mean
/// ways x d / capacity. The probability of that is the share of a block's rows that a read finds
/// missing; rounding is carried from read to read. So there is no cliff where a working set just
/// exceeds the capacity, as there is none in hardware. Tests compare it with a cache of lines
/// (l2_cache_test, docs/measurements/l2.md).
///
/// A dirty block leaves as a whole, the oldest write first, when a capacity's worth of bytes has
/// been touched since it was written.
class L2Cache {
 public:
  /// Blocks are numbered by the owner, densely.
  using Block = std::uint32_t;
  struct Lookup {
    std::uint32_t missingRows = 0;  ///< to fetch; the block is pending until `filled` is called
    bool pending = false;           ///< an earlier read missed: this one waits for its data too
  };

  L2Cache(std::uint64_t capacityBytes, std::uint32_t ways, std::uint32_t blocks);

  /// A read of all of `block`.
  Lookup read(Block block, std::uint32_t rows, std::uint32_t rowBytes);
  /// The missing rows of a pending block have arrived.
  void filled(Block block);
  bool pending(Block block) const { return entries_[block].pending; }
  /// All of `block` is written, allocated without a fetch: dirty from here on, unless it is written
  /// to memory as well. Not while pending.
  void write(Block block, std::uint32_t bytes, bool dirty = true);

  /// Dirty blocks displaced since the last `clearDisplaced`, in order: the owner writes them back.
  const std::vector<Block>& displaced() const { return displaced_; }
  void clearDisplaced() { displaced_.clear(); }
  /// The dirty block written first becomes clean and is returned; false when there is none.
  bool cleanOne(Block& block);
  /// The bytes of `block` have changed in memory. If it is not dirty it is absent from now on or,
  /// if it is pending, when it is filled.
  void invalidate(Block block);
  /// Forgets everything, dirty data included.
  void clear();

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  struct Entry {
    std::uint32_t position = kNever;  ///< in order of use
    std::uint32_t bytes = 0;
    bool pending = false;
    bool dirty = false;
    bool stale = false;  ///< pending, and changed in memory since
  };

  void forget(Entry& entry);
  std::uint64_t bytesSince(Block block) const;
  double missProbability(std::uint64_t bytesSince) const;
  void touch(Block block, std::uint32_t bytes);
  void add(std::uint32_t position, std::uint64_t bytes);
  void compact();
  void displace();

  std::uint64_t capacity_;
  std::vector<double> missTable_;  ///< by bytes since last use, in steps of capacity / kTableSteps
  std::vector<Entry> entries_;
  // Blocks in order of use at growing positions; a Fenwick tree over the positions sums the bytes
  // of all that were used after a given one.
  std::vector<Block> atPosition_;
  std::vector<std::uint64_t> tree_;
  std::uint32_t nextPosition_ = 0;
  std::uint64_t total_ = 0;
  double carry_ = 0;
  std::deque<Block> dirty_;
  std::vector<Block> displaced_;
};

/// The bandwidth of all banks of the L2 together, served in the order of the calls.
class L2Bandwidth {
 public:
  L2Bandwidth(const L2Config& config, const Clock& clock)
      : bytesPerPs_(static_cast<double>(config.banks) * config.bank_bytes_per_cycle /
                    static_cast<double>(clock.period())) {}

  /// Reserves the time that the L2 needs for `bytes` more, in or out. Returns its end.
  Picoseconds reserve(std::uint64_t bytes) {
    free_ = std::max(free_, now()) +
            static_cast<Picoseconds>(std::llround(static_cast<double>(bytes) / bytesPerPs_));
    return free_;
  }
  /// Drops all reservations.
  void reset() { free_ = now(); }

 private:
  double bytesPerPs_;
  Picoseconds free_ = 0;
};

}  // namespace t3
