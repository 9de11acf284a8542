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
#include "tlm/node/job.h"
#include "tlm/node/mode.h"
#include "tlm/node/rounds.h"
#include "tlm/node/system_rtl.h"

namespace t3 {

/// A collective alone, `workload.repeat` times: in mode `sequential` by kernels, in modes with
/// tracking by trackers and DMA engines.
///
/// Time 0 is the first instruction of the kernels, or the moment when trackers and DMA engines may
/// begin. A further round begins a kernel launch after the one before on the same GPU, or later
/// (Rounds), with the inputs of the first in their places again.
class CollectiveJob : public Job, RunSubject {
 public:
  /// `meaning` outlives the job.
  CollectiveJob(const SystemConfig& config, const AlgorithmMeaning& meaning, Mode mode,
                TrackerKind tracker, const SystemRtl& rtl, const Peers* peers);

  Fabric& fabric() override { return fabric_; }
  RunSubject& subject() override { return *this; }
  void prepare() override;
  void check() override;
  Verification compare() override;
  GpuFigures figures(std::uint32_t gpu) const override;
  void report(const std::vector<GpuFigures>& gpus, RunResult& result) const override;
  void finish(RunResult& /*result*/, bool /*failed*/) const override {}

 private:
  // RunSubject
  void start() override;
  bool finished() const override;
  bool idle() const override;
  std::uint64_t heartbeat() const override { return fabric_.heartbeat(); }
  Picoseconds lookahead() const override { return fabric_.lookahead(); }
  double fractionDone() const override;
  Watchdog watchdog() const override;
  std::string whoWaits() const override;

  std::unique_ptr<CollectiveNode> makeNode(std::uint32_t gpu, TrackerKind tracker,
                                           const SystemRtl& rtl);
  CollectiveNode& node(std::uint32_t gpu) const { return *nodes_[gpu]; }
  bool sends(std::uint32_t gpu, std::uint32_t port) const;
  bool atLastRound(std::uint32_t gpu) const { return history_[gpu].size() == repeat_; }
  void begin(std::uint32_t gpu);
  void ended(std::uint32_t gpu, Picoseconds when);
  void fillMemory(std::uint32_t gpu);
  void compare(std::uint32_t gpu);
  double boundNs() const;

  const SystemConfig config_;
  const AlgorithmMeaning& meaning_;
  const CollectivePlan plan_;
  const std::uint32_t repeat_;
  PayloadPool pool_;
  Fabric fabric_;
  std::vector<std::unique_ptr<CollectiveNode>> nodes_;  ///< by GPU; null for one of another process
  CollectiveData data_;
  Verification verification_;
  Rounds rounds_;
  std::vector<std::vector<SublayerTimes>> history_;  ///< [gpu][round]
};

}  // namespace t3
