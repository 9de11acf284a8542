// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "testbench/workload/workload.h"
#include "tlm/node/graph.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// So many kernels and waits of a trace run on one machine.
inline constexpr std::size_t kMostTraceKernels = 1000;

/// Who does the collectives behind GEMMs.
enum class Pairs : std::uint8_t {
  Kernels,
  Loads,  ///< kernels whose loads a switch answers with sums
  TrackedSums,
  Tracked
};

/// So many bytes that are in memory, cut into tiles such that the chunks of a route are of equal
/// size within 2 %, or differ least.
OutputShape givenOutput(const SystemConfig& config, std::uint64_t bytes);

/// A trace as a graph for each kind of mode, and what it has otherwise than the trace, a line each.
struct TraceGraphs {
  FileGraphs graphs;
  std::vector<std::string> notes;
};

/// Everything that a trace does, as kernels of one machine, whose GPUs all do the same.
///
/// GEMMs, collectives and other times are those of the plan. A collective behind a GEMM becomes a
/// reduce-scatter and an all-gather, by kernels or trackers; other collectives are kernels on a
/// given output. Nodes that take no time are left out. Dependencies become edges, and so does the
/// order of a stream: that of the file where dependencies leave it open. With `trace.overlap` =
/// none all but the host's nodes are one stream, in which a pair runs to its end; else there is one
/// of compute and one of collectives by kernels. What trackers do belongs to none.
///
/// Throws ConfigError where GPUs differ, a collective is not one of all GPUs, or a node does not
/// run on one machine.
TraceGraphs traceGraphs(const Workload& workload, const SystemConfig& scenario);
/// The same of the trace that `workload.graph` names.
TraceGraphs readTraceGraphs(const SystemConfig& scenario);

}  // namespace t3
