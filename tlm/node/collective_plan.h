// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tlm/collectives/algorithm_layout.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/route.h"
#include "tlm/collectives/step_program.h"
#include "tlm/collectives/tracked_grid.h"
#include "tlm/collectives/tracked_program.h"
#include "tlm/node/gemm_plan.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// Where the input of a collective from a file comes from.
enum class CollectiveInput : std::uint8_t {
  Given,  ///< it is there before
  OfGemm  ///< it is the output of the GEMM of the configuration's workload
};

/// What the GPUs of a configuration do for an algorithm: by kernels, or by trackers and DMA
/// engines.
class CollectivePlan {
 public:
  /// Throws std::invalid_argument, with one line that begins with a setting, if the configuration
  /// lacks something: a link, memory, slots.
  CollectivePlan(const SystemConfig& config, const AlgorithmMeaning& meaning, bool tracked,
                 CollectiveInput input = CollectiveInput::Given);
  CollectivePlan(const CollectivePlan&) = delete;
  CollectivePlan& operator=(const CollectivePlan&) = delete;

  /// The links of the fabric: what leaves GPU g by port p ends at peer(g, p).
  const Route& links() const { return *links_; }
  /// Of each GPU; a switch has one for all ports.
  std::uint32_t linksPerGpu() const { return linksPerGpu_; }
  const AlgorithmLayout& layout() const { return layout_; }
  bool tracked() const { return grid_.has_value(); }
  /// Null if the input is there before.
  const GemmPlan* gemm() const { return gemm_ ? &*gemm_ : nullptr; }
  /// Of the traffic of the collective.
  Phase phase() const { return gemm_ ? gemm_->phase() : kCollectivePhase; }
  GemmLaunch gemmLaunch(std::uint32_t gpu) const { return gemm_->launch(gpu, meaning_, programs_); }
  ChunkPorts chunkPorts(std::uint32_t gpu) const { return gemm_->ports(gpu, meaning_, ports_); }
  /// Where every GPU has the result at the end: that of the collective, or of the all-gather.
  std::uint64_t result() const;

  // The all-gather that follows a reduce-scatter.
  const Route& gatherRoute() const { return *gatherRoute_; }
  const Tiling& gatherTiling() const { return *gatherTiling_; }
  /// The port of `links` by which a GPU reaches the end of a port of that route.
  std::uint32_t gatherPort(std::uint32_t gpu, std::uint32_t port) const;

  // Of a GPU.
  std::uint32_t kernels() const { return static_cast<std::uint32_t>(kernels_.size()); }
  const StepProgram& kernel(std::uint32_t number, std::uint32_t gpu) const {
    return kernels_[number][gpu];
  }
  const TrackedProgram& program(std::uint32_t gpu) const { return programs_[gpu]; }
  const TrackedGrid& grid() const { return *grid_; }
  /// Bytes of its buffers, from address 0 on.
  std::uint64_t memoryEnd(std::uint32_t gpu) const;
  /// What leaves by each of its links for the collective.
  std::vector<std::uint64_t> linkBytes(std::uint32_t gpu) const;
  /// What comes back from a switch that adds and copies, for its steps of all GPUs.
  std::uint64_t bytesFromSwitch(std::uint32_t gpu) const;
  std::uint64_t sumBytes(std::uint32_t gpu) const;  ///< of it, the sums that the GPU loads
  bool loadsSums() const;                           ///< some GPU does
  /// The same for the all-gather behind it.
  std::vector<std::uint64_t> gatherBytes(std::uint32_t gpu) const;

 private:
  void checkLinks() const;
  std::uint64_t toAllBytes(std::uint32_t gpu) const;
  void plan(const SystemConfig& config, bool tracked);
  void makeGrid(const SystemConfig& config);
  void makeGridOfTiles(const SystemConfig& config);

  const AlgorithmMeaning& meaning_;
  std::unique_ptr<const Route> links_, gatherRoute_;
  std::uint32_t linksPerGpu_;
  std::optional<GemmPlan> gemm_;
  std::optional<Tiling> gatherTiling_;
  AlgorithmLayout layout_;
  AlgorithmPorts ports_;
  std::vector<std::vector<StepProgram>> kernels_;  ///< [kernel][gpu]; none with trackers
  std::vector<TrackedProgram> programs_;
  std::optional<TrackedGrid> grid_;
};

}  // namespace t3
