// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/transactions.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"
#include "testbench/probe/request_numbers.h"
#include "testbench/probe/scope.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/graph.h"
#include "tlm/node/output_plan.h"
#include "tlm/transport/payload.h"

namespace t3 {
namespace {

/// Which lines a transaction log has: those that pass every filter that is given. A line without
/// the field that a filter asks for does not pass that filter: an event has no stream, for example.
struct TransactionOptions {
  std::string path;
  std::optional<std::vector<std::string>> scopes;
  TimeWindow window;
  std::vector<std::uint32_t> channels;  ///< empty: all, as with the others
  std::vector<std::uint32_t> workgroups;
  std::vector<Stream> streams;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> addresses;  ///< from, to, of one GPU
};

std::uint64_t numberOf(std::string_view word, const std::string& option, std::uint64_t most) {
  const bool hexadecimal = word.starts_with("0x");
  const auto number =
      numberFrom<std::uint64_t>(word.substr(hexadecimal ? 2 : 0), hexadecimal ? 16 : 10);
  if (!number || *number > most) {
    throw ConfigError(option, "",
                      "expected numbers up to " + std::to_string(most) + ", got " + inQuotes(word));
  }
  return *number;
}

std::vector<std::uint32_t> numbersOf(const std::string& list, const std::string& option) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> numbers;
  for (const std::string& word : listOf(list, option)) {
    numbers.push_back(static_cast<std::uint32_t>(numberOf(word, option, kMost)));
  }
  return numbers;
}

std::vector<Stream> streamsOf(const std::string& list, const std::string& option) {
  std::vector<Stream> streams;
  for (const std::string& word : listOf(list, option)) {
    streams.push_back(choiceOf<Stream>(word, option));
  }
  return streams;
}

std::pair<std::uint64_t, std::uint64_t> addressesOf(const std::string& range,
                                                    const std::string& option) {
  const auto ends = split(range, ':');
  if (ends.size() != 2) {
    throw ConfigError(option, "", "expected FROM:TO, got " + inQuotes(range));
  }
  constexpr std::uint64_t kEnd = std::uint64_t{1} << kLocalAddressBits;
  const std::pair addresses(numberOf(ends[0], option, kEnd), numberOf(ends[1], option, kEnd));
  if (addresses.first >= addresses.second) {
    throw ConfigError(option, "", "expected an end after the beginning, got " + inQuotes(range));
  }
  return addresses;
}

TransactionOptions optionsOf(const Options& options) {
  TransactionOptions log;
  log.path = *options.value("transactions");
  log.scopes = options.value("transactions-scope", listOf);
  log.window = options.value("transactions-window", windowOf).value_or(log.window);
  log.workgroups = options.value("transactions-wg", numbersOf).value_or(log.workgroups);
  log.channels = options.value("transactions-channel", numbersOf).value_or(log.channels);
  log.streams = options.value("transactions-stream", streamsOf).value_or(log.streams);
  log.addresses = options.value("transactions-address", addressesOf);
  return log;
}

constexpr const char* kHeader =
    "time_ps,step,request,cause,place,operation,stream,phase,source,workgroup,wavefront,address,"
    "bytes,channel,entered_ps,number,thread_block,slice\n";

/// Refuses a filter for something that does not exist: it would pass no line at all.
void checkNumbers(const char* option, const std::vector<std::uint32_t>& numbers,
                  std::uint32_t count) {
  for (const std::uint32_t number : numbers) {
    if (number < count) continue;
    const std::string expected = count == 0 ? "nothing, because this run has none"
                                            : "numbers from 0 to " + std::to_string(count - 1);
    throw ConfigError(option, "", "expected " + expected + ", got " + std::to_string(number));
  }
}

template <typename Value>
bool amongOrAll(const std::vector<Value>& list, Value value) {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

/// The spelling of an enumerator, from a list that is made only once.
template <typename E>
const std::string& nameOf(E value) {
  static const std::vector<std::string> kNames = spellings<E>();
  return kNames[static_cast<std::size_t>(value)];
}

bool isCommand(EventKind kind) {
  return kind == EventKind::CommandTaken || kind == EventKind::CommandBegin ||
         kind == EventKind::CommandEnd;
}

std::vector<Tiling> tilingsOf(const SystemConfig& config, const Graph& graph) {
  std::vector<Tiling> tilings;
  if (graph.outputs.empty()) return tilings;
  const auto route = config.makeRoute();
  for (const OutputShape& shape : graph.outputs) {
    tilings.push_back(tilingOf(config, shape, route->chunks()));
  }
  return tilings;
}

class Transactions : public Instrument, private EventSink, private RequestSink {
 public:
  Transactions(const TransactionOptions& options, const SystemConfig& config, const Graph& graph)
      : options_(options),
        graph_(graph),
        outputs_(tilingsOf(config, graph)),
        file_("--transactions", options.path) {
    file_.buffer() = kHeader;
    checkNumbers("--transactions-channel", options.channels, config.hbm.channels);
  }

  /// Tiles of the largest output.
  std::uint32_t workgroups() const {
    return std::ranges::max_element(outputs_, {}, &Tiling::tiles)->tiles();
  }

  void begin(Listeners& listeners) override {
    listeners_ = &listeners;
    numbers_.emplace(listeners.models());
    Scopes scopes(options_.scopes.value_or(std::vector<std::string>{}));
    std::vector<std::string> names;
    for (std::size_t m = 0; m < listeners.models().size(); ++m) {
      names.push_back(listeners.models()[m].name);
      inScope_.push_back(scopes.contain(names.back()) || !options_.scopes);
      if (inScope_.back()) listeners.add(static_cast<EventSink&>(*this), m);
      outputMade_.push_back(outputMadeBy(names.back(), graph_));
      listeners.add(static_cast<RequestSink&>(*this), m);  // numbers count everywhere
    }
    scopes.checkFound("--transactions-scope", names);
  }

  void finish() override { file_.commit(); }

 private:
  bool ofSublayer() const { return !outputs_.empty(); }

  bool wanted(std::uint32_t source, Picoseconds when) const {
    return inScope_[source] && options_.window.contains(when);
  }

  /// Whether an event names a tile or block: its own or, for a command, the first of the command.
  bool hasTile(EventKind kind) const {
    switch (kind) {
      case EventKind::TileBegin:
      case EventKind::TileStore:
      case EventKind::BandStore:
      case EventKind::TileEnd:
      case EventKind::ZeroWaitBegin:
      case EventKind::ZeroWaitEnd:
      case EventKind::Stall:
        return true;
      default:
        return ofSublayer() && isCommand(kind);
    }
  }

  /// Whether it names a thread block: it is about a step of a collective from a file.
  bool hasThreadBlock(EventKind kind) const {
    const bool isStep = kind == EventKind::StepBegin || kind == EventKind::StepEnd;
    return !ofSublayer() && (isStep || isCommand(kind));
  }

  bool wantedTile(bool known, WorkgroupId workgroup) const {
    return options_.workgroups.empty() ||
           (known && amongOrAll(options_.workgroups, workgroup.value));
  }

  bool wantedBytes(std::uint64_t address, std::uint64_t bytes) const {
    return !options_.addresses ||
           (address < options_.addresses->second && address + bytes > options_.addresses->first);
  }

  bool wantedBytes(const Event& event) const {
    if (!options_.addresses) return true;
    if (event.address == 0) return false;
    if (event.kind != EventKind::BandStore) return wantedBytes(event.address, 1);
    const Tiling& tiling = outputs_[*outputMade_[event.source]];
    const Rectangle band = tiling.wavefrontTile(
        event.workgroup, WavefrontId{static_cast<std::uint32_t>(event.number)});
    for (std::uint32_t row = 0; row < band.rows; ++row) {
      const std::uint64_t address = event.address + row * tiling.pitchBytes();
      if (wantedBytes(address, std::uint64_t{band.columns} * tiling.elementBytes())) return true;
    }
    return false;
  }

  void moved(const RequestStep& step) override {
    const RequestName& request = (*numbers_)(step);
    if (!wanted(step.source, step.when)) return;
    const TrafficExtension& extension = traffic(step.payload);
    const bool inChannel =
        step.phase == RequestPhase::Counted || step.phase == RequestPhase::Served;
    const std::uint64_t address = localAddress(step.address);
    if (!wantedTile(request.ofTile, extension.workgroup) || !wantedBytes(address, step.bytes) ||
        !amongOrAll(options_.streams, extension.stream) ||
        (!options_.channels.empty() &&
         (!inChannel || !amongOrAll(options_.channels, step.channel.value)))) {
      return;
    }
    {
      CsvLine line(file_.buffer());
      line(step.when);
      line(nameOf(step.phase));
      line(request.number);
      line.onlyIf(request.cause != 0, request.cause);
      line(listeners_->models()[step.source].name);
      line(step.payload.is_read() ? std::string_view("read")
                                  : std::string_view(nameOf(extension.operation)));
      line(nameOf(extension.stream));
      line(phaseName(extension.phase));
      line(extension.source.value);
      line.onlyIf(request.ofTile, extension.workgroup.value);
      line.onlyIf(request.ofTile, extension.wavefront.value);
      line(address, 16);
      line(step.bytes);
      line.onlyIf(inChannel, step.channel.value);
      line.onlyIf(step.phase == RequestPhase::Served || step.phase == RequestPhase::Joined,
                  step.entered);
      line.nothing(3);
    }
    file_.writeIfLarge();
  }

  void happened(const Event& event) override {
    if (!wanted(event.source, event.when) || !wantedTile(hasTile(event.kind), event.workgroup) ||
        !options_.streams.empty() || !options_.channels.empty() || !wantedBytes(event)) {
      return;
    }
    {
      CsvLine line(file_.buffer());
      line(event.when);
      line(nameOf(event.kind));
      line.nothing(2);
      line(listeners_->models()[event.source].name);
      line.nothing(4);
      line.onlyIf(hasTile(event.kind), event.workgroup.value);
      line.nothing();
      line.onlyIf(event.address != 0, event.address, 16);
      line.onlyIf(event.bytes != 0, event.bytes);
      line.nothing(2);
      line(event.number);
      line.onlyIf(hasThreadBlock(event.kind), event.threadBlock);
      line.onlyIf(!ofSublayer() && isCommand(event.kind), event.slice);
    }
    file_.writeIfLarge();
  }

  const TransactionOptions options_;
  const Graph graph_;                  ///< none of a collective from a file
  const std::vector<Tiling> outputs_;  ///< of the graph
  OutputFile file_;
  Listeners* listeners_ = nullptr;
  std::optional<RequestNumbers> numbers_;
  std::vector<bool> inScope_;                             ///< by model
  std::vector<std::optional<std::uint32_t>> outputMade_;  ///< by model: by that GEMM
};

}  // namespace

void addTransactionOptions(Options& options) {
  options.add("transactions", "FILE", "write every step of every request, and events, as CSV");
  options.add("transactions-scope", "LIST",
              "only what these places say, e.g. gpu3 or gpu3.link,gpu4.hbm; default all");
  options.add("transactions-window", "FROM:TO",
              "only of this time, e.g. 1.2ms:1.4ms; a number without a unit is ns");
  options.add("transactions-wg", "LIST", "only of these workgroups, with commas");
  options.add("transactions-stream", "LIST", "only of these: " + alternatives(spellings<Stream>()));
  options.add("transactions-channel", "LIST", "only in these memory channels");
  options.add("transactions-address", "FROM:TO",
              "only of these bytes of a GPU, 0x for hexadecimal");
  options.offer("transactions-scope", usualScopes());
  options.offer("transactions-stream", spellings<Stream>());
}

std::unique_ptr<Instrument> transactionsOf(const Options& options, const SystemConfig& config,
                                           Mode mode) {
  if (!options.hasWithItsCompanions("transactions")) return nullptr;
  const TransactionOptions wanted = optionsOf(options);
  const SystemConfig own = mode.configured(config);
  auto made = std::make_unique<Transactions>(wanted, own, mode.graph(own));
  checkNumbers("--transactions-wg", wanted.workgroups, made->workgroups());
  return made;
}

std::unique_ptr<Instrument> transactionsOf(const Options& options, const SystemConfig& config,
                                           std::uint32_t workgroups) {
  if (!options.hasWithItsCompanions("transactions")) return nullptr;
  const TransactionOptions wanted = optionsOf(options);
  auto made = std::make_unique<Transactions>(wanted, config, Graph{});
  checkNumbers("--transactions-wg", wanted.workgroups, workgroups);
  return made;
}

}  // namespace t3
