// SPDX-License-Identifier: Apache-2.0
#include "testbench/timeline/timeline.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/probe/command_block.h"
#include "testbench/probe/request_numbers.h"
#include "testbench/timeline/trace_events.h"

namespace t3 {
namespace {

using Nanoseconds = std::uint64_t;

Nanoseconds nanoseconds(Picoseconds time) { return time / 1000; }

/// Threads of one process for slices of one kind: as many as there are side by side.
class Track {
 public:
  Track(TraceEvents& file, std::uint32_t process, std::uint32_t first, std::string name)
      : file_(file), process_(process), first_(first), name_(std::move(name)) {}

  std::uint32_t process() const { return process_; }

  /// A lane that is free from `begin` on; it is taken until `release`.
  std::uint32_t take(Nanoseconds begin) {
    std::uint32_t lane = 0;
    while (lane < freeFrom_.size() && freeFrom_[lane] > begin) ++lane;
    hold(lane);
    return lane;
  }
  /// The same with one that the caller knows to be free.
  void hold(std::uint32_t lane) {
    while (freeFrom_.size() <= lane) {
      const std::size_t number = freeFrom_.size();
      file_.thread(process_, first_ + static_cast<std::uint32_t>(number),
                   name_ + (number == 0 && !numbered_ ? "" : " " + std::to_string(number)));
      freeFrom_.push_back(0);
    }
    freeFrom_[lane] = ~Nanoseconds{0};
  }
  void release(std::uint32_t lane, Nanoseconds end) { freeFrom_[lane] = end; }
  std::uint32_t thread(std::uint32_t lane) const { return first_ + lane; }
  /// Lanes have numbers of their own, from 0.
  void number() { numbered_ = true; }

 private:
  TraceEvents& file_;
  std::uint32_t process_, first_;
  std::string name_;
  bool numbered_ = false;
  std::vector<Nanoseconds> freeFrom_;
};

/// Values of models that make one series of a counter.
struct CounterRule {
  const char* part;   ///< of a GPU; "link" is any link
  const char* value;  ///< without the number of a channel or lane: those are added up
  const char* counter;
  const char* series;
};
constexpr std::array<CounterRule, 24> kCounters = {
    {{"hbm", "gemm_read", "HBM MB/s", "gemm read"},
     {"hbm", "gemm_write", "HBM MB/s", "gemm write"},
     {"hbm", "rs_read", "HBM MB/s", "rs read"},
     {"hbm", "rs_write", "HBM MB/s", "rs write"},
     {"hbm", "ag_read", "HBM MB/s", "ag read"},
     {"hbm", "ag_write", "HBM MB/s", "ag write"},
     {"hbm", "ch.compute_queue", "HBM stream queues (pieces)", "compute"},
     {"hbm", "ch.communication_queue", "HBM stream queues (pieces)", "communication"},
     {"hbm", "ch.tracker_queue", "HBM stream queues (pieces)", "tracker"},
     {"hbm", "ch.dram_queue", "HBM DRAM queues (bursts)", "waiting"},
     {"link", "sent", "link MB/s", "sent"},
     {"link", "queued", "link queue (requests)", "queued"},
     {"link", "undelivered", "link queue (requests)", "undelivered"},
     {"link", "without_credit", "link bytes without credit", "bytes"},
     {"gpu.dma", "queued_commands", "DMA", "commands queued"},
     {"gpu.dma", "outstanding_reads", "DMA", "reads outstanding"},
     {"gpu.gemm", "tiles_in_flight", "GEMM", "workgroups in flight"},
     {"gpu.gemm", "stores_waiting", "GEMM", "stores waiting"},
     {"tracker", "lane.queued", "tracker lanes", "updates queued"},
     {"tracker", "lane.channels_held", "tracker lanes", "channels held"},
     {"tracker", "entries", "tracker entries", "live"},
     {"tracker", "spills", "tracker records", "spilled"},
     {"tracker", "fills", "tracker records", "filled"},
     {"tracker", "stalls", "tracker stall cycles", "sum"}}};

/// "ch17.dram_queue" is "ch.dram_queue", "link_1" is "link".
std::string withoutNumber(const std::string& name) {
  const std::size_t stop = std::min(name.find_first_of("._"), name.size());
  const std::size_t digits = name.substr(0, stop).find_last_not_of("0123456789") + 1;
  const bool several = stop < name.size() && name[stop] == '_' &&
                       name.find_first_not_of("0123456789", stop + 1) == std::string::npos;
  return several ? name.substr(0, stop) : name.substr(0, digits) + name.substr(stop);
}

}  // namespace

struct Timeline::Drawing : EventSink, RequestSink {
  /// A model, and the track that its slices go to unless the event says otherwise.
  struct Place {
    std::string part;  ///< without the GPU: "gpu.dma", "link_1"
    int gpu = -1;
    std::uint32_t process = 0;
    bool inScope = false;
  };
  /// Of a GPU, or of the switch.
  static bool isLink(const Place& place) { return place.part.find("link") != std::string::npos; }
  struct Open {
    Track* track;
    std::uint32_t lane;
    std::string name;
    Nanoseconds begin;
    TraceEvents::Arguments arguments;
  };
  /// What arrives in one GPU from one GPU, of one tile.
  struct Arrival {
    std::uint32_t lane = 0;
    Nanoseconds begin = 0;
    std::uint64_t bytes = 0;
  };
  struct Sending {
    Phase phase = Phase::Gemm;
    Nanoseconds begin = 0, end = 0;
    std::uint64_t bytes = 0;
  };
  struct Series {
    std::string_view name;
    std::vector<PublishedValue> values;
    std::uint64_t last = 0;  ///< sum when the rate was taken last
  };
  struct Counter {
    std::uint32_t process;
    std::string name;
    bool rate = false;
    std::vector<Series> series = {};
    TraceEvents::Arguments written = {};
  };
  /// Of one tile in one GPU: where arrows may begin.
  struct TilePoints {
    TracePoint stored, updated, command;
    bool hasStored = false, hasUpdated = false, hasCommand = false;
  };

