// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace t3 {

/// The first multiple of `alignment` that is not below `value`.
constexpr std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Where the tiles of an output lie. All buffers have the shape of the output, so a tile has the
/// same offset in all of them.
enum class OutputBuffer : std::uint8_t {
  Output,        ///< chunks that stay: what is summed here is what the next kernel reads
  Accumulation,  ///< chunks that pass through: summed here, read once by the DMA engine, sent on
  Normed         ///< what the norm makes of them, and what the all-gather gathers then
};

/// Where the buffers of the sublayer lie in each GPU's local memory; the same on all GPUs, so a
/// remote address differs from the local one only in its GPU bits. Byte addresses, aligned to whole
/// rows of the memory that are 1 MiB or more.
struct MemoryLayout {
  std::uint64_t operandA = 0;      ///< [rows][operandPitch], K contiguous
  std::uint64_t operandB = 0;      ///< [columns][operandPitch], K contiguous: weights transposed
  std::uint64_t output = 0;        ///< [rows][columns], dense, row-major
  std::uint64_t receive = 0;       ///< reduce-scatter by kernels: a chunk for each kernel and step
  std::uint64_t accumulation = 0;  ///< t3: sums of chunks that pass through; zeros when not in use
  std::uint64_t residual = 0;      ///< like the output; only the GPU's own rows are used
  std::uint64_t normed = 0;        ///< like the output; 0: no norm
  std::uint64_t end = 0;
  std::uint64_t operandPitchBytes = 0;   ///< of both operands
  std::uint64_t receiveStrideBytes = 0;  ///< from one receive buffer to the next

  std::uint64_t base(OutputBuffer buffer) const {
    if (buffer == OutputBuffer::Normed) return normed;
    return buffer == OutputBuffer::Output ? output : accumulation;
  }
  /// Where the all-gather has its chunks.
  std::uint64_t gathered() const { return normed != 0 ? normed : output; }
};

}  // namespace t3
