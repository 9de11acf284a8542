// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/gpu/gemm_config.h"
#include "tlm/gpu/l2_cache.h"
#include "tlm/gpu/l2_model.h"

namespace t3 {

/// The L2 by block: `L2Cache` says how many of a block's rows are missing, and this class which
/// lines.
class L2Block : public L2Model {
 public:
  L2Block(const L2Config& config, std::uint32_t blocks);

  Lookup read(const Part& part, std::uint32_t rowBytes, std::vector<Part>& fetches) override;
  void filled(Block block) override;
  bool pending(Block block) const override { return cache_.pending(block); }
  void write(Block block, std::uint32_t rows, std::uint32_t rowBytes, bool dirty) override;
  void takeDisplaced(std::vector<Part>& parts) override;
  void clean(std::vector<Part>& parts) override;
  void invalidate(const Part& part) override;
  void clear() override;

 private:
  struct Shape {
    std::uint32_t rows = 0, rowBytes = 0;
  };
  Part whole(Block block) const;

  L2Cache cache_;
  std::uint32_t lineBytes_, linesPerFetch_;
  std::vector<Shape> written_;  ///< by block
};

}  // namespace t3
