// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace t3 {

/// Contents of the L2 at the accuracy of blocks: which are present, on their way, dirty, and which
/// goes next. No time, no traffic: whoever owns the cache moves the bytes.
///
/// A block is what the kernel reads or writes as a whole (of a GEMM: the fetch-wide slab of one
/// operand panel, or one output tile), so all its lines come and go together. Replacement is least
/// recently used over the capacity in bytes, fully associative; that this agrees with 16-way sets
/// of lines is tested (l2_cache_test) and measured on the presets (docs/gpu.md). Blocks on their
/// way in cannot be displaced: while only such blocks are left the contents exceed the capacity,
/// by at most what the owner allows in flight.
class L2Cache {
 public:
  /// Blocks are numbered by the owner, densely.
  using Block = std::uint32_t;
  enum class Lookup : std::uint8_t {
    Hit,
    Pending,  ///< missed before, not yet here: joins that miss
    Miss      ///< now pending: the owner fetches it and calls `filled`
  };

  L2Cache(std::uint64_t capacityBytes, std::uint32_t blocks);

  /// A read of `block`, whose size is `bytes`.
  Lookup read(Block block, std::uint32_t bytes);
  /// A pending block is here.
  void filled(Block block);
  /// All of `block` is written: dirty from here on, allocated without a fetch. Not while pending.
  void write(Block block, std::uint32_t bytes);

  /// Dirty blocks displaced since the last `clearDisplaced`, in order: the owner writes them back.
  const std::vector<Block>& displaced() const { return displaced_; }
  void clearDisplaced() { displaced_.clear(); }
  /// Least recently used dirty block becomes clean and is returned; false when there is none.
  bool cleanOne(Block& block);
  /// Forgets everything, dirty data included.
  void clear();

  std::uint64_t usedBytes() const { return used_; }

 private:
  static constexpr Block kNone = ~Block{0};
  enum class State : std::uint8_t { Absent, Pending, Present };
  struct Entry {
    Block previous = kNone;  ///< towards least recently used
    Block next = kNone;
    std::uint32_t bytes = 0;
    State state = State::Absent;
    bool dirty = false;
  };

  void allocate(Block block, std::uint32_t bytes);
  void link(Block block);
  void unlink(Block block);

  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  std::vector<Entry> entries_;
  Block oldest_ = kNone, newest_ = kNone;
  std::vector<Block> displaced_;
};

}  // namespace t3
