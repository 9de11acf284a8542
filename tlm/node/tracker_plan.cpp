// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/tracker_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tlm/collectives/collective.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/tracker/tracker_config.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/traffic.h"

namespace t3 {
namespace {

/// What a GPU does with final chunks, by chunk.
struct GatherSteps {
  std::vector<std::vector<DmaWrite>> targets;  ///< empty: not sent on
  std::vector<bool> arrives;                   ///< stored here by another GPU
};

/// `base`: address of the buffer in which the chunks are gathered.
GatherSteps gatherSteps(const Route& route, const Tiling& tiling, GpuId gpu, std::uint64_t base) {
  GatherSteps steps{std::vector<std::vector<DmaWrite>>(route.chunks()),
                    std::vector<bool>(route.chunks())};
  const StepProgram program = kAllGather.program(route, tiling, {.output = base}, gpu);
  for (const StepProgram::Run& run : program.runs) {
    for (const StepProgram::Step& step : run) {
      for (const StepProgram::Send& send : step.sends) {
        steps.targets[step.shape].push_back(
            {.destination = send.destination.address, .row = 0, .port = send.port});
      }
    }
  }
  for (const StepProgram::Arrival& arrival : program.arrivals) steps.arrives[arrival.shape] = true;
  return steps;
}

/// Makes the plan of one GPU.
class Planner {
 public:
  Planner(const Route& route, const Tiling& tiling, GpuId gpu, std::uint32_t blockLog2,
          const TrackerUse& use, const MemoryLayout& layout)
      : route_(route),
        tiling_(tiling),
        gpu_(gpu),
        blockLog2_(blockLog2),
        use_(use),
        layout_(layout) {}

  /// The slots of `plan()`, without making its commands.
  std::uint32_t slots() const {
    std::uint32_t slots = slotsOfOutput();
    for (const auto& [kind, tiles] : sumRuns()) slots += hasOwnSlots(kind) ? blocks(tiles) : 0;
    return slots;
  }

  TrackerPlan plan() {
    plan_.slots = slotsOfOutput();
    if (use_.gathers) {
      gather_ = gatherSteps(route_, tiling_, gpu_, layout_.base(gathered()));
      sendFinalChunks();
    }
    addSums();
    if (use_.gathers) addArrivals();
    if (use_.rankedRows != 0) rankBySlab();
    return std::move(plan_);
  }

 private:
  template <typename Kind>
  struct Run {
    Kind kind;
    TileRange tiles;
  };
  /// Of chunks that are summed here.
  struct SumKind {
    Route::Duty duty;
    std::uint32_t updates;
    bool operator==(const SumKind&) const = default;
  };

  bool sums() const { return use_.sums != TrackerUse::Sums::None; }
  std::uint32_t slotsOfOutput() const { return use_.gathers ? blocks({0, tiling_.tiles()}) : 0; }
  /// Own sums that are gathered as they are count in the slots of the output.
  bool hasOwnSlots(const SumKind& kind) const {
    return kind.duty != Route::Duty::Keeps || !use_.gathers || use_.norms;
  }

  /// Runs of chunks for which `kindOf(chunk)` has the same value; none where it is empty.
  template <typename KindOf>
  auto runs(KindOf kindOf) const {
    decltype(kindOf(ChunkId{})) before;
    std::vector<Run<typename decltype(before)::value_type>> list;
    for (std::uint32_t c = 0; c < route_.chunks(); ++c) {
      const auto kind = kindOf(ChunkId{c});
      const TileRange tiles = tiling_.chunk(ChunkId{c});
      if (tiles.count == 0) continue;
      if (kind && kind == before) {
        list.back().tiles.count += tiles.count;
      } else if (kind) {
        list.push_back({*kind, tiles});
      }
      before = kind;
    }
    return list;
  }

  std::uint32_t blocks(TileRange tiles) const {
    return (tiles.count + (1U << blockLog2_) - 1) >> blockLog2_;
  }
  template <typename Visit>
  void forBlocks(TileRange tiles, CommandId first, Visit visit) const {
    const std::uint32_t blockTiles = 1U << blockLog2_;
    for (std::uint32_t wg = tiles.first; wg < tiles.end(); wg += blockTiles, ++first.value) {
      visit(first, TileRange{wg, std::min(blockTiles, tiles.end() - wg)});
    }
  }
  ChunkId chunkOf(TileRange block) const { return tiling_.chunkOf(WorkgroupId{block.first}); }

