// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/collectives/algorithm.h"

namespace t3 {

/// The chunks of a GPU's buffers, numbered so that one number is one place in memory, the same on
/// all GPUs.
///
///     not in place   input 0 … I-1 | output I … I+O-1 | scratch
///     in place       input and output, whichever is larger | scratch
///
/// In place, the smaller buffer of GPU g is the g-th share of the larger one.
class AlgorithmBuffers {
 public:
  explicit AlgorithmBuffers(const Algorithm& algorithm);

  std::uint32_t inputSize() const { return inputSize_; }    ///< chunks of one GPU
  std::uint32_t outputSize() const { return outputSize_; }  ///< the same
  std::uint32_t share() const { return share_; }            ///< of a GPU, where chunks divide
  std::uint32_t scratchStart() const { return scratchStart_; }
  std::uint32_t outputStart() const { return outputStart_; }  ///< not in place
  std::uint32_t slots() const { return slots_; }              ///< of all buffers
  bool inPlace() const { return inPlace_; }

  std::uint32_t slot(std::uint32_t gpu, AlgorithmBuffer buffer, std::uint32_t chunk) const;
  bool isScratch(std::uint32_t slot) const { return slot >= scratchStart_; }

 private:
  bool inPlace_;
  std::uint32_t share_, inputSize_, outputSize_, outputStart_, scratchStart_, slots_;
  std::uint32_t inputStep_ = 0, outputStep_ = 0;  ///< from GPU to GPU
};

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
