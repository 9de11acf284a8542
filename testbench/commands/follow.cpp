// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <optional>

#include "testbench/collective/graph_file.h"
#include "testbench/commands/command.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/follow/request_story.h"
#include "testbench/output/interrupt.h"
#include "testbench/report/progress_bar.h"
#include "testbench/simulate/crew.h"
#include "testbench/simulate/simulation.h"
#include "tlm/node/graph.h"

namespace t3 {
namespace {

bool tracksTiles(const ModeKind& kind) { return kind.tracked && !kind.ideal; }

std::vector<std::string> trackingModes() {
  std::vector<std::string> names;
  for (const ModeKind* kind : ModeKind::table()) {
    if (tracksTiles(*kind)) names.emplace_back(kind->name);
  }
  return names;
}

/// What trackers do with the output that is followed.
const Tracking& trackingOf(const Options& options, const Graph& graph) {
  const auto name = options.value("output");
  std::vector<std::string> summed;
  std::vector<const Tracking*> meant;
  for (const Tracking& tracking : graph.trackings) {
    if (!tracking.sums) continue;
    summed.push_back(inQuotes(outputName(graph, graph.outputOf(tracking))));
    if (!name || inQuotes(*name) == summed.back()) meant.push_back(&tracking);
  }
  if (summed.empty()) throw ConfigError("workload.graph", "", "expected sums by trackers");
  if (meant.size() == 1) return *meant.front();
  throw ConfigError("--output", "",
                    "expected " + alternatives(summed) + ", which trackers sum" +
                        (name ? ", got " + inQuotes(*name) : ""));
}

FollowedTile tileOf(const Options& options, const Tiling& tiling, std::uint32_t gpus) {
  const auto index = [&](const char* name, std::uint32_t count) {
    const auto number = options.value(name, WholeNumber{0, count - 1});
    if (number) return *number;
    throw ConfigError(std::string("--") + name, "",
                      "expected one, from 0 to " + std::to_string(count - 1));
  };
  FollowedTile tile;
  tile.gpu = index("gpu", gpus);
  tile.workgroup = WorkgroupId{index("wg", tiling.tiles())};
  if (options.has("wf")) {
    tile.wavefront = WavefrontId{index("wf", tiling.liveWavefronts(tile.workgroup))};
  }
  return tile;
}

Options followOptions() {
  Options options("t3sim follow --gpu G --wg W [--wf F] [OPTIONS]",
                  "Runs a scenario and tells what happens to what one wavefront of one GPU\n"
                  "computes: from its store, over every GPU that adds to it, to the last addition\n"
                  "in the one that keeps the sum, with times and what was waited for. Where\n"
                  "requests are many, it follows the last of them. Where trackers release rows\n"
                  "to a consumer, it goes on to the consumers' workgroups that read the tile.");
  options.add("gpu", "G",
              "the GPU that computes it, from 0; others compute their parts of the sum");
  options.add("wg", "W", "its workgroup: the number of the output tile, row by row, from 0");
  options.add("wf", "F",
              "its wavefront: a band of rows of that tile, from 0; default the one that gets least "
              "far, or is the last to get there");
  options.add("output", "NAME",
              "the output, of a graph from a file; needed where trackers sum several of them");
  addScenarioOptions(options);
  addModeOption(options, alternatives(trackingModes()));
  options.offer("mode", trackingModes());
  addTrackerOption(options);
  options.addFlag("quiet", "print no progress");
  return options;
}

int runFollow(const Options& options) {
  const Mode mode = modeOf(options);
  if (!tracksTiles(*mode.kind)) {
    throw ConfigError("--mode", "",
                      "expected " + alternatives(trackingModes()) + ", which track tiles, got " +
                          inQuotes(spelling(mode)));
  }
  const TrackerKind tracker = trackerOf(options);
  SystemConfig scenario = scenarioOf(options);
  checkMode(mode, scenario, tracker, "--mode");
  if (scenario.simulated_gpus == GpuSimulation::Symmetric) {
    throw ConfigError("--gpus", "",
                      "expected explicit: with one GPU for all there is no other end");
  }
  if (options.has("output") && scenario.graph == nullptr) {
    throw ConfigError("--output", "", "expected --graph beside it, whose outputs have names");
  }
  if (scenario.workload.repeat > 1) {
    throw ConfigError("workload.repeat", "", "expected 1: one sublayer is followed");
  }
  LocalCrew crew(1);
  measureShares(scenario, crew);
  const SystemConfig config = mode.configured(scenario);
  const Graph graph = mode.graph(config);
  const Tracking& tracking = trackingOf(options, graph);
  const std::uint32_t output = graph.outputOf(tracking);
  FollowedTile tile = tileOf(
      options, tilingOf(config, graph.outputs[output], config.makeRoute()->chunks()), config.gpus);
  if (config.graph != nullptr) tile.output = outputName(graph, output);
  const std::unique_ptr<Peers> launched = peersOf(scenario);
  Peers* const peers = launched.get();
  const bool tells = peers == nullptr || peers->self() == 0;
  TileRecord record(config, graph, tracking, tile);
  RunRecord outcome;
  {
    ProgressBar bar({spelling(mode)}, tells && !options.has("quiet"));
    Observers observers;
    observers.peers = peers;
    observers.progress = [&](double fraction) { bar.update(0, fraction); };
    // In many processes the record is told of the run when that is over.
    if (peers == nullptr) observers.stop = [&] { return record.complete(); };
    observers.answersInterrupts = peers == nullptr;
    if (tells) observers.instruments = {&record};
    outcome = simulate(scenario, mode, tracker, observers);
  }
  if (!tells) return kDone;
  std::cout << tileStory(record);
  if (record.complete()) return kDone;
  std::cerr << "t3sim: " << outcome.result.error << std::endl;
  return interruptAnswered() ? kInterrupted : kCheckFailed;
}

}  // namespace

Command followCommand() {
  return {"follow", "the life of one tile, from store to last addition", followOptions, runFollow,
          true};
}

}  // namespace t3