  /// The blocks of all chunks that are sent as they are.
  void sendFinalChunks() {
    forBlocks({0, tiling_.tiles()}, CommandId{0}, [&](CommandId slot, TileRange block) {
      const std::vector<DmaWrite>& targets = gather_.targets[chunkOf(block).value];
      if (targets.empty()) return;
      DmaTransfer transfer{.tiling = &tiling_,
                           .tiles = block,
                           .source = layout_.base(gathered()),
                           .phase = Phase::AllGather,
                           .remote = targets,
                           .slowest = slowest(targets, slot)};
      if (use_.multicasts && targets.size() == route_.gpus() - 1) {
        transfer.remote = {targets[transfer.slowest]};
        transfer.remote.front().multicast = true;
        transfer.slowest = 0;
      }
      plan_.commands.push_back({slot, std::move(transfer)});
    });
  }

  /// Links that are alike take turns, so that the engine's shares have equal work.
  std::size_t slowest(const std::vector<DmaWrite>& targets, CommandId slot) const {
    const auto port = route_.traits().slowestPort;
    if (!port) return slot.value % targets.size();
    const auto found = std::ranges::find(targets, *port, &DmaWrite::port);
    return found == targets.end() ? 0 : static_cast<std::size_t>(found - targets.begin());
  }

  std::vector<Run<SumKind>> sumRuns() const {
    return runs([this](ChunkId chunk) -> std::optional<SumKind> {
      if (!sums()) return std::nullopt;
      const Route::Duty duty = route_.duty(gpu_, chunk);
      if (duty == Route::Duty::Sends) return std::nullopt;
      const std::uint32_t updates = route_.updatesPerElement(gpu_, chunk);
      // Nothing comes to what was there before: software sends it on.
      if (use_.sums == TrackerUse::Sums::ByOthers && updates == 1) return std::nullopt;
      return SumKind{duty, updates};
    });
  }

  void addSums() {
    for (const auto& [kind, tiles] : sumRuns()) {
      TrackedRegion region;
      region.tiles = tiles;
      region.updatesPerElement = kind.updates - (use_.sums == TrackerUse::Sums::ByOthers ? 1 : 0);
      region.buffer = sumBuffer(route_, gpu_, tiling_.chunkOf(WorkgroupId{tiles.first}));
      const bool keeps = kind.duty == Route::Duty::Keeps;
      const bool ownSlots = hasOwnSlots(kind);
      if (ownSlots) {
        region.firstCommand = CommandId{plan_.slots};
        plan_.slots += blocks(tiles);
      } else {
        region.firstCommand = CommandId{tiles.first >> blockLog2_};
      }
      if (keeps && use_.norms) {
        plan_.firstOwnRow = tiles.first / tiling_.tilesAcross();
        region.firstRow = tiling_.tilesDown() - plan_.firstOwnRow;
      }
      if (keeps && use_.releases && !use_.norms) region.firstRow = 0;
      region.trigger = true;
      if (keeps) {
        plan_.reducedRegions.push_back(nextRegion());
        forBlocks(tiles, region.firstCommand, [&](CommandId slot, TileRange block) {
          plan_.reduced.push_back({slot, block});
          if (ownSlots) plan_.commands.push_back({slot, {.tiling = &tiling_, .tiles = block}});
        });
      } else {
        passOn(region);
      }
      plan_.triggered += blocks(tiles);
      plan_.regions.push_back(region);
    }
  }

  /// The sums of a region's blocks go to the next GPU as updates.
  void passOn(const TrackedRegion& region) {
    forBlocks(region.tiles, region.firstCommand, [&](CommandId slot, TileRange block) {
      const ChunkId chunk = chunkOf(block);
      const std::uint32_t port = route_.port(gpu_, chunk);
      const GpuId peer = route_.peer(gpu_, port);
      const std::uint64_t to = layout_.base(sumBuffer(route_, peer, chunk));
      plan_.commands.push_back({slot,
                                {.tiling = &tiling_,
                                 .tiles = block,
                                 .source = layout_.base(region.buffer),
                                 .clears = use_.readsClear,
                                 .remote = {{.destination = globalAddress(peer, to),
                                             .operation = MemoryOperation::Add,
                                             .row = 0,
                                             .port = port}}}});
    });
  }

