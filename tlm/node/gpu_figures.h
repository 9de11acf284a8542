// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <vector>

#include "tlm/hbm/statistic_row.h"
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
  using PhaseBytes = std::array<std::array<std::uint64_t, 2>, kPhases>;

  std::uint32_t gpu = 0;
  std::vector<SublayerFigures> history;
  PhaseBytes phaseBytes{};  ///< as the next five: HbmStatistics
  std::vector<StatisticRow> memory;
  std::vector<std::uint64_t> occupancy;
  std::vector<PhaseBytes> overTime;
  Picoseconds windowLength = 0;
  std::uint64_t bursts = 0;
  double rowHitRate = 0, mcaThreshold = 0;
  std::uint64_t sentBytes = 0;
  Picoseconds storeZeroWait = 0, ingressZeroWait = 0;
  TrackerStatistics tracker;
  TrackerSetup setup;
};
BOOST_DESCRIBE_STRUCT(GpuFigures, (),
                      (gpu, history, phaseBytes, memory, occupancy, overTime, windowLength, bursts,
                       rowHitRate, mcaThreshold, sentBytes, storeZeroWait, ingressZeroWait, tracker,
                       setup))

/// What memory, links and tracker have done; the rest is left as it is.
GpuFigures figuresOf(const FabricNode& node, std::uint32_t gpu);
/// All of a GPU of this process.
GpuFigures figuresOf(const Cluster& cluster, std::uint32_t gpu);
/// The cluster's history of a GPU that another process simulated becomes that of the figures.
void adoptHistory(Cluster& cluster, const GpuFigures& figures);

/// Adds what one tracker has counted.
void addTracker(const TrackerStatistics& tracker, TrackerTotals& totals);
/// Keeps that of the GPU that takes longest.
void addSetup(const TrackerSetup& setup, SetupFigures& figures);

}  // namespace t3
