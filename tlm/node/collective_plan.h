// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tlm/collectives/algorithm_layout.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/step_program.h"
#include "tlm/collectives/tracked_program.h"
#include "tlm/gpu/route.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// What the GPUs of a configuration do for an algorithm: by kernels, or by trackers and DMA
/// engines.
class CollectivePlan {
 public:
  /// Throws std::invalid_argument, with one line that begins with a setting, if the configuration
  /// lacks something: a link, memory, command slots.
  CollectivePlan(const SystemConfig& config, const AlgorithmMeaning& meaning, bool tracked);

  /// The links of the fabric: what leaves GPU g by port p ends at peer(g, p).
  const Route& links() const { return *links_; }
  /// Of each GPU; a switch has one for all ports.
  std::uint32_t linksPerGpu() const { return linksPerGpu_; }
  const AlgorithmLayout& layout() const { return layout_; }
  bool tracked() const { return grid_.has_value(); }

  // Of a GPU.
  const StepProgram& kernel(std::uint32_t gpu) const { return kernels_[gpu]; }
  const TrackedProgram& program(std::uint32_t gpu) const { return programs_[gpu]; }
  const TrackedGrid& grid() const { return *grid_; }
  /// Bytes of its buffers, from address 0 on.
  std::uint64_t memoryEnd(std::uint32_t gpu) const;
  /// Behind the buffers: the records of the tracker's two geometries, and their end.
  MemoryLayout records(std::uint32_t gpu) const;
  /// What leaves by each of its links.
  std::vector<std::uint64_t> linkBytes(std::uint32_t gpu) const;

 private:
  void checkLinks(const AlgorithmForm& form) const;
  void plan(const SystemConfig& config, const AlgorithmMeaning& meaning, bool tracked);
  void makeGrid(const SystemConfig& config);
  std::vector<std::uint32_t> portsTo(std::uint32_t from, std::uint32_t to) const;

  std::unique_ptr<const Route> links_;
  std::uint32_t linksPerGpu_;
  std::uint64_t alignment_;
  AlgorithmLayout layout_;
  std::vector<StepProgram> kernels_;
  std::vector<TrackedProgram> programs_;
  std::optional<TrackedGrid> grid_;
};

}  // namespace t3