  void rankBySlab() {
    for (TrackerPlan::Command& command : plan_.commands) {
      const std::uint32_t first = command.transfer.tiles.first;
      const std::uint32_t inChunk = first - tiling_.chunk(chunkOf(command.transfer.tiles)).first;
      command.transfer.rank = inChunk / (tiling_.tilesAcross() * use_.rankedRows);
    }
  }

  /// Chunks of other GPUs, stored here as they are to be.
  void addArrivals() {
    const auto ends = runs([this](ChunkId chunk) -> std::optional<bool> {
      if (!gather_.arrives[chunk.value]) return std::nullopt;
      return gather_.targets[chunk.value].empty();
    });
    const bool forwards = std::ranges::any_of(ends, [](const auto& run) { return !run.kind; });
    if (use_.norms && sums()) addNormed(forwards);
    for (const auto& [last, tiles] : ends) {
      if (!last) continue;
      plan_.arrivedRegions.push_back(nextRegion());
      addArrivalRegion(tiles, false);
    }
    if (forwards) {
      // The holes of this region belong to regions before it, or nothing is written there.
      plan_.arrivedRegions.push_back(nextRegion());
      addArrivalRegion({0, tiling_.tiles()}, true);
      if (!sums()) plan_.regions.back().unwritten = tilesThatStay();
    }
    forBlocks({0, tiling_.tiles()}, CommandId{0}, [&](CommandId slot, TileRange block) {
      const ChunkId chunk = chunkOf(block);
      if (!gather_.arrives[chunk.value]) return;
      plan_.arrived.push_back({slot, block});
      if (!gather_.targets[chunk.value].empty()) ++plan_.triggered;
    });
  }

  /// What the norm stores of the own chunks. They go on as arrivals do that are sent on, and belong
  /// to their region if there is one.
  void addNormed(bool forwards) {
    const auto own = runs([this](ChunkId chunk) -> std::optional<bool> {
      if (route_.owner(chunk) != gpu_) return std::nullopt;
      return true;
    });
    for (const auto& run : own) {
      if (!forwards) addArrivalRegion(run.tiles, true);
      forBlocks(run.tiles, CommandId{run.tiles.first >> blockLog2_},
                [&](CommandId slot, TileRange block) {
                  plan_.normed.push_back({slot, block});
                });
      plan_.triggered += blocks(run.tiles);
    }
  }

  std::uint32_t nextRegion() const { return static_cast<std::uint32_t>(plan_.regions.size()); }

  /// Those that were final before.
  std::vector<TileRange> tilesThatStay() const {
    std::vector<TileRange> tiles;
    for (std::uint32_t c = 0; c < route_.chunks(); ++c) {
      if (!gather_.arrives[c]) tiles.push_back(tiling_.chunk(ChunkId{c}));
    }
    return tiles;
  }

  OutputBuffer gathered() const { return use_.norms ? OutputBuffer::Normed : OutputBuffer::Output; }

  void addArrivalRegion(TileRange tiles, bool sendsOn) {
    TrackedRegion region;
    region.tiles = tiles;
    region.updatesPerElement = 1;
    region.buffer = gathered();
    region.trigger = sendsOn;
    if (use_.releases) region.firstRow = 0;
    region.firstCommand = CommandId{tiles.first >> blockLog2_};
    plan_.regions.push_back(region);
  }

