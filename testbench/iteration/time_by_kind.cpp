// SPDX-License-Identifier: Apache-2.0
#include "testbench/iteration/time_by_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace t3 {
namespace {

struct Row {
  WorkKind kind;
  double TimeByKind::*time;
};

/// What is told first where several happen at the same time: work before communication, and what
/// is left over last.
constexpr std::array<Row, 8> kOrder = {{{WorkKind::PairGemm, &TimeByKind::pair_gemm},
                                        {WorkKind::Gemm, &TimeByKind::gemm},
                                        {WorkKind::Compute, &TimeByKind::compute},
                                        {WorkKind::Memory, &TimeByKind::memory},
                                        {WorkKind::PairCollective, &TimeByKind::pair_collective},
                                        {WorkKind::Collective, &TimeByKind::collective},
                                        {WorkKind::Message, &TimeByKind::message},
                                        {WorkKind::Host, &TimeByKind::host}}};

}  // namespace

std::span<const MemberText> TimeByKind::texts() {
  static constexpr MemberText kTexts[] = {
      {"gemm", "GEMMs without a collective behind them"},
      {"pair_gemm", "GEMMs with a collective behind them"},
      {"pair_collective", "the collectives behind them, as far as they last longer"},
      {"compute", "other compute nodes"},
      {"memory", "load and store nodes"},
      {"collective", "other collectives, while nothing is computed"},
      {"message", "sends and messages on their way, while nothing of the above happens"},
      {"host", "nodes of the CPU, while the GPU does nothing"},
      {"idle", "nothing: launches, and waiting for other GPUs"},
  };
  return kTexts;
}

TimeByKind& operator+=(TimeByKind& total, const TimeByKind& part) {
  for (const Row& row : kOrder) total.*row.time += part.*row.time;
  total.idle += part.idle;
  return total;
}

TimeByKind& operator/=(TimeByKind& time, double divisor) {
  for (const Row& row : kOrder) time.*row.time /= divisor;
  time.idle /= divisor;
  return time;
}

TimeByKind timeByKind(const GpuIteration& gpu, Picoseconds total) {
  const auto rank = [](WorkKind kind) {
    return static_cast<std::size_t>(std::ranges::find(kOrder, kind, &Row::kind) - kOrder.begin());
  };
  std::vector<std::pair<Picoseconds, std::pair<std::size_t, int>>> changes;
  for (const WorkSpan& span : gpu.spans) {
    if (rank(span.kind) == kOrder.size()) continue;
    changes.push_back({span.start, {rank(span.kind), 1}});
    changes.push_back({span.end, {rank(span.kind), -1}});
  }
  std::ranges::sort(changes);
  std::array<int, kOrder.size()> running{};
  TimeByKind time;
  Picoseconds since = 0;
  const auto upTo = [&](Picoseconds when) {
    const auto first = std::ranges::find_if(running, [](int count) { return count > 0; });
    const auto index = static_cast<std::size_t>(first - running.begin());
    (first == running.end() ? time.idle : time.*kOrder[index].time) += nanoseconds(when - since);
    since = when;
  };
  for (const auto& [when, change] : changes) {
    if (when > since) upTo(when);
    running[change.first] += change.second;
  }
  if (total > since) upTo(total);
  return time;
}

}  // namespace t3
