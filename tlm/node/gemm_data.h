// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <tlm>
#include <vector>

#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/reference.h"
#include "tlm/node/run_result.h"

namespace t3 {

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
