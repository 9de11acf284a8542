// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "tlm/collectives/step_kernel.h"
#include "tlm/gpu/ingress.h"
#include "tlm/gpu/switch_loads.h"
#include "tlm/hbm/hbm_stack.h"
#include "tlm/interconnect/link.h"
#include "tlm/node/paper_tracker.h"
#include "tlm/node/ring_lag.h"
#include "tlm/node/system_config.h"
#include "tlm/node/system_rtl.h"
#include "tlm/node/tracker_driver.h"
#include "tlm/tracker/rtl_options.h"
#include "tlm/tracker/tracker.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// The tracker of a GPU, and how its RTL is simulated where it is RTL.
struct TrackerChoice {
  TrackerKind kind = TrackerKind::Model;
  RtlOptions rtl = {};
  SystemRtl::MakeTracker own = {};  ///< if there is one
};

/// One position of the fabric: a GPU's memory, the tracker that sees what is written there, the
/// software that programs the tracker, and the links that the GPU sends on. Who computes and moves
/// data is added by the classes that derive from it.
class FabricNode : public sc_core::sc_module {
 public:
  Place place{*this};  ///< before all that belongs to it
  HbmStack hbm;
  std::unique_ptr<Tracker> tracker;       ///< null where nothing is tracked
  std::unique_ptr<TrackerDriver> driver;  ///< as the tracker
  PaperTracker paper;                     ///< judges the tracker
  RingLag ringLag;
  std::vector<std::unique_ptr<Link>> links;  ///< by port, or one for all ports
  std::unique_ptr<SwitchLoads> switchLoads;  ///< null where no kernel loads sums from a switch
  TimedQueue<std::function<void()>> host;    ///< steps of the software

  /// Where a link that leads here ends.
  virtual Ingress& entry(std::uint32_t link) = 0;
  /// Nothing is under way in it, its links and its memory.
  virtual bool idle() const;

  /// Called with the row slot of every row of tiles that the tracker releases; all are taken at
  /// once.
  void onRelease(std::function<void(std::uint32_t rowSlot)> handler) {
    released_ = std::move(handler);
  }
  /// Reads or writes local memory without timing.
  void debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                   std::uint32_t bytes) {
    entry(0).memory.debugAccess(command, address, data, bytes);
  }

  std::uint64_t sentBytes() const;  ///< payload, over all links
  std::uint64_t sentBytes(NodeNumber node) const;
  /// Changes whenever software, memory or links make progress. Who looks whether he may go on makes
  /// none.
  std::uint64_t heartbeat() const {
    return host.posted() + (driver ? driver->progress() : 0) + hbm.statistics().bursts() +
           sentBytes();
  }

 protected:
  FabricNode(const sc_core::sc_module_name& name, const SystemConfig& config,
             const PhaseNames& phases, const std::optional<TrackerChoice>& choice);
  void addLinks(const SystemConfig& config, GpuId gpu, std::uint32_t count);
  /// Of a kernel that loads sums: how it does. To be called when entries and links are there.
  void connectToSwitch(StepKernel& kernel, const SystemConfig& config, GpuId gpu,
                       PayloadPool& pool);

 private:
  void addTracker(const SystemConfig& config, const TrackerChoice& choice);
  tlm::tlm_sync_enum release(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  std::unique_ptr<tlm_utils::simple_target_socket<FabricNode>> releases_;  ///< as the tracker
  std::function<void(std::uint32_t)> released_;
};

}  // namespace t3
