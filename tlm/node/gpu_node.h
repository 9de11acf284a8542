// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

#include "tlm/node/fabric_node.h"
#include "tlm/node/gpu.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// One GPU of a sublayer.
class GpuNode : public FabricNode {
 public:
  Gpu gpu;

  GpuNode(const sc_core::sc_module_name& name, const SystemConfig& config,
          const TrackerChoice& choice, const GpuContext& context);

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

  std::function<void(std::uint32_t)> sent_;
};

}  // namespace t3
