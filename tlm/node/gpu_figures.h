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

/// All that a report needs to know of one GPU at the end of a run, whichever process simulated it.
struct GpuFigures {
  GpuResult result;
  std::vector<SublayerTimes> history;
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

/// What memory, links and tracker have done; the rest is left as it is.
GpuFigures figuresOf(const FabricNode& node, std::uint32_t gpu);
/// All of a GPU of this process.
GpuFigures figuresOf(const Cluster& cluster, std::uint32_t gpu);
/// The cluster's history of a GPU that another process simulated becomes that of the figures.
void adoptHistory(Cluster& cluster, const GpuFigures& figures);

/// Adds what the GPUs, with memories, links and trackers, have done; of the set-ups of trackers
/// that of the GPU where it takes longest.
void addGpus(const std::vector<GpuFigures>& gpus, RunResult& result);

}  // namespace t3
