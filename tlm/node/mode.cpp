// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/mode.h"

#include <algorithm>
#include <array>

#include "tlm/node/graph.h"
#include "tlm/node/system_config.h"

namespace t3 {

std::span<const ModeKind* const> ModeKind::table() {
  static constexpr std::array<const ModeKind*, 10> kTable = {
      &kSequential, &kNvls, &kCuSplit,      &kAgSplit,    &kT3,
      &kT3Mca,      &kT3Ag, &kIdealOverlap, &kIdealRsNmc, &kIdealAg};
  return kTable;
}

namespace {

/// Where the tracker has fewer slots than a tracking of the graph needs, a DMA command covers twice
/// as many tiles, and so on.
void coverBlocks(SystemConfig& config, const Graph& own) {
  const auto route = config.makeRoute();
  const auto tooMany = [&] {
    const Graph graph = completed(own, config);
    return std::ranges::any_of(graph.trackings, [&](const Tracking& tracking) {
      const OutputShape& shape = graph.outputs[graph.outputOf(tracking)];
      return slotsNeeded(*route, tilingOf(config, shape, route->chunks()),
                         config.tracker.block_log2, tracking.use) > config.tracker.slots;
    });
  };
  while (config.tracker.block_log2 < TrackerConfig::kMostBlockLog2 && tooMany()) {
    ++config.tracker.block_log2;
  }
}

}  // namespace

SystemConfig Mode::configured(SystemConfig config) const {
  if (config.usesLibrary() && &simulated() != &kSequential) config.algorithm.reset();
  if (simulated().configure != nullptr) simulated().configure(config, number);
  if (config.graph != nullptr) coverBlocks(config, config.graph->of(*kind));
  return config;
}

Graph Mode::graph(const SystemConfig& config) const {
  return completed(config.graph != nullptr ? config.graph->of(*kind) : kind->graph(config), config);
}

std::vector<const Collective*> Mode::collectives(const SystemConfig& config) const {
  return kind->graph(config).collectives();
}

bool sameCollectives(const SystemConfig& config, Mode one, Mode other) {
  return one.collectives(config) == other.collectives(config);
}

}  // namespace t3
