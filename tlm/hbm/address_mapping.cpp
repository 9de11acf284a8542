// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/address_mapping.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace t3 {
namespace {

enum class FieldName : std::uint8_t { ColumnLow, ColumnHigh, Group, Bank };

/// Field order above the burst offset, lowest first; the row is always on top. ColumnLow counts
/// the bursts of one channel block, ColumnHigh the rest of the page.
struct PolicyOrder {
  AddressMappingPolicy policy;
  std::array<FieldName, 4> order;
};

constexpr std::array<PolicyOrder, 3> kPolicies{{
    {AddressMappingPolicy::BurstOverGroups,
     {FieldName::Group, FieldName::ColumnLow, FieldName::ColumnHigh, FieldName::Bank}},
    {AddressMappingPolicy::BlockOverGroups,
     {FieldName::ColumnLow, FieldName::Group, FieldName::ColumnHigh, FieldName::Bank}},
    {AddressMappingPolicy::PageOverGroups,
     {FieldName::ColumnLow, FieldName::ColumnHigh, FieldName::Group, FieldName::Bank}},
}};

unsigned log2(std::uint64_t value) { return static_cast<unsigned>(std::countr_zero(value)); }

/// Primitive polynomials by degree, bit i the coefficient of x^i. Those of degrees 4 to 6 are the
/// ones of GPGPU-Sim's hash (IPOLY 19, 37 and 67 in src/gpgpu-sim/hashing.cc).
constexpr std::array<std::uint32_t, 11> kPolynomials{1,    0x3,  0x7,   0xb,   0x13, 0x25,
                                                     0x43, 0x83, 0x11d, 0x211, 0x409};

/// The same read backwards: primitive, too, and from degree 3 on another one.
std::uint32_t backwards(std::uint32_t polynomial) {
  std::uint32_t result = 0;
  for (; polynomial != 0; polynomial >>= 1) result = result << 1 | (polynomial & 1);
  return result;
}

/// The powers of x modulo a polynomial, one after the other from x^0. Bit i of a power stands for
/// the i-th of the given bits.
class Powers {
 public:
  Powers(std::uint32_t polynomial, std::vector<unsigned> bits)
      : polynomial_(polynomial), bits_(std::move(bits)) {}
  std::uint32_t next() {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < bits_.size(); ++i) word |= (power_ >> i & 1) << bits_[i];
    power_ <<= 1;
    if (power_ >> bits_.size() & 1) power_ ^= polynomial_;
    return word;
  }
  std::size_t bits() const { return bits_.size(); }

 private:
  std::uint32_t polynomial_, power_ = 1;
  std::vector<unsigned> bits_;
};

}  // namespace

AddressMapping::AddressMapping(const HbmConfig& config)
    : oddChannels_(config.channels >> log2(config.channels)),
      turns_(config.channel_hash ? oddChannels_ : 0),
      blockBits_(log2(config.channel_interleave_bytes)),
      channelBits_(log2(config.channels)),
      burstBits_(log2(config.burstBytes())),
      channelMask_((1U << channelBits_) - 1),
      rows_(static_cast<std::uint32_t>(config.capacityBytes() / config.channels / config.banks /
                                       config.page_bytes)),
      pageBytes_(config.page_bytes),
      blockMask_(config.channel_interleave_bytes - 1),
      rowsBytes_(std::uint64_t{config.channels} * config.bank_groups * config.page_bytes) {
  const unsigned columnBits = log2(config.page_bytes) - burstBits_;
  columnLowBits_ = std::min(columnBits, blockBits_ - burstBits_);

  const auto& policy = *std::find_if(kPolicies.begin(), kPolicies.end(), [&](const auto& row) {
    return row.policy == config.address_mapping;
  });
  rowShift_ = 0;
  const auto place = [&](Field& field, unsigned bits) {
    field = {rowShift_, (1u << bits) - 1u};
    rowShift_ += bits;
  };
  for (const FieldName name : policy.order) {
    switch (name) {
      case FieldName::ColumnLow:
        place(columnLow_, columnLowBits_);
        break;
      case FieldName::ColumnHigh:
        place(columnHigh_, columnBits - columnLowBits_);
        break;
      case FieldName::Group:
        place(group_, log2(config.bank_groups));
        break;
      case FieldName::Bank:
        place(bank_, log2(config.banks / config.bank_groups));
        break;
    }
  }
  groupStride_ = policy.order[0] == FieldName::Group ? config.bank_groups : 1;
  makeHashes(config);
}

