// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/collective_file.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "tlm/collectives/algorithm_maker.h"
#include "tlm/node/system_config.h"

namespace t3 {
namespace {

using Place = AlgorithmMaker::Place;
using Chunk = AlgorithmMaker::Chunk;

constexpr std::string_view kFlows = "-Flows";  // behind a number, which depends on the solver
constexpr std::uint32_t kMostChunks = 1024;    // of a GPU

/// A chunk that goes from one GPU to another one. Switches in between are the machine's business.
struct Flow {
  std::uint32_t chunk = 0, source = 0, from = 0, to = 0, epoch = 0;
  double volume = 1;
  bool hasVolume = false;
  std::vector<std::uint32_t> switches = {};
};

bool take(std::string_view& rest, std::string_view words) {
  if (!rest.starts_with(words)) return false;
  rest.remove_prefix(words.size());
  return true;
}

template <typename Number>
requires std::is_arithmetic_v<Number>
bool take(std::string_view& rest, Number& number) {
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc{}) return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return true;
}

std::optional<Flow> flowOf(std::string_view text) {
  Flow flow;
  if (!take(text, "Chunk ") || !take(text, flow.chunk) || !take(text, " from ") ||
      !take(text, flow.source) || !take(text, " traveled over ") || !take(text, flow.from) ||
      !take(text, "->") || !take(text, flow.to)) {
    return std::nullopt;
  }
  flow.hasVolume = take(text, " with volume ");
  if (flow.hasVolume && !take(text, flow.volume)) return std::nullopt;
  if (!take(text, " in epoch ") || !take(text, flow.epoch)) return std::nullopt;
  if (take(text, " via switches ")) {
    do {
      if (!take(text, flow.switches.emplace_back())) return std::nullopt;
    } while (take(text, " -> "));
  }
  return text.empty() ? std::optional(flow) : std::nullopt;
}

/// One schedule, of which all errors name the entry.
class Schedule {
 public:
  Schedule(const std::string& text, const std::string& source) : source_(source) {
    const boost::json::value root = parseJsonText(text, source);
    const boost::json::value* flows = nullptr;
    const boost::json::object none;
    for (const auto& [key, value] : root.is_object() ? root.get_object() : none) {
      if (!std::string_view(key).ends_with(kFlows)) continue;
      key_ = key;
      flows = &value;
    }
    if (flows == nullptr || !flows->is_array() || flows->get_array().empty()) {
      throw ConfigError(source, key_, "expected a list of flows, as TE-CCL writes it");
    }
    for (const auto& entry : flows->get_array()) read(entry);
    number();
    std::ranges::stable_sort(order_, {}, [this](std::size_t i) { return flows_[i].epoch; });
  }

  const Promise& promise() const { return exchanges_ ? kAllToAllPromise : kAllGatherPromise; }
  std::uint32_t gpus() const { return static_cast<std::uint32_t>(rank_.size()); }
  std::uint32_t share() const { return exchanges_ ? 1 : share_; }

  /// Calls `send(flow)` for each flow in the order of the epochs, with the ranks of the GPUs.
  void follow(const auto& send) const {
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> there;  // GPU, source, chunk
    for (const std::size_t i : order_) {
      Flow flow = flows_[i];
      for (std::uint32_t* gpu : {&flow.source, &flow.from, &flow.to}) *gpu = rank_.at(*gpu);
      if (flow.from != flow.source && !there.contains({flow.from, flow.source, flow.chunk})) {
        fail(i, "expected a GPU that has the chunk before that epoch, got " +
                    std::to_string(flows_[i].from));
      }
      if (flow.to == flow.source || !there.insert({flow.to, flow.source, flow.chunk}).second) {
        fail(i, "expected a GPU that has not had the chunk, got " + std::to_string(flows_[i].to));
      }
      send(flow);
    }
  }

 private:
  [[noreturn]] void fail(std::size_t entry, const std::string& text) const {
    throw ConfigError(source_, key_ + "[" + std::to_string(entry) + "]", text);
  }