  Drawing(const TimelineOptions& wanted, const SystemConfig& config, Mode mode)
      : options(wanted),
        route(config.makeRoute()),
        tiling(config.makeTiling(*route)),
        blockLog2(config.tracker.block_log2),
        countsTiles(mode.kind->tracked && !mode.kind->ideal),
        file("--timeline", wanted.path) {}

  // ---- tracks -----------------------------------------------------------------------------------

  /// The track called `name` of a process. Tracks are shown in the order in which they are first
  /// asked for.
  Track& track(std::uint32_t process, const std::string& name) {
    constexpr std::uint32_t kMostLanes = 4096;
    const auto [entry, isNew] = tracks.try_emplace({process, name}, nullptr);
    if (isNew) {
      const std::uint32_t first = 1 + kMostLanes * trackCount[process]++;
      entry->second = std::make_unique<Track>(file, process, first, name);
    }
    return *entry->second;
  }

  void openIn(Track& in, std::uint32_t lane, std::uint64_t key, std::string name, Picoseconds when,
              TraceEvents::Arguments arguments = {}) {
    in.hold(lane);
    open.emplace(std::pair(&in, key),
                 Open{&in, lane, std::move(name), nanoseconds(when), std::move(arguments)});
  }
  void openNext(Track& in, std::uint64_t key, std::string name, Picoseconds when,
                TraceEvents::Arguments arguments = {}) {
    const std::uint32_t lane = in.take(nanoseconds(when));
    openIn(in, lane, key, std::move(name), when, std::move(arguments));
  }
  /// The oldest with that key, if there is one.
  void close(Track& in, std::uint64_t key, Picoseconds when) {
    const auto found = open.find({&in, key});
    if (found == open.end()) return;
    write(found->second, nanoseconds(when));
    open.erase(found);
  }
  void write(const Open& slice, Nanoseconds end) {
    draw(*slice.track, slice.lane, slice.name, slice.begin, end, slice.arguments);
    slice.track->release(slice.lane, end);
  }
  void draw(const Track& in, std::uint32_t lane, std::string_view name, Nanoseconds begin,
            Nanoseconds end, const TraceEvents::Arguments& arguments) {
    if (begin >= nanoseconds(options.window.last) || end < nanoseconds(options.window.first)) {
      return;
    }
    file.slice(in.process(), in.thread(lane), name, begin, end, arguments);
  }

  // ---- events -----------------------------------------------------------------------------------

