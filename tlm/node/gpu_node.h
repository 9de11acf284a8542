// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <utility>
#include <vector>

#include "tlm/collectives/step_kernel.h"
#include "tlm/gpu/ingress.h"
#include "tlm/gpu/switch_loads.h"
#include "tlm/hbm/hbm_stack.h"
#include "tlm/interconnect/link.h"
#include "tlm/node/gpu.h"
#include "tlm/node/paper_tracker.h"
#include "tlm/node/system_config.h"
#include "tlm/node/tracker_driver.h"
#include "tlm/node/tracker_plan.h"
#include "tlm/tracker/make_tracker.h"
#include "tlm/tracker/rtl_unit.h"
#include "tlm/tracker/tracker.h"
#include "tlm/transport/agenda.h"

namespace t3 {

/// Says whether the sublayer waits for a GPU's communication, for the memory arbitration of this
/// GPU (`Arbitration::communicationBehind`). It does in two cases:
///
/// * **The ring lags.** The lag is the number of tiles of tracked chunks that the GEMM has finished
///   and that are not through: the DMA engine has not sent them on or, in the chunk that stays, the
///   tracker has not said them to be complete. It counts what waits for updates of the neighbour,
///   for the DMA engine and for the link. A stage of the GEMM (all workgroups that run at once)
///   finishes about together, and the ring sends one stage while the GEMM works on the next. So a
///   lag of two stages is usual where the GEMM is the longer part, and a lag above the limit shows
///   that the ring will end last. Where the ring takes longer than the GEMM even with nothing in
///   its way, that is known at the launch, and the limit is lower.
/// * **An update waits for zeros**, which communication writes.
///
/// In hardware: one up/down counter for each GPU and a comparator with a limit that the driver sets
/// at the launch (`lagLimit`). Up: the dispatcher's end of a workgroup whose output is tracked.
/// Down: the DMA engine's end of a command that sends partial sums on, and the trigger of a command
/// for a block of the chunk that stays.
class RingLag {
 public:
  /// `changed` runs whenever `behind` changes.
  explicit RingLag(std::function<void(bool)> changed) : changed_(std::move(changed)) {}

  /// What the driver sets at the launch; 0, also before that, is no limit.
  void limit(std::uint64_t tiles) {
    limit_ = tiles;
    update();
  }

  /// The GEMM has finished a tile of a tracked chunk.
  void produced() {
    ++tiles_;
    update();
  }
  /// So many tiles are sent on or said to be summed up. That may be before their workgroup's end.
  void through(std::uint32_t tiles) {
    tiles_ -= tiles;
    update();
  }
  /// An update begins or ends to wait for its zeros, at any of the GPU's ports.
  void waitsForZeros(bool waits) {
    waiting_ += waits ? 1 : -1;
    update();
  }

  std::int64_t tiles() const { return tiles_; }
  bool behind() const { return behind_; }

 private:
  void update() {
    const bool lags = limit_ != 0 && tiles_ > static_cast<std::int64_t>(limit_);
    const bool behind = lags || waiting_ > 0;
    if (behind == behind_) return;
    behind_ = behind;
    changed_(behind);
  }

  std::uint64_t limit_ = 0;
  std::function<void(bool)> changed_;
  std::int64_t tiles_ = 0;
  int waiting_ = 0;  ///< updates
  bool behind_ = false;
};

/// The tracker of a GPU, and how its RTL is simulated where it is RTL.
struct TrackerChoice {
  TrackerKind kind = TrackerKind::Model;
  const SystemRtl& rtl;  ///< outlives the constructor
};

/// One GPU with its memory, the tracker that sees what is written there, the software that programs
/// the tracker, and the links that the GPU sends on.
class GpuNode : public sc_core::sc_module {
 public:
  Place place{*this};  ///< before all that belongs to it
  HbmStack hbm;
  RingLag ringLag;
  TimedQueue<std::function<void()>> host;  ///< steps of the software
  std::unique_ptr<Tracker> tracker;        ///< null where nothing is tracked
  std::unique_ptr<TrackerDriver> driver;   ///< as the tracker
  PaperTracker paper;                      ///< judges the tracker
  /// DMA commands that the tracker must have issued by the end of the run, since it was cleared.
  std::uint64_t commands = 0;
  Gpu gpu;
  std::vector<std::unique_ptr<Link>> links;  ///< by port, or one for all ports
  std::unique_ptr<SwitchLoads> switchLoads;  ///< null where no kernel loads sums from a switch

  GpuNode(const sc_core::sc_module_name& name, const SystemConfig& config,
          const std::optional<TrackerChoice>& choice, const GpuContext& context);

  /// Of a collective alone that is tracked: before the run, in no simulated time, because software
  /// does it during earlier work; and for one more run.
  void programTracker(const CollectivePlan& plan);
  void programTrackerAgain(const CollectivePlan& plan, TrackerDriver::Done done);

  /// Called with the row slot of every row of tiles that the tracker releases; all are taken at
  /// once.
  void onRelease(std::function<void(std::uint32_t rowSlot)> handler) {
    released_ = std::move(handler);
  }
  /// Called with its number of tiles when the DMA engine has sent on what a command covers.
  void onSent(std::function<void(std::uint32_t tiles)> handler) { sent_ = std::move(handler); }

  /// Reads or writes local memory without timing.
  void debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                   std::uint32_t bytes) {
    gpu.ingress.front()->memory.debugAccess(command, address, data, bytes);
  }
  /// Nothing is under way in it, its links and its memory.
  bool idle() const;
  std::uint64_t sentBytes() const;  ///< payload, over all links
  std::uint64_t sentBytes(NodeId node) const;
  /// Changes whenever software, memory or links make progress. Who looks whether he may go on makes
  /// none.
  std::uint64_t heartbeat() const {
    return host.posted() + (driver ? driver->progress() : 0) + hbm.statistics().bursts() +
           sentBytes();
  }

 private:
  void connectTracker();
  void connectMemory(const Graph& graph);
  void connectLinks(const SystemConfig& config, const GpuContext& context);
  /// How a kernel loads sums, if it does. Entries and links are there.
  void connectToSwitch(StepKernel& kernel, const SystemConfig& config, PayloadPool& pool);
  tlm::tlm_sync_enum release(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  const GpuId gpu_;
  std::unique_ptr<tlm_utils::simple_target_socket<GpuNode>> releases_;  ///< as the tracker
  TrackerProgram program_;  ///< of a collective alone; without regions where no message comes
  std::function<void(std::uint32_t)> released_, sent_;
};

}  // namespace t3
