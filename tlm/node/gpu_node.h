// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <vector>

#include "tlm/node/fabric_node.h"
#include "tlm/node/gpu.h"
#include "tlm/node/system_config.h"
#include "tlm/node/tracked_region.h"

namespace t3 {

/// One GPU with its memory, tracker and links.
class GpuNode : public FabricNode {
 public:
  Gpu gpu;

  GpuNode(const sc_core::sc_module_name& name, const SystemConfig& config,
          const std::optional<TrackerChoice>& choice, const GpuContext& context);

  /// Of a collective alone that is tracked: before the run, in no simulated time, because software
  /// does it during earlier work; and for one more run.
  void programTracker(const CollectivePlan& plan);
  void programTrackerAgain(const CollectivePlan& plan, TrackerDriver::Done done);

  Ingress& entry(std::uint32_t link) override { return *gpu.ingress[link]; }
  bool idle() const override { return FabricNode::idle() && gpu.idle(); }

  /// Called when the tracker has triggered a DMA command.
  void onTriggered(std::function<void(CommandId)> handler) {
    gpu.dma.onTriggered(std::move(handler));
  }
  /// Called with its number of tiles when the DMA engine has sent on what a command covers.
  void onSent(std::function<void(std::uint32_t tiles)> handler) { sent_ = std::move(handler); }

 private:
  void connectMemory(const Graph& graph);
  void connectLinks(const SystemConfig& config, const GpuContext& context);

  const GpuId gpu_;
  std::vector<TrackedRegion> regions_;  ///< of a collective alone; none where no message comes
  std::function<void(std::uint32_t)> sent_;
};

}  // namespace t3
