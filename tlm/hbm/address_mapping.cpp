// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/address_mapping.h"

#include <algorithm>
#include <array>

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

}  // namespace

AddressMapping::AddressMapping(const HbmConfig& config)
    : blockBits_(log2(config.channel_interleave_bytes)),
      channelBits_(log2(config.channels)),
      burstBits_(log2(config.burstBytes())),
      channelFold_(channelBits_, 64),
      bankFold_(log2(config.banks / config.bank_groups), 32),
      groupFold_(log2(config.bank_groups), 64),
      channelMask_(config.channels - 1),
      rows_(static_cast<std::uint32_t>(config.capacityBytes() / config.channels / config.banks /
                                       config.page_bytes)),
      pageBytes_(config.page_bytes),
      blockMask_(config.channel_interleave_bytes - 1),
      rowsBytes_(std::uint64_t{config.channels} * config.bank_groups * config.page_bytes),
      channelHash_(config.channel_hash),
      bankHash_(config.bank_hash),
      groupHash_(config.group_hash &&
                 config.address_mapping != AddressMappingPolicy::BurstOverGroups) {
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
  aboveGroup_ = group_.shift + log2(config.bank_groups);
  groupStride_ = policy.order[0] == FieldName::Group ? config.bank_groups : 1;
}

std::uint64_t AddressMapping::addressOf(const DramLocation& at) const {
  std::uint32_t bank = at.bankInGroup;
  if (bankHash_) bank ^= bankFold_.of(at.row ^ (at.row >> 1)) & bank_.mask;
  std::uint64_t burst = (std::uint64_t{at.row} << rowShift_) | bank_.placed(bank) |
                        columnLow_.placed(at.column & columnLow_.mask) |
                        columnHigh_.placed(at.column >> columnLowBits_);
  std::uint32_t group = at.group;
  if (groupHash_) {
    const std::uint64_t above = burst >> aboveGroup_;
    group ^= groupFold_.of(above ^ (above >> 1)) & group_.mask;
  }
  burst |= group_.placed(group);
  const unsigned burstsOfBlock = blockBits_ - burstBits_;
  const std::uint64_t upper = burst >> burstsOfBlock;
  std::uint64_t channel = at.channel.value;
  if (channelHash_) channel ^= channelFold_.of(upper) & channelMask_;
  return (((upper << channelBits_) | channel) << blockBits_) | ((burst << burstBits_) & blockMask_);
}

}  // namespace t3
