// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tlm/collectives/algorithm.h"

namespace t3 {

/// A reduce-scatter in place for behind a GEMM whose output copy engines send (docs/silicon.md).
///
/// The band of a GPU is `sends` chunks, which every other GPU sends it one by one. Behind a GEMM
/// the bands are made message by message: the first one to the next GPU, the one that stays, the
/// first one to the GPU after the next, …, then the second ones.
///
/// Clock. A thread block of steps that do nothing spaces the messages in the order of the file,
/// which is what the GEMM goes by; and as each send waits for a step of it, no send is the GEMM's
/// own store: the DMA engine does it, from the memory of the GPU that made it.
struct BandedScatter {
  std::uint32_t sends = 1;

  /// Of a name like rs_bands_2 (sends). Empty if it is none.
  static std::optional<BandedScatter> named(const std::string& name);

  Algorithm algorithm(std::uint32_t gpus) const;
};

}  // namespace t3