  const Route& route_;
  const Tiling& tiling_;
  const GpuId gpu_;
  const std::uint32_t blockLog2_;
  const TrackerUse use_;
  const MemoryLayout layout_;
  GatherSteps gather_;
  TrackerPlan plan_;
};

}  // namespace

TrackerPlan planTracker(const Route& route, const Tiling& tiling, GpuId gpu,
                        std::uint32_t blockLog2, const TrackerUse& use,
                        const MemoryLayout& layout) {
  return Planner(route, tiling, gpu, blockLog2, use, layout).plan();
}

std::uint32_t slotsNeeded(const Route& route, const Tiling& tiling, std::uint32_t blockLog2,
                          const TrackerUse& use) {
  std::uint32_t most = 0;
  for (std::uint32_t g = 0; g < route.gpus(); ++g) {
    most = std::max(most, Planner(route, tiling, GpuId{g}, blockLog2, use, {}).slots());
  }
  return most;
}

std::optional<std::string> checkPlan(const TrackerConfig& tracker, const Route& route,
                                     const Tiling& tiling, const TrackerUse& use) {
  constexpr std::uint32_t kRegionsOfAll = 8, kWindowsOfAll = 3;  // of any route but a file's
  const bool known =
      route.whole(kReduceScatterPromise) == nullptr && route.whole(kAllReducePromise) == nullptr;
  const bool enough = known && tracker.regions >= kRegionsOfAll && tracker.windows >= kWindowsOfAll;
  std::size_t regions = 0, windows = 0;
  for (std::uint32_t g = 0; g < route.gpus() && !enough; ++g) {
    const TrackerPlan plan = planTracker(route, tiling, GpuId{g}, tracker.block_log2, use);
    std::set<OutputBuffer> buffers;
    for (const TrackedRegion& region : plan.regions) buffers.insert(region.buffer);
    if (use.norms && plan.reducedRegions.size() > 1) {
      return "expected workload.between = none, because the chunks that GPU " + std::to_string(g) +
             " owns in workload.collective are not one run that gets equally many updates";
    }
    regions = std::max(regions, plan.regions.size());
    windows = std::max(windows, buffers.size());
  }
  const auto lacks = [](const char* key, std::size_t needed, std::uint32_t there) {
    return std::string("expected tracker.") + key + " of at least " + std::to_string(needed) +
           ", for the chunks that a GPU treats alike, got " + std::to_string(there);
  };
  if (regions > tracker.regions) return lacks("regions", regions, tracker.regions);
  if (windows > tracker.windows) return lacks("windows", windows, tracker.windows);
  const bool rows = use.releases || use.norms;
  if (rows && tiling.tilesAcross() % (1U << tracker.block_log2) != 0) {
    return "expected tracker.block_log2 with blocks that do not cross the rows of " +
           std::to_string(tiling.tilesAcross()) + " tiles that the tracker releases, got " +
           std::to_string(1U << tracker.block_log2) + " tiles";
  }
  return std::nullopt;
}

std::uint64_t blockBytes(const Tiling& tiling, TileRange block) {
  std::uint64_t bytes = 0;
  for (std::uint32_t wg = block.first; wg < block.end(); ++wg) {
    bytes += tiling.bytes(tiling.tile(WorkgroupId{wg}));
  }
  return bytes;
}

StackShares::Bytes blockShares(const StackShares& shares, const TrackerProgram& program,
                               OutputBuffer buffer, TileRange block) {
  const Tiling& tiling = program.tiling;
  StackShares::Bytes bytes{};
  if (shares.stacks() == 1) {
    bytes[0] = blockBytes(tiling, block);
    return bytes;
  }
  for (std::uint32_t wg = block.first; wg < block.end(); ++wg) {
    const Rectangle tile = tiling.tile(WorkgroupId{wg});
    const std::uint64_t rowBytes = std::uint64_t{tile.columns} * tiling.elementBytes();
    for (std::uint32_t row = 0; row < tile.rows; ++row) {
      const std::uint64_t address = program.rowAddresses.empty()
                                        ? program.layout.base(buffer) + tiling.offset(tile, row)
                                        : program.rowAddresses[tile.row + row] +
                                              std::uint64_t{tile.column} * tiling.elementBytes();
      shares.add(address, rowBytes, bytes);
    }
  }
  return bytes;
}

std::optional<std::string> checkBlockBytes(const Tiling& tiling, std::uint32_t blockLog2,
                                           std::uint32_t updates) {
  const std::uint64_t most = TrackerConfig::kMostCount / updates;
  const std::uint64_t bytes = tiling.bytes(tiling.tile(WorkgroupId{0})) << blockLog2;
  if (bytes <= most) return std::nullopt;
  const bool blocks = blockLog2 != 0;
  return std::string(blocks ? "tracker.block_log2: expected blocks"
                            : "gpu.gemm.tile_rows: expected tiles") +
         " of at most " + std::to_string(most) + " bytes, of which a slot of the tracker counts " +
         std::to_string(updates) + " updates, got " + std::to_string(bytes);
}

}  // namespace t3
