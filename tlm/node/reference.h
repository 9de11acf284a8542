// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <tlm>
#include <vector>

#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/run_result.h"
#include "tlm/transport/index.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// fp16 and bf16, each as the judge of a run reads and rounds them (to nearest, ties to even;
/// finite values only): by code that the models do not share, but for the library's fp16.
float decode16(std::uint16_t bits, DataType type);
std::uint16_t encode16(float value, DataType type);

/// The operands of one GPU, as stored: K contiguous, no padding, raw element bits.
struct Operands {
  std::vector<std::uint16_t> a;  ///< [rows][depth]
  std::vector<std::uint16_t> b;  ///< [columns][depth]
};

/// Random fp16 or bf16 operands in [-1, 1) that differ per GPU and depend on nothing but `seed`.
/// With `exactSums` = N > 0 they are 0, 1 and -1, and rows of A are sparse: the partial products of
/// N GPUs can be added in any order, and every intermediate sum is exact.
Operands randomOperands(std::uint64_t seed, GpuId gpu, std::uint32_t rows, std::uint32_t columns,
                        std::uint32_t depth, DataType type, std::uint32_t exactSums = 0);

/// The same for sums of parts that a codec is on the way of: one element of a row of A is 1 or -1,
/// so that the parts are whole numbers of any size which N GPUs can add exactly.
Operands wideOperands(std::uint64_t seed, GpuId gpu, std::uint32_t rows, std::uint32_t columns,
                      std::uint32_t depth, DataType type, std::uint32_t gpus);

/// Whether the part of a GPU counts in the sum of a tile.
using Adds = std::function<bool(GpuId gpu, WorkgroupId tile)>;

/// What every GPU must hold after the all-reduce (of exact sums, by any route), computed without
/// any of the models: each GPU's partial product is accumulated in float in order of k and rounded
/// once; chunk c then sums them in ring order, p[c+1] + p[c+2] + … + p[c], rounding to the element
/// type at every hop. With twice as many chunks as GPUs there are two rings: chunks 2g and 2g+1 end
/// at GPU g, and the second is summed the other way round, p[g-1] + p[g-2] + … + p[g]. `all[g]` are
/// GPU g's operands, of any depth. Raw element bits, [rows][columns]. Where not all parts are
/// summed, `adds` says which.
std::vector<std::uint16_t> ringReference(const std::vector<Operands>& all, const Tiling& tiling,
                                         DataType type, const Adds& adds = {});

/// How far `sums` times `scale` are from `exact`: the root of the mean of the squared differences,
/// over that of the squares of `exact`.
double relativeError(const std::vector<std::uint16_t>& sums, double scale,
                     const std::vector<std::uint16_t>& exact, DataType type);

/// What a norm makes of sums and a residual, [rows][columns] each: their sum, rounded, divided by
/// the root of the mean of its squares in its row plus 1e-5, added in float in the order of the
/// columns.
std::vector<std::uint16_t> normReference(const std::vector<std::uint16_t>& sums,
                                         const std::vector<std::uint16_t>& residual,
                                         std::uint32_t columns, DataType type);

/// A x B^T of one GPU: a [rows][depth] and b [columns][depth], depth of at least 1, give
/// [rows][columns], accumulated and rounded like the partial products above.
std::vector<std::uint16_t> productReference(const std::vector<std::uint16_t>& a,
                                            const std::vector<std::uint16_t>& b,
                                            std::uint32_t depth, DataType type);

// The values of a sublayer in the memory of one GPU, without timing.

/// Reads (or writes) bytes of a GPU's memory.
using DebugAccess = std::function<void(tlm::tlm_command command, std::uint64_t address, void* data,
                                       std::uint32_t bytes)>;
/// That of a node, which outlives it.
DebugAccess memoryOf(auto& node) {
  return [&node](tlm::tlm_command command, std::uint64_t address, void* data, std::uint32_t bytes) {
    node.debugAccess(command, address, data, bytes);
  };
}

/// Sets all bits: NaNs in every float format. Memory may hold anything before it is written, and a
/// NaN stays in every sum, so a wrong result shows where zeros were missing.
void poison(const DebugAccess& memory, std::uint64_t address, std::uint64_t bytes);

/// Whether all of these bytes are zero.
bool holdsZeros(const DebugAccess& memory, std::uint64_t address, std::uint64_t bytes);

/// Stores both operands in rows of `operandPitchBytes`.
void storeOperands(const DebugAccess& memory, const MemoryLayout& layout, const Operands& operands,
                   std::uint32_t depth);

/// Stores values one behind the other.
void storeMatrix(const DebugAccess& memory, std::uint64_t address,
                 std::vector<std::uint16_t> values);

/// Compares runs of tiles of the output at `address` with `expected`, [rows][columns], and counts
/// their elements and those that differ.
void compareOutput(const DebugAccess& memory, std::uint64_t address, const Tiling& tiling,
                   const std::vector<std::uint16_t>& expected, const std::vector<TileRange>& tiles,
                   Verification& verification);

}  // namespace t3
