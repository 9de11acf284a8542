// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/sublayer_job.h"

#include <stdexcept>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/conservation.h"
#include "tlm/node/gemm_data.h"

namespace t3 {
namespace {

ExecutorOptions optionsOf(const ModeKind& kind, const Graph& graph, const SystemConfig& config) {
  const auto gather = graph.find(Phase::AllGather);
  const bool fused = graph.fused();
  return {.rounds = kind.repeats ? config.workload.repeat : 1,
          .launchLatency = picosecondsFromNs(config.gpu.kernel_launch_us * 1e3),
          .tracks = fused,
          .flags = fused,
          .fences = fused && gather && graph.nodes[*gather].tracked()};
}

}  // namespace

SublayerJob::SublayerJob(const SystemConfig& config, Mode mode, TrackerKind tracker,
                         const SystemRtl& rtl, const Peers* peers)
    : mode_(mode),
      kind_(mode_.simulated()),
      graph_(mode_.kind->graph(mode_.configured(config))),
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
  if (kind_.tracked) {
    for (const std::uint32_t g : machine_.own()) {
      watch(g, OutputBuffer::Output);
      watch(g, OutputBuffer::Accumulation);
      if (config.workload.norms()) watch(g, OutputBuffer::Normed);
    }
  }
  machine_.check(
      {.begins = [this](std::uint32_t g) { data_.writeOperands(g); },
       .sentOn = [this](std::uint32_t g) { checkThenWatch(g, OutputBuffer::Accumulation); },
       .over = [this](std::uint32_t g) { over(g); }});
}

/// The memory counts the updates of a sublayer.
void SublayerJob::watch(std::uint32_t g, OutputBuffer buffer) {
  using Start = UpdateLedger::Start;
  const bool uncleared = clears() && buffer == OutputBuffer::Output;
  const Route& route = machine_.route();
  HbmStack& memory = machine_.node(g).hbm;
  memory.watchUpdates(machine_.layout().base(buffer), machine_.tiling().outputBytes(),
                      route.mostUpdatesPerElement(), uncleared ? Start::Uncleared : Start::Free);
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    if (!route.sums(GpuId{g}, ChunkId{c}, buffer)) continue;
    const std::uint32_t updates = route.updatesPerElement(GpuId{g}, ChunkId{c});
    if (updates == route.mostUpdatesPerElement()) continue;
    for (const auto& [address, bytes] : machine_.areas(ChunkId{c}, buffer)) {
      memory.expectUpdates(address, bytes, updates);
    }
  }
}

/// What the next sublayer overwrites is checked as soon as it is complete. The last sublayer's is
/// checked at the end of the run.
void SublayerJob::over(std::uint32_t g) {
  data_.compare(g);
  if (kind_.tracked) checkThenWatch(g, OutputBuffer::Output);
}
void SublayerJob::checkThenWatch(std::uint32_t g, OutputBuffer buffer) {
  try {
    checkSums(machine_, g, buffer, kind_, clears());
  } catch (const std::exception& failure) {
    SC_REPORT_ERROR("t3/node", failure.what());
  }
  watch(g, buffer);
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
  checkConservation(machine_, kind_, clears());
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
  for (const std::uint32_t g : machine_.own()) {
    if (holdsZeros(memoryOf(machine_.node(g)), machine_.layout().accumulation,
                   machine_.tiling().outputBytes())) {
      continue;
    }
    throw std::runtime_error("gpu" + std::to_string(g) +
                             ": the accumulation buffer is not zero at the end");
  }
}

void SublayerJob::addPhases(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  for (std::uint32_t sublayer = 0; sublayer < executor_.rounds(); ++sublayer) {
    const auto add = [&](const char* name, const auto& part) {
      const TimeSpan span = spanOf(gpus, sublayer, part);
      if (span.end != 0) result.phases.push_back({name, span.start, span.end, sublayer});
    };
    add("zeroing", [](const SublayerTimes& times) { return times.zeroing; });
    add("gemm", Phase::Gemm);
    add("norm", Phase::Norm);
    for (const Collective* collective : machine_.collectives()) {
      add(collective->name, collective->phase);
    }
    add("consumer", Phase::Consumer);
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
