// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/stack_shares.h"

#include <algorithm>

namespace t3 {

StackShares::StackShares(const HbmConfig& config)
    : stacks_(config.stacks), channelsOfStack_(config.channels / config.stacks) {
  if (stacks_ != 1) mapping_.emplace(config);
}

void StackShares::add(std::uint64_t address, std::uint64_t bytes, Bytes& shares) const {
  if (!mapping_) {
    shares[0] += bytes;
    return;
  }
  const std::uint64_t block = mapping_->blockBytes();
  for (const std::uint64_t end = address + bytes; address < end;) {
    const std::uint64_t next = std::min(end, (address / block + 1) * block);
    shares[mapping_->locate(address).channel.value / channelsOfStack_] += next - address;
    address = next;
  }
}

}  // namespace t3
