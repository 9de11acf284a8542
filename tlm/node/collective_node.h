// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "tlm/collectives/step_dma.h"
#include "tlm/collectives/step_worker.h"
#include "tlm/collectives/tracked_program.h"
#include "tlm/gpu/ingress.h"
#include "tlm/gpu/switch_loads.h"
#include "tlm/hbm/hbm_stack.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/fabric_node.h"
#include "tlm/node/gemm_side.h"
#include "tlm/node/paper_tracker.h"
#include "tlm/node/system_config.h"
#include "tlm/node/tracker_driver.h"
#include "tlm/tracker/rtl_options.h"
#include "tlm/tracker/tracker.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// The DMA engines and trackers of a run without kernels.
struct TrackedUse {
  const TrackedProgram& program;
  const TrackedGrid& grid;
  TrackerKind tracker;
  RtlOptions rtl;
};

/// One GPU that runs a collective from a file, alone or behind a GEMM: its memory, who does the
/// steps, and the entries of the links that end here.
class CollectiveNode : public FabricNode {
 public:
  HbmStack hbm;
  std::unique_ptr<Tracker> tracker;                  ///< without a kernel
  std::unique_ptr<PaperTracker> paper;               ///< judges it
  std::unique_ptr<TrackerDriver> driver;             ///< as the tracker
  std::vector<std::unique_ptr<StepWorker>> workers;  ///< that run side by side
  std::unique_ptr<GemmSide> gemmSide;                ///< behind a GEMM
  std::vector<std::unique_ptr<Ingress>> ingress;
  std::unique_ptr<SwitchLoads> switchLoads;  ///< null where no kernel loads sums from a switch
  TimedQueue<std::function<void()>> host;    ///< steps of the software

  /// With kernels; `plan` says what they do.
  CollectiveNode(const sc_core::sc_module_name& name, const SystemConfig& config, GpuId gpu,
                 const CollectivePlan& plan, PayloadPool& pool);
  /// With the DMA engine, as the tracker says.
  CollectiveNode(const sc_core::sc_module_name& name, const SystemConfig& config, GpuId gpu,
                 const CollectivePlan& plan, const TrackedUse& use, PayloadPool& pool);

  /// Starts the collective; `done` runs when all workers have ended.
  void launch(std::function<void(Picoseconds)> done);
  bool finished() const;  ///< the workers

  Ingress& entry(std::uint32_t link) override { return *ingress[link]; }
  /// Reads or writes local memory without timing.
  void debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                   std::uint32_t bytes);
  bool idle() const override;

  /// Before the run, in no simulated time: software does it during earlier work.
  void programTracker(const TrackedUse& use);

 private:
  void connect(const SystemConfig& config, GpuId gpu, const CollectivePlan& plan,
               PayloadPool& pool);
  void connectSwitchLoads(const SystemConfig& config, GpuId gpu, PayloadPool& pool);
  void connectGemmSide(const CollectivePlan& plan, GpuId gpu);
  void arrived(const Payload& payload, std::uint32_t entry, Picoseconds when);
  tlm::tlm_sync_enum release(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  /// With a tracker. No kernel waits for rows, so none is released.
  std::unique_ptr<tlm_utils::simple_target_socket<CollectiveNode>> releases_;
};

}  // namespace t3
