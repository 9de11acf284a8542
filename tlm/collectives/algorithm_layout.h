// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/collectives/algorithm_buffers.h"

namespace t3 {

/// Where the chunks of an algorithm lie in each GPU's memory; the same on all GPUs. Input, output
/// and scratch begin at whole multiples of `alignment`, the first of them at `base`.
class AlgorithmLayout {
 public:
  AlgorithmLayout(const AlgorithmBuffers& buffers, std::uint64_t chunkBytes,
                  std::uint64_t alignment, std::uint64_t base = 0);

  std::uint64_t chunkBytes() const { return chunkBytes_; }
  std::uint64_t address(std::uint32_t slot) const;
  /// Where what a GPU receives may wait.
  std::uint64_t staging() const { return staging_; }

 private:
  std::uint64_t chunkBytes_;
  std::uint32_t outputStart_, scratchStart_;
  std::uint64_t input_, output_, scratch_, staging_;
};

}  // namespace t3
