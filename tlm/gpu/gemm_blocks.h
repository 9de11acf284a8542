// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tlm/gpu/l2_cache.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// What a GEMM kernel works on: the same for all its launches.
struct GemmShape {
  Tiling tiling;        ///< of the output
  std::uint32_t depth;  ///< K
  MemoryLayout layout;
};

/// How a GEMM numbers the blocks of its L2, and where they lie in memory.
///
/// A panel is the rows of an operand that one tile row (of A) or tile column (of B) needs. It is
/// cut into slabs, as wide as one fetch: slab s of every row of a panel is a block. Numbers: the
/// panels of A, slab by slab, then those of B, then one block for each output tile.
class GemmBlocks {
 public:
  using Block = L2Cache::Block;

  /// A block in memory: `rows` rows of `bytes` bytes each, `pitch` bytes apart.
  struct Place {
    std::uint64_t address = 0;  ///< of the first row
    std::uint64_t pitch = 0;
    std::uint32_t rows = 0;
    std::uint32_t bytes = 0;

    std::uint64_t totalBytes() const { return std::uint64_t{rows} * bytes; }
  };

  GemmBlocks(const GemmShape& shape, DataType dataType, std::uint32_t fetchBytes)
      : tiling_(shape.tiling),
        layout_(shape.layout),
        fetchBytes_(fetchBytes),
        rowBytes_(shape.depth * bytesOf(dataType)),
        slabs_((rowBytes_ + fetchBytes - 1) / fetchBytes),
        operandBlocks_((tiling_.tilesDown() + tiling_.tilesAcross()) * slabs_) {}

  const Tiling& tiling() const { return tiling_; }

  /// Bytes of an operand row, without padding.
  std::uint32_t rowBytes() const { return rowBytes_; }
  std::uint32_t slabs() const { return slabs_; }
  /// Blocks of A and B; their numbers are below this.
  std::uint32_t operandBlocks() const { return operandBlocks_; }
  std::uint32_t blocks() const { return operandBlocks_ + tiling_.tiles(); }

  /// First blocks of the panels of a tile; their other slabs follow.
  Block panelA(WorkgroupId tile) const { return tile.value / tiling_.tilesAcross() * slabs_; }
  Block panelB(WorkgroupId tile) const {
    return (tiling_.tilesDown() + tile.value % tiling_.tilesAcross()) * slabs_;
  }
  Block output(WorkgroupId tile) const { return operandBlocks_ + tile.value; }
  /// The tile of an output block.
  WorkgroupId tileOf(Block block) const { return WorkgroupId{block - operandBlocks_}; }

  Place place(Block block) const {
    return block < operandBlocks_ ? placeOfOperand(block) : placeOfOutput(block);
  }
  /// Calls visit(block) for the blocks that have some of [address, address + bytes), which lies
  /// inside one row of a buffer.
  template <typename Visit>
  void forBlocks(std::uint64_t address, std::uint64_t bytes, Visit visit) const {
    while (bytes > 0) {
      const std::optional<Part> part = partAt(address, bytes);
      if (!part) return;
      visit(part->block);
      address += part->bytes;
      bytes -= part->bytes;
    }
  }
  /// Total bytes of A and B, each counted once.
  std::uint64_t operandBytes() const;

 private:
  struct Part {
    Block block = 0;
    std::uint64_t bytes = 0;
  };

  /// What the first bytes are of; empty where no block is.
  std::optional<Part> partAt(std::uint64_t address, std::uint64_t bytes) const;
  Place placeOfOperand(Block block) const;
  Place placeOfOutput(Block block) const;

  Tiling tiling_;
  MemoryLayout layout_;
  std::uint32_t fetchBytes_;
  std::uint32_t rowBytes_;
  std::uint32_t slabs_;
  std::uint32_t operandBlocks_;
};

}  // namespace t3