  void happened(const Event& event) override {
    const Place& place = places[event.source];
    const std::uint32_t process = place.process;
    const std::uint64_t number = event.number;
    const std::string numberText = std::to_string(number);
    switch (event.kind) {
      case EventKind::KernelBegin:
        if (place.part == "gpu.gemm") stages[process] = {event.when, 0, {}};
        return openIn(track(process, place.part), 0, 0, "kernel", event.when);
      case EventKind::KernelEnd:
        return close(track(process, place.part), 0, event.when);
      case EventKind::StageEnd:
        return stageEnded(process, number, event.when);
      case EventKind::ChunkBegin:
        return openNext(track(process, "gemm chunks"), number, "chunk " + numberText, event.when);
      case EventKind::ChunkEnd:
        return close(track(process, "gemm chunks"), number, event.when);
      case EventKind::TileBegin:
        return openIn(track(process, "slot"), static_cast<std::uint32_t>(number), number,
                      workgroupName(event.workgroup), event.when,
                      {{"workgroup", event.workgroup.value},
                       {"chunk", tiling.chunkOf(event.workgroup).value}});
      case EventKind::TileStore: {
        Track& slot = track(process, "slot");
        const auto lane = static_cast<std::uint32_t>(number);
        TilePoints& points = tile(place.gpu, event.workgroup);
        points.stored = {process, slot.thread(lane), nanoseconds(event.when)};
        points.hasStored = true;
        return openIn(slot, lane, number + kStores, "stores", event.when, {{"bytes", event.bytes}});
      }
      case EventKind::TileEnd:
        close(track(process, "slot"), number + kStores, event.when);
        return close(track(process, "slot"), number, event.when);
      case EventKind::StepBegin:
        return openNext(track(process, place.part + " steps"), number, "step " + numberText,
                        event.when);
      case EventKind::StepEnd:
        return close(track(process, place.part + " steps"), number, event.when);
      case EventKind::CommandBegin:
        return commandBegins(event);
      case EventKind::CommandEnd:
        return close(track(process, "dma channel"), number, event.when);
      case EventKind::ZeroBegin:
        return openIn(track(process, "zeroing"), 0, 0, "zeroing", event.when,
                      {{"bytes", event.bytes}});
      case EventKind::ZeroEnd:
        return close(track(process, "zeroing"), 0, event.when);
      case EventKind::ZeroWaitBegin:
        return openIn(track(process, place.part + " waits"), 0, 0, "zeros", event.when,
                      {{"workgroup", event.workgroup.value}});
      case EventKind::CreditWaitBegin:
        return openIn(track(process, place.part + " waits"), 0, 0, "credit", event.when);
      case EventKind::ZeroWaitEnd:
      case EventKind::CreditWaitEnd:
        return close(track(process, place.part + " waits"), 0, event.when);
      case EventKind::Trigger:
      case EventKind::Notification:
        return instant(process, spelling(event.kind) + " " + numberText, event.when,
                       {{"command", number}, {"workgroup", event.workgroup.value}});
      case EventKind::Difference:  // the first is the only one, and may be about no workgroup
        return instant(process, spelling(event.kind), event.when, {});
      default:
        return;
    }
  }

  void instant(std::uint32_t process, const std::string& name, Picoseconds when,
               const TraceEvents::Arguments& arguments) {
    if (!options.window.contains(when)) return;
    Track& tracker = track(process, "tracker");
    tracker.hold(0);
    file.instant(process, tracker.thread(0), name, nanoseconds(when), arguments);
  }

  static std::string workgroupName(WorkgroupId workgroup) {
    return "wg " + std::to_string(workgroup.value);
  }

  /// The oldest stage that is not over is the one that is drawn.
  void stageEnded(std::uint32_t process, std::uint64_t number, Picoseconds when) {
    Stages& of = stages[process];
    of.ended[number] = true;
    Track& in = track(process, "gemm stages");
    for (; of.ended[of.oldest]; ++of.oldest) {
      in.hold(0);
      draw(in, 0, "stage " + std::to_string(of.oldest), nanoseconds(of.since), nanoseconds(when),
           {});
      of.since = when;
    }
  }

  void commandBegins(const Event& event) {
    const Place& place = places[event.source];
    Track& channels = track(place.process, "dma channel");
    const auto values = channelCommands.find(event.source);
    std::uint32_t lane = 0;
    for (const auto& [active, command] : values->second) {
      if (active.read() != 0 && command.read() == event.number) break;
      ++lane;
    }
    const std::uint32_t first = event.workgroup.value;
    openIn(channels, lane, event.number, "command " + std::to_string(event.number), event.when,
           {{"command", event.number}, {"workgroup", first}});
    for (std::uint32_t wg = first; wg < commandBlock(event.workgroup, blockLog2).end(); ++wg) {
      TilePoints& points = tile(place.gpu, WorkgroupId{wg});
      points.command = {place.process, channels.thread(lane), nanoseconds(event.when)};
      points.hasCommand = true;
    }
  }

