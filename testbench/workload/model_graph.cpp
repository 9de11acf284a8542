// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/model_graph.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/workload/trace_graph.h"
#include "testbench/workload/work_plan.h"
#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/collective.h"
#include "tlm/node/mode.h"

namespace t3 {
namespace {

using Nodes = std::set<NodeId>;

// Published configurations.
constexpr TransformerModel kModels[] = {
    {"llama-3-8b", 32, 4096, 32, 8, 128, 14336},
    {"llama-3-70b", 80, 8192, 64, 8, 128, 28672},
    {"llama-3-405b", 126, 16384, 128, 8, 128, 53248},
};

constexpr std::uint32_t kMostTokens = 1 << 20;

std::string layerName(std::uint32_t layer) { return "layer" + std::to_string(layer); }

class ModelGraph {
 public:
  ModelGraph(const ModelRun& run, const SystemConfig& scenario, Pairs pairs)
      : run_(run),
        model_(*run.model),
        scenario_(scenario),
        pairs_(pairs),
        gpus_(scenario.gpus),
        groups_(run.schedule == Schedule::Halves ? 2 : 1) {}

  Graph make() {
    const std::uint32_t layers =
        scenario_.trace.layers != 0 ? scenario_.trace.layers : kModelLayers;
    for (std::uint32_t layer = 0; layer < std::min(layers, model_.layers); ++layer) {
      for (Group& group : groups_) addAttention(layer, group);
      for (Group& group : groups_) addFeedForward(layer, group);
    }
    return std::move(graph_);
  }

 private:
  /// Tokens that go through the layers together.
  struct Group {
    /// When the sums of the last blocks are there, the newest last; none of what was not reduced.
    std::array<Nodes, 2> reduced;
  };

  std::uint32_t tokens() const { return run_.tokens / static_cast<std::uint32_t>(groups_.size()); }
  double bytesOfTokens(double columns) const {
    return tokens() * columns * bytesOf(scenario_.workload.data_type);
  }
  std::string nameOf(std::uint32_t layer, const char* part, const Group& group) const {
    const std::string half = &group == groups_.data() ? "" : "_2";
    return layerName(layer) + "_" + part + half;
  }

  void addAttention(std::uint32_t layer, Group& group) {
    const std::uint32_t columns =
        (model_.heads + 2 * model_.keyValueHeads) * model_.headSize / gpus_;
    addNorm(layer, "norm_1", group);
    addGemm(nameOf(layer, "qkv", group), columns, model_.hidden);
    // Half of the products of queries and keys, and of these and values, are masked.
    const double operations =
        2.0 * tokens() * run_.sequence * model_.heads / gpus_ * model_.headSize;
    const std::uint32_t attended = model_.heads * model_.headSize / gpus_;
    addDelay(nameOf(layer, "attention", group), operations, bytesOfTokens(columns + attended));
    addReducedGemm(nameOf(layer, "wo", group), attended, group);
  }

  void addFeedForward(std::uint32_t layer, Group& group) {
    const std::uint32_t inner = model_.feedForward / gpus_;
    addNorm(layer, "norm_2", group);
    addGemm(nameOf(layer, "up", group), 2 * inner, model_.hidden);
    addDelay(nameOf(layer, "activation", group), 0, bytesOfTokens(3.0 * inner));
    addReducedGemm(nameOf(layer, "down", group), inner, group);
  }

  /// Adds what was reduced last to the residual stream, and norms it: two reads, two writes.
  void addNorm(std::uint32_t layer, const char* part, Group& group) {
    addDelay(nameOf(layer, part, group), 0, bytesOfTokens(4.0 * model_.hidden),
             run_.schedule == Schedule::Ladder ? group.reduced[0] : group.reduced[1]);
  }

  // ---- nodes -----------------------------------------------------------------------------------

  NodeId inChain(Nodes& chain, GraphNode node, Nodes before = {}) {
    before.insert(chain.begin(), chain.end());
    const NodeId number = graph_.add(std::move(node));
    for (const NodeId earlier : before) graph_.connect(earlier, Gate::After, number);
    chain = {number};
    return number;
  }

