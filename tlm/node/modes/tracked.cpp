// SPDX-License-Identifier: Apache-2.0
// The modes in which trackers drive collectives.
#include <algorithm>
#include <optional>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/system_config.h"
#include "tlm/node/tracker_plan.h"

namespace t3 {
namespace {

/// The reduce-scatter happens while the GEMM runs, driven by the trackers; the all-gather kernels
/// follow.
Graph fusedGraph(const SystemConfig& config) {
  Graph graph;
  const NodeId gemm = addGemm(graph, {.stores = GemmWork::Stores::Tracked});
  const NodeId reduce = addTracked(graph, kReduceScatter);
  graph.connect(gemm, Gate::Chunks, reduce);
  gatherAndConsume(graph, config, {gemm, reduce}, kAllGather);
  return graph;
}

std::optional<std::string> checkFused(const SystemConfig& config, std::uint32_t /*number*/) {
  const auto route = config.makeRoute();
  return checkPlan(config.tracker, *route, config.makeTiling(*route), {});
}

/// T3-AG: the trackers hide the all-gather too. Slab after slab, the GEMM produces the same rows of
/// all chunks, so the first rows of the own chunk are final early. The tracker sends them on as
/// soon as they are, and at every GPU where they arrive it sends them on again, as plain writes.
/// When all have arrived it interrupts the software. No kernel of a collective runs
/// (docs/all-gather.md). A consumer is launched with the GEMM; the tracker releases its rows
/// (docs/consumer.md).
Graph fusedGatherGraph(const SystemConfig& config) {
  Graph graph;
  const NodeId gemm = addGemm(graph, {.stores = GemmWork::Stores::Tracked});
  const NodeId reduce = addTracked(graph, kReduceScatter);
  graph.connect(gemm, Gate::Chunks, reduce);
  std::optional<NodeId> norm;
  if (config.workload.norms()) {
    norm = addNorm(graph);
    graph.connect(reduce, Gate::Rows, *norm);
  }
  const NodeId gather = addTracked(graph, kAllGather);
  graph.connect(norm.value_or(reduce), Gate::Chunks, gather);
  if (config.workload.consumer.any()) {
    graph.connect(gather, Gate::Rows, addConsumer(graph, true));
  }
  return graph;
}

/// What trackers do: of the mode, or as a file has it.
Graph trackedGraph(const SystemConfig& config) {
  return completed(config.graph != nullptr ? config.graph->tracked : fusedGatherGraph(config),
                   config);
}

/// Whether rows of tiles are released: blocks do not cross them then.
bool releasesRows(const TrackerUse& use) { return use.releases || use.norms; }

/// Whether the blocks of an output find no slots, and a slot could count blocks of twice the size.
bool shouldGrow(const SystemConfig& config, const Route& route, const OutputShape& shape,
                const TrackerUse& use) {
  const Tiling tiling = tilingOf(config, shape, route.chunks());
  if (slotsNeeded(route, tiling, config.tracker.block_log2, use) <= config.tracker.slots) {
    return false;
  }
  const std::uint32_t larger = config.tracker.block_log2 + 1;
  return larger <= TrackerConfig::kMostBlockLog2 &&
         (!releasesRows(use) || tiling.tilesAcross() % (1U << larger) == 0) &&
         !checkBlockBytes(tiling, larger, mostUpdatesPerElement(route));
}

void configureMode(SystemConfig& config, std::uint32_t number) {
  config.hbm.arbitration = kMcaArbitration;
  configureForGather(config, number);
}

std::optional<std::string> checkTracker(const SystemConfig& config, std::uint32_t number) {
  SystemConfig own = config;
  configureMode(own, number);
  const auto route = own.makeRoute();
  const Tiling tiling = own.makeTiling(*route);
  const WorkloadConfig& work = own.workload;
  const std::uint32_t rows =
      tiling.tilesDown() + (work.norms() ? tiling.mostTilesOfAChunk() / tiling.tilesAcross() : 0);
  const TrackerUse use = trackedGraph(own).trackings.front().use;
  if (releasesRows(use) && rows > own.tracker.rows) {
    return "expected tracker.rows of at least " + std::to_string(rows) +
           ", for the rows of tiles that t3-ag releases to the norm and to the consumer, got " +
           std::to_string(own.tracker.rows);
  }
  if (auto problem = checkPlan(own.tracker, *route, tiling, use)) return problem;
  const std::uint32_t slots = slotsNeeded(*route, tiling, own.tracker.block_log2, use);
  if (slots <= own.tracker.slots) return std::nullopt;
  return "expected tracker.slots of at least " + std::to_string(slots) +
         " for t3-ag, because chunks of " + std::to_string(tiling.mostTilesOfAChunk()) + " tiles " +
         (releasesRows(use) ? "in rows of " + std::to_string(tiling.tilesAcross()) + " " : "") +
         "are not cut into larger blocks, got " + std::to_string(own.tracker.slots);
}

/// Whether a consumer needs the first rows while sums are still under way: where the reduce-scatter
/// takes longer than the GEMM in front of it, compute units wait for rows.
bool gatherIsAwaited(const SystemConfig& config) {
  const Graph graph = trackedGraph(config);
  const auto route = config.makeRoute();
  return std::ranges::any_of(graph.trackings, [&](const Tracking& tracking) {
    if (!tracking.use.releases) return false;
    const OutputShape& shape = graph.outputs[graph.outputOf(tracking)];
    SystemConfig own = withoutHeaders(config);
    own.workload.depth = std::ranges::max(shape.depths);
    const BoundParts parts = boundParts(own, *route, tilingOf(config, shape, route->chunks()),
                                        kReduceScatterAndAllGather, true, true);
    return parts.most([](const GpuBound& gpu) { return gpu.collectives.of(kReduceScatter); }) >
           parts.most([](const GpuBound& gpu) { return gpu.gemm; });
  });
}

}  // namespace

constexpr ModeKind kT3 = {.name = "t3",
                          .tracked = true,
                          .boundedBy = kByIdealRsNmc,
                          .graph = fusedGraph,
                          .bound = firstOverlapped,
                          .repeats = true,
                          .takesFile = true,
                          .check = checkFused};

/// t3 with the arbitration that knows of communication, whatever the scenario names.
constinit const ModeKind kT3Mca = [] {
  ModeKind kind = kT3;
  kind.name = "t3-mca";
  kind.configure = [](SystemConfig& config, std::uint32_t) {
    config.hbm.arbitration = kMcaArbitration;
  };
  return kind;
}();

void configureForGather(SystemConfig& config, std::uint32_t /*number*/) {
  // A switch that adds and copies leaves the links from it to the all-gather, nearly alone, and
  // those to it to the reduce-scatter. What is gathered last would come when both could be over.
  config.link.gather_last = !gatherIsAwaited(config) && !config.merges();
  if (config.gpu.gemm.slab_rows == 0) config.gpu.gemm.slab_rows = 1;
  if (config.gpu.dma.gather_channels == 0) {
    config.gpu.dma.gather_channels = config.gpu.dma.channels;
  }
  // Arrivals need slots as well: where there are too few, a command covers more tiles.
  const auto route = config.makeRoute();
  const auto grows = [&] {
    const Graph graph = trackedGraph(config);
    return std::ranges::any_of(graph.trackings, [&](const Tracking& tracking) {
      return shouldGrow(config, *route, graph.outputs[graph.outputOf(tracking)], tracking.use);
    });
  };
  while (grows()) ++config.tracker.block_log2;
}

constinit const ModeKind kT3Ag = {.name = "t3-ag",
                                  .tracked = true,
                                  .gathers = true,
                                  .boundedBy = kByIdealAg,
                                  .graph = fusedGatherGraph,
                                  .bound = allOverlapped,
                                  .repeats = true,
                                  .configure = configureMode,
                                  .check = checkTracker};

}  // namespace t3
