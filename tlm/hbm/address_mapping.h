// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "tlm/hbm/hbm_config.h"
#include "tlm/transport/index.h"

namespace t3 {

/// Where a byte lies.
struct DramLocation {
  ChannelId channel;
  std::uint32_t group = 0;
  std::uint32_t bankInGroup = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;  ///< burst within the page

  bool operator==(const DramLocation&) const = default;
};

/// Consecutive bursts in one row. They lie in one bank, or in turn in one bank of each bank group.
struct BurstRun {
  std::uint32_t group = 0;  ///< of the first burst
  std::uint32_t bankInGroup = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;  ///< of the first burst
  std::uint32_t bursts = 1;
};

/// Local byte address → channel, bank, row and column.
///
/// Consecutive blocks of `channel_interleave_bytes` lie on consecutive channels. The rest of the
/// address is cut into fields in the order that the policy names. A policy is one row of a table in
/// address_mapping.cpp.
///
/// With `channel_hash` the channel number is exclusive-ored with all higher address bits, so that a
/// stride of any power of two visits every channel. With `bank_hash` the bank is exclusive-ored
/// with the row in Gray code, so that such a stride changes the bank as well as the row. In Gray
/// code only one bit changes from one row to the next, so a stream that goes from the last bank of
/// a row to the first bank of the next row does not meet the same bank twice.
///
/// With `group_hash` the bank group is exclusive-ored with all address bits above it, in Gray code
/// too: a stride that keeps the bits of the group visits every group, and a stream that goes on to
/// the next upper address never meets the group it has just left. It needs blocks that lie in one
/// bank group.
///
/// Within one block all bursts have the same row and the same bank in its group, and consecutive
/// bursts either stay in one bank or visit all bank groups in turn (`groupStride`).
class AddressMapping {
 public:
  explicit AddressMapping(const HbmConfig& config);

  DramLocation locate(std::uint64_t address) const {
    const std::uint64_t block = address >> blockBits_;
    const std::uint64_t upper = block >> channelBits_;
    auto channel = static_cast<std::uint32_t>(block) & channelMask_;
    if (channelHash_) channel ^= channelFold_.of(upper) & channelMask_;
    const std::uint64_t burst =
        (upper << (blockBits_ - burstBits_)) | ((address & blockMask_) >> burstBits_);

    DramLocation at;
    at.channel = ChannelId{channel};
    at.row = static_cast<std::uint32_t>(burst >> rowShift_);
    at.group = group_.of(burst);
    at.bankInGroup = bank_.of(burst);
    at.column = columnLow_.of(burst) | (columnHigh_.of(burst) << columnLowBits_);
    if (groupHash_) {
      const std::uint64_t above = burst >> aboveGroup_;
      at.group ^= groupFold_.of(above ^ (above >> 1)) & group_.mask;
    }
    if (bankHash_) at.bankInGroup ^= bankFold_.of(at.row ^ (at.row >> 1)) & bank_.mask;
    return at;
  }

  /// The bursts of [address, end), which lies in one block and starts at `at`.
  BurstRun run(const DramLocation& at, std::uint64_t address, std::uint64_t end) const {
    return {at.group, at.bankInGroup, at.row, at.column,
            static_cast<std::uint32_t>(((end - 1) >> burstBits_) - (address >> burstBits_) + 1)};
  }

  /// Inverse of `locate`: the first byte of a burst.
  std::uint64_t addressOf(const DramLocation& at) const;

  std::uint64_t blockBytes() const { return blockMask_ + 1; }
  /// An aligned run of so many bytes fills whole rows: of each bank group of each channel one, in
  /// the same bank of its group.
  std::uint64_t rowsBytes() const { return rowsBytes_; }
  std::uint32_t pageBytes() const { return pageBytes_; }
  /// Consecutive bursts of a block visit this many bank groups in turn: all or one.
  std::uint32_t groupStride() const { return groupStride_; }
  std::uint32_t rows() const { return rows_; }

 private:
  struct Field {
    unsigned shift = 0;
    std::uint32_t mask = 0;
    std::uint32_t of(std::uint64_t value) const {
      return static_cast<std::uint32_t>(value >> shift) & mask;
    }
    std::uint64_t placed(std::uint32_t value) const { return std::uint64_t{value} << shift; }
  };
  /// Cuts a value into digits of `bits` bits and exclusive-ors them all. It works in halves: the
  /// upper half of the digits is combined with the lower half, then the result in the same way.
  struct Fold {
    Fold(unsigned digitBits, unsigned valueBits) : bits(digitBits), widest(digitBits) {
      while (bits > 0 && 2 * widest < valueBits) widest *= 2;
    }
    std::uint32_t of(std::uint64_t value) const {
      if (bits == 0) return 0;
      for (unsigned shift = widest; shift >= bits; shift /= 2) value ^= value >> shift;
      return static_cast<std::uint32_t>(value);
    }
    unsigned bits, widest;
  };

  unsigned blockBits_, channelBits_, burstBits_, columnLowBits_, rowShift_, aboveGroup_;
  Field group_, bank_, columnLow_, columnHigh_;
  Fold channelFold_, bankFold_, groupFold_;
  std::uint32_t channelMask_, groupStride_, rows_, pageBytes_;
  std::uint64_t blockMask_, rowsBytes_;
  bool channelHash_, bankHash_, groupHash_;
};

}  // namespace t3
