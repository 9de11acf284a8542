// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_result.h"

#include <algorithm>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

namespace t3 {

CollectiveFigures& RunResult::other(const char* name) {
  const auto found = std::ranges::find(other_collectives, name, &CollectiveFigures::name);
  if (found != other_collectives.end()) return *found;
  other_collectives.push_back({.name = name});
  return other_collectives.back();
}

namespace {

/// Applies `change` to each member of a described struct.
template <typename Struct, typename Change>
void forMembers(Struct& object, Change change) {
  using Members = boost::describe::describe_members<Struct, boost::describe::mod_public>;
  boost::mp11::mp_for_each<Members>([&](auto member) { change(object.*member.pointer); });
}

}  // namespace

DramBytes& operator+=(DramBytes& total, const DramBytes& part) {
  using Members = boost::describe::describe_members<DramBytes, boost::describe::mod_public>;
  boost::mp11::mp_for_each<Members>(
      [&](auto member) { total.*member.pointer += part.*member.pointer; });
  return total;
}

DramBytes& operator*=(DramBytes& bytes, std::uint64_t factor) {
  forMembers(bytes, [factor](std::uint64_t& value) { value *= factor; });
  return bytes;
}

DramBytes& operator/=(DramBytes& bytes, std::uint64_t divisor) {
  forMembers(bytes, [divisor](std::uint64_t& value) { value /= divisor; });
  return bytes;
}

TrackerTotals& operator*=(TrackerTotals& totals, std::uint64_t times) {
  forMembers(totals, [times](std::uint64_t& value) { value *= times; });
  return totals;
}

MergeFigures& operator*=(MergeFigures& figures, std::uint64_t times) {
  const std::uint64_t most = figures.most_entries;
  forMembers(figures, [times](std::uint64_t& value) { value *= times; });
  figures.most_entries = most;
  return figures;
}

LoadFigures& operator*=(LoadFigures& figures, std::uint64_t times) {
  figures.answer_bytes *= times;
  figures.sum_bytes *= times;
  return figures;
}

void countAgain(RunResult& result, std::uint32_t times) {
  const Picoseconds one = result.time_ps;
  const PhaseNs phases = result.phase_ns;
  result.time_ps *= times;
  forMembers(result.phase_ns, [times](double& ns) { ns *= times; });
  result.dram_bytes *= times;
  for (CollectiveFigures& other : result.other_collectives) {
    other.exposed_ns *= times;
    other.dram_read *= times;
    other.dram_write *= times;
  }
  result.link_bytes *= times;
  result.tracker_stats *= times;
  if (result.merged) *result.merged *= times;
  if (result.summed) *result.summed *= times;
  result.sublayers.clear();
  for (std::uint32_t n = 0; n < times; ++n) {
    result.sublayers.push_back({n * one, (n + 1) * one, phases});
  }
  result.steady_ns = nanoseconds(one);
}

}  // namespace t3
