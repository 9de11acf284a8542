// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include "tlm/hbm/hbm_stack.h"
#include "tlm/node/fabric_node.h"
#include "tlm/node/gpu.h"
#include "tlm/node/paper_tracker.h"
#include "tlm/node/ring_lag.h"
#include "tlm/node/system_config.h"
#include "tlm/node/tracker_driver.h"
#include "tlm/tracker/rtl_options.h"
#include "tlm/tracker/tracker.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// One position of the fabric: a GPU, its memory, its tracker, the software that programs the
/// tracker.
class GpuNode : public FabricNode {
 public:
  HbmStack hbm;
  std::unique_ptr<Tracker> tracker;
  PaperTracker paper;  ///< judges the tracker
  TrackerDriver driver;
  Gpu gpu;
  RingLag ringLag;
  TimedQueue<std::function<void()>> host;  ///< steps of the software

  GpuNode(const sc_core::sc_module_name& name, const SystemConfig& config, TrackerKind trackerKind,
          const RtlOptions& rtl, const GpuContext& context);

  Ingress& entry(std::uint32_t link) override { return *gpu.ingress[link]; }

  /// Called with the row slot of every row of tiles that the tracker releases; all are taken at
  /// once.
  void onRelease(std::function<void(std::uint32_t rowSlot)> handler) {
    released_ = std::move(handler);
  }

  /// Called with its number of tiles when the DMA engine has sent on what a command covers.
  void onSent(std::function<void(std::uint32_t tiles)> handler) { sent_ = std::move(handler); }

  /// Reads or writes local memory without timing.
  void debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                   std::uint32_t bytes);

  bool idle() const override;

 private:
  tlm::tlm_sync_enum release(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  tlm_utils::simple_target_socket<GpuNode> releases_;
  std::function<void(std::uint32_t)> released_;
  std::function<void(std::uint32_t)> sent_;
};

}  // namespace t3
