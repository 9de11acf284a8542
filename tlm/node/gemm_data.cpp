// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gemm_data.h"

#include <algorithm>

#include "tlm/gpu/chunk_segments.h"

namespace t3 {
namespace {

constexpr std::uint64_t kPiece = 1 << 20;

/// Goes through a range in pieces: `step(address, bytes)`.
void inPieces(std::uint64_t address, std::uint64_t bytes, const auto& step) {
  for (std::uint64_t done = 0; done < bytes; done += kPiece) {
    step(address + done, static_cast<std::uint32_t>(std::min(kPiece, bytes - done)));
  }
}

}  // namespace

void poison(const DebugAccess& memory, std::uint64_t address, std::uint64_t bytes) {
  std::vector<unsigned char> ones(std::min(kPiece, bytes), 0xff);
  inPieces(address, bytes, [&](std::uint64_t at, std::uint32_t count) {
    memory(tlm::TLM_WRITE_COMMAND, at, ones.data(), count);
  });
}

bool holdsZeros(const DebugAccess& memory, std::uint64_t address, std::uint64_t bytes) {
  std::vector<unsigned char> held(std::min(kPiece, bytes));
  bool zeros = true;
  inPieces(address, bytes, [&](std::uint64_t at, std::uint32_t count) {
    memory(tlm::TLM_READ_COMMAND, at, held.data(), count);
    zeros = zeros && std::all_of(held.begin(), held.begin() + count,
                                 [](unsigned char byte) { return byte == 0; });
  });
  return zeros;
}

void storeOperands(const DebugAccess& memory, const MemoryLayout& layout, const Operands& operands,
                   std::uint32_t depth) {
  const auto store = [&](std::uint64_t base, std::vector<std::uint16_t> values) {
    for (std::size_t row = 0; row < values.size() / depth; ++row) {
      memory(tlm::TLM_WRITE_COMMAND, base + row * layout.operandPitchBytes,
             values.data() + row * depth, depth * 2);
    }
  };
  store(layout.operandA, operands.a);
  store(layout.operandB, operands.b);
}

void storeMatrix(const DebugAccess& memory, std::uint64_t address,
                 std::vector<std::uint16_t> values) {
  auto* bytes = reinterpret_cast<unsigned char*>(values.data());
  inPieces(address, values.size() * 2, [&](std::uint64_t at, std::uint32_t count) {
    memory(tlm::TLM_WRITE_COMMAND, at, bytes + (at - address), count);
  });
}

void compareOutput(const DebugAccess& memory, std::uint64_t address, const Tiling& tiling,
                   const std::vector<std::uint16_t>& expected, const std::vector<TileRange>& tiles,
                   Verification& verification) {
  std::vector<std::uint16_t> values;
  for (const TileRange& range : tiles) {
    for (const Segment& segment : segmentsOf(tiling, range)) {
      values.resize(segment.bytes / sizeof values.front());
      memory(tlm::TLM_READ_COMMAND, address + segment.offset, values.data(),
             static_cast<std::uint32_t>(segment.bytes));
      const std::size_t first = segment.offset / sizeof values.front();
      for (std::size_t i = 0; i < values.size(); ++i) {
        verification.mismatches += values[i] != expected[first + i] ? 1 : 0;
      }
      verification.elements += values.size();
    }
  }
}

}  // namespace t3
