// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/transport/index.h"

namespace t3 {

/// A collective runs on one or several rings at the same time; this is one of them. Even ones go
/// forward, GPU g sends to g+1; odd ones go backward, to g-1. Each ring carries an equal share of
/// what ends at every GPU: the output is cut into gpus x rings chunks, and chunk c, whose owner is
/// GPU c / rings, travels on ring c % rings.
struct RingPath {
  std::uint32_t gpus = 2;
  std::uint32_t rings = 1;
  std::uint32_t index = 0;  ///< of this ring

  bool forward() const { return index % 2 == 0; }
  /// Where a GPU sends to.
  GpuId next(GpuId gpu) const { return ahead(gpu, forward() ? 1 : gpus - 1); }
  /// Where it receives from.
  GpuId previous(GpuId gpu) const { return ahead(gpu, forward() ? gpus - 1 : 1); }
  /// This ring's chunk that ends at the GPU `distance` places behind `gpu`, against the direction.
  ChunkId behind(GpuId gpu, std::uint32_t distance) const {
    const std::uint32_t places = distance % gpus;
    return ChunkId{ahead(gpu, forward() ? gpus - places : places).value * rings + index};
  }

 private:
  GpuId ahead(GpuId gpu, std::uint32_t places) const { return GpuId{(gpu.value + places) % gpus}; }
};

}  // namespace t3
