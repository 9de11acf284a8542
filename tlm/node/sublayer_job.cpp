// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/sublayer_job.h"

#include <stdexcept>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/conservation.h"
#include "tlm/node/gemm_data.h"

namespace t3 {

SublayerJob::SublayerJob(const SystemConfig& config, Mode mode, TrackerKind tracker,
                         const SystemRtl& rtl, const Peers* peers)
    : mode_(mode),
      kind_(mode_.simulated()),
      // A mode that tracks nothing still has trackers; the twin is the cheapest.
      cluster_(mode_.configured(config), kind_.tracked ? tracker : TrackerKind::Model, rtl,
               mode_.collectives(config), peers),
      data_(cluster_),
      program_(kind_.program(cluster_)) {
  if (config.workload.repeat > 1 && !kind_.repeats && !kind_.ideal) {
    throw std::invalid_argument(std::string("workload.repeat: expected 1, because mode ") +
                                kind_.name + " runs one sublayer, got " +
                                std::to_string(config.workload.repeat));
  }
  if (kind_.tracked) {
    for (const std::uint32_t g : cluster_.own()) {
      watch(g, OutputBuffer::Output);
      watch(g, OutputBuffer::Accumulation);
      if (config.workload.norms()) watch(g, OutputBuffer::Normed);
    }
  }
  cluster_.watch({.begins = [this](std::uint32_t g) { data_.writeOperands(g); },
                  .tracksNoMore = [this](std::uint32_t g) { sentOn(g); },
                  .ended = [this](std::uint32_t g) { ended(g); }});
}

/// The memory counts the updates of a sublayer.
void SublayerJob::watch(std::uint32_t g, OutputBuffer buffer) {
  using Start = UpdateLedger::Start;
  const bool uncleared = clears() && buffer == OutputBuffer::Output;
  const Route& route = cluster_.route();
  HbmStack& memory = cluster_.node(g).hbm;
  memory.watchUpdates(cluster_.layout().base(buffer), cluster_.tiling().outputBytes(),
                      route.mostUpdatesPerElement(), uncleared ? Start::Uncleared : Start::Free);
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    if (!route.sums(GpuId{g}, ChunkId{c}, buffer)) continue;
    const std::uint32_t updates = route.updatesPerElement(GpuId{g}, ChunkId{c});
    if (updates == route.mostUpdatesPerElement()) continue;
    for (const auto& [address, bytes] : cluster_.areas(ChunkId{c}, buffer)) {
      memory.expectUpdates(address, bytes, updates);
    }
  }
}

/// What the next sublayer overwrites is checked as soon as it is complete. The last sublayer's is
/// checked at the end of the run.
void SublayerJob::sentOn(std::uint32_t g) {
  if (cluster_.atLastSublayer(g)) return;
  checkThenWatch(g, OutputBuffer::Accumulation);
}
void SublayerJob::ended(std::uint32_t g) {
  if (cluster_.atLastSublayer(g)) return;
  data_.compare(g);
  if (kind_.tracked) checkThenWatch(g, OutputBuffer::Output);
}
void SublayerJob::checkThenWatch(std::uint32_t g, OutputBuffer buffer) {
  try {
    checkSums(cluster_, g, buffer, kind_, clears());
  } catch (const std::exception& failure) {
    SC_REPORT_ERROR("t3/node", failure.what());
  }
  watch(g, buffer);
}

/// The memory clears what is summed there. A bound gets its zeros for free.
bool SublayerJob::clears() const {
  return kind_.tracked && !kind_.ideal &&
         cluster_.config().hbm.initial_value == InitialValue::InMemory;
}

void SublayerJob::prepare() {
  for (const std::uint32_t g : cluster_.own()) data_.writeOperands(g);
}

void SublayerJob::check() {
  checkConservation(cluster_, kind_, clears());
  checkBufferIsZero();
}

Verification SublayerJob::compare() {
  for (const std::uint32_t g : cluster_.own()) data_.compare(g);
  return data_.verification();
}

/// The next kernel needs zeros in the accumulation buffer. Sums of checked data show whether they
/// are there.
void SublayerJob::checkBufferIsZero() {
  if (!clears() || cluster_.config().data != DataMode::Checked) return;
  for (const std::uint32_t g : cluster_.own()) {
    if (holdsZeros(memoryOf(cluster_.node(g)), cluster_.layout().accumulation,
                   cluster_.tiling().outputBytes())) {
      continue;
    }
    throw std::runtime_error("gpu" + std::to_string(g) +
                             ": the accumulation buffer is not zero at the end");
  }
}

void SublayerJob::addPhases(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  for (std::uint32_t sublayer = 0; sublayer < cluster_.sublayers(); ++sublayer) {
    const auto add = [&](const char* name, const auto& part) {
      const TimeSpan span = spanOf(gpus, sublayer, part);
      if (span.end != 0) result.phases.push_back({name, span.start, span.end, sublayer});
    };
    add("zeroing", [](const SublayerTimes& times) { return times.zeroing; });
    add("gemm", Phase::Gemm);
    add("norm", Phase::Norm);
    for (const Collective* collective : cluster_.collectives()) {
      add(collective->name, collective->phase);
    }
    add("consumer", Phase::Consumer);
  }
}

GpuFigures SublayerJob::figures(std::uint32_t gpu) const {
  GpuFigures figures = figuresOf(cluster_, gpu);
  if (!kind_.tracked) figures.tracker = {}, figures.setup = {};
  return figures;
}

void SublayerJob::report(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  program_->summarise(gpus, result);
  addPhases(gpus, result);
  for (const Collective* collective : cluster_.collectives()) {
    result.of(collective->phase).name = collective->name;
  }
  const std::uint32_t repeat = cluster_.config().workload.repeat;
  if (cluster_.sublayers() < repeat) countAgain(result, repeat);
}

void SublayerJob::finish(RunResult& result, bool failed) const {
  if (mode_.kind->finish != nullptr && !failed) mode_.kind->finish(result);
  addBounds(cluster_.config(), mode_, result);
}

}  // namespace t3
