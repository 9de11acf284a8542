// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_result.h"

#include <algorithm>
#include <iterator>

namespace t3 {

std::vector<PhaseFigures> RunResult::others() const {
  std::vector<PhaseFigures> list;
  std::copy_if(by_phase.begin() + static_cast<int>(Phase::Consumer) + 1, by_phase.end(),
               std::back_inserter(list),
               [](const PhaseFigures& phase) { return !phase.name.empty(); });
  return list;
}

ByPhase<double> RunResult::phaseNs() const {
  ByPhase<double> times;
  std::ranges::transform(by_phase, times.values.begin(), &PhaseFigures::exposed_ns);
  return times;
}

PhaseBytes RunResult::dramBytes() const {
  PhaseBytes bytes;
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    bytes.values[phase] = {by_phase[phase].dram_read, by_phase[phase].dram_write};
  }
  return bytes;
}

std::uint64_t RunResult::totalBytes() const {
  std::uint64_t total = 0;
  for (const PhaseFigures& phase : by_phase) total += phase.dram_read + phase.dram_write;
  return total;
}

void RunResult::add(const SublayerSpan& sublayer) {
  sublayers.push_back(sublayer);
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    by_phase[phase].exposed_ns += sublayer.phase_ns.values[phase];
  }
}

void countAgain(RunResult& result, std::uint32_t times) {
  const Picoseconds one = result.time_ps;
  const ByPhase<double> phases = result.phaseNs();
  for (PhaseFigures& phase : result.by_phase) {
    phase.exposed_ns *= times;
    phase.dram_read *= times;
    phase.dram_write *= times;
  }
  for (NodeFigures& node : result.nodes) {
    node.exposed_ns *= times;
    node.dram_read *= times;
    node.dram_write *= times;
    node.link_bytes *= times;
  }
  result.time_ps *= times;
  result.link_bytes *= times;
  result.plain_link_bytes *= times;
  multiplyFigures(result.tracker_stats, times);
  if (result.merged) multiplyFigures(*result.merged, times);
  if (result.summed) multiplyFigures(*result.summed, times);
  result.sublayers.clear();
  for (std::uint32_t n = 0; n < times; ++n) {
    result.sublayers.push_back({n * one, (n + 1) * one, phases});
  }
  result.steady_ns = nanoseconds(one);
}

}  // namespace t3
