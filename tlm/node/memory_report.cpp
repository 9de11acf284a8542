// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/memory_report.h"

#include <algorithm>

namespace t3 {
namespace {

/// Sums over the GPUs, with windows of one length: busy or late GPUs have longer ones, by powers of
/// two.
BytesOverTime overTimeOfAll(const std::vector<GpuFigures>& gpus, Picoseconds length) {
  BytesOverTime windows;
  for (const GpuFigures& gpu : gpus) {
    BytesOverTime own = gpu.overTime;
    for (Picoseconds have = gpu.windowLength; have < length; have *= 2) joinPairs(own);
    windows.resize(std::max(windows.size(), own.size()));
    for (std::size_t w = 0; w < own.size(); ++w) {
      for (std::size_t phase = 0; phase < kPhases; ++phase) {
        for (std::size_t direction = 0; direction < 2; ++direction) {
          windows[w][phase][direction] += own[w][phase][direction];
        }
      }
    }
  }
  return windows;
}

/// A phase in which no GPU has moved a byte gets no row for that.
void addBytes(Collectives collectives, const std::vector<GpuFigures>& gpus, Picoseconds length,
              PhaseRows& byPhase) {
  const BytesOverTime windows = overTimeOfAll(gpus, length);
  forPhases(collectives, [&](Phase phase, const PhaseName& name) {
    const auto mean = [&](bool write) {
      std::vector<std::uint64_t> bytes;
      for (const auto& window : windows) {
        bytes.push_back(window[static_cast<std::size_t>(phase)][write ? 1 : 0] / gpus.size());
      }
      return bytes;
    };
    std::uint64_t read = 0, written = 0;
    for (const GpuFigures& gpu : gpus) {
      const PhaseFigures& own = gpu.result.by_phase.of(name);
      read += own.dram_read;
      written += own.dram_write;
    }
    if (read + written == 0) return;
    PhaseFigures& row = byPhase.row(name);
    row.dram_read = read / gpus.size();
    row.dram_write = written / gpus.size();
    row.read_over_time = mean(false);
    row.write_over_time = mean(true);
  });
}

}  // namespace

void addGpus(Collectives collectives, const std::vector<GpuFigures>& gpus, RunResult& result) {
  MemoryReport& report = result.memory;
  Picoseconds longest = 0;
  for (const GpuFigures& gpu : gpus) {
    longest = std::max(longest, gpu.windowLength);
    result.per_gpu.push_back(gpu.result);
    result.link_bytes += gpu.result.link_bytes;
    result.dram_bursts += gpu.bursts;
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
  }
  report.window_ns = static_cast<double>(longest) / 1e3;
  addBytes(collectives, gpus, longest, result.by_phase);
}

}  // namespace t3
