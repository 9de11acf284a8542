// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/sublayer_job.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/conservation.h"
#include "tlm/node/gpu_figures.h"

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
  std::vector<unsigned char> bytes(cluster_.tiling().outputBytes());
  for (const std::uint32_t g : cluster_.own()) {
    cluster_.node(g).debugAccess(tlm::TLM_READ_COMMAND, cluster_.layout().accumulation,
                                 bytes.data(), static_cast<std::uint32_t>(bytes.size()));
    const auto left = bytes.size() - static_cast<std::size_t>(std::ranges::count(bytes, 0));
    if (left == 0) continue;
    throw std::runtime_error("gpu" + std::to_string(g) + ": " + std::to_string(left) +
                             " bytes of the accumulation buffer are not zero at the end");
  }
}

/// Each phase from the first GPU that starts it to the last that ends it, sublayer by sublayer.
void SublayerJob::addPhases(RunResult& result) const {
  std::uint32_t sublayer = 0;
  const auto add = [&](const char* name, const auto& ofGpu) {
    PhaseSpan span{name, std::numeric_limits<Picoseconds>::max(), 0, sublayer};
    for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
      if (sublayer >= cluster_.history(g).size()) continue;
      const TimeSpan& part = ofGpu(cluster_.history(g)[sublayer]);
      span.start_ps = std::min(span.start_ps, part.start);
      span.end_ps = std::max(span.end_ps, part.end);
    }
    if (span.end_ps != 0) result.phases.push_back(span);
  };
  const auto addPhase = [&](const char* name, Phase phase) {
    add(name, [phase](const GpuProgress& gpu) { return gpu.of(phase); });
  };
  for (; sublayer < cluster_.sublayers(); ++sublayer) {
    add("zeroing", [](const GpuProgress& gpu) { return gpu.zeroing; });
    addPhase("gemm", Phase::Gemm);
    addPhase("norm", Phase::Norm);
    for (const Collective* collective : cluster_.collectives()) {
      addPhase(collective->name, collective->phase);
    }
    addPhase("consumer", Phase::Consumer);
  }
}

GpuFigures SublayerJob::figures(std::uint32_t gpu) const {
  GpuFigures figures = figuresOf(cluster_, gpu);
  if (!kind_.tracked) figures.tracker = {}, figures.setup = {};
  return figures;
}

void SublayerJob::adopt(const std::vector<GpuFigures>& gpus) {
  for (const GpuFigures& gpu : gpus) {
    if (!cluster_.fabric().isOwn(gpu.result.gpu)) adoptHistory(cluster_, gpu);
  }
}

void SublayerJob::report(const std::vector<GpuFigures>& /*gpus*/, RunResult& result) const {
  program_->summarise(result);
  addPhases(result);
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
