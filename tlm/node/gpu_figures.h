// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <vector>

#include "tlm/hbm/hbm_statistics.h"
#include "tlm/node/cluster.h"
#include "tlm/node/run_result.h"
#include "tlm/tracker/tracker.h"

namespace t3 {

/// Spans of one sublayer on a GPU.
struct SublayerFigures {
  TimeSpan zeroing, gemm, norm, consumer;
  std::vector<TimeSpan> collectives;  ///< in their order
  Picoseconds waited = 0;
};
BOOST_DESCRIBE_STRUCT(SublayerFigures, (), (zeroing, gemm, norm, consumer, collectives, waited))

/// All that a report needs to know of one GPU at the end of a run, whichever process simulated it.
struct GpuFigures {
  GpuResult result;
  std::vector<SublayerFigures> history;
  std::vector<StatisticRow> memory;  ///< as the next four: HbmStatistics
  std::vector<std::uint64_t> occupancy;
  BytesOverTime overTime;
  Picoseconds windowLength = 0;
  std::uint64_t bursts = 0;
  TrackerStatistics tracker;
  TrackerSetup setup;
};
BOOST_DESCRIBE_STRUCT(GpuFigures, (),
                      (result, history, memory, occupancy, overTime, windowLength, bursts, tracker,
                       setup))

/// Calls `visit(phase, name)` for every phase whose bytes the memories count apart.
void forPhases(Collectives collectives, const auto& visit) {
  for (std::size_t p = 0; p < kSublayerPhases.size(); ++p) {
    visit(static_cast<Phase>(p), kSublayerPhases[p]);
  }
  for (const Collective* collective : collectives) {
    if (collective->phase > Phase::Consumer) visit(collective->phase, PhaseName(*collective));
  }
}

/// What a GPU's memory has done; the rest is left as it is.
GpuFigures memoryFigures(std::uint32_t gpu, const HbmStack& hbm, Collectives collectives);
/// Of a GPU of this process.
GpuFigures figuresOf(const Cluster& cluster, std::uint32_t gpu);
/// The cluster's history of a GPU that another process simulated becomes that of the figures.
void adoptHistory(Cluster& cluster, const GpuFigures& figures);

/// Adds what one tracker has counted.
void addTracker(const TrackerStatistics& tracker, TrackerTotals& totals);

}  // namespace t3
