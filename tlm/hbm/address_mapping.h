// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tlm/hbm/hbm_config.h"
#include "tlm/transport/index.h"
#include "tlm/transport/numbers.h"

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

/// Consecutive bursts of one row, in one bank or in turn in one bank of each bank group.
struct BurstRun {
  std::uint32_t group = 0;  ///< of the first burst
  std::uint32_t bankInGroup = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;  ///< of the first burst
  std::uint32_t bursts = 1;
};

/// Local byte address → channel, bank, row and column.
///
/// Consecutive blocks of `channel_interleave_bytes` lie on consecutive channels, whose number need
/// not be a power of two. The quotient is cut into fields in the order of the policy (a row of the
/// table in address_mapping.cpp).
///
/// Hashes exclusive-or channel, bank group and bank with address bits above them. Each such bit
/// stands for a power of x modulo a polynomial (Rau, "Pseudo-Randomly Interleaved Memory", ISCA
/// 1991), so any n consecutive bits reach all values of an n-bit field: a stride of any power of
/// two visits every channel. `channel_hash` takes all bits above the channel. `bank_hash` and
/// `group_hash` take the row, with one polynomial for the bits of both, so rows reach every bank of
/// every group; `group_hash` also takes the other bits above the group, and needs blocks that lie
/// in one bank group. The polynomials of channel and bank have no common divisor, so rows reach
/// every bank of every channel. Bank and group are taken in Gray code: a stream that goes on from
/// the last bank of a row to the next row does not meet the same bank twice (once in 128 rows it
/// does).
///
/// Of 2^p m channels, m odd, this hash has the p low bits. The rest is a remainder modulo m, which
/// strides of any other factor visit evenly (Budnik and Kuck, IEEE Trans. Computers 1971); for
/// multiples of m it is shifted by a pseudo-random number of the quotient (Raghavan and Hayes,
/// Supercomputing 1990).
///
/// All bursts of a block have the same row and bank in its group; consecutive ones stay in one bank
/// or visit all groups in turn (`groupStride`).
class AddressMapping {
 public:
  explicit AddressMapping(const HbmConfig& config);

  DramLocation locate(std::uint64_t address) const {
    const std::uint64_t block = address >> blockBits_;
    std::uint64_t upper = block >> channelBits_;
    std::uint32_t part = 0;
    if (oddChannels_ != 1) {
      const std::uint64_t quotient = upper / oddChannels_;
      part = static_cast<std::uint32_t>(upper - quotient * oddChannels_) + turnOf(quotient);
      if (part >= oddChannels_) part -= oddChannels_;
      upper = quotient;
    }
    const Hash hash = hashOf(upper);
    const std::uint64_t burst =
        (upper << (blockBits_ - burstBits_)) | ((address & blockMask_) >> burstBits_);

    DramLocation at;
    at.channel = ChannelId{part << channelBits_ |
                           ((static_cast<std::uint32_t>(block) & channelMask_) ^ hash.channel())};
    at.row = static_cast<std::uint32_t>(burst >> rowShift_);
    at.group = group_.of(burst) ^ hash.group();
    at.bankInGroup = bank_.of(burst) ^ hash.bank();
    at.column = columnLow_.of(burst) | (columnHigh_.of(burst) << columnLowBits_);
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
  /// An aligned run of so many bytes fills whole rows: one in each bank group of each channel, in
  /// the same bank of its group.
  std::uint64_t rowsBytes() const { return rowsBytes_; }
  std::uint32_t pageBytes() const { return pageBytes_; }
  /// Bank groups that consecutive bursts of a block visit in turn: all or one.
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
  /// What is exclusive-ored with the three fields, in one word.
  struct Hash {
    std::uint32_t word = 0;
    static constexpr unsigned kGroup = 16, kBank = 24;  ///< first bits; the channel begins at 0
    std::uint32_t channel() const { return word & 0xffff; }
    std::uint32_t group() const { return word >> kGroup & 0xff; }
    std::uint32_t bank() const { return word >> kBank; }
  };
  /// Of an address without channel and place in its block. Linear: the exclusive-or of the hashes
  /// of its bytes.
  Hash hashOf(std::uint64_t upper) const {
    Hash hash;
    for (const auto& ofByte : hashes_) {
      hash.word ^= ofByte[upper & 0xff];
      upper >>= 8;
    }
    return hash;
  }
  /// Added to the remainder modulo the odd factor of the channels.
  std::uint32_t turnOf(std::uint64_t quotient) const {
    const std::uint64_t fraction = mixed(quotient) >> 32;  // of 2^32
    return static_cast<std::uint32_t>(fraction * turns_ >> 32);
  }
  void makeHashes(const HbmConfig& config);

  std::uint32_t oddChannels_;  ///< the odd factor of the number of channels
  std::uint32_t turns_;        ///< the same, 0 without channel hash
  unsigned blockBits_, channelBits_, burstBits_, columnLowBits_, rowShift_;
  Field group_, bank_, columnLow_, columnHigh_;
  std::vector<std::array<std::uint32_t, 256>> hashes_;  ///< of each byte of `upper`, lowest first
  std::uint32_t channelMask_, groupStride_, rows_, pageBytes_;
  std::uint64_t blockMask_, rowsBytes_;
};

}  // namespace t3
