// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/executor.h"
#include "tlm/node/graph.h"
#include "tlm/node/judge.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"
#include "tlm/tracker/make_tracker.h"

namespace t3 {

/// What a `System` simulates: a graph, the machine that carries it out, the executor that says what
/// runs when, and who judges what has come of it.
class Job {
 public:
  /// The graph of a mode, `workload.repeat` times.
  Job(const SystemConfig& config, Mode mode, TrackerKind tracker, const SystemRtl& rtl = {},
      const Peers* peers = nullptr);
  /// A collective alone, `workload.repeat` times: in mode `sequential` by kernels, in modes with
  /// tracking by trackers and DMA engines. Time 0 is the first instruction of the kernels, or the
  /// moment when trackers and DMA engines may begin. `meaning` outlives the job.
  Job(const SystemConfig& config, const AlgorithmMeaning& meaning, Mode mode, TrackerKind tracker,
      const SystemRtl& rtl = {}, const Peers* peers = nullptr);

  Machine& machine() { return machine_; }
  Fabric& fabric() { return machine_.fabric(); }
  Executor& executor() { return executor_; }
  Judge& judge() { return *judge_; }

 private:
  const std::unique_ptr<const CollectivePlan> plan_;  ///< of a collective alone; else null
  const Graph graph_;
  Machine machine_;
  Executor executor_;
  const std::unique_ptr<Judge> judge_;
};

}  // namespace t3