  // ---- requests ---------------------------------------------------------------------------------

  void moved(const RequestStep& step) override {
    if (step.phase == RequestPhase::Sent) return sent(step);
    if (step.phase == RequestPhase::Counted) counted(step);
  }

  /// What a link sends, drawn as one slice while there is no gap that a counter would show.
  void sent(const RequestStep& step) {
    const Phase phase = traffic(step.payload).phase;
    Sending& run = sending[step.source];
    const Nanoseconds begin = std::max(run.end, nanoseconds(now()));
    if (run.bytes != 0 &&
        (phase != run.phase || begin - run.end > nanoseconds(options.samplePeriod))) {
      endSending(step.source, run);
    }
    if (run.bytes == 0) run = {phase, begin, begin, 0};
    run.end = std::max(begin, nanoseconds(step.when));
    run.bytes += step.bytes;
  }
  void endSending(std::uint32_t source, Sending& run) {
    const Place& place = places[source];
    Track& in = track(place.process, place.part);
    in.hold(0);
    draw(in, 0, spelling(run.phase), run.begin, run.end, {{"bytes", run.bytes}});
    run.bytes = 0;
  }

  void counted(const RequestStep& step) {
    const TrafficExtension& extension = traffic(step.payload);
    const Place& place = places[step.source];
    const std::uint32_t from = extension.source.value;
    const WorkgroupId workgroup = extension.workgroup;
    Track& in = track(place.process, updatesFrom(place, from));
    const std::uint64_t key = (std::uint64_t{from} << 32) | workgroup.value;
    const auto [entry, isNew] = arrivals[place.process].try_emplace(key);
    Arrival& arrival = entry->second;
    const Nanoseconds when = nanoseconds(step.when);
    if (isNew) arrival = {in.take(when), when, 0};
    arrival.bytes += step.bytes;
    TilePoints& points = tile(place.gpu, workgroup);
    points.updated = {place.process, in.thread(arrival.lane), when};
    points.hasUpdated = true;
    countTile(step, place);
    if (arrival.bytes < tiling.bytes(tiling.tile(workgroup))) return;
    endArrival(in, workgroup, arrival, when);
    if (static_cast<int>(from) != place.gpu) arrow(from, workgroup, points.updated);
    arrivals[place.process].erase(entry);
  }
  std::string updatesFrom(const Place& place, std::uint32_t from) const {
    return static_cast<int>(from) == place.gpu ? "own updates"
                                               : "updates from gpu" + std::to_string(from);
  }
  /// The last update takes a clock of its own, so the slice ends after it.
  void endArrival(Track& in, WorkgroupId workgroup, const Arrival& arrival, Nanoseconds last) {
    draw(in, arrival.lane, workgroupName(workgroup), arrival.begin, last + 1,
         {{"workgroup", workgroup.value}, {"bytes", arrival.bytes}});
    in.release(arrival.lane, last + 1);
  }

  void arrow(std::uint32_t from, WorkgroupId workgroup, const TracePoint& to) {
    const TilePoints& points = tile(static_cast<int>(from), workgroup);
    std::vector<TracePoint> way;
    if (points.hasCommand) {
      if (!points.hasUpdated) return;
      way = {points.updated, points.command, to};
    } else {
      if (!points.hasStored) return;
      way = {points.stored, to};
    }
    for (const TracePoint& point : way) {
      if (!options.window.contains(point.when * 1000)) return;
    }
    file.arrow(workgroupName(workgroup), way);
  }

  /// Wavefront tiles of which some updates are counted and some are not.
  void countTile(const RequestStep& step, const Place& place) {
    if (!countsTiles) return;
    const TrafficExtension& extension = traffic(step.payload);
    const std::uint64_t key =
        (std::uint64_t{extension.workgroup.value} << 32) | extension.wavefront.value;
    std::uint64_t& bytes = tileBytes[place.process][key];
    if (bytes == 0) ++openTiles[place.process];
    bytes += step.bytes;
    const std::uint64_t whole =
        route->updatesPerElement() *
        tiling.bytes(tiling.wavefrontTile(extension.workgroup, extension.wavefront));
    if (bytes < whole) return;
    --openTiles[place.process];
    tileBytes[place.process].erase(key);
  }

  TilePoints& tile(int gpu, WorkgroupId workgroup) {
    const auto index = static_cast<std::size_t>(gpu);
    if (index >= tiles.size()) tiles.resize(index + 1);
    if (tiles[index].empty()) tiles[index].resize(tiling.tiles());
    return tiles[index][workgroup.value];
  }

