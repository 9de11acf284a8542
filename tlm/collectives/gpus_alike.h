// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tlm/collectives/step_program.h"
#include "tlm/collectives/tracked_program.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// Of an algorithm whose GPUs all do the same with other chunks: which place in a GPU's memory is
/// to it what a place in GPU 0's is to GPU 0. Found by comparing what they do side by side: the
/// same steps in the same order, by the same ports, with arrivals numbered alike. So what GPU 0
/// sends to GPU d, at its address as GPU 0 sees it, is what another GPU sends to GPU 0.
class GpusAlike {
 public:
  /// [kernel][gpu], without steps of all GPUs. None if the GPUs are not alike.
  static std::optional<GpusAlike> of(const std::vector<std::vector<StepProgram>>& kernels,
                                     std::uint64_t chunkBytes);
  /// By GPU.
  static std::optional<GpusAlike> of(const std::vector<TrackedProgram>& programs);

  /// The local address in GPU 0's memory for an address in that of `gpu`, in a chunk there.
  std::uint64_t asOfGpu0(GpuId gpu, std::uint64_t local) const;

 private:
  class Comparison;
  template <typename Program>
  bool sendAlike(const std::vector<Program>& programs) const;
  GpusAlike(std::uint32_t gpus, std::uint64_t chunkBytes)
      : chunkBytes_(chunkBytes), places_(gpus) {}

  std::uint64_t chunkBytes_;
  std::vector<std::map<std::uint64_t, std::uint64_t>> places_;  ///< [gpu]: of each chunk in use
};

}  // namespace t3
