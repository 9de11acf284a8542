// SPDX-License-Identifier: Apache-2.0
#include "testbench/timeline/tile_flow.h"

#include <algorithm>

#include "testbench/probe/request_numbers.h"

namespace t3 {
namespace {

/// In place of a GPU: a switch that adds, in whose sums several have a part.
constexpr std::uint32_t kSwitch = ~0U;

}  // namespace

TileFlow::TileFlow(Tracks& tracks, TraceEvents& file, const TimeWindow& window,
                   const SystemConfig& config, const Tiling& tiling)
    : tracks_(tracks),
      file_(file),
      window_(window),
      route_(config.makeRoute()),
      tiling_(tiling),
      blockLog2_(config.tracker.block_log2),
      merges_(config.merges()) {}

TileFlow::TilePoints& TileFlow::points(int gpu, WorkgroupId workgroup) {
  const auto index = static_cast<std::size_t>(gpu);
  if (index >= points_.size()) points_.resize(index + 1);
  if (points_[index].empty()) points_[index].resize(tiling_.tiles());
  return points_[index][workgroup.value];
}

void TileFlow::stored(int gpu, WorkgroupId workgroup, const TracePoint& where) {
  TilePoints& tile = points(gpu, workgroup);
  tile.stored = where;
  tile.hasStored = true;
}

void TileFlow::commandBegins(int gpu, WorkgroupId first, const TracePoint& where) {
  for (std::uint32_t wg = first.value; wg < commandBlock(first, blockLog2_).end(); ++wg) {
    TilePoints& tile = points(gpu, WorkgroupId{wg});
    tile.command = where;
    tile.hasCommand = true;
  }
}

Track& TileFlow::updatesTrack(std::uint32_t process, int gpu, std::uint32_t from) {
  if (from == kSwitch) return tracks_.track(process, "updates from the switch");
  return tracks_.track(process, static_cast<int>(from) == gpu
                                    ? "own updates"
                                    : "updates from gpu" + std::to_string(from));
}

void TileFlow::counted(const RequestStep& step, const ModelPlace& place) {
  const TrafficExtension& extension = traffic(step.payload);
  const bool summed = merges_ && static_cast<int>(extension.source.value) != place.gpu;
  const std::uint32_t from = summed ? kSwitch : extension.source.value;
  const WorkgroupId workgroup = extension.workgroup;
  Track& in = updatesTrack(place.process, place.gpu, from);
  const std::uint64_t key = (std::uint64_t{from} << 32) | workgroup.value;
  const auto [entry, isNew] = arrivals_[place.process].try_emplace(key);
  Arrival& arrival = entry->second;
  const TraceTime when = traceTime(step.when);
  if (isNew) arrival = {in.take(when), when, 0};
  arrival.bytes += step.bytes * extension.contributions;
  TilePoints& tile = points(place.gpu, workgroup);
  tile.updated = {place.process, in.thread(arrival.lane), when};
  tile.hasUpdated = true;
  countTile(step, place);
  const std::uint32_t senders = summed ? route_->gpus() - 1 : 1;
  if (arrival.bytes < senders * tiling_.bytes(tiling_.tile(workgroup))) return;
  endArrival(in, workgroup, arrival, when);
  for (std::uint32_t gpu = 0; gpu < route_->gpus(); ++gpu) {
    const bool sent = summed || gpu == from;
    if (sent && static_cast<int>(gpu) != place.gpu) arrow(gpu, workgroup, tile.updated);
  }
  arrivals_[place.process].erase(entry);
}

/// The last update takes a clock of its own, so the slice ends after it.
void TileFlow::endArrival(Track& in, WorkgroupId workgroup, const Arrival& arrival,
                          TraceTime last) {
  tracks_.draw(in, arrival.lane, "wg " + std::to_string(workgroup.value), arrival.begin, last + 1,
               {{"workgroup", workgroup.value}, {"bytes", arrival.bytes}});
  in.release(arrival.lane, last + 1);
}

void TileFlow::arrow(std::uint32_t from, WorkgroupId workgroup, const TracePoint& to) {
  const TilePoints& tile = points(static_cast<int>(from), workgroup);
  std::vector<TracePoint> way;
  if (tile.hasCommand) {
    if (!tile.hasUpdated) return;
    way = {tile.updated, tile.command, to};
  } else {
    if (!tile.hasStored) return;
    way = {tile.stored, to};
  }
  for (const TracePoint& point : way) {
    if (!window_.contains(point.when * kPicosecondsPerTraceTime)) return;
  }
  file_.arrow("wg " + std::to_string(workgroup.value), way);
}

void TileFlow::countTile(const RequestStep& step, const ModelPlace& place) {
  const std::uint32_t process = place.process;
  const TrafficExtension& extension = traffic(step.payload);
  const std::uint64_t key =
      (std::uint64_t{extension.workgroup.value} << 32) | extension.wavefront.value;
  std::uint64_t& bytes = tileBytes_[process][key];
  if (bytes == 0) ++openTiles_[process];
  bytes += step.bytes * extension.contributions;
  const std::uint64_t whole =
      route_->updatesPerElement(GpuId{static_cast<std::uint32_t>(place.gpu)},
                                tiling_.chunkOf(extension.workgroup)) *
      tiling_.bytes(tiling_.wavefrontTile(extension.workgroup, extension.wavefront));
  if (bytes < whole) return;
  --openTiles_[process];
  tileBytes_[process].erase(key);
}

void TileFlow::finish(TraceTime end) {
  for (auto& [process, tiles] : arrivals_) {
    for (const auto& [key, arrival] : tiles) {
      const auto from = static_cast<std::uint32_t>(key >> 32);
      endArrival(updatesTrack(process, static_cast<int>(process) - 1, from),
                 WorkgroupId{static_cast<std::uint32_t>(key)}, arrival,
                 std::max(end, arrival.begin));
    }
  }
}

}  // namespace t3
