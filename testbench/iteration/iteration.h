// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "testbench/iteration/part_jobs.h"
#include "testbench/workload/work_plan.h"
#include "tlm/node/mode.h"

namespace t3 {

/// What a GPU did from `start` to `end`.
struct WorkSpan {
  std::uint32_t node = 0;
  WorkKind kind = WorkKind::Nothing;
  Picoseconds start = 0, end = 0;
};

struct GpuIteration {
  std::vector<WorkSpan> spans;  ///< in the order of their ends; nodes that take time only
  Picoseconds end = 0;          ///< of its last node
};

/// An iteration as it ran.
struct Iteration {
  std::vector<GpuIteration> gpus;
  Picoseconds end = 0;
};

/// Walks the graph of a workload with the times of its parts.
///
/// A GPU has a stream of compute (compute and memory nodes) and one of communication
/// (collectives and sends), and the host one of its own; with `trace.overlap` = none the first two
/// are one. A stream runs one node at a time, of those that are ready the one that has been ready
/// longest, then communication first, then by the order of the file. A collective starts when it is
/// ready, and the stream free, on all its GPUs; until then it holds none of them. A pair is one
/// kernel in a mode with tracking: it starts on all its GPUs together, and holds compute to the end
/// of the GEMM and communication to its own end; in `sequential` it is two nodes, one after the
/// other. A receive holds nothing. Kernels start gpu.kernel_launch_us after what they waited for.
///
/// `meetings` have no circle, so every node has its turn.
Iteration walk(const Workload& workload, const WorkPlan& plan, const std::vector<PartTime>& times,
               const SystemConfig& scenario, Mode mode);

}  // namespace t3
