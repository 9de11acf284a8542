// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "testbench/probe/listeners.h"
#include "testbench/probe/request_numbers.h"
#include "tlm/collectives/route.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/graph.h"
#include "tlm/node/output_plan.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// A wavefront tile of an output, as one GPU computes it. If no wavefront is given, it is the one
/// of the workgroup that gets least far or, if all reach the end, the last to reach it.
struct FollowedTile {
  std::uint32_t gpu = 0;
  WorkgroupId workgroup;
  std::optional<WavefrontId> wavefront;
  std::string output = {};  ///< its name, in a graph from a file
};

/// Where a tile goes, and what it shares with other tiles.
class TileWay {
 public:
  TileWay(const SystemConfig& config, const Graph& graph, const Tracking& tracking,
          const FollowedTile& followed);

  const FollowedTile& tile() const { return tile_; }
  const Tiling& tiling() const { return output_.tiling; }
  const MemoryLayout& layout() const { return output_.layout; }
  const Route& route() const { return *route_; }
  WavefrontId wavefront() const { return wavefront_; }
  /// Found after the run, if none was given.
  void setWavefront(WavefrontId found) { wavefront_ = found; }
  ChunkId chunk() const { return tiling().chunkOf(tile_.workgroup); }
  Rectangle area() const { return tiling().wavefrontTile(tile_.workgroup, wavefront()); }
  Route::Duty duty(std::uint32_t gpu) const { return route_->duty(GpuId{gpu}, chunk()); }
  /// The GPU that keeps the tile.
  std::uint32_t owner() const { return route_->owner(chunk()).value; }
  /// Where a GPU sends the tile, or its sum so far.
  std::uint32_t next(std::uint32_t gpu) const;
  /// The tiles that share a command with it.
  TileRange block() const { return block_; }
  /// The row of tiles that it is in, which is also the row slot that its consumers wait for.
  std::uint32_t row() const { return tile_.workgroup.value / tiling().tilesAcross(); }

 private:
  std::unique_ptr<const Route> route_;
  const OutputPlan output_;
  const FollowedTile tile_;
  const TileRange block_;
  WavefrontId wavefront_;
};

/// The role of a model in the story, from its name: "gpu3.gpu.dma.egress" is DmaEgress of GPU 3.
/// Gemm is the one that makes the output, Consumer the one that reads its rows.
enum class TilePart : std::uint8_t {
  Gemm,
  GemmMemory,
  GemmEgress,
  Dma,
  DmaMemory,
  DmaEgress,
  Ingress,
  IngressMemory,
  Merge,
  Link,
  Memory,
  Tracker,
  Stack,  ///< the unit of one of its stacks
  Consumer,
  Other
};
/// A model: its role, and its GPU (-1: none).
struct TilePlace {
  std::string name;
  TilePart part = TilePart::Other;
  int gpu = -1;
};

/// What a request of the tile does somewhere.
struct TileStep {
  RequestPhase phase = RequestPhase::Created;
  std::uint32_t place = 0;
  Picoseconds when = 0;
  Picoseconds said = 0;     ///< when the model announced it; `when` may lie ahead of that
  Picoseconds entered = 0;  ///< Served, Joined
  ChannelId channel;        ///< Counted, Served
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t sum = 0;  ///< Joined: the request that carries it on
};
/// A request with bytes of the tile.
struct TileRequest {
  std::uint64_t number = 0, cause = 0;
  WavefrontId wavefront;
  std::uint32_t source = 0;  ///< the GPU that made it
  bool read = false;
  std::uint64_t address = 0, bytes = 0;
  std::vector<TileStep> steps;  ///< where a switch adds also those of the sums with its bytes

  std::uint32_t origin() const { return steps.front().place; }
  /// The sum of the bytes of all steps of that kind.
  std::uint64_t bytesOf(RequestPhase phase) const;
  /// The time of the last such step.
  std::optional<Picoseconds> last(RequestPhase phase) const;
};

/// What happens to one wavefront tile in all GPUs of a run that tracks tiles: its requests with all
/// their steps, and the events that say why they wait.
class TileRecord : public Instrument, private EventSink, private RequestSink {
 public:
  using Interval = std::pair<Picoseconds, Picoseconds>;

  /// `tile` is of an output that trackers sum; `config` is as the mode has configured it.
  TileRecord(const SystemConfig& config, const Graph& graph, const Tracking& tracking,
             const FollowedTile& tile);

  void begin(Listeners& listeners) override;
  void finish() override;