  void addDelay(std::string name, double operations, double bytes, Nodes before = {}) {
    const double ns = rooflineNs(scenario_, operations, bytes);
    inChain(compute_, {std::move(name), kDelayPhase, DelayWork{picosecondsFromNs(ns)}},
            std::move(before));
  }

  std::uint32_t addOutput(std::uint32_t columns, std::uint32_t depth, bool chunked) {
    graph_.outputs.push_back({.rows = tokens(),
                              .columns = storedColumns(columns, scenario_.workload.data_type),
                              .depths = std::vector(gpus_, depth),
                              .chunked = chunked});
    return static_cast<std::uint32_t>(graph_.outputs.size() - 1);
  }

  NodeId addGemm(std::string name, std::uint32_t columns, std::uint32_t depth,
                 bool tracked = false) {
    GemmWork work{.output = addOutput(columns, depth, tracked)};
    if (tracked) work.stores = GemmWork::Stores::Tracked;
    return inChain(compute_, {std::move(name), Phase::Gemm, work});
  }

  /// A GEMM whose output the GPUs add up, and its all-reduce.
  void addReducedGemm(const std::string& name, std::uint32_t depth, Group& group) {
    const bool reduces = run_.schedule != Schedule::None;
    const bool kernels = pairs_ == Pairs::Kernels || pairs_ == Pairs::Loads;
    const bool tracked = reduces && !kernels;
    const NodeId gemm = addGemm(name, model_.hidden, depth, tracked);
    group.reduced[0] = std::exchange(group.reduced[1], {});
    if (!reduces) return;
    Nodes& reduced = group.reduced[1];
    const auto collective = [&](const char* suffix, const Collective& one, std::uint32_t output) {
      return GraphNode{name + suffix, one.phase, CollectiveWork{&one, tracked, output}};
    };
    if (!tracked) {
      const Collective& one = pairs_ == Pairs::Loads ? kNvlsAllReduce : kAllReduce;
      GraphNode node = collective("_all_reduce", one, addSums());
      std::get<CollectiveWork>(node.work).units = heldUnits();
      reduced = {inChain(communication_, std::move(node), {gemm})};
      return;
    }
    const std::uint32_t output = graph_.nodes[gemm].as<GemmWork>()->output;
    const NodeId sums = graph_.add(collective("_sum", kReduceScatter, output));
    graph_.connect(gemm, Gate::Chunks, sums);
    reduced = {gemm, sums};
    GraphNode gather = collective("_gather", kAllGather, output);
    if (pairs_ == Pairs::TrackedSums) {
      std::get<CollectiveWork>(gather.work).tracked = false;
      std::get<CollectiveWork>(gather.work).units = heldUnits();
      reduced = {inChain(communication_, std::move(gather), reduced)};
    } else {
      const NodeId gathered = graph_.add(std::move(gather));
      graph_.connect(sums, Gate::Chunks, gathered);
      reduced.insert(gathered);
    }
  }

  /// What a library reduces: in chunks of its own, not in those of tiles, and all of one size, so
  /// up to 2 % more than the output has.
  std::uint32_t addSums() {
    OutputShape shape = givenOutput(
        scenario_, std::uint64_t{tokens()} * model_.hidden * bytesOf(scenario_.workload.data_type));
    const std::uint32_t unit = (scenario_.gpu.gemm.tile_rows << scenario_.tracker.block_log2) *
                               scenario_.makeRoute()->chunks();
    shape.rows = (shape.rows + unit - 1) / unit * unit;
    graph_.outputs.push_back(std::move(shape));
    return static_cast<std::uint32_t>(graph_.outputs.size() - 1);
  }

  /// A library's thread blocks keep their compute units; of other kernels the setting says how many
  /// they keep.
  std::uint32_t heldUnits() const {
    const CollectiveConfig& kernels = scenario_.gpu.collective;
    const bool library =
        kernels.thread_blocks == ThreadBlocks::Own && scenario_.algorithm != nullptr;
    const std::size_t wanted =
        library ? scenario_.algorithm->form().algorithm().gpus.front().threadBlocks.size()
                : kernels.compute_units;
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(wanted, scenario_.gpu.compute_units - 1));
  }

