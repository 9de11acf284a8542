// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/iteration/iteration.h"
#include "testbench/simulate/crew.h"
#include "testbench/simulate/worker.h"
#include "testbench/workload/part.h"
#include "testbench/workload/work_plan.h"
#include "testbench/workload/workload.h"
#include "tlm/node/mode.h"

namespace t3 {

/// The simulations of a part in a mode, and how its time follows from their results.
struct PartJobs {
  std::vector<WorkerJob> jobs;
  std::uint32_t chunks = 0;  ///< into which a collective cuts its bytes
  PartTime timeOf(const WorkPart& part, const std::vector<RunRecord>& records) const;
};

/// One mode of a workload.
struct WorkloadRun {
  Mode mode = Mode::Sequential;
  std::string error;            ///< empty if all parts ran without one
  std::vector<PartTime> parts;  ///< [part]
  Iteration iteration;
  double wall_s = 0;       ///< of its simulations, one after the other
  double peak_rss_mb = 0;  ///< of the largest of them
};

/// A workload that has run on a machine.
struct WorkloadReport {
  const Workload* workload = nullptr;
  const WorkPlan* plan = nullptr;
  std::vector<std::string> files;
  SystemConfig scenario;
  TrackerKind tracker = TrackerKind::Rtl;
  std::uint64_t simulations = 0;  ///< different ones, of all modes
  std::vector<WorkloadRun> runs;

  bool failed() const;
};

/// Has the crew simulate every different part once, then walks the graph with their times.
void runWorkload(WorkloadReport& report, const std::vector<Mode>& modes, Crew& crew,
                 bool showProgress);

}  // namespace t3
