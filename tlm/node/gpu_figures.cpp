// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu_figures.h"

namespace t3 {

GpuFigures memoryFigures(std::uint32_t gpu, const HbmStack& hbm, Collectives collectives) {
  const HbmStatistics& memory = hbm.statistics();
  GpuFigures figures;
  figures.result.gpu = gpu;
  figures.result.row_hit_rate = memory.rowHitRate();
  figures.result.mca_threshold = memory.ofArbitration("mca_threshold");
  forPhases(collectives, [&](Phase phase, const PhaseName& name) {
    PhaseFigures& row = figures.result.by_phase.row(name);
    row.dram_read = memory.bytes(phase, false);
    row.dram_write = memory.bytes(phase, true);
  });
  figures.memory = memory.rows(hbm.config(), now());
  figures.occupancy = memory.occupancy;
  figures.overTime = memory.overTime;
  figures.windowLength = memory.windowLength;
  figures.bursts = memory.bursts();
  return figures;
}

GpuFigures figuresOf(const Cluster& cluster, std::uint32_t gpu) {
  const GpuNode& node = cluster.node(gpu);
  GpuFigures figures = memoryFigures(gpu, node.hbm, cluster.collectives());
  GpuResult& result = figures.result;
  const GpuProgress& progress = cluster.progress(gpu);
  result.by_phase.row(Phase::Gemm).end_ps = progress.gemm.end;
  result.by_phase.row(Phase::Norm).end_ps = progress.norm.end;
  result.by_phase.row(Phase::Consumer).end_ps = progress.consumer.end;
  for (const auto& part : progress.collectives) {
    result.by_phase.row(*part.collective).end_ps = part.value.end;
  }
  result.link_bytes = node.sentBytes();
  result.zeroed_ps = progress.zeroing.end;
  result.store_zero_wait_ps = node.gpu.gemm.statistics().zeroWait;
  for (const auto& ingress : node.gpu.ingress) result.ingress_zero_wait_ps += ingress->zeroWait();
  figures.tracker = node.tracker->statistics();
  figures.setup = node.driver.setup();
  for (const GpuProgress& sublayer : cluster.history(gpu)) {
    SublayerFigures& spans = figures.history.emplace_back();
    spans.zeroing = sublayer.zeroing;
    spans.gemm = sublayer.gemm;
    spans.norm = sublayer.norm;
    spans.consumer = sublayer.consumer;
    spans.waited = sublayer.waited;
    for (const auto& part : sublayer.collectives) spans.collectives.push_back(part.value);
  }
  return figures;
}

void adoptHistory(Cluster& cluster, const GpuFigures& figures) {
  for (std::size_t number = 0; number < figures.history.size(); ++number) {
    if (number >= cluster.history(figures.result.gpu).size())
      cluster.nextSublayer(figures.result.gpu);
    const SublayerFigures& spans = figures.history[number];
    GpuProgress& sublayer = cluster.progress(figures.result.gpu);
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

}  // namespace t3
