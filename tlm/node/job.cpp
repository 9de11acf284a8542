// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/job.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "tlm/collectives/collective.h"
#include "tlm/node/judge.h"

namespace t3 {
namespace {

Picoseconds launchLatency(const SystemConfig& config) {
  return picosecondsFromNs(config.gpu.kernel_launch_us * 1e3);
}

/// Whether a GPU that has ended a round may send to one that has not: when its own kernel of a
/// collective ends, it has received all, but what it has sent need not have been taken. Kernels of
/// a reduce-scatter and then an all-gather of the same output are safe, since what one receives in
/// the second shows that all have ended the first; and those that a switch serves raise flags.
bool meetsEarlier(const Graph& graph) {
  const auto both = [&](std::uint32_t output) {
    std::uint32_t kinds = 0;
    for (const GraphNode& node : graph.nodes) {
      const auto* work = node.as<CollectiveWork>();
      if (work == nullptr || work->plan != nullptr || work->output != output) continue;
      if (work->collective == &kReduceScatter) kinds |= 1;
      if (work->collective == &kAllGather) kinds |= 2;
    }
    return kinds == 3;
  };
  return std::ranges::any_of(graph.nodes, [&](const GraphNode& node) {
    const auto* work = node.as<CollectiveWork>();
    if (work == nullptr || work->plan != nullptr || work->tracked) return false;
    return !servedBySwitch(*work->collective) && !both(work->output);
  });
}

ExecutorOptions optionsOf(const ModeKind& kind, const Graph& graph, const SystemConfig& config) {
  // What trackers have counted is on its way into the memory; kernels behind it are late enough.
  const bool fenced = std::ranges::any_of(graph.trackings, [&](const Tracking& tracking) {
    return tracking.gathers ||
           std::ranges::none_of(graph.edges, [sums = *tracking.sums](const GraphEdge& edge) {
             return edge.from == sums && edge.gate == Gate::After;
           });
  });
  const bool fused = graph.fused();
  const bool early = meetsEarlier(graph);
  return {.rounds = kind.repeats ? config.workload.repeat : 1,
          .launchLatency = launchLatency(config),
          .tracks = fused,
          .flags = fused || early,
          .fences = early || (fused && fenced)};
}

/// Nothing but the collective.
Graph graphOf(const CollectivePlan& plan) {
  Graph graph;
  graph.add({plan.tracked() ? "joins" : "kernel", kCollectivePhase,
             CollectiveWork{.tracked = plan.tracked(), .plan = &plan}});
  if (plan.tracked()) graph.trackings = {{.sums = 0}};
  return graph;
}

}  // namespace

Job::Job(const SystemConfig& config, Mode mode, TrackerKind tracker, const SystemRtl& rtl,
         const Peers* peers)
    : graph_(mode.graph(mode.configured(config))),
      // A mode that tracks nothing still has trackers; the twin is the cheapest.
      machine_(mode.configured(config), graph_,
               mode.simulated().tracked ? tracker : TrackerKind::Model, rtl, peers),
      executor_(graph_, machine_, optionsOf(mode.simulated(), graph_, machine_.config())),
      judge_(std::make_unique<OutputJudge>(mode, machine_)) {
  const ModeKind& kind = mode.simulated();
  if (config.workload.repeat > 1 && !kind.repeats && !kind.ideal) {
    throw std::invalid_argument(std::string("workload.repeat: expected 1, because mode ") +
                                kind.name + " runs one sublayer, got " +
                                std::to_string(config.workload.repeat));
  }
}

Job::Job(const SystemConfig& config, const AlgorithmMeaning& meaning, Mode mode,
         TrackerKind tracker, const SystemRtl& rtl, const Peers* peers)
    : plan_(std::make_unique<CollectivePlan>(mode.configured(config), meaning, mode.kind->tracked)),
      graph_(graphOf(*plan_)),
      machine_(mode.configured(config), graph_, tracker, rtl, peers),
      executor_(graph_, machine_,
                {.rounds = config.workload.repeat,
                 .launchLatency = launchLatency(machine_.config()),
                 .tracks = plan_->tracked(),
                 .flags = true,
                 .fences = true}),
      judge_(std::make_unique<AlgorithmJudge>(meaning, *plan_, machine_)) {}

}  // namespace t3