  void read(const boost::json::value& entry) {
    const auto flow =
        entry.is_string() ? flowOf(std::string_view(entry.get_string())) : std::nullopt;
    const std::size_t at = flows_.size();
    if (!flow) {
      fail(at, "expected \"Chunk C from S traveled over A->B in epoch E\", got " +
                   shortened(boost::json::serialize(entry)));
    }
    if (flow->volume != 1) {
      fail(at,
           "expected whole chunks, because parts of a chunk have no names in a schedule, got "
           "volume " +
               formatNumber(flow->volume));
    }
    if (flow->chunk >= kMostChunks) {
      fail(at, "expected a chunk below " + std::to_string(kMostChunks) + ", got " +
                   std::to_string(flow->chunk));
    }
    if (flow->hasVolume != (at == 0 ? flow->hasVolume : exchanges_)) {
      fail(at, "expected a volume in all flows, an all-to-all, or in none, an all-gather");
    }
    exchanges_ = flow->hasVolume;
    share_ = std::max(share_, flow->chunk + 1);
    rank_.emplace(flow->source, 0);
    order_.push_back(at);
    flows_.push_back(*flow);
  }

  /// GPUs are the nodes with chunks of their own, by number; switches have numbers between theirs.
  void number() {
    std::uint32_t next = 0;
    for (auto& [node, rank] : rank_) rank = next++;
    for (const std::size_t i : order_) {
      const Flow& flow = flows_[i];
      for (const std::uint32_t node : {flow.from, flow.to}) {
        if (rank_.contains(node)) continue;
        fail(i, "expected GPUs with chunks of their own, got " + std::to_string(node));
      }
      for (const std::uint32_t node : flow.switches) {
        if (rank_.contains(node)) fail(i, "expected switches, got GPU " + std::to_string(node));
      }
      if (flow.from == flow.to) fail(i, "expected two GPUs, got " + std::to_string(flow.from));
      if (exchanges_ && flow.chunk >= rank_.size()) {
        fail(i, "expected a chunk for each of the " + std::to_string(rank_.size()) +
                    " GPUs, got chunk " + std::to_string(flow.chunk));
      }
    }
    if (rank_.size() < 2 || rank_.size() > kMostGpus) {
      throw ConfigError(source_, key_,
                        "expected flows of 2 to " + std::to_string(kMostGpus) + " GPUs, got " +
                            std::to_string(rank_.size()));
    }
  }

  const std::string source_;
  std::string key_ = "7-Flows";
  std::vector<Flow> flows_;
  std::vector<std::size_t> order_;               ///< of the flows, by epoch
  std::map<std::uint32_t, std::uint32_t> rank_;  ///< of the node that is a GPU
  std::uint32_t share_ = 0;                      ///< chunks of a GPU
  bool exchanges_ = false;
};

/// The steps of all GPUs. Each connection has a thread block at either end, which takes what goes
/// over it in its order.
class Steps {
 public:
  Steps(const Promise& promise, std::uint32_t gpus, std::uint32_t chunks,
        const std::vector<std::uint32_t>& scratch)
      : sends_(gpus), receives_(gpus), done_(gpus) {
    for (std::uint32_t g = 0; g < gpus; ++g) {
      makers_.emplace_back(promise, chunks, &promise != &kAllToAllPromise, scratch[g]);
    }
  }

  /// `number`: of a chunk, whoever has it. Steps that touch it at one GPU come one after the other,
  /// but for the sends of one value.
  void send(std::uint32_t from, std::uint32_t to, std::uint32_t number, Chunk source,
            Chunk target) {
    makers_[from].add(blockOf(sends_[from], from, to, std::nullopt), kSend, source, target,
                      after(from, number));
  }
  void receive(std::uint32_t to, std::uint32_t from, std::uint32_t number, const StepKind& kind,
               Chunk target) {
    const Place place = makers_[to].add(blockOf(receives_[to], to, std::nullopt, from), kind,
                                        target, target, kind.adds() ? after(to, number) : Places{});
    done_[to].insert_or_assign(number, place);
  }
  void copy(std::uint32_t gpu, Chunk source, Chunk target) {
    makers_[gpu].add(makers_[gpu].block(std::nullopt, std::nullopt), kCopy, source, target);
  }
  Chunk chunk(std::uint32_t gpu, std::uint32_t number) const { return makers_[gpu].chunk(number); }
  void take(Algorithm& algorithm) {
    for (AlgorithmMaker& maker : makers_) algorithm.gpus.push_back(maker.take());
  }

 private:
  using Places = std::vector<Place>;
  using Blocks = std::map<std::uint32_t, std::uint32_t>;  ///< thread block by the other GPU

