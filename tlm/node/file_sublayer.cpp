// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/file_sublayer.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "tlm/node/bounds.h"
#include "tlm/node/collective_bound.h"
#include "tlm/node/gemm_data.h"
#include "tlm/node/lag_limit.h"
#include "tlm/node/memory_report.h"
#include "tlm/node/whole_rows.h"

namespace t3 {

FileSublayer::FileSublayer(const SystemConfig& config, const CollectivePlan& plan)
    : config_(config),
      plan_(plan),
      bounds_(collectiveBoundParts(config, plan)),
      gpus_(config.gpus) {}

// ---- data ---------------------------------------------------------------------------------------

const Operands& FileSublayer::operands(std::uint32_t gpu) {
  const Tiling& tiling = gemm().tiling();
  while (operands_.size() <= gpu) {
    const auto next = static_cast<std::uint32_t>(operands_.size());
    // Sums are added in the order of the file and of arrival, so they have to be exact in any.
    operands_.push_back(randomOperands(config_.seed, GpuId{next}, tiling.rows(), tiling.columns(),
                                       config_.workload.depth, config_.workload.data_type,
                                       config_.gpus));
  }
  return operands_[gpu];
}

void FileSublayer::writeData(CollectiveNode& node, std::uint32_t g) {
  if (config_.data != DataMode::Checked) return;
  const MemoryLayout& layout = gemm().layout();
  const DebugAccess memory = memoryOf(node);
  storeOperands(memory, layout, operands(g), config_.workload.depth);
  poison(memory, layout.output, plan_.memoryEnd(g) - layout.output);
  if (plan_.tracked() && !clears()) {
    poison(memory, layout.accumulation, gemm().tiling().outputBytes());
  }
}

void FileSublayer::compare(CollectiveNode& node, std::uint32_t g, Verification& verification) {
  const Tiling& tiling = gemm().tiling();
  operands(config_.gpus - 1);
  if (expected_.empty()) {
    expected_ =
        ringReference(operands_, tiling, config_.workload.depth, config_.workload.data_type);
  }
  const DebugAccess memory = memoryOf(node);
  compareOutput(memory, plan_.result(), tiling, expected_, verification);
  if (!plan_.tracked() || !clears()) return;
  for (const TrackedProgram::Input& input : plan_.program(g).inputs) {
    if (!input.passes || input.updates == 0) continue;
    if (holdsZeros(memory, input.address, gemm().chunkBytes())) continue;
    throw std::runtime_error("gpu" + std::to_string(g) +
                             ": the accumulation buffer is not zero at the end");
  }
}

// ---- software -----------------------------------------------------------------------------------

/// As for a sublayer (programs/t3.cpp): chunks that pass through need zeros only where reads leave
/// none, what stays is cleared.
void FileSublayer::prepare(CollectiveNode& node, std::uint32_t g) {
  if (!plan_.tracked()) return;
  const SystemConfig own = config_.ofGpu(g);
  node.ringLag.limit(lagLimit(own, bounds_.gpus[g], false));
  node.hbm.expectTraffic(expectedTraffic(bounds_.gpus[g], false));
  const auto& inputs = plan_.program(g).inputs;
  const std::uint64_t bytes = gemm().chunkBytes();
  for (const TrackedProgram::Input& input : inputs) {
    if (!input.watched || input.updates == 0) continue;
    using Start = UpdateLedger::Start;
    node.hbm.watchUpdates(input.address, bytes, input.updates,
                          clears() && !input.passes ? Start::Uncleared : Start::Free);
  }
  if (config_.hbm.initial_value == InitialValue::FirstUpdateStores) return;
  ZeroFill::Ranges areas;
  for (const ChunkId chunk : plan_.gemmLaunch(g).chunkOrder) {
    const TrackedProgram::Input& input = inputs[chunk.value];
    if (input.updates == 0 || (clears() && input.passes)) continue;
    areas.emplace_back(input.address, bytes);
  }
  const Picoseconds start = config_.launchTime(g);
  gpus_[g].zeroing.start = start;
  const auto done = [this, g](Picoseconds when) { gpus_[g].zeroing.end = when; };
  if (!clears()) return node.dma->fillZero(std::move(areas), done, start);
  const std::uint64_t rows = node.hbm.rowsBytes();
  if (rows != 0) areas = wholeRows(std::move(areas), rows);
  node.dma->clear(std::move(areas), static_cast<std::uint32_t>(rows), done, start);
}

void FileSublayer::begin(CollectiveNode& node, std::uint32_t g, TimeSpan& collective) {
  gpus_[g].gemm.start = now();
  node.hbm.beginKernel();
  GemmLaunch launch = plan_.gemmLaunch(g);
  launch.trackedTileDone = [&node] { node.ringLag.produced(); };
  launch.done = [this, &node, g, &collective](Picoseconds when) {
    node.hbm.endKernel();
    gpus_[g].gemm.end = when;
    if (plan_.tracked()) return gatherWhenReduced(node, g);
    node.host.post(when + picosecondsFromNs(config_.gpu.kernel_launch_us * 1e3),
                   [this, &node, g, &collective] { startCollective(node, g, collective); });
  };
  if (plan_.tracked()) startCollective(node, g, collective);
  node.gemmSide->gemm.launch(std::move(launch));
}

void FileSublayer::startCollective(CollectiveNode& node, std::uint32_t g, TimeSpan& collective) {
  collective.start = now();
  node.launch([this, &node, g, &collective](Picoseconds when) {
    collective.end = when;
    gpus_[g].reduced = true;
    gatherWhenReduced(node, g);
  });
}

/// The all-gather needs the compute units and the reduced chunks.
void FileSublayer::gatherWhenReduced(CollectiveNode& node, std::uint32_t g) {
  Gpu& gpu = gpus_[g];
  if (gpu.gemm.end == 0 || !gpu.reduced || !gemm().gathers()) return;
  const Picoseconds launch = picosecondsFromNs(config_.gpu.kernel_launch_us * 1e3);
  node.host.post(now() + launch, [&node, &gpu] {
    gpu.gather.start = now();
    gpu.gathersLeft = static_cast<std::uint32_t>(node.gemmSide->gather.size());
    for (const auto& kernel : node.gemmSide->gather) {
      kernel->launch([&gpu](Picoseconds when) {
        if (--gpu.gathersLeft == 0) gpu.gather.end = when;
      });
    }
  });
}

bool FileSublayer::finished(std::uint32_t g) const {
  const Gpu& gpu = gpus_[g];
  return gpu.gemm.end != 0 && gpu.reduced && (!gemm().gathers() || gpu.gather.end != 0);
}

std::string FileSublayer::describe(const CollectiveNode& node) const {
  std::string text;
  if (!node.gemmSide->gemm.idle()) {
    text += std::string("\n  ") + node.gemmSide->gemm.name() + ": " +
            std::to_string(static_cast<int>(node.gemmSide->gemm.progress() * 100)) +
            " % of its steps done";
  }
  for (const auto& kernel : node.gemmSide->gather) {
    if (!kernel->idle()) text += "\n  " + kernel->describe();
  }
  return text;
}

// ---- after the run ------------------------------------------------------------------------------

void FileSublayer::checkSums(const CollectiveNode& node, std::uint32_t g) const {
  if (!plan_.tracked()) return;
  const std::uint64_t bytes = gemm().chunkBytes();
  const auto require = [&](bool holds, std::size_t chunk, const std::string& what) {
    if (holds) return;
    throw std::runtime_error("conservation check failed: gpu" + std::to_string(g) +
                             ": an element of chunk " + std::to_string(chunk) + " was not " + what);
  };
  const auto& inputs = plan_.program(g).inputs;
  for (std::size_t c = 0; c < inputs.size(); ++c) {
    const TrackedProgram::Input& input = inputs[c];
    if (!input.watched || input.updates == 0) continue;
    require(node.hbm.everyBurstUpdated(input.address, bytes, input.updates), c,
            "updated " + std::to_string(input.updates) + " times");
    const bool cleared = clears() && !input.passes;
    require(!cleared || node.hbm.everyBurstCleared(input.address, bytes, 1), c, "cleared once");
  }
}

void FileSublayer::addFigures(const CollectiveNode& node, const TimeSpan& collective,
                              GpuFigures& figures) const {
  const Gpu& gpu = gpus_[figures.gpu];
  figures.history.push_back({.zeroing = gpu.zeroing,
                             .gemm = gpu.gemm,
                             .norm = {},
                             .consumer = {},
                             .collectives = {collective, gpu.gather}});
  figures.storeZeroWait = node.gemmSide->gemm.statistics().zeroWait;
  for (const auto& entry : node.ingress) figures.ingressZeroWait += entry->zeroWait();
}

void FileSublayer::report(const ModeKind& kind, const std::vector<GpuFigures>& figures,
                          RunResult& result) const {
  const Collective& collective = gemm().collective();
  Picoseconds end = 0;
  /// A phase from the first GPU that begins it to the last that ends it; returns by how much it
  /// ends later than all before.
  const auto add = [&](const char* name, const auto& part) {
    PhaseSpan span{name, std::numeric_limits<Picoseconds>::max(), 0, 0};
    for (const GpuFigures& gpu : figures) {
      const TimeSpan& own = part(gpu.history.front());
      span.start_ps = std::min(span.start_ps, own.start);
      span.end_ps = std::max(span.end_ps, own.end);
    }
    if (span.end_ps != 0) result.phases.push_back(span);
    return nanoseconds(std::max(span.end_ps, end) - std::exchange(end, std::max(span.end_ps, end)));
  };
  const auto zeroing = [](const SublayerFigures& gpu) { return gpu.zeroing; };
  const auto reduction = [](const SublayerFigures& gpu) { return gpu.collectives[0]; };
  const auto gather = [](const SublayerFigures& gpu) { return gpu.collectives[1]; };
  bool zeroes = false;
  for (const GpuFigures& gpu : figures) {
    const SublayerFigures& spans = gpu.history.front();
    GpuResult& mine = result.per_gpu[gpu.gpu];
    mine.gemm_end_ps = spans.gemm.end;
    if (gemm().gathers()) mine.reduce_scatter_end_ps = reduction(spans).end;
    mine.all_gather_end_ps = gather(spans).end;
    mine.dram_bytes = dramBytes(gpu.phaseBytes);
    mine.zeroed_ps = spans.zeroing.end;
    mine.store_zero_wait_ps = gpu.storeZeroWait;
    mine.ingress_zero_wait_ps = gpu.ingressZeroWait;
    result.dram_bytes += mine.dram_bytes;
    addSetup(gpu.setup, result.setup);
    zeroes = zeroes || spans.zeroing.end != 0;
  }
  result.dram_bytes /= figures.size();
  addOtherBytes(gemm().collectives(), figures, result);
  if (zeroes) {
    add("zeroing", zeroing);
    end = 0;
  }
  result.phase_ns.gemm = add("gemm", [](const SublayerFigures& gpu) { return gpu.gemm; });
  const double exposed = add(collective.name, reduction);
  const auto bound = [&](const Collective& one) {
    return bounds_.most([&one](const GpuBound& gpu) { return gpu.collectives.of(one); });
  };
  if (gemm().gathers()) {
    result.phase_ns.reduce_scatter = exposed;
    result.bound_ns.reduce_scatter = bound(kReduceScatter);
    result.phase_ns.all_gather = add("all_gather", gather);
    result.bound_ns.all_gather = bound(kAllGather);
  } else {
    result.other(collective.name).exposed_ns = exposed;
    result.other(collective.name).bound_ns = bound(collective);
  }
  result.bound_ns.gemm = bounds_.most([](const GpuBound& gpu) { return gpu.gemm; });
  result.bound_ns.total = kind.bound(bounds_);
  result.time_ps = end;
  result.sublayers.push_back({0, end, result.phase_ns});
}

}  // namespace t3