  // ---- counters ---------------------------------------------------------------------------------

  void addCounters(const Place& place, const Publisher& model) {
    ValueList list;
    model.publish(list);
    const std::string part = isLink(place) ? "link" : place.part;
    for (const PublishedValue& value : list.values()) {
      const std::string name = withoutNumber(value.name);
      for (const CounterRule& rule : kCounters) {
        if (part != rule.part || name != rule.value) continue;
        std::string counter = rule.counter;
        if (part == "link") counter.replace(0, 4, place.part);
        seriesOf(place.process, counter, rule.series).values.push_back(value);
      }
    }
  }
  Series& seriesOf(std::uint32_t process, const std::string& counter, const char* series) {
    auto found = std::ranges::find_if(counters, [&](const Counter& one) {
      return one.process == process && one.name == counter;
    });
    if (found == counters.end()) {
      counters.push_back({process, counter, counter.ends_with("MB/s")});
      found = std::prev(counters.end());
    }
    const auto entry = std::ranges::find(found->series, series, &Series::name);
    if (entry != found->series.end()) return *entry;
    found->series.push_back({series, {}, 0});
    return found->series.back();
  }

  /// A rate is drawn from the beginning of the time that it is of, so that what lies under the
  /// curve are the bytes.
  void sample() {
    const Picoseconds when = now();
    for (Counter& counter : counters) {
      TraceEvents::Arguments present;
      for (Series& series : counter.series) {
        std::uint64_t sum = 0;
        for (const PublishedValue& value : series.values) sum += value.read();
        if (counter.rate) {
          const std::uint64_t bytes = sum - std::exchange(series.last, sum);
          sum = when > sampledAt ? bytes * 1'000'000 / (when - sampledAt) : 0;
        }
        present.emplace_back(series.name, sum);
      }
      if (!counter.rate || when > sampledAt) {
        write(counter, present, counter.rate ? sampledAt : when);
      }
    }
    for (auto& [process, count] : openTiles) {
      Counter& counter =
          tileCounters.try_emplace(process, Counter{process, kOpenTiles}).first->second;
      write(counter, {{"open", count}}, when);
    }
    sampledAt = when;
  }
  void write(Counter& counter, const TraceEvents::Arguments& present, Picoseconds when) {
    if (!options.window.contains(when) || present == counter.written) return;
    counter.written = present;
    file.counter(counter.process, counter.name, nanoseconds(when), present);
  }

  void finish() {
    sample();
    for (Counter& counter : counters) {
      if (!counter.rate) continue;
      TraceEvents::Arguments nothing;
      for (const Series& series : counter.series) nothing.emplace_back(series.name, 0);
      write(counter, nothing, now());
    }
    const Nanoseconds end = nanoseconds(now());
    for (const auto& [key, slice] : open) write(slice, std::max(end, slice.begin));
    open.clear();
    for (auto& [source, run] : sending) {
      if (run.bytes != 0) endSending(source, run);
    }
    for (auto& [process, tilesOfOne] : arrivals) {
      for (const auto& [key, arrival] : tilesOfOne) {
        const auto from = static_cast<std::uint32_t>(key >> 32);
        const Place place{"", static_cast<int>(process) - 1, process, true};
        endArrival(track(process, updatesFrom(place, from)),
                   WorkgroupId{static_cast<std::uint32_t>(key)}, arrival, end);
      }
    }
    file.finish();
  }

  static constexpr std::uint64_t kStores = std::uint64_t{1} << 32;
  static constexpr const char* kOpenTiles = "wavefront tiles with updates missing";

  const TimelineOptions options;
  std::unique_ptr<const Route> route;
  Tiling tiling;
  std::uint32_t blockLog2;
  bool countsTiles;
  TraceEvents file;