  Places after(std::uint32_t gpu, std::uint32_t number) const {
    const auto there = done_[gpu].find(number);
    return there == done_[gpu].end() ? Places{} : Places{there->second};
  }
  std::uint32_t blockOf(Blocks& blocks, std::uint32_t gpu, std::optional<std::uint32_t> to,
                        std::optional<std::uint32_t> from) {
    const auto [entry, fresh] = blocks.try_emplace(to ? *to : *from, 0);
    if (fresh) entry->second = makers_[gpu].block(to, from);
    return entry->second;
  }

  std::vector<AlgorithmMaker> makers_;
  std::vector<Blocks> sends_, receives_;
  std::vector<std::map<std::uint32_t, Place>> done_;  ///< by GPU and chunk: what made it last
};

/// Chunks that a GPU only passes on lie in scratch.
void exchange(const Schedule& schedule, Algorithm& algorithm) {
  const std::uint32_t gpus = schedule.gpus();
  std::vector<std::uint32_t> scratch(gpus);
  schedule.follow([&](const Flow& flow) {
    if (flow.to != flow.chunk) ++scratch[flow.to];
  });
  Steps steps(kAllToAllPromise, gpus, gpus, scratch);
  std::map<std::pair<std::uint32_t, std::uint32_t>, Chunk> places;  // GPU and number
  std::vector<std::uint32_t> used(gpus);
  for (std::uint32_t g = 0; g < gpus; ++g) {
    steps.copy(g, {AlgorithmBuffer::Input, g}, {AlgorithmBuffer::Output, g});
  }
  schedule.follow([&](const Flow& flow) {
    const std::uint32_t number = flow.source * gpus + flow.chunk;
    const Chunk target = flow.to == flow.chunk ? Chunk{AlgorithmBuffer::Output, flow.source}
                                               : Chunk{AlgorithmBuffer::Scratch, used[flow.to]++};
    const Chunk source = flow.from == flow.source ? Chunk{AlgorithmBuffer::Input, flow.chunk}
                                                  : places.at({flow.from, number});
    steps.send(flow.from, flow.to, number, source, target);
    steps.receive(flow.to, flow.from, number, kReceive, target);
    places[{flow.to, number}] = target;
  });
  steps.take(algorithm);
}

}  // namespace

bool isSchedule(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

Algorithm readSchedule(const std::string& text, const std::string& source, const Promise* promise) {
  const Schedule schedule(text, source);
  if (promise == nullptr) promise = &schedule.promise();
  const bool sums = promise == &kReduceScatterPromise || promise == &kAllReducePromise;
  if (promise != &schedule.promise() && (!sums || &schedule.promise() == &kAllToAllPromise)) {
    throw ConfigError(source, "",
                      std::string("expected a schedule that is or makes an ") + promise->name +
                          " (an all-gather's way back is a reduce_scatter), got an " +
                          schedule.promise().name);
  }
  Algorithm algorithm;
  algorithm.name = "te-ccl";
  algorithm.promise = promise;
  algorithm.inPlace = promise != &kAllToAllPromise;
  algorithm.channels = 1;
  algorithm.chunks = schedule.gpus() * schedule.share();
  if (promise == &kAllToAllPromise) {
    exchange(schedule, algorithm);
    return algorithm;
  }
  const AlgorithmMaker kind(*promise, algorithm.chunks);
  Steps steps(*promise, schedule.gpus(), algorithm.chunks,
              std::vector<std::uint32_t>(schedule.gpus()));
  std::vector<Flow> flows;
  schedule.follow([&](const Flow& flow) { flows.push_back(flow); });
  const auto move = [&](std::uint32_t from, std::uint32_t to, const Flow& flow,
                        const StepKind& receive) {
    const std::uint32_t number = flow.source * schedule.share() + flow.chunk;
    const Chunk chunk = steps.chunk(from, number);
    steps.send(from, to, number, chunk, chunk);
    steps.receive(to, from, number, receive, chunk);
  };
  if (kind.reduces()) {
    const std::vector<Flow> back(flows.rbegin(), flows.rend());
    for (const Flow& flow : back) move(flow.to, flow.from, flow, kReceiveReduceCopy);
  }
  if (kind.gathers()) {
    for (const Flow& flow : flows) move(flow.from, flow.to, flow, kReceive);
  }
  steps.take(algorithm);
  return algorithm;
}

}  // namespace t3
