// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <boost/describe/class.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/hbm/hbm_statistics.h"
#include "tlm/node/machine.h"
#include "tlm/node/run_result.h"
#include "tlm/tracker/tracker.h"

namespace t3 {

/// What a node of the graph has done on a GPU, in all rounds.
struct NodeOnGpu {
  Picoseconds exposed = 0;  ///< `exposedTimes`
  std::uint64_t read = 0, written = 0, sent = 0;
};

/// All that a report needs to know of one GPU at the end of a run, whichever process simulated it.
struct GpuFigures {
  GpuResult result;
  std::vector<SublayerTimes> history;
  std::vector<NodeOnGpu> nodes;  ///< of the graph
  MemoryReport memory;
  std::uint64_t bursts = 0;
  std::uint64_t plain_link_bytes = 0;  ///< sent, in front of codecs
  TrackerStatistics tracker;
  TrackerSetup setup;
};
BOOST_DESCRIBE_STRUCT(GpuFigures, (),
                      (result, history, nodes, memory, bursts, plain_link_bytes, tracker, setup))

/// What memory, links and tracker have done; the rest is left as it is.
GpuFigures figuresOf(const GpuNode& node, std::uint32_t gpu);
/// All of a GPU of this process.
GpuFigures figuresOf(const Machine& machine, std::uint32_t gpu);
/// From the first GPU that starts a part of sublayer `number` to the last that ends it; GPUs of a
/// run that did not end may not have come so far. `part(times)` is its span.
TimeSpan spanOf(const std::vector<GpuFigures>& gpus, std::size_t number, const auto& part) {
  TimeSpan all;
  for (const GpuFigures& gpu : gpus) {
    if (number >= gpu.history.size()) continue;
    const TimeSpan span = part(gpu.history[number]);
    all.start = std::min(all.start, span.start);
    all.end = std::max(all.end, span.end);
  }
  return all;
}
TimeSpan spanOf(const std::vector<GpuFigures>& gpus, std::size_t number, Phase phase);

/// The time of each node of the graph that is its own on a GPU: at any time it is that of the first
/// node that runs, where all other nodes come before collectives, and else the order is the
/// graph's. They add up to the time in which any node runs.
std::vector<Picoseconds> exposedTimes(const Graph& graph,
                                      const std::vector<SublayerTimes>& history);

/// Adds what the GPUs, with memories, links and trackers, have done; of the set-ups of trackers
/// that of the GPU where it takes longest.
void addGpus(const std::vector<GpuFigures>& gpus, RunResult& result);
/// Adds when the nodes of the graph, and the zeroing, have run in each round, and what they did.
void addNodes(const Graph& graph, const std::vector<GpuFigures>& gpus, RunResult& result);
/// Adds the time of the run as the exposed times of its phases: the GEMM's lasts to the end of the
/// last GEMM; a collective's is the time by which it ends later than everything before it. Of
/// several rounds each is the sum. They add up to the time of the run.
void addExposedTimes(Collectives collectives, std::uint32_t rounds,
                     const std::vector<GpuFigures>& gpus, RunResult& result);
/// Of several sublayers, which `result` has: the time of one in the middle of many, and what GPUs
/// waited for to begin.
void addSteady(const std::vector<GpuFigures>& gpus, RunResult& result);

/// What the memories of the simulated GPUs have done so far.
MemoryReport memoryReport(const std::vector<GpuFigures>& gpus);

}  // namespace t3