void AddressMapping::makeHashes(const HbmConfig& config) {
  // A field that is not hashed has no bits in a digit.
  const unsigned channelBits = config.channel_hash ? channelBits_ : 0;
  const unsigned bankBits = config.bank_hash ? log2(config.banks / config.bank_groups) : 0;
  const unsigned groupBits = config.group_hash && groupStride_ == 1 ? log2(config.bank_groups) : 0;
  std::vector<unsigned> channelDigit, groupDigit, bankDigit;
  for (unsigned bit = 0; bit < channelBits; ++bit) channelDigit.push_back(bit);
  for (unsigned bit = 0; bit < groupBits; ++bit) groupDigit.push_back(Hash::kGroup + bit);
  // Bank and group by turns, so that a sum of few powers does not often change the whole bank.
  for (unsigned bit = 0; bit < std::max(bankBits, groupBits); ++bit) {
    if (bit < bankBits) bankDigit.push_back(Hash::kBank + bit);
    if (bit < groupBits) bankDigit.push_back(Hash::kGroup + bit);
  }

  // There is one irreducible polynomial of degree 2, so four channels of four banks take x^2 + 1.
  Powers ofChannel(channelBits == 2 && bankDigit.size() == 2 ? 0x5 : kPolynomials[channelBits],
                   channelDigit);
  Powers ofGroup(backwards(kPolynomials[groupBits]), groupDigit);
  Powers ofBank(backwards(kPolynomials[bankDigit.size()]), bankDigit);
  const unsigned burstsOfBlock = blockBits_ - burstBits_;
  const std::uint64_t uppers =
      config.capacityBytes() / config.channels / config.channel_interleave_bytes;
  const auto upperBits = static_cast<unsigned>(std::bit_width(uppers - 1));
  const unsigned aboveGroup = group_.shift + log2(config.bank_groups);
  hashes_.resize((upperBits + 7) / 8);
  std::uint32_t before = 0;
  for (unsigned bit = 0; bit < upperBits; ++bit) {
    const unsigned place = bit + burstsOfBlock;
    std::uint32_t word = ofChannel.next();
    if (place >= aboveGroup) {
      Powers& powers = place >= rowShift_ && bankBits > 0 ? ofBank : ofGroup;
      const std::uint32_t power = powers.next();
      // In Gray code a bit is exclusive-ored with the one above it, so it changes two powers. That
      // is a multiplication by x + 1, which is all that a field of one bit tells apart.
      word |= power ^ before;
      before = powers.bits() > 1 ? power : 0;
    }
    auto& ofByte = hashes_[bit / 8];
    const unsigned lower = 1u << bit % 8;
    for (unsigned value = 0; value < lower; ++value) ofByte[lower + value] = ofByte[value] ^ word;
  }
}

std::uint64_t AddressMapping::addressOf(const DramLocation& at) const {
  // From the top: the hash of a field depends on what is above it.
  const unsigned burstsOfBlock = blockBits_ - burstBits_;
  std::uint64_t burst = (std::uint64_t{at.row} << rowShift_) |
                        columnLow_.placed(at.column & columnLow_.mask) |
                        columnHigh_.placed(at.column >> columnLowBits_);
  burst |= bank_.placed(at.bankInGroup ^ hashOf(burst >> burstsOfBlock).bank());
  burst |= group_.placed(at.group ^ hashOf(burst >> burstsOfBlock).group());
  const std::uint64_t upper = burst >> burstsOfBlock;
  const std::uint32_t part = at.channel.value >> channelBits_;
  const std::uint32_t turn = turnOf(upper);
  const std::uint64_t remainder = part >= turn ? part - turn : part + oddChannels_ - turn;
  const std::uint64_t low = (at.channel.value & channelMask_) ^ hashOf(upper).channel();
  const std::uint64_t block = (upper * oddChannels_ + remainder) << channelBits_ | low;
  return (block << blockBits_) | ((burst << burstBits_) & blockMask_);
}

}  // namespace t3
