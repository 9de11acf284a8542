// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/memory_report.h"

#include <algorithm>

namespace t3 {

MemoryReport memoryReport(const std::vector<GpuFigures>& gpus) {
  MemoryReport report;
  // Busy or late GPUs have longer windows, by powers of two.
  Picoseconds longest = 0;
  for (const GpuFigures& gpu : gpus) longest = std::max(longest, gpu.windowLength);
  report.window_ns = static_cast<double>(longest) / 1e3;
  for (const GpuFigures& gpu : gpus) {
    for (std::size_t i = 0; i < gpu.memory.size(); ++i) {
      const StatisticRow& row = gpu.memory[i];
      if (i == report.figures.size()) {
        report.figures.push_back({row.name, row.description, row.unit, {}});
      }
      report.figures[i].per_gpu.push_back(row.value);
    }
    report.queue_occupancy.resize(gpu.occupancy.size());
    for (std::size_t i = 0; i < gpu.occupancy.size(); ++i) {
      report.queue_occupancy[i] += gpu.occupancy[i];
    }
    BytesOverTime own = gpu.overTime;
    for (Picoseconds length = gpu.windowLength; length < longest; length *= 2) joinPairs(own);
    auto& windows = report.bytes_over_time;
    windows.resize(std::max(windows.size(), own.size()));
    for (std::size_t w = 0; w < own.size(); ++w) windows[w] += own[w];
  }
  for (PhaseBytes& window : report.bytes_over_time) window /= gpus.size();
  return report;
}

}  // namespace t3