  const ModelRun& run_;
  const TransformerModel& model_;
  const SystemConfig& scenario_;
  const Pairs pairs_;
  const std::uint32_t gpus_;
  std::vector<Group> groups_;
  Graph graph_;
  Nodes compute_, communication_;  ///< the last node of a stream
};

}  // namespace

std::vector<std::string> modelNames() { return namesOf(kModels); }

std::optional<ModelRun> ModelRun::named(const std::string& word) {
  const std::vector<std::string> words = split(word, '/');
  const auto* const model = std::ranges::find(kModels, words.front(), &TransformerModel::name);
  if (model == std::end(kModels) || words.size() == 1) return std::nullopt;
  if (words.size() > 4 || words.size() < 3) {
    throw ConfigError(word, "", "expected MODEL/SCHEDULE/TOKENS or MODEL/SCHEDULE/TOKENS/SEQUENCE");
  }
  const auto schedule = fromSpelling<Schedule>(words[1]);
  if (!schedule) {
    throw ConfigError(word, "",
                      "expected a schedule " + alternatives(spellings<Schedule>()) + ", got " +
                          inQuotes(words[1]));
  }
  const auto number = [&](std::size_t place, const char* what) {
    const auto value = numberFrom<std::uint32_t>(words[place]);
    if (value && *value >= 2 && *value <= kMostTokens) return *value;
    throw ConfigError(word, "",
                      std::string("expected ") + what + " from 2 to " +
                          std::to_string(kMostTokens) + ", got " + inQuotes(words[place]));
  };
  ModelRun run{model, *schedule, number(2, "tokens"), 0};
  run.sequence = words.size() == 4 ? number(3, "tokens of a sequence") : run.tokens;
  if (run.tokens % run.sequence != 0) {
    throw ConfigError(
        word, "",
        "expected whole sequences, got " + words[2] + " tokens in sequences of " + words[3]);
  }
  if (run.schedule == Schedule::Halves && run.tokens % 2 != 0) {
    throw ConfigError(word, "", "expected an even number of tokens for halves, got " + words[2]);
  }
  return run;
}

std::uint64_t ModelRun::summedBytes(DataType type) const {
  const std::uint64_t together = schedule == Schedule::Halves ? tokens / 2 : tokens;
  return together * model->hidden * bytesOf(type);
}

FileGraphs modelGraphs(const ModelRun& run, const SystemConfig& scenario) {
  const TransformerModel& model = *run.model;
  const std::uint32_t gpus = scenario.gpus;
  if (model.keyValueHeads % gpus != 0 || model.feedForward % gpus != 0) {
    throw ConfigError(scenario.workload.graph, "gpus",
                      "expected a divisor of the " + std::to_string(model.keyValueHeads) +
                          " heads of keys and values, got " + std::to_string(gpus));
  }
  const SystemConfig others = Mode::T3.configured(scenario);  // with collectives of their own
  return {.byKernels = ModelGraph(run, scenario, Pairs::Kernels).make(),
          .bySwitch = ModelGraph(run, others, Pairs::Loads).make(),
          .trackedSums = ModelGraph(run, others, Pairs::TrackedSums).make(),
          .tracked = ModelGraph(run, others, Pairs::Tracked).make()};
}

double prefillNs(const ModelRun& run, const RunResult& result) {
  std::vector<Picoseconds> ends;  // of layers: of their last GEMM
  Picoseconds last = 0;
  for (const NodeFigures& node : result.nodes) {
    last = std::max(last, node.end_ps);
    const std::string layer = layerName(static_cast<std::uint32_t>(ends.size()));
    if (node.name == layer + "_down") ends.push_back(node.end_ps);
  }
  const auto ran = static_cast<std::uint32_t>(ends.size());
  const double layer = nanoseconds(ran > 1 ? ends[ran - 1] - ends[ran - 2] : last);
  return nanoseconds(last) + layer * (run.model->layers - ran);
}

}  // namespace t3
