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
#include "tlm/node/system_config.h"

namespace t3 {

/// What the GPUs of a configuration do for an algorithm alone: by kernels, or by trackers and DMA
/// engines.
class CollectivePlan {
 public:
  /// Throws std::invalid_argument, with one line that begins with a setting, if the configuration
  /// lacks something: a link, memory, slots.
  CollectivePlan(const SystemConfig& config, const AlgorithmMeaning& meaning, bool tracked);
  CollectivePlan(const CollectivePlan&) = delete;
  CollectivePlan& operator=(const CollectivePlan&) = delete;

  /// The links of the fabric: what leaves GPU g by port p ends at peer(g, p).
  const Route& links() const { return *links_; }
  /// Of each GPU; a switch has one for all ports.
  std::uint32_t linksPerGpu() const { return linksPerGpu_; }
  const AlgorithmLayout& layout() const { return layout_; }
  bool tracked() const { return grid_.has_value(); }
  // Of a GPU.
  std::uint32_t kernels() const { return static_cast<std::uint32_t>(kernels_.size()); }
  const StepProgram& kernel(std::uint32_t number, std::uint32_t gpu) const {
    return kernels_[number][gpu];
  }
  const TrackedProgram& program(std::uint32_t gpu) const { return programs_[gpu]; }
  const TrackedGrid& grid() const { return *grid_; }
  /// Bytes of its buffers, from address 0 on.
  std::uint64_t memoryEnd(std::uint32_t gpu) const;
  /// What leaves by each of its links.
  std::vector<std::uint64_t> linkBytes(std::uint32_t gpu) const;
  /// What comes back from a switch that adds and copies, for its steps of all GPUs.
  std::uint64_t bytesFromSwitch(std::uint32_t gpu) const;
  std::uint64_t sumBytes(std::uint32_t gpu) const;  ///< of it, the sums that the GPU loads

 private:
  std::uint64_t toAllBytes(std::uint32_t gpu) const;
  void plan(const SystemConfig& config, bool tracked);
  void makeGrid(const SystemConfig& config);

  const AlgorithmMeaning& meaning_;
  std::unique_ptr<const Route> links_;
  std::uint32_t linksPerGpu_;
  AlgorithmLayout layout_;
  AlgorithmPorts ports_;
  std::vector<std::vector<StepProgram>> kernels_;  ///< [kernel][gpu]; none with trackers
  std::vector<TrackedProgram> programs_;
  std::optional<TrackedGrid> grid_;
};

}  // namespace t3
