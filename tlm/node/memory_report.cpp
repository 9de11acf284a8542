// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/memory_report.h"

#include <algorithm>

namespace t3 {

DramBytes dramBytes(const std::array<std::array<std::uint64_t, 2>, kPhases>& phaseBytes) {
  const auto bytes = [&](Phase phase, std::size_t direction) {
    return phaseBytes[static_cast<std::size_t>(phase)][direction];
  };
  return {bytes(Phase::Gemm, 0),          bytes(Phase::Gemm, 1),
          bytes(Phase::ReduceScatter, 0), bytes(Phase::ReduceScatter, 1),
          bytes(Phase::AllGather, 0),     bytes(Phase::AllGather, 1)};
}

void addOtherBytes(const Cluster& cluster, RunResult& result) {
  for (const Collective* collective : cluster.collectives()) {
    if (collective->phase <= Phase::AllGather) continue;
    CollectiveFigures& figures = result.other(collective->name);
    for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
      const HbmStatistics& statistics = cluster.node(g).hbm.statistics();
      figures.dram_read += statistics.bytes(collective->phase, false);
      figures.dram_write += statistics.bytes(collective->phase, true);
    }
    figures.dram_read /= cluster.simulated();
    figures.dram_write /= cluster.simulated();
  }
}

MemoryReport memoryReport(const Cluster& cluster) {
  MemoryReport report;
  report.window_ns = cluster.config().hbm.statistics_window_ns;
  std::vector<std::array<std::array<std::uint64_t, 2>, kPhases>> windows;
  for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
    const HbmStack& memory = cluster.node(g).hbm;
    const HbmStatistics& statistics = memory.statistics();
    std::vector<StatisticRow> rows = statistics.rows(memory.config(), now());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (g == 0) {
        report.figures.push_back(
            {std::move(rows[i].name), std::move(rows[i].description), std::move(rows[i].unit), {}});
      }
      report.figures[i].per_gpu.push_back(rows[i].value);
    }
    report.queue_occupancy.resize(statistics.occupancy.size());
    for (std::size_t i = 0; i < statistics.occupancy.size(); ++i) {
      report.queue_occupancy[i] += statistics.occupancy[i];
    }
    windows.resize(std::max(windows.size(), statistics.overTime.size()));
    for (std::size_t w = 0; w < statistics.overTime.size(); ++w) {
      for (std::size_t phase = 0; phase < kPhases; ++phase) {
        for (std::size_t direction = 0; direction < 2; ++direction) {
          windows[w][phase][direction] += statistics.overTime[w][phase][direction];
        }
      }
    }
  }
  for (auto& window : windows) {
    for (auto& phase : window) {
      for (std::uint64_t& bytes : phase) bytes /= cluster.simulated();
    }
    report.bytes_over_time.push_back(dramBytes(window));
  }
  return report;
}

}  // namespace t3
