// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu_figures.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace t3 {

GpuFigures figuresOf(const GpuNode& node, std::uint32_t gpu) {
  const HbmStatistics& memory = node.hbm.statistics();
  GpuFigures figures;
  figures.result.gpu = gpu;
  figures.result.dram_bytes = memory.phaseBytes;
  for (const StatisticRow& row : memory.rows(node.hbm.config(), now())) {
    figures.memory.figures.push_back({row.name, row.description, row.unit, {row.value}});
  }
  figures.memory.queue_occupancy = memory.occupancy;
  figures.memory.window_ns = static_cast<double>(memory.windowLength) / 1e3;
  figures.memory.bytes_over_time = memory.overTime;
  figures.bursts = memory.bursts();
  figures.result.row_hit_rate = memory.rowHitRate();
  figures.result.mca_threshold = memory.ofArbitration("mca_threshold");
  figures.result.link_bytes = node.sentBytes();
  for (const auto& link : node.links) figures.plain_link_bytes += link->statistics().plainBytes;
  if (node.tracker) {
    figures.tracker = node.tracker->statistics();
    figures.setup = node.driver->setup();
  }
  return figures;
}

GpuFigures figuresOf(const Machine& machine, std::uint32_t gpu) {
  const GpuNode& node = machine.node(gpu);
  const Executor& executor = machine.executor();
  GpuFigures figures = figuresOf(node, gpu);
  for (const Executor::Round& round : executor.history(gpu)) {
    SublayerTimes& times = figures.history.emplace_back();
    times.zeroing = round.zeroing;
    times.waited = round.waited;
    times.nodes = round.nodes;
    for (NodeId n = 0; n < round.nodes.size(); ++n) {
      TimeSpan& phase = times.phases[machine.graph().nodes[n].phase];
      phase.start = std::min(phase.start, round.nodes[n].start);
      phase.end = std::max(phase.end, round.nodes[n].end);
    }
  }
  const std::vector<Picoseconds> exposed = exposedTimes(machine.graph(), figures.history);
  for (NodeId n = 0; n < exposed.size(); ++n) {
    const auto number = n;
    const auto [read, written] = node.hbm.statistics().nodeBytes.of(number);
    figures.nodes.push_back({exposed[n], read, written, node.sentBytes(number)});
  }
  const SublayerTimes& last = figures.history.back();
  GpuResult& result = figures.result;
  result.gemm_end_ps = last.phases[Phase::Gemm].end;
  for (const Collective* collective : machine.graph().collectives()) {
    const Picoseconds end = last.phases[collective->phase].end;
    if (collective->reduceScatters()) result.reduce_scatter_end_ps = end;
    if (collective->gathers()) result.all_gather_end_ps = end;
  }
  result.consumer_end_ps = last.phases[Phase::Consumer].end;
  result.zeroed_ps = last.zeroing.end;
  for (const Gpu::Kernels& kernels : node.gpu.nodes) {
    if (kernels.gemm) result.store_zero_wait_ps += kernels.gemm->statistics().zeroWait;
  }
  for (const auto& ingress : node.gpu.ingress) result.ingress_zero_wait_ps += ingress->zeroWait();
  return figures;
}

std::vector<Picoseconds> exposedTimes(const Graph& graph,
                                      const std::vector<SublayerTimes>& history) {
  // Rank of a node, and the node: the lowest pair of those that run has the time.
  using Running = std::pair<bool, NodeId>;
  std::vector<std::tuple<Picoseconds, bool, Running>> changes;
  for (const SublayerTimes& round : history) {
    for (NodeId n = 0; n < round.nodes.size(); ++n) {
      const TimeSpan& span = round.nodes[n];
      if (span.length() == 0) continue;
      const Running running{graph.nodes[n].as<CollectiveWork>() != nullptr, n};
      changes.emplace_back(span.start, true, running);
      changes.emplace_back(span.end, false, running);
    }
  }
  std::ranges::sort(changes);
  std::vector<Picoseconds> exposed(graph.nodes.size());
  std::multiset<Running> running;
  Picoseconds before = 0;
  for (const auto& [when, begins, one] : changes) {
    if (!running.empty()) exposed[running.begin()->second] += when - before;
    before = when;
    begins ? void(running.insert(one)) : void(running.erase(running.find(one)));
  }
  return exposed;
}

TimeSpan spanOf(const std::vector<GpuFigures>& gpus, std::size_t number, Phase phase) {
  return spanOf(gpus, number, [phase](const SublayerTimes& times) { return times.phases[phase]; });
}

void addGpus(const std::vector<GpuFigures>& gpus, RunResult& result) {
  PhaseBytes mean;
  for (const GpuFigures& gpu : gpus) {
    result.per_gpu.push_back(gpu.result);
    result.link_bytes += gpu.result.link_bytes;
    result.plain_link_bytes += gpu.plain_link_bytes;
    result.dram_bursts += gpu.bursts;
    mean += gpu.result.dram_bytes;
    addFigures<TrackerTotals>(result.tracker_stats, gpu.tracker);
    SetupFigures& setup = result.setup;
    setup.register_accesses = std::max(setup.register_accesses, gpu.setup.accesses);
    setup.first_ns = std::max(setup.first_ns, nanoseconds(gpu.setup.first));
    setup.again_ns = std::max(setup.again_ns, nanoseconds(gpu.setup.again));
  }
  mean /= gpus.size();
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    result.by_phase[phase].dram_read = mean.values[phase][0];
    result.by_phase[phase].dram_write = mean.values[phase][1];
  }
  result.memory = memoryReport(gpus);
}

