// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/collectives/algorithm_layout.h"
#include "tlm/collectives/collective.h"
#include "tlm/collectives/input_order.h"
#include "tlm/collectives/input_sums.h"
#include "tlm/collectives/route.h"
#include "tlm/collectives/tracked_program.h"
#include "tlm/gpu/egress_ports.h"
#include "tlm/gpu/gemm_launch.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// All that is moved for a collective from a file that is no reduce-scatter.
inline constexpr Phase kCollectivePhase = extraPhase(0);

/// The GEMM whose output is the input of a collective from a file, and the all-gather that follows
/// a reduce-scatter.
///
/// Chunks. Input chunk c of the file is the c-th of equal runs of tiles. Each has to be whole rows
/// of tiles, all alike. So a chunk is one run of bytes, and its bytes are those of the GEMM's
/// tiles.
///
/// Memory: operands, accumulation buffer (docs/initial-value.md), and from `end` on
/// the buffers of the collective, of which the input is the output of the GEMM.
class GemmPlan {
 public:
  /// Throws std::invalid_argument, with one line that begins with a setting, for a collective that
  /// cannot stand behind the GEMM.
  GemmPlan(const SystemConfig& config, const AlgorithmMeaning& meaning, bool tracked);

  const Tiling& tiling() const { return tiling_; }
  std::uint64_t chunkBytes() const { return tiling_.outputBytes() / tiling_.chunks(); }
  /// Of the GEMM; `output` is where the collective has its input.
  const MemoryLayout& layout() const { return layout_; }
  /// Where the buffers of the collective begin.
  std::uint64_t end() const { return layout_.end; }
  void setOutput(std::uint64_t address) { layout_.output = address; }
  /// Null where nothing is tracked.
  const InputSums* sums() const { return sums_ ? &*sums_ : nullptr; }

  /// What a GPU's GEMM is to do. `programs`: of all GPUs; none where nothing is tracked.
  GemmLaunch launch(std::uint32_t gpu, const AlgorithmMeaning& meaning,
                    const std::vector<TrackedProgram>& programs) const;
  /// By which port each chunk leaves.
  ChunkPorts ports(std::uint32_t gpu, const AlgorithmMeaning& meaning,
                   const AlgorithmPorts& ports) const;
  /// Bytes that the GEMM stores in its own memory.
  std::uint64_t storedBytes(std::uint32_t gpu) const;
  Phase phase() const { return gathers_ ? Phase::ReduceScatter : kCollectivePhase; }
  /// For reports and bounds.
  const Collective& collective() const;
  Collectives collectives() const;
  /// The built-in all-gather follows.
  bool gathers() const { return gathers_; }

 private:
  /// The `s` of a chunk that the GEMM itself stores in another GPU.
  std::optional<StepId> senderOf(std::uint32_t gpu, std::uint32_t chunk) const;

  Tiling tiling_;
  bool gathers_;
  MemoryLayout layout_;
  std::optional<InputSums> sums_;
  std::vector<InputOrder> orders_;  ///< none where nothing is tracked
};

}  // namespace t3
