// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "testbench/timeline/trace_events.h"
#include "tlm/collectives/route.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/system_config.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// How tiles of an output travel: a slice for the updates of each tile that a GPU gets from
/// another, or from itself, and an arrow to its end from where the tile was stored or summed up.
class TileFlow {
 public:
  TileFlow(Tracks& tracks, TraceEvents& file, const TimeWindow& window, const SystemConfig& config,
           const Tiling& tiling);

  /// A GPU begins to store the tile, or to send its sum by a DMA command: there an arrow may begin.
  void stored(int gpu, WorkgroupId workgroup, const TracePoint& where);
  void commandBegins(int gpu, WorkgroupId first, const TracePoint& where);

  /// A memory counts bytes of a tile.
  void counted(const RequestStep& step, const ModelPlace& place);

  /// Wavefront tiles of which some updates are counted and some are not, by process.
  const std::map<std::uint32_t, std::uint64_t>& openTiles() const { return openTiles_; }
  const Tiling& tiling() const { return tiling_; }

  /// Draws what has arrived of tiles that are not complete.
  void finish(TraceTime end);

 private:
  /// What arrives in one GPU from one GPU, of one tile.
  struct Arrival {
    std::uint32_t lane = 0;
    TraceTime begin = 0;
    std::uint64_t bytes = 0;
  };
  /// Of one tile in one GPU: where arrows may begin.
  struct TilePoints {
    TracePoint stored, updated, command;
    bool hasStored = false, hasUpdated = false, hasCommand = false;
  };

  TilePoints& points(int gpu, WorkgroupId workgroup);
  Track& updatesTrack(std::uint32_t process, int gpu, std::uint32_t from);
  void endArrival(Track& in, WorkgroupId workgroup, const Arrival& arrival, TraceTime last);
  void arrow(std::uint32_t from, WorkgroupId workgroup, const TracePoint& to);
  void countTile(const RequestStep& step, const ModelPlace& place);

  Tracks& tracks_;
  TraceEvents& file_;
  const TimeWindow window_;
  std::unique_ptr<const Route> route_;
  Tiling tiling_;
  std::uint32_t blockLog2_;
  bool merges_;  ///< a switch adds
  /// By process, then by sender (high half) and workgroup (low half).
  std::map<std::uint32_t, std::unordered_map<std::uint64_t, Arrival>> arrivals_;
  std::vector<std::vector<TilePoints>> points_;  ///< by GPU and workgroup
  std::map<std::uint32_t, std::unordered_map<std::uint64_t, std::uint64_t>> tileBytes_;
  std::map<std::uint32_t, std::uint64_t> openTiles_;
};

}  // namespace t3
