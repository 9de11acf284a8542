// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu_figures.h"

namespace t3 {

GpuFigures figuresOf(const Cluster& cluster, std::uint32_t gpu) {
  const GpuNode& node = cluster.node(gpu);
  const HbmStatistics& memory = node.hbm.statistics();
  GpuFigures figures{.gpu = gpu,
                     .history = {},
                     .phaseBytes = memory.phaseBytes,
                     .memory = memory.rows(node.hbm.config(), now()),
                     .occupancy = memory.occupancy,
                     .overTime = memory.overTime,
                     .bursts = memory.bursts(),
                     .rowHitRate = memory.rowHitRate(),
                     .mcaThreshold = memory.ofArbitration("mca_threshold"),
                     .sentBytes = node.sentBytes(),
                     .storeZeroWait = node.gpu.gemm.statistics().zeroWait,
                     .ingressZeroWait = 0,
                     .tracker = node.tracker->statistics(),
                     .setup = node.driver.setup()};
  for (const GpuProgress& sublayer : cluster.history(gpu)) {
    SublayerFigures& spans = figures.history.emplace_back();
    spans.zeroing = sublayer.zeroing;
    spans.gemm = sublayer.gemm;
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
    sublayer.waited = spans.waited;
    auto span = spans.collectives.begin();
    for (auto& collective : sublayer.collectives) collective.value = *span++;
  }
}

}  // namespace t3
