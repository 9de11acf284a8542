// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_buffers.h"

#include <algorithm>

#include "tlm/collectives/promise.h"

namespace t3 {

AlgorithmBuffers::AlgorithmBuffers(const Algorithm& algorithm)
    : inPlace_(algorithm.inPlace), share_(algorithm.chunks / algorithm.gpuCount()) {
  const Promise& promise = *algorithm.promise;
  inputSize_ = promise.inputIsShare ? share_ : algorithm.chunks;
  outputSize_ = promise.outputIsShare ? share_ : algorithm.chunks;
  if (inPlace_) {
    outputStart_ = 0;
    scratchStart_ = std::max(inputSize_, outputSize_);
    inputStep_ = promise.inputIsShare ? share_ : 0;
    outputStep_ = promise.outputIsShare ? share_ : 0;
  } else {
    outputStart_ = inputSize_;
    scratchStart_ = inputSize_ + outputSize_;
  }
  std::uint32_t scratch = 0;
  for (const AlgorithmGpu& gpu : algorithm.gpus) scratch = std::max(scratch, gpu.scratchChunks);
  slots_ = scratchStart_ + scratch;
}

std::uint32_t AlgorithmBuffers::slot(std::uint32_t gpu, AlgorithmBuffer buffer,
                                     std::uint32_t chunk) const {
  switch (buffer) {
    case AlgorithmBuffer::Input:
      return gpu * inputStep_ + chunk;
    case AlgorithmBuffer::Output:
      return outputStart_ + gpu * outputStep_ + chunk;
    case AlgorithmBuffer::Scratch:
      break;
  }
  return scratchStart_ + chunk;
}

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
