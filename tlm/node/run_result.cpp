// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_result.h"

#include <algorithm>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include "tlm/gpu/collective.h"

namespace t3 {

PhaseName::PhaseName(const Collective& collective)
    : PhaseName(collective.name, collective.shortName) {}

const PhaseFigures* PhaseRows::find(const PhaseName& phase) const {
  const auto found = std::ranges::find(rows, phase.shortName, &PhaseFigures::short_name);
  return found != rows.end() ? &*found : nullptr;
}

const PhaseFigures& PhaseRows::of(const PhaseName& phase) const {
  static const PhaseFigures none;
  const PhaseFigures* row = find(phase);
  return row != nullptr ? *row : none;
}

PhaseFigures& PhaseRows::row(const PhaseName& phase) {
  if (const PhaseFigures* row = find(phase)) return const_cast<PhaseFigures&>(*row);
  PhaseFigures& added = rows.emplace_back();
  added.name = phase.name;
  added.short_name = phase.shortName;
  return added;
}

PhaseRows PhaseRows::exposedSince(const PhaseRows& before) const {
  PhaseRows since;
  for (const PhaseFigures& phase : rows) {
    const PhaseName name(phase.name.c_str(), phase.short_name.c_str());
    since.row(name).exposed_ns = phase.exposed_ns - before.of(name).exposed_ns;
  }
  return since;
}

TrackerTotals& operator*=(TrackerTotals& totals, std::uint64_t times) {
  using Members = boost::describe::describe_members<TrackerTotals, boost::describe::mod_public>;
  boost::mp11::mp_for_each<Members>([&](auto member) { totals.*member.pointer *= times; });
  return totals;
}

void countAgain(RunResult& result, std::uint32_t times) {
  const Picoseconds one = result.time_ps;
  const PhaseRows phases = result.by_phase.exposedSince({});
  result.time_ps *= times;
  for (PhaseFigures& phase : result.by_phase.rows) {
    phase.exposed_ns *= times;
    phase.dram_read *= times;
    phase.dram_write *= times;
  }
  result.link_bytes *= times;
  result.tracker_stats *= times;
  result.sublayers.clear();
  for (std::uint32_t n = 0; n < times; ++n) {
    result.sublayers.push_back({n * one, (n + 1) * one, phases});
  }
  result.steady_ns = nanoseconds(one);
}

}  // namespace t3
