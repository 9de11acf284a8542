// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "tlm/transport/index.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// Says whose updates a sum of K of N contributions takes. The output's tiles are tracked in
/// blocks, and of each block the contributions of the first K GPUs are admitted of which an update
/// arrives, the own GEMM among them. So a sum holds whole contributions: updates of a GPU that came
/// later are dropped one and all. Blocks of one output may hold those of different GPUs.
///
/// In hardware: where requests enter the memory, in front of the channels, a table with a bit for
/// each GPU and a count of up to K for each block that a GPU owns; one lookup for each request
/// (assumption; docs/unequal-gpus.md).
class AdmissionTable {
 public:
  /// A run of tiles that is summed here, and the bytes of the buffer that it is in.
  struct Sums {
    std::uint64_t base = 0, bytes = 0;
    std::uint32_t firstTile = 0, tiles = 0;
    std::uint32_t blockLog2 = 0;  ///< a block has two to the power of it tiles
  };
  static constexpr std::uint32_t kGpus = 64;  ///< that may contribute

  AdmissionTable(const Sums& sums, std::uint32_t contributions)
      : sums_(sums),
        contributions_(contributions),
        gpus_((sums.tiles + (std::uint64_t{1} << sums.blockLog2) - 1) >> sums.blockLog2) {}

  /// A tracked update of `address` arrives. Whether it is to be added.
  bool admit(std::uint64_t address, const Traffic& update) {
    const bool inside = address - sums_.base < sums_.bytes &&
                        update.workgroup.value - sums_.firstTile < sums_.tiles;
    if (!inside || admitted(update.workgroup, update.source)) return true;
    std::uint64_t& gpus = gpus_[blockOf(update.workgroup)];
    if (std::popcount(gpus) == static_cast<int>(contributions_)) return false;
    gpus |= std::uint64_t{1} << update.source.value;
    return true;
  }
  /// Of a tile that is summed here: whether the GPU is among those whose contribution is added.
  bool admitted(WorkgroupId tile, GpuId gpu) const {
    return (gpus_[blockOf(tile)] >> gpu.value & 1) != 0;
  }

 private:
  std::size_t blockOf(WorkgroupId tile) const {
    return (tile.value - sums_.firstTile) >> sums_.blockLog2;
  }

  Sums sums_;
  std::uint32_t contributions_;
  std::vector<std::uint64_t> gpus_;  ///< bit g: GPU g is admitted; by block
};

}  // namespace t3
