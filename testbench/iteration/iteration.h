// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "testbench/timeline/trace_events.h"
#include "testbench/workload/work_plan.h"
#include "tlm/node/mode.h"

namespace t3 {

/// How long a part takes.
struct PartTime {
  Picoseconds gemm = 0;   ///< to the end of the last GPU's GEMM, if there is one
  Picoseconds total = 0;  ///< from time 0, the first instruction, to the end
};

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

/// Walks the graph of a workload with the times of its parts. Its meetings have no circle, so every
/// node has its turn.
///
/// A GPU has a stream of compute and memory nodes and one of collectives and sends, and the host
/// one; with `trace.overlap` = none the first two are one. A stream runs one node at a time: the
/// one that has been ready longest, then communication first, then by the order of the file. A
/// collective starts when it is ready, and the stream free, on all its GPUs; until then it holds
/// none. A pair is one kernel in a mode with tracking, which starts on all its GPUs together and
/// holds compute to the end of the GEMM and communication to its own; in `sequential` it is two
/// nodes. A receive holds nothing. Kernels start gpu.kernel_launch_us after what they waited for.
Iteration walk(const Workload& workload, const WorkPlan& plan, const std::vector<PartTime>& times,
               const SystemConfig& scenario, Mode mode);

/// Draws an iteration: for every GPU its streams (compute, communication, host) and the messages on
/// their way to it, with the nodes by their names. Finishes the file.
void drawIteration(TraceEvents& file, const Workload& workload, const Iteration& iteration);

}  // namespace t3
