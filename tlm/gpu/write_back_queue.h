// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "tlm/gpu/gemm_blocks.h"
#include "tlm/gpu/l2_model.h"

namespace t3 {

/// Parts of output tiles that leave the L2 for the memory and are not sent yet.
///
/// Their rows are sent in ascending order of address, from the last address sent on; after the
/// highest address comes the lowest one again. Tiles side by side share DRAM rows, and the DRAM
/// queue alone is too short to find such neighbours (docs/gpu.md, "Write-backs").
class WriteBackQueue {
 public:
  /// For `waiter`: no workgroup waits for the part.
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  /// One request.
  struct Row {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    WorkgroupId tile;
    std::uint32_t waiter = kNobody;
  };

  explicit WriteBackQueue(const GemmBlocks& blocks) : blocks_(blocks) {}

  /// Makes the row with the lowest address the next one.
  void restart() { lastAddress_ = 0; }
  /// `waiter` is the slot whose store waits until the part is sent.
  void add(const L2Model::Part& part, std::uint32_t waiter);
  /// Takes the next row. Only when not empty.
  Row next();

  bool empty() const { return parts_.empty(); }
  std::size_t size() const { return parts_.size(); }

 private:
  struct Waiting {
    L2Model::Part rows;  ///< those that are not sent yet
    std::uint32_t waiter;
  };

  const GemmBlocks& blocks_;
  std::map<std::uint64_t, Waiting> parts_;  ///< by the address of their next row
  std::uint64_t lastAddress_ = 0;           ///< of the row sent last
};

}  // namespace t3
