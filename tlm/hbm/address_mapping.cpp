// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/address_mapping.h"

#include <algorithm>
#include <array>

namespace t3 {
namespace {

enum class Field : std::uint8_t { ColumnLow, ColumnHigh, Group, Bank };

/// Field order above the burst offset, lowest first; the row is always on top. ColumnLow counts
/// the bursts of one channel block, ColumnHigh the rest of the page.
struct PolicyOrder {
  AddressMappingPolicy policy;
  std::array<Field, 4> order;
};

constexpr std::array<PolicyOrder, 3> kPolicies{{
    {AddressMappingPolicy::BurstOverGroups,
     {Field::Group, Field::ColumnLow, Field::ColumnHigh, Field::Bank}},
    {AddressMappingPolicy::BlockOverGroups,
     {Field::ColumnLow, Field::Group, Field::ColumnHigh, Field::Bank}},
    {AddressMappingPolicy::PageOverGroups,
     {Field::ColumnLow, Field::ColumnHigh, Field::Group, Field::Bank}},
}};

unsigned log2(std::uint64_t value) { return static_cast<unsigned>(std::countr_zero(value)); }

}  // namespace

AddressMapping::AddressMapping(const HbmConfig& config)
    : blockBits_(log2(config.channel_interleave_bytes)),
      channelBits_(log2(config.channels)),
      burstBits_(log2(config.burstBytes())),
      groupBits_(log2(config.bank_groups)),
      bankBits_(log2(config.banks / config.bank_groups)),
      channelMask_(config.channels - 1),
      rows_(static_cast<std::uint32_t>(config.capacityBytes() / config.channels / config.banks /
                                       config.page_bytes)),
      blockMask_(config.channel_interleave_bytes - 1),
      channelHash_(config.channel_hash),
      bankHash_(config.bank_hash) {
  const unsigned columnBits = log2(config.page_bytes) - burstBits_;
  columnLowBits_ = std::min(columnBits, blockBits_ - burstBits_);
  columnHighBits_ = columnBits - columnLowBits_;

  const auto& policy = *std::find_if(kPolicies.begin(), kPolicies.end(), [&](const auto& row) {
    return row.policy == config.address_mapping;
  });
  unsigned shift = 0;
  for (Field field : policy.order) {
    switch (field) {
      case Field::ColumnLow:
        columnLowShift_ = shift;
        shift += columnLowBits_;
        break;
      case Field::ColumnHigh:
        columnHighShift_ = shift;
        shift += columnHighBits_;
        break;
      case Field::Group:
        groupShift_ = shift;
        shift += groupBits_;
        break;
      case Field::Bank:
        bankShift_ = shift;
        shift += bankBits_;
        break;
    }
  }
  rowShift_ = shift;
  groupStride_ = policy.order[0] == Field::Group ? config.bank_groups : 1;
}

}  // namespace t3
