// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/phase_forms.h"

#include <algorithm>
#include <cstddef>

#include "testbench/config/described_json.h"

namespace t3 {
namespace {

/// `bytes(row, write)`: of a phase.
DramBytes bytesOf(const PhaseRows& phases, const auto& bytes) {
  const auto read = [&](Phase phase) -> std::uint64_t { return bytes(phases.of(phase), false); };
  const auto written = [&](Phase phase) -> std::uint64_t { return bytes(phases.of(phase), true); };
  return {read(Phase::Gemm),          written(Phase::Gemm),
          read(Phase::ReduceScatter), written(Phase::ReduceScatter),
          read(Phase::AllGather),     written(Phase::AllGather),
          read(Phase::Norm),          written(Phase::Norm),
          read(Phase::Consumer),      written(Phase::Consumer)};
}

}  // namespace

DramBytes dramBytes(const PhaseRows& phases) {
  return bytesOf(phases, [](const PhaseFigures& row, bool write) {
    return write ? row.dram_write : row.dram_read;
  });
}

PhaseNs phaseNs(const PhaseRows& phases) {
  const auto ns = [&](Phase phase) { return phases.of(phase).exposed_ns; };
  return {ns(Phase::Gemm), ns(Phase::ReduceScatter), ns(Phase::AllGather), ns(Phase::Norm),
          ns(Phase::Consumer)};
}

BoundNs boundNs(const RunResult& result) {
  const auto ns = [&](Phase phase) { return result.by_phase.of(phase).bound_ns; };
  return {ns(Phase::Gemm), ns(Phase::ReduceScatter), ns(Phase::AllGather), ns(Phase::Consumer),
          result.bound_ns};
}

std::vector<SublayerForm> sublayerForms(const RunResult& result) {
  std::vector<SublayerForm> forms;
  for (const SublayerSpan& span : result.sublayers) {
    forms.push_back({span.start_ps, span.end_ps, phaseNs(span.by_phase)});
  }
  return forms;
}

std::vector<GpuForm> gpuForms(const RunResult& result) {
  std::vector<GpuForm> forms;
  for (const GpuResult& gpu : result.per_gpu) {
    GpuForm& form = forms.emplace_back();
    copyMembers(gpu, form);
    form.gemm_end_ps = gpu.by_phase.of(Phase::Gemm).end_ps;
    form.reduce_scatter_end_ps = gpu.by_phase.of(Phase::ReduceScatter).end_ps;
    form.all_gather_end_ps = gpu.by_phase.of(Phase::AllGather).end_ps;
    form.consumer_end_ps = gpu.by_phase.of(Phase::Consumer).end_ps;
    form.dram_bytes = dramBytes(gpu.by_phase);
  }
  return forms;
}

MemoryForm memoryForm(const RunResult& result) {
  MemoryForm form;
  copyMembers(result.memory, form);
  std::size_t windows = 0;
  for (const PhaseFigures& row : result.by_phase.rows) {
    windows = std::max(windows, row.read_over_time.size());
  }
  for (std::size_t w = 0; w < windows; ++w) {
    form.bytes_over_time.push_back(
        bytesOf(result.by_phase, [w](const PhaseFigures& row, bool write) {
          const auto& bytes = write ? row.write_over_time : row.read_over_time;
          return w < bytes.size() ? bytes[w] : 0;
        }));
  }
  return form;
}

std::vector<CollectiveFigures> otherCollectives(const PhaseRows& phases) {
  std::vector<CollectiveFigures> others;
  for (const PhaseFigures& row : phases.rows) {
    const bool hasMembers = std::ranges::any_of(
        kSublayerPhases, [&](const PhaseName& phase) { return row.short_name == phase.shortName; });
    if (!hasMembers) copyMembers(row, others.emplace_back());
  }
  return others;
}

}  // namespace t3
