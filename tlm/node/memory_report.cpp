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
          bytes(Phase::AllGather, 0),     bytes(Phase::AllGather, 1),
          bytes(Phase::Norm, 0),          bytes(Phase::Norm, 1),
          bytes(Phase::Consumer, 0),      bytes(Phase::Consumer, 1)};
}

void addOtherBytes(Collectives collectives, const std::vector<GpuFigures>& gpus,
                   RunResult& result) {
  for (const Collective* collective : collectives) {
    if (collective->phase <= Phase::Consumer) continue;
    CollectiveFigures& figures = result.other(collective->name);
    for (const GpuFigures& gpu : gpus) {
      const auto& [read, written] = gpu.phaseBytes[static_cast<std::size_t>(collective->phase)];
      figures.dram_read += read;
      figures.dram_write += written;
    }
    figures.dram_read /= gpus.size();
    figures.dram_write /= gpus.size();
  }
}

MemoryReport memoryReport(const std::vector<GpuFigures>& gpus) {
  MemoryReport report;
  // Busy or late GPUs have longer windows, by powers of two.
  Picoseconds longest = 0;
  for (const GpuFigures& gpu : gpus) longest = std::max(longest, gpu.windowLength);
  report.window_ns = static_cast<double>(longest) / 1e3;
  std::vector<GpuFigures::PhaseBytes> windows;
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
    windows.resize(std::max(windows.size(), own.size()));
    for (std::size_t w = 0; w < own.size(); ++w) {
      for (std::size_t phase = 0; phase < kPhases; ++phase) {
        for (std::size_t direction = 0; direction < 2; ++direction) {
          windows[w][phase][direction] += own[w][phase][direction];
        }
      }
    }
  }
  for (auto& window : windows) {
    for (auto& phase : window) {
      for (std::uint64_t& bytes : phase) bytes /= gpus.size();
    }
    report.bytes_over_time.push_back(dramBytes(window));
  }
  return report;
}

}  // namespace t3