  std::vector<Place> places;  ///< by model
  std::map<std::pair<std::uint32_t, std::string>, std::unique_ptr<Track>> tracks;
  std::map<std::uint32_t, std::uint32_t> trackCount;  ///< by process
  std::multimap<std::pair<Track*, std::uint64_t>, Open> open;
  struct Stages {
    Picoseconds since = 0;
    std::uint64_t oldest = 0;
    std::map<std::uint64_t, bool> ended;
  };
  std::map<std::uint32_t, Stages> stages;
  std::map<std::uint32_t, Sending> sending;  ///< by model
  std::map<std::uint32_t, std::unordered_map<std::uint64_t, Arrival>> arrivals;
  std::vector<std::vector<TilePoints>> tiles;  ///< by GPU and workgroup
  std::map<std::uint32_t, std::unordered_map<std::uint64_t, std::uint64_t>> tileBytes;
  std::map<std::uint32_t, std::uint64_t> openTiles;
  std::map<std::uint32_t, Counter> tileCounters;
  std::vector<Counter> counters;
  /// Of each DMA engine, by channel: whether it is active, and its command.
  std::map<std::uint32_t, std::vector<std::pair<PublishedValue, PublishedValue>>> channelCommands;
  Picoseconds sampledAt = 0;
};

Timeline::Timeline(const TimelineOptions& options, const SystemConfig& config, Mode mode)
    : drawing_(std::make_unique<Drawing>(options, config, mode)) {}

Timeline::~Timeline() = default;

void Timeline::begin(Listeners& listeners) {
  Drawing& drawing = *drawing_;
  Scopes scopes(drawing.options.scopes.value_or(std::vector<std::string>{}));
  std::vector<std::string> names;
  for (std::size_t m = 0; m < listeners.models().size(); ++m) {
    const PublishedModel& model = listeners.models()[m];
    names.push_back(model.name);
    Drawing::Place place;
    place.gpu = gpuOfModel(model.name);
    place.process = static_cast<std::uint32_t>(place.gpu + 1);  // 0 is what belongs to no GPU
    place.part = place.gpu < 0 ? model.name : model.name.substr(model.name.find('.') + 1);
    place.inScope = scopes.contain(model.name) || !drawing.options.scopes;
    drawing.places.push_back(place);
    // The twin of a lockstep pair says everything a second time.
    if (!place.inScope || model.name.find(".twin") != std::string::npos) continue;
    listeners.add(static_cast<EventSink&>(drawing), m);
    if (place.part == "hbm" || Drawing::isLink(place))
      listeners.add(static_cast<RequestSink&>(drawing), m);
    drawing.addCounters(place, *model.model);
    if (place.part == "gpu.dma") {
      ValueList list;
      model.model->publish(list);
      auto& channels = drawing.channelCommands[static_cast<std::uint32_t>(m)];
      for (const PublishedValue& value : list.values()) {
        if (value.name.starts_with("channel") && value.name.ends_with(".active")) {
          channels.emplace_back(value, PublishedValue{});
        } else if (value.name.starts_with("channel") && value.name.ends_with(".command")) {
          channels.back().second = value;
        }
      }
    }
  }
  scopes.checkFound("--timeline-scope", names);
  for (const Drawing::Place& place : drawing.places) {
    if (!place.inScope || drawing.trackCount.contains(place.process)) continue;
    drawing.trackCount[place.process] = 0;
    if (place.gpu < 0) continue;
    drawing.file.process(place.process, "gpu" + std::to_string(place.gpu));
    for (const char* name : {"gpu.gemm", "gemm stages", "gemm chunks"}) {
      drawing.track(place.process, name);
    }
    drawing.track(place.process, "slot").number();
    for (const char* name : {"gpu.gemm waits", "zeroing", "own updates", "tracker"}) {
      drawing.track(place.process, name);
    }
    drawing.track(place.process, "dma channel").number();
  }
  drawing.sample();
}

void Timeline::sample() { drawing_->sample(); }

Picoseconds Timeline::samplePeriod() const { return drawing_->options.samplePeriod; }

void Timeline::finish() { drawing_->finish(); }

void addTimelineOptions(Options& options) {
  options.add("timeline", "FILE", "write a trace of what runs when, for ui.perfetto.dev");
  options.add("timeline-scope", "LIST", "only of these places, e.g. gpu3,gpu4; default all");
  options.add("timeline-window", "FROM:TO", "only of this time, e.g. 1.2ms:1.4ms");
  options.add("timeline-sample", "TIME", "how often counters are read; default 1us");
}

std::optional<TimelineOptions> timelineOptionsOf(const Options& options) {
  if (!options.hasWithItsCompanions("timeline")) return std::nullopt;
  TimelineOptions timeline;
  timeline.path = *options.value("timeline");
  timeline.scopes = options.value("timeline-scope", listOf);
  timeline.window = options.value("timeline-window", windowOf).value_or(timeline.window);
  timeline.samplePeriod =
      options.value("timeline-sample", durationOf).value_or(timeline.samplePeriod);
  return timeline;
}

}  // namespace t3
