// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/transactions.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/probe/kernel_output.h"
#include "testbench/probe/phase_name.h"
#include "tlm/node/output_plan.h"

namespace t3 {
namespace {

constexpr std::size_t kTransactionsBlock = 1 << 20;

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

class Line {
 public:
  explicit Line(std::string& text) : text_(text) {}
  ~Line() { text_.back() = '\n'; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void operator()(std::uint64_t number, int base = 10) {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
    if (base == 16) text_ += "0x";
    text_.append(digits.data(), end);
    text_ += ',';
  }
  void operator()(std::string_view word) {
    text_ += word;
    text_ += ',';
  }
  void nothing(std::size_t columns = 1) { text_.append(columns, ','); }
  void onlyIf(bool present, std::uint64_t number, int base = 10) {
    if (present) {
      (*this)(number, base);
    } else {
      nothing();
    }
  }

 private:
  std::string& text_;
};

std::vector<Tiling> tilingsOf(const SystemConfig& config, const Graph& graph) {
  std::vector<Tiling> tilings;
  if (graph.outputs.empty()) return tilings;
  const auto route = config.makeRoute();
  for (const OutputShape& shape : graph.outputs) {
    tilings.push_back(tilingOf(config, shape, route->chunks()));
  }
  return tilings;
}

}  // namespace

Transactions::Transactions(const TransactionOptions& options, const SystemConfig& config,
                           const Graph& graph)
    : options_(options),
      graph_(graph),
      outputs_(tilingsOf(config, graph)),
      file_("--transactions", options.path),
      pending_(kHeader) {
  checkNumbers("--transactions-channel", options.channels, config.hbm.channels);
}

Transactions::Transactions(const TransactionOptions& options, const SystemConfig& config, Mode mode)
    : Transactions(options, mode.configured(config), mode.graph(mode.configured(config))) {
  const Tiling& largest = *std::ranges::max_element(outputs_, {}, &Tiling::tiles);
  checkNumbers("--transactions-wg", options.workgroups, largest.tiles());
}

Transactions::Transactions(const TransactionOptions& options, const SystemConfig& config,
                           std::uint32_t workgroups)
    : Transactions(options, config, Graph{}) {
  checkNumbers("--transactions-wg", options.workgroups, workgroups);
}

void Transactions::begin(Listeners& listeners) {
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

bool Transactions::wanted(std::uint32_t source, Picoseconds when) const {
  return inScope_[source] && options_.window.contains(when);
}

bool Transactions::hasTile(EventKind kind) const {
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

bool Transactions::hasThreadBlock(EventKind kind) const {
  const bool isStep = kind == EventKind::StepBegin || kind == EventKind::StepEnd;
  return !ofSublayer() && (isStep || isCommand(kind));
}

bool Transactions::wantedTile(bool known, WorkgroupId workgroup) const {
  return options_.workgroups.empty() || (known && amongOrAll(options_.workgroups, workgroup.value));
}

bool Transactions::wantedBytes(std::uint64_t address, std::uint64_t bytes) const {
  return !options_.addresses ||
         (address < options_.addresses->second && address + bytes > options_.addresses->first);
}

bool Transactions::wantedBytes(const Event& event) const {
  if (!options_.addresses) return true;
  if (event.address == 0) return false;
  if (event.kind != EventKind::BandStore) return wantedBytes(event.address, 1);
  const Tiling& tiling = outputs_[*outputMade_[event.source]];
  const Rectangle band =
      tiling.wavefrontTile(event.workgroup, WavefrontId{static_cast<std::uint32_t>(event.number)});
  for (std::uint32_t row = 0; row < band.rows; ++row) {
    const std::uint64_t address = event.address + row * tiling.pitchBytes();
    if (wantedBytes(address, std::uint64_t{band.columns} * tiling.elementBytes())) return true;
  }
  return false;
}

void Transactions::moved(const RequestStep& step) {
  const RequestName& request = (*numbers_)(step);
  if (!wanted(step.source, step.when)) return;
  const TrafficExtension& extension = traffic(step.payload);
  const bool inChannel = step.phase == RequestPhase::Counted || step.phase == RequestPhase::Served;
  const std::uint64_t address = localAddress(step.address);
  if (!wantedTile(request.ofTile, extension.workgroup) || !wantedBytes(address, step.bytes) ||
      !amongOrAll(options_.streams, extension.stream) ||
      (!options_.channels.empty() &&
       (!inChannel || !amongOrAll(options_.channels, step.channel.value)))) {
    return;
  }
  {
    Line line(pending_);
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
  flushIfFull();
}

void Transactions::happened(const Event& event) {
  if (!wanted(event.source, event.when) || !wantedTile(hasTile(event.kind), event.workgroup) ||
      !options_.streams.empty() || !options_.channels.empty() || !wantedBytes(event)) {
    return;
  }
  {
    Line line(pending_);
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
  flushIfFull();
}

void Transactions::flushIfFull() {
  if (pending_.size() < kTransactionsBlock) return;
  file_.append(pending_);
  pending_.clear();
}

void Transactions::finish() {
  file_.commit(pending_);
  pending_.clear();
}

}  // namespace t3
