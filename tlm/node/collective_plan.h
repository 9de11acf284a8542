// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tlm/collectives/algorithm_buffers.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/collective.h"
#include "tlm/collectives/gpus_alike.h"
#include "tlm/collectives/route.h"
#include "tlm/collectives/step_program.h"
#include "tlm/collectives/tracked_program.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// What the GPUs of a configuration do for an algorithm alone: by kernels, or by trackers and DMA
/// engines.
class CollectivePlan {
 public:
  /// Throws std::invalid_argument, with one line that begins with a setting, if the configuration
  /// lacks something: a link, memory, slots.
  CollectivePlan(const SystemConfig& config, const AlgorithmMeaning& meaning, bool tracked);
  /// That line; empty if `mode` can run the algorithm.
  static std::optional<std::string> check(const SystemConfig& config,
                                          const AlgorithmMeaning& meaning, Mode mode);
  CollectivePlan(const CollectivePlan&) = delete;
  CollectivePlan& operator=(const CollectivePlan&) = delete;

  /// The links of the fabric: what leaves GPU g by port p ends at peer(g, p).
  const Route& links() const { return *links_; }
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
  /// Where trackers count sums that are made in places of their own, {address, bytes} of each
  /// chunk.
  Areas accumulators(std::uint32_t gpu) const;
  /// Where one GPU stands for all; else null.
  const GpusAlike* alike() const { return alike_ ? &*alike_ : nullptr; }
  const CollectiveTraffic& traffic() const { return traffic_; }
  /// Whether a GPU sends by a port. What goes by way of a switch that adds goes to all.
  bool sends(GpuId gpu, std::uint32_t port) const {
    return traffic_.bytes(gpu, port) + traffic_.toSwitch(gpu) != 0;
  }

 private:
  void plan(const SystemConfig& config, bool tracked);
  void makeGrid(const SystemConfig& config);
  void requireMemory(const SystemConfig& config) const;
  void standForAll();

  const AlgorithmMeaning& meaning_;
  std::unique_ptr<const Route> links_;
  AlgorithmLayout layout_;
  AlgorithmPorts ports_;
  CollectiveTraffic traffic_;
  std::vector<std::vector<StepProgram>> kernels_;  ///< [kernel][gpu]; none with trackers
  std::vector<TrackedProgram> programs_;
  std::optional<TrackedGrid> grid_;
  std::optional<GpusAlike> alike_;
};

}  // namespace t3
