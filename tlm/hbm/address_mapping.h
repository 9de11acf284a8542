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

/// Bursts that lie in one row of one bank, or round-robin over one bank of each group.
struct BurstRun {
  std::uint32_t group = 0;  ///< of the first burst
  std::uint32_t bankInGroup = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;  ///< of the first burst
  std::uint32_t bursts = 1;
};

/// Local byte address → channel, bank, row and column.
///
/// Blocks of `channel_interleave_bytes` go round the channels; what is left of the address is cut
/// into fields in the order that the policy names. A policy is one row of a table in
/// address_mapping.cpp. With `channel_hash` the channel number is exclusive-ored with all higher
/// address bits, so that a stride of any power of two still visits every channel; with `bank_hash`
/// the bank is exclusive-ored with the row, so that such strides change bank as well as row. The
/// row enters in Gray code: from one row to the next only one bit of the bank flips, so a stream
/// that goes from the last bank of a row to the first of the next never meets the same bank twice.
///
/// Within one block all bursts have the same row and the same bank in its group, and consecutive
/// bursts either stay in one bank or walk round all bank groups (`groupStride`).
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
    if (bankHash_) at.bankInGroup ^= bankFold_.of(at.row ^ (at.row >> 1)) & bank_.mask;
    return at;
  }

  /// The bursts of [address, end), which lies in one block and starts at `at`.
  BurstRun run(const DramLocation& at, std::uint64_t address, std::uint64_t end) const {
    return {at.group, at.bankInGroup, at.row, at.column,
            static_cast<std::uint32_t>(((end - 1) >> burstBits_) - (address >> burstBits_) + 1)};
  }

  std::uint64_t blockBytes() const { return blockMask_ + 1; }
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
  };
  /// The exclusive-or of all digits of so many bits, in the lowest digit: the upper half of the
  /// digits goes onto the lower, then the upper half of those, and so on.
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

  unsigned blockBits_, channelBits_, burstBits_, columnLowBits_, rowShift_;
  Field group_, bank_, columnLow_, columnHigh_;
  Fold channelFold_, bankFold_;
  std::uint32_t channelMask_, groupStride_, rows_;
  std::uint64_t blockMask_;
  bool channelHash_, bankHash_;
};

}  // namespace t3
