// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu_figures.h"

#include <algorithm>

namespace t3 {

GpuFigures figuresOf(const FabricNode& node, std::uint32_t gpu) {
  const HbmStatistics& memory = node.hbm.statistics();
  GpuFigures figures;
  figures.gpu = gpu;
  figures.phaseBytes = memory.phaseBytes;
  figures.memory = memory.rows(node.hbm.config(), now());
  figures.occupancy = memory.occupancy;
  figures.overTime = memory.overTime;
  figures.windowLength = memory.windowLength;
  figures.bursts = memory.bursts();
  figures.rowHitRate = memory.rowHitRate();
  figures.mcaThreshold = memory.ofArbitration("mca_threshold");
  figures.sentBytes = node.sentBytes();
  if (node.tracker) {
    figures.tracker = node.tracker->statistics();
    figures.setup = node.driver->setup();
  }
  return figures;
}

GpuFigures figuresOf(const Cluster& cluster, std::uint32_t gpu) {
  const GpuNode& node = cluster.node(gpu);
  GpuFigures figures = figuresOf(node, gpu);
  figures.storeZeroWait = node.gpu.gemm.statistics().zeroWait;
  for (const GpuProgress& sublayer : cluster.history(gpu)) {
    SublayerFigures& spans = figures.history.emplace_back();
    spans.zeroing = sublayer.zeroing;
    spans.gemm = sublayer.gemm;
    spans.norm = sublayer.norm;
    spans.consumer = sublayer.consumer;
    spans.waited = sublayer.waited;
    for (const auto& part : sublayer.collectives) spans.collectives.push_back(part.value);
  }
  for (const auto& ingress : node.gpu.ingress) figures.ingressZeroWait += ingress->zeroWait();
  return figures;
}

void adoptHistory(Cluster& cluster, const GpuFigures& figures) {
  for (std::size_t number = 0; number < figures.history.size(); ++number) {
    if (number >= cluster.history(figures.gpu).size()) cluster.nextSublayer(figures.gpu);
    const SublayerFigures& spans = figures.history[number];
    GpuProgress& sublayer = cluster.progress(figures.gpu);
    sublayer.zeroing = spans.zeroing;
    sublayer.gemm = spans.gemm;
    sublayer.norm = spans.norm;
    sublayer.consumer = spans.consumer;
    sublayer.waited = spans.waited;
    auto span = spans.collectives.begin();
    for (auto& collective : sublayer.collectives) collective.value = *span++;
  }
}

void addTracker(const TrackerStatistics& tracker, TrackerTotals& totals) {
  totals.updates += tracker.updates;
  totals.triggers += tracker.triggers;
  totals.releases += tracker.releases;
  totals.stall_cycles += tracker.stall_cycles;
  totals.rtl_cycles += tracker.rtl_cycles;
}

void addSetup(const TrackerSetup& setup, SetupFigures& figures) {
  figures.register_accesses = std::max(figures.register_accesses, setup.accesses);
  figures.first_ns = std::max(figures.first_ns, nanoseconds(setup.first));
  figures.again_ns = std::max(figures.again_ns, nanoseconds(setup.again));
}

}  // namespace t3