namespace {

/// GEMMs come first, then norms, collectives and what consumes their outputs.
std::vector<NodeId> listed(const Graph& graph) {
  const auto place = [&](NodeId n) {
    const Phase phase = graph.nodes[n].phase;
    return phase == Phase::Gemm ? 0 : phase == Phase::Norm ? 1 : phase == Phase::Consumer ? 3 : 2;
  };
  std::vector<NodeId> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, place);
  return order;
}

}  // namespace

void addNodes(const Graph& graph, const std::vector<GpuFigures>& gpus, RunResult& result) {
  for (NodeId n = 0; n < graph.nodes.size(); ++n) {
    NodeFigures& node = result.nodes.emplace_back();
    node.name = graph.nodes[n].name;
    node.kind = graph.nodes[n].kind();
    for (const GpuFigures& gpu : gpus) {
      node.exposed_ns += nanoseconds(gpu.nodes[n].exposed) / static_cast<double>(gpus.size());
      node.dram_read += gpu.nodes[n].read;
      node.dram_write += gpu.nodes[n].written;
      node.link_bytes += gpu.nodes[n].sent;
    }
    for (std::uint64_t* bytes : {&node.dram_read, &node.dram_write, &node.link_bytes}) {
      *bytes /= gpus.size();
    }
  }
  std::size_t rounds = 0;
  for (const GpuFigures& gpu : gpus) rounds = std::max(rounds, gpu.history.size());
  const std::vector<NodeId> order = listed(graph);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const auto add = [&](const std::string& name, const auto& part) {
      const TimeSpan span = spanOf(gpus, round, part);
      if (span.end != 0) result.phases.push_back({name, span.start, span.end, round});
      return span;
    };
    add("zeroing", [](const SublayerTimes& times) { return times.zeroing; });
    for (const NodeId n : order) {
      const TimeSpan span =
          add(graph.nodes[n].name, [n](const SublayerTimes& times) { return times.nodes[n]; });
      if (span.end == 0) continue;
      NodeFigures& node = result.nodes[n];
      if (node.end_ps == 0) node.start_ps = span.start;
      node.end_ps = span.end;
    }
  }
}

void addExposedTimes(Collectives collectives, std::uint32_t rounds,
                     const std::vector<GpuFigures>& gpus, RunResult& result) {
  Picoseconds end = 0;
  for (std::uint32_t number = 0; number < rounds; ++number) {
    TimeSpan first = spanOf(gpus, number, Phase::Gemm);
    for (std::size_t phase = 0; phase < kPhases && !first.begun(); ++phase) {
      first = spanOf(gpus, number, static_cast<Phase>(phase));
    }
    if (!first.begun()) break;  // the run has failed before
    SublayerSpan sublayer;
    sublayer.start_ps = number == 0 ? 0 : first.start;
    const auto add = [&](Phase phase) {
      const TimeSpan span = spanOf(gpus, number, phase);
      const Picoseconds next = std::max(end, span.end);
      sublayer.phase_ns[phase] += nanoseconds(next - end);
      end = next;
    };
    add(Phase::Gemm);
    for (const Collective* collective : collectives) {
      if (collective->gathers()) add(Phase::Norm);
      add(collective->phase);
    }
    add(Phase::Consumer);
    for (std::size_t phase = 0; phase < kPhases; ++phase) add(static_cast<Phase>(phase));
    sublayer.end_ps = std::max(end, sublayer.start_ps);
    result.add(sublayer);
  }
  result.time_ps = end;
  addSteady(gpus, result);
}

void addSteady(const std::vector<GpuFigures>& gpus, RunResult& result) {
  if (result.sublayers.size() < 2) return;
  const auto further = static_cast<double>(result.sublayers.size() - 1);
  const Picoseconds first = result.sublayers.front().end_ps;
  result.steady_ns = nanoseconds(std::max(first, result.time_ps) - first) / further;
  double waited = 0;
  for (const GpuFigures& gpu : gpus) {
    Picoseconds ofGpu = 0;
    for (const SublayerTimes& times : gpu.history) ofGpu += times.waited;
    waited += nanoseconds(ofGpu);
  }
  result.setup.wait_ns = waited / static_cast<double>(gpus.size()) / further;
}

MemoryReport memoryReport(const std::vector<GpuFigures>& gpus) {
  MemoryReport report;
  for (const GpuFigures& gpu : gpus) {
    report.window_ns = std::max(report.window_ns, gpu.memory.window_ns);
  }
  for (const GpuFigures& gpu : gpus) {
    for (std::size_t i = 0; i < gpu.memory.figures.size(); ++i) {
      const MemoryFigure& own = gpu.memory.figures[i];
      if (i == report.figures.size()) {
        report.figures.push_back({own.name, own.description, own.unit, {}});
      }
      report.figures[i].per_gpu.push_back(own.per_gpu.front());
    }
    report.queue_occupancy.resize(gpu.memory.queue_occupancy.size());
    for (std::size_t i = 0; i < report.queue_occupancy.size(); ++i) {
      report.queue_occupancy[i] += gpu.memory.queue_occupancy[i];
    }
    // Busy or late GPUs have longer windows, by powers of two.
    BytesOverTime own = gpu.memory.bytes_over_time;
    for (double length = gpu.memory.window_ns; length < report.window_ns; length *= 2) {
      joinPairs(own);
    }
    auto& windows = report.bytes_over_time;
    windows.resize(std::max(windows.size(), own.size()));
    for (std::size_t w = 0; w < own.size(); ++w) windows[w] += own[w];
  }
  for (PhaseBytes& window : report.bytes_over_time) window /= gpus.size();
  return report;
}

}  // namespace t3
