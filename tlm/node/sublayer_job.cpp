// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/sublayer_job.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/conservation.h"
#include "tlm/node/gemm_data.h"

namespace t3 {
namespace {

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
    const bool flagged = work->collective != &kReduceScatter && work->collective != &kAllGather &&
                         work->collective != &kAllReduce;
    return !flagged && !both(work->output);
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
          .launchLatency = picosecondsFromNs(config.gpu.kernel_launch_us * 1e3),
          .tracks = fused,
          .flags = fused || early,
          .fences = early || (fused && fenced)};
}

/// In which trackers count.
std::vector<OutputBuffer> buffersOf(const OutputPlan& output) {
  std::vector<OutputBuffer> list = {OutputBuffer::Output, OutputBuffer::Accumulation};
  if (output.layout.normed != 0) list.push_back(OutputBuffer::Normed);
  return list;
}

}  // namespace

SublayerJob::SublayerJob(const SystemConfig& config, Mode mode, TrackerKind tracker,
                         const SystemRtl& rtl, const Peers* peers)
    : mode_(mode),
      kind_(mode_.simulated()),
      graph_(mode_.graph(mode_.configured(config))),
      // A mode that tracks nothing still has trackers; the twin is the cheapest.
      machine_(mode_.configured(config), graph_, kind_.tracked ? tracker : TrackerKind::Model, rtl,
               peers),
      executor_(graph_, machine_, optionsOf(kind_, graph_, machine_.config())),
      data_(machine_) {
  if (config.workload.repeat > 1 && !kind_.repeats && !kind_.ideal) {
    throw std::invalid_argument(std::string("workload.repeat: expected 1, because mode ") +
                                kind_.name + " runs one sublayer, got " +
                                std::to_string(config.workload.repeat));
  }
  for (const OutputPlan* output : trackedOutputs()) {
    for (const std::uint32_t g : machine_.own()) {
      for (const OutputBuffer buffer : buffersOf(*output)) watch(g, *output, buffer);
    }
  }
  machine_.check({.begins = [this](std::uint32_t g) { data_.writeOperands(g); },
                  .sentOn =
                      [this](std::uint32_t g, const TrackedOutput& tracked) {
                        if (executor_.atLastRound(g)) return;
                        checkThenWatch(g, tracked.output(), OutputBuffer::Accumulation);
                      },
                  .over = [this](std::uint32_t g) { over(g); }});
}

/// The memory counts the updates of a sublayer.
void SublayerJob::watch(std::uint32_t g, const OutputPlan& output, OutputBuffer buffer) {
  using Start = UpdateLedger::Start;
  const bool uncleared = clears() && buffer == OutputBuffer::Output;
  const Route& route = machine_.route();
  HbmStack& memory = machine_.node(g).hbm;
  memory.watchUpdates(output.layout.base(buffer), output.tiling.outputBytes(),
                      route.mostUpdatesPerElement(), uncleared ? Start::Uncleared : Start::Free);
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    if (!route.sums(GpuId{g}, ChunkId{c}, buffer)) continue;
    const std::uint32_t updates = route.updatesPerElement(GpuId{g}, ChunkId{c});
    if (updates == route.mostUpdatesPerElement()) continue;
    for (const auto& [address, bytes] : machine_.areas(output, ChunkId{c}, buffer)) {
      memory.expectUpdates(address, bytes, updates);
    }
  }
}

/// What the next sublayer overwrites is checked as soon as it is complete. The last sublayer's is
/// checked at the end of the run.
void SublayerJob::over(std::uint32_t g) {
  data_.compare(g);
  for (const OutputPlan* output : trackedOutputs()) {
    checkThenWatch(g, *output, OutputBuffer::Output);
  }
}
void SublayerJob::checkThenWatch(std::uint32_t g, const OutputPlan& output, OutputBuffer buffer) {
  try {
    checkSums(machine_, g, output, buffer, ruleOf(output));
  } catch (const std::exception& failure) {
    SC_REPORT_ERROR("t3/node", failure.what());
  }
  watch(g, output, buffer);
}

