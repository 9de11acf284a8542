// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "tlm/gpu/gemm_config.h"
#include "tlm/gpu/l2_model.h"

namespace t3 {

/// The L2 line by line: sets of `ways` lines. A hash of the line's place chooses the set; a new
/// line displaces the least recently used one. A miss fetches all absent lines of the fetch that
/// the row belongs to.
class L2Line : public L2Model {
 public:
  L2Line(const L2Config& config, std::uint32_t blocks);

  Lookup read(const Part& part, std::uint32_t rowBytes, std::vector<Part>& fetches) override;
  void filled(Block block) override { pending_[block] = false; }
  bool pending(Block block) const override { return pending_[block]; }
  void write(Block block, std::uint32_t rows, std::uint32_t rowBytes, bool dirty) override;
  void takeDisplaced(std::vector<Part>& parts) override;
  void clean(std::vector<Part>& parts) override;
  void invalidate(const Part& part) override;
  void clear() override;

 private:
  /// Block, row and position in the row, packed; 0 is no line.
  using Tag = std::uint64_t;
  struct Way {
    Tag tag = 0;
    bool dirty = false;
  };
  struct Shape {
    std::uint32_t rows = 0, rowBytes = 0;
  };

  static Tag tagOf(Block block, std::uint32_t row, std::uint32_t line) {
    return (Tag{block} << 32 | Tag{row} << 16 | line) + 1;
  }
  Way* setOf(Tag tag);
  Way* find(Tag tag);
  bool touch(Tag tag, bool dirty);
  std::uint32_t lines(std::uint32_t bytes) const { return (bytes + lineBytes_ - 1) / lineBytes_; }

  std::uint32_t lineBytes_, ways_;
  std::uint64_t sets_;
  std::vector<Way> cache_;  ///< set by set, most recently used first
  std::vector<bool> pending_;
  std::vector<Shape> written_;  ///< by block
  std::deque<Block> order_;     ///< blocks with (perhaps) dirty lines, in order of writing
  std::vector<Part> displaced_;
};

}  // namespace t3
