// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/node/collective_data.h"
#include "tlm/node/collective_node.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/executor.h"
#include "tlm/node/graph.h"
#include "tlm/node/job.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_rtl.h"

namespace t3 {

/// A collective alone, `workload.repeat` times: in mode `sequential` by kernels, in modes with
/// tracking by trackers and DMA engines.
///
/// Time 0 is the first instruction of the kernels, or the moment when trackers and DMA engines may
/// begin. A further round begins a kernel launch after the one before on the same GPU, or later
/// (Executor), with the inputs of the first in their places again.
class CollectiveJob : public Job, Machine {
 public:
  /// `meaning` outlives the job.
  CollectiveJob(const SystemConfig& config, const AlgorithmMeaning& meaning, Mode mode,
                TrackerKind tracker, const SystemRtl& rtl, const Peers* peers);

  Fabric& fabric() override { return fabric_; }
  RunSubject& subject() override { return executor_; }
  void prepare() override;
  void check() override;
  Verification compare() override;
  GpuFigures figures(std::uint32_t gpu) const override;
  void report(const std::vector<GpuFigures>& gpus, RunResult& result) const override;
  void finish(RunResult& /*result*/, bool /*failed*/) const override {}

 private:
  // Machine
  const Fabric& fabric() const override { return fabric_; }
  void launch(std::uint32_t gpu, NodeId node) override;
  void setUp(std::uint32_t gpu, std::uint32_t /*part*/) override { node(gpu).programTracker(); }
  void setUpAgain(std::uint32_t gpu, Step done) override {
    node(gpu).programTrackerAgain(std::move(done));
  }
  bool tracksNoMore(std::uint32_t gpu) const override { return executor_.allEnded(gpu); }
  void renew(std::uint32_t gpu, Picoseconds begins) override;
  void roundOver(std::uint32_t gpu) override;
  bool sends(std::uint32_t gpu, std::uint32_t port) const override;
  bool idle() const override;
  std::uint64_t heartbeat() const override { return fabric_.heartbeat(); }
  double fractionDone() const override;
  Watchdog watchdog() const override;
  std::string whoWaits() const override;

  std::unique_ptr<CollectiveNode> makeNode(std::uint32_t gpu, TrackerKind tracker,
                                           const SystemRtl& rtl);
  CollectiveNode& node(std::uint32_t gpu) const { return *nodes_[gpu]; }
  void fillMemory(std::uint32_t gpu);
  void compare(std::uint32_t gpu);
  double boundNs() const;

  const SystemConfig config_;
  const AlgorithmMeaning& meaning_;
  const CollectivePlan plan_;
  const std::uint32_t repeat_;
  const Graph graph_;
  PayloadPool pool_;
  Fabric fabric_;
  std::vector<std::unique_ptr<CollectiveNode>> nodes_;  ///< by GPU; null for one of another process
  CollectiveData data_;
  Verification verification_;
  Executor executor_;
};

}  // namespace t3