std::vector<const OutputPlan*> SublayerJob::trackedOutputs() const {
  std::vector<const OutputPlan*> list;
  for (const auto& tracked : machine_.tracked()) {
    const OutputPlan* output = &tracked->output();
    if (std::ranges::find(list, output) == list.end()) list.push_back(output);
  }
  return list;
}

SumsRule SublayerJob::ruleOf(const OutputPlan& output) const {
  const bool gathers = std::ranges::any_of(machine_.tracked(), [&](const auto& tracked) {
    return &tracked->output() == &output && tracked->gathers();
  });
  return {.gathers = gathers, .ideal = kind_.ideal, .clears = clears()};
}

/// The memory clears what is summed there. A bound gets its zeros for free.
bool SublayerJob::clears() const {
  return kind_.tracked && !kind_.ideal &&
         machine_.config().hbm.initial_value == InitialValue::InMemory;
}

void SublayerJob::prepare() {
  for (const std::uint32_t g : machine_.own()) data_.writeOperands(g);
}

void SublayerJob::check() {
  checkConservation(machine_);
  for (const OutputPlan* output : trackedOutputs()) {
    for (const std::uint32_t g : machine_.own()) {
      for (const OutputBuffer buffer : buffersOf(*output)) {
        checkSums(machine_, g, *output, buffer, ruleOf(*output));
      }
    }
  }
  checkBufferIsZero();
}

Verification SublayerJob::compare() {
  for (const std::uint32_t g : machine_.own()) data_.compare(g);
  return data_.verification();
}

/// The next kernel needs zeros in the accumulation buffer. Sums of checked data show whether they
/// are there.
void SublayerJob::checkBufferIsZero() {
  if (!clears() || machine_.config().data != DataMode::Checked) return;
  for (const OutputPlan* output : trackedOutputs()) {
    for (const std::uint32_t g : machine_.own()) {
      if (holdsZeros(memoryOf(machine_.node(g)), output->layout.accumulation,
                     output->tiling.outputBytes())) {
        continue;
      }
      throw std::runtime_error("gpu" + std::to_string(g) +
                               ": the accumulation buffer is not zero at the end");
    }
  }
}

/// GEMMs come first, then norms, collectives and what consumes their outputs.
void SublayerJob::addPhases(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  const auto place = [](const GraphNode& node) {
    return node.phase == Phase::Gemm       ? 0
           : node.phase == Phase::Norm     ? 1
           : node.phase == Phase::Consumer ? 3
                                           : 2;
  };
  std::vector<NodeId> order(graph_.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](NodeId n) { return place(graph_.nodes[n]); });
  for (std::uint32_t round = 0; round < executor_.rounds(); ++round) {
    const auto add = [&](const std::string& name, const auto& part) {
      const TimeSpan span = spanOf(gpus, round, part);
      if (span.end != 0) result.phases.push_back({name, span.start, span.end, round});
    };
    add("zeroing", [](const SublayerTimes& times) { return times.zeroing; });
    for (const NodeId n : order) {
      add(graph_.nodes[n].name, [n](const SublayerTimes& times) { return times.nodes[n]; });
    }
  }
}

GpuFigures SublayerJob::figures(std::uint32_t gpu) const {
  GpuFigures figures = figuresOf(machine_, gpu);
  if (!kind_.tracked) figures.tracker = {}, figures.setup = {};
  return figures;
}

void SublayerJob::report(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  if (kind_.summarise != nullptr) {
    kind_.summarise(machine_.config(), gpus, result);
  } else {
    addExposedTimes(machine_.collectives(), executor_.rounds(), gpus, result);
  }
  addPhases(gpus, result);
  for (const Collective* collective : machine_.collectives()) {
    result.of(collective->phase).name = collective->name;
  }
  const std::uint32_t repeat = machine_.config().workload.repeat;
  if (executor_.rounds() < repeat) countAgain(result, repeat);
}

void SublayerJob::finish(RunResult& result, bool failed) const {
  if (mode_.kind->finish != nullptr && !failed) mode_.kind->finish(result);
  addBounds(machine_.config(), mode_, result);
}

}  // namespace t3
