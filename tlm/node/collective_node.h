// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "tlm/collectives/step_worker.h"
#include "tlm/gpu/dma_engine.h"
#include "tlm/gpu/ingress.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/fabric_node.h"
#include "tlm/node/system_config.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// One GPU that runs a collective from a file alone: who does the steps, and the entries of the
/// links that end here. With kernels nothing is tracked.
class CollectiveNode : public FabricNode {
 public:
  std::unique_ptr<DmaEngine> dma;                    ///< as the tracker
  std::vector<std::unique_ptr<StepWorker>> workers;  ///< that run side by side
  std::vector<std::unique_ptr<Ingress>> ingress;

  /// `plan` says what kernels do, or with a tracker what the DMA engine does.
  CollectiveNode(const sc_core::sc_module_name& name, const SystemConfig& config, GpuId gpu,
                 const CollectivePlan& plan, std::uint32_t linkCount, std::uint32_t entryCount,
                 const std::optional<TrackerChoice>& choice, PayloadPool& pool);

  /// Starts the collective; `done` runs when all workers have ended. Between two launches `renew`.
  void launch(std::function<void(Picoseconds)> done);
  void renew();
  bool finished() const;  ///< the workers

  Ingress& entry(std::uint32_t link) override { return *ingress[link]; }
  bool idle() const override;

  /// Of a node that tracks: before the run, in no simulated time, because software does it during
  /// earlier work; and for one more run.
  void programTracker();
  void programTrackerAgain(TrackerDriver::Done done);

 private:
  void addKernels(const SystemConfig& config, PayloadPool& pool);
  void addEngine(const SystemConfig& config, PayloadPool& pool);
  void connect(const SystemConfig& config, std::uint32_t linkCount, std::uint32_t entryCount,
               PayloadPool& pool);
  void arrived(const Payload& payload, Picoseconds when);

  const GpuId gpu_;
  const CollectivePlan& plan_;
  std::vector<TrackedRegion> regions_;  ///< none where no message comes
};

}  // namespace t3