  /// Whether the GPU that keeps the tile has it summed in memory and has counted its block and, if
  /// trackers release rows, the consumers of all GPUs have begun with its row of tiles.
  bool complete() const {
    return missingAtOwner_ == 0 && blocks_[way_.owner()].missing == 0 &&
           (!releasesRows() || consuming_.size() == way_.route().gpus());
  }

  const TileWay& way() const { return way_; }
  bool releasesRows() const { return !consumer_.empty(); }
  /// The row slot with which its owner releases the row to the norm, if there is one.
  std::optional<std::uint32_t> rowSlotOfNorm() const { return rowSlotOfNorm_; }

  Picoseconds end() const { return end_; }  ///< of the run
  const TilePlace& place(std::uint32_t index) const { return places_[index]; }
  bool switched() const { return switched_; }  ///< between two GPUs are two links
  /// The model that a port belongs to.
  std::uint32_t ownerOf(std::uint32_t port) const;
  const std::vector<TileRequest>& requests() const { return requests_; }
  const TileRequest* request(std::uint64_t number) const;
  /// The GPUs whose contributions a switch has added to a sum, in the order of the additions.
  std::vector<std::uint32_t> addedTo(std::uint64_t sum) const;
  /// The first event of that kind at that part of `gpu` of which `fits` is true.
  template <typename Fits>
  std::optional<Event> find(std::uint32_t gpu, TilePart part, EventKind kind, Fits fits) const {
    for (const Event& event : events_) {
      const TilePlace& at = places_[event.source];
      if (event.kind == kind && at.part == part && at.gpu == static_cast<int>(gpu) && fits(event)) {
        return event;
      }
    }
    return std::nullopt;
  }
  std::optional<Event> find(std::uint32_t gpu, TilePart part, EventKind kind) const {
    return find(gpu, part, kind, [](const Event&) { return true; });
  }
  /// How long a model waited for zeros or credit during that time.
  Picoseconds waited(std::uint32_t place, Interval during) const;
  /// When a channel began to wait at the tracker with that byte of the tile, if it did.
  std::optional<Picoseconds> stalled(std::uint32_t gpu, std::uint64_t address,
                                     Picoseconds before) const;
  std::uint32_t tilesDone(std::uint32_t gpu) const { return tilesDone_.at(gpu); }
  /// When the tracker of `gpu` counted the last update of the tiles of `block`.
  std::optional<Picoseconds> blockCounted(std::uint32_t gpu) const;
  /// The DMA engine's taking of the command that sends the sums of `block` on from `gpu`.
  std::optional<Event> commandTaken(std::uint32_t gpu) const;
  /// When the tracker of `gpu` issued command `number`.
  std::optional<Picoseconds> triggered(std::uint32_t gpu, std::uint64_t number) const;
  /// When which stack's unit of `gpu` has said its share of slot `number`; none of one stack.
  std::vector<std::pair<Picoseconds, std::string>> shares(std::uint32_t gpu,
                                                          std::uint64_t number) const;

 private:
  TilePlace placeOf(const std::string& name) const;
  void happened(const Event& event) override;
  void moved(const RequestStep& step) override;
  void followSums();
  WavefrontId findSlowest() const;

  /// The updates that a GPU counts for the tiles of `block_`.
  struct BlockCount {
    std::uint64_t missing = 0;  ///< bytes
    Picoseconds last = 0;       ///< when the last one was counted
  };

  TileWay way_;
  const std::string gemm_;  ///< name of the model that makes it
  std::vector<TilePlace> places_;
  const Listeners* listeners_ = nullptr;
  std::optional<RequestNumbers> numbers_;
  std::vector<TileRequest> requests_;
  std::unordered_map<std::uint64_t, std::size_t> byNumber_;
  std::vector<Event> events_;
  std::map<std::uint32_t, std::vector<Interval>> waits_;  ///< by place; open ones end at kOpen
  std::vector<std::uint32_t> tilesDone_;
  std::vector<BlockCount> blocks_;    ///< by GPU
  std::uint64_t missingAtOwner_ = 0;  ///< bytes of the tile that are to be at rest in its memory
  /// By GPU: its tracker serves the output now; before, other outputs had commands of these
  /// numbers.
  std::vector<bool> counts_;
  std::string consumer_;  ///< the model to which trackers release rows of tiles, if there is one
  std::optional<std::uint32_t> rowSlotOfNorm_;
  std::uint32_t tilesAcrossConsumer_ = 1;
  std::set<std::uint32_t> consuming_;  ///< GPUs whose consumer has begun with the row
  bool switched_ = false;
  Picoseconds end_ = 0;
};

}  // namespace t3
