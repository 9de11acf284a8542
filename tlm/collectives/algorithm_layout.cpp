// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_layout.h"

namespace t3 {

AlgorithmLayout::AlgorithmLayout(const AlgorithmBuffers& buffers, std::uint64_t chunkBytes,
                                 std::uint64_t alignment, std::uint64_t base)
    : chunkBytes_(chunkBytes),
      outputStart_(buffers.outputStart()),
      scratchStart_(buffers.scratchStart()),
      input_(base) {
  const auto behind = [&](std::uint64_t start, std::uint32_t chunks) {
    return (start + chunks * chunkBytes + alignment - 1) / alignment * alignment;
  };
  output_ = behind(input_, outputStart_);
  scratch_ = behind(output_, scratchStart_ - outputStart_);
  staging_ = behind(scratch_, buffers.slots() - scratchStart_);
}

std::uint64_t AlgorithmLayout::address(std::uint32_t slot) const {
  if (slot >= scratchStart_) return scratch_ + (slot - scratchStart_) * chunkBytes_;
  if (slot >= outputStart_) return output_ + (slot - outputStart_) * chunkBytes_;
  return input_ + slot * chunkBytes_;
}

}  // namespace t3
