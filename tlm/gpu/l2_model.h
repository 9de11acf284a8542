// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace t3 {

/// Contents of the L2: what is present, being fetched, or dirty. No time, no traffic: whoever owns
/// the cache moves the bytes.
///
/// The owner numbers what it reads or writes as a whole, densely, as blocks (of a GEMM: the
/// fetch-wide slab of an operand panel, or an output tile). A block has rows of equal length.
///
/// Two models (make_l2_model.h): by block (fast, the default) and by line (every line of every
/// set). How far they agree is tested (l2_model_test).
class L2Model {
 public:
  using Block = std::uint32_t;

  /// Bytes [offset, offset + bytes) of each of `rows` rows of a block.
  struct Part {
    Block block = 0;
    std::uint32_t firstRow = 0, rows = 0;
    std::uint32_t offset = 0, bytes = 0;
    bool operator==(const Part&) const = default;
  };
  /// What became of the lines of a read.
  struct Lookup {
    std::uint32_t hits = 0;
    std::uint32_t merged = 0;  ///< being fetched already, or fetched together with a miss
    std::uint32_t misses = 0;
  };

  virtual ~L2Model() = default;

  /// A read of `part`, which covers all rows of the block; a whole row has `rowBytes`. Appends what
  /// has to be fetched to `fetches`, row by row. The block is then pending until `filled`, and
  /// other reads of it merge.
  virtual Lookup read(const Part& part, std::uint32_t rowBytes, std::vector<Part>& fetches) = 0;
  virtual void filled(Block block) = 0;
  virtual bool pending(Block block) const = 0;
  /// All of a block is written, allocated without a fetch: dirty from here on, unless it is written
  /// to memory as well. Not while pending.
  virtual void write(Block block, std::uint32_t rows, std::uint32_t rowBytes, bool dirty) = 0;
  /// Moves the dirty parts displaced since the last call to `parts`: the owner writes them back.
  virtual void takeDisplaced(std::vector<Part>& parts) = 0;
  /// Cleans all blocks and appends the parts that were dirty.
  virtual void clean(std::vector<Part>& parts) = 0;
  /// Somebody else has changed `part`, of one row, in memory: no clean line of it stays, and what
  /// is on its way from memory is not kept. Dirty lines stay: who else writes their bytes is wrong.
  virtual void invalidate(const Part& part) = 0;
  /// Forgets everything, dirty data included.
  virtual void clear() = 0;
};

}  // namespace t3
