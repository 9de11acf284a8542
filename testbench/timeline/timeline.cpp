// SPDX-License-Identifier: Apache-2.0
#include "testbench/timeline/timeline.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/probe/request_numbers.h"
#include "testbench/timeline/counters.h"
#include "testbench/timeline/tile_flow.h"
#include "testbench/timeline/trace_events.h"
#include "tlm/node/graph.h"
#include "tlm/node/output_plan.h"

namespace t3 {
void addTimelineOptions(Options& options) {
  options.add("timeline", "FILE", "write a trace of what runs when, for ui.perfetto.dev");
  options.add("timeline-scope", "LIST", "only of these places, e.g. gpu3,gpu4; default all");
  options.add("timeline-window", "FROM:TO",
              "only of this time, e.g. 1.2ms:1.4ms; a number without a unit is ns");
  options.add("timeline-sample", "TIME", "how often counters are read; default 1us");
  options.offer("timeline-scope", usualScopes());
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

namespace {

constexpr const char* kProducer = "gpu.gemm";  // of a mode
constexpr const char *kCompute = "compute", *kCommunication = "communication";
constexpr const char* kChannels = "dma channel";
constexpr const char* kSlots = "workgroup slot";
constexpr const char* kCommands = "dma commands";  // where channels are not told apart
constexpr const char* kOpenTiles = "wavefront tiles with updates missing";
constexpr std::uint64_t kStores = std::uint64_t{1} << 32;  // added to the key of a tile's slot

struct Timeline : Instrument, EventSink, RequestSink {
  /// What a link sends without a gap.
  struct Sending {
    Phase phase = Phase::Gemm;
    TraceTime begin = 0, end = 0;
    std::uint64_t bytes = 0;
  };
  /// Stages of one GEMM, which end in any order.
  struct Stages {
    Picoseconds since = 0;
    std::uint64_t oldest = 0;
    std::map<std::uint64_t, bool> ended;
  };

  explicit Timeline(const TimelineOptions& wanted)
      : options(wanted),
        file("--timeline", wanted.path, wanted.title),
        tracks(file, wanted.window),
        counters(file, wanted.window) {}

  /// Of a sublayer.
  Timeline(const TimelineOptions& wanted, const SystemConfig& config, Mode mode)
      : Timeline(wanted) {
    countsTiles = mode.kind->tracked && !mode.kind->ideal;
    const SystemConfig own = mode.configured(config);
    graph = mode.graph(own);
    const auto route = own.makeRoute();
    for (const OutputShape& shape : graph.outputs) {
      tiles.emplace_back(tracks, file, wanted.window, own, tilingOf(own, shape, route->chunks()));
    }
  }

  void begin(Listeners& all) override;
  Picoseconds samplePeriod() const override { return options.samplePeriod; }

  // ---- events -----------------------------------------------------------------------------------

  void happened(const Event& event) override {
    const ModelPlace& place = places[event.source];
    const std::uint32_t process = place.process;
    const std::uint64_t number = event.number;
    const std::string numberText = std::to_string(number);
    const auto track = [&](const std::string& name) -> Track& {
      return tracks.track(process, name);
    };
    switch (event.kind) {
      case EventKind::KernelBegin:
        stages[event.source] = {event.when, 0, {}};
        return tracks.open(track(place.part), 0, 0, "kernel", event.when);
      case EventKind::KernelEnd:
        return tracks.close(track(place.part), 0, event.when);
      case EventKind::NodeBegin:
        if (tiles.empty()) return;
        return tracks.openNext(streamOf(event), number, graph.nodes[number].name, event.when);
      case EventKind::NodeEnd:
        if (tiles.empty()) return;
        return tracks.close(streamOf(event), number, event.when);
      case EventKind::StageEnd:
        return stageEnded(event);
      case EventKind::ChunkBegin:
        return tracks.openNext(track(kernelOf(place) + " chunks"), number, "chunk " + numberText,
                               event.when);
      case EventKind::ChunkEnd:
        return tracks.close(track(kernelOf(place) + " chunks"), number, event.when);
      case EventKind::TileBegin:
        return tracks.open(slotsOf(place), static_cast<std::uint32_t>(number), number,
                           "wg " + std::to_string(event.workgroup.value), event.when,
                           tileArguments(event));
      case EventKind::TileStore: {
        Track& slot = slotsOf(place);
        const auto lane = static_cast<std::uint32_t>(number);
        if (TileFlow* made = flowOfKernel[event.source]) {
          made->stored(place.gpu, event.workgroup,
                       {process, slot.thread(lane), traceTime(event.when)});
        }
        return tracks.open(slot, lane, number + kStores, "stores", event.when,
                           {{"bytes", event.bytes}});
      }
      case EventKind::TileEnd:
        tracks.close(slotsOf(place), number + kStores, event.when);
        return tracks.close(slotsOf(place), number, event.when);
      case EventKind::StepBegin:
        return tracks.openNext(stepsTrack(event), number, "step " + numberText, event.when);
      case EventKind::StepEnd:
        return tracks.close(stepsTrack(event), number, event.when);
      case EventKind::CommandBegin:
        return commandBegins(event);
      case EventKind::CommandEnd:
        return commandEnds(event);
      case EventKind::ZeroBegin:
        return tracks.open(track("zeroing"), 0, 0, "zeroing", event.when, {{"bytes", event.bytes}});
      case EventKind::ZeroEnd:
        return tracks.close(track("zeroing"), 0, event.when);
      case EventKind::ZeroWaitBegin:
        return tracks.open(track(place.part + " waits"), 0, 0, "zeros", event.when,
                           {{"workgroup", event.workgroup.value}});
      case EventKind::CreditWaitBegin:
        return tracks.open(track(place.part + " waits"), 0, 0, "credit", event.when);
      case EventKind::ZeroWaitEnd:
      case EventKind::CreditWaitEnd:
        return tracks.close(track(place.part + " waits"), 0, event.when);
      case EventKind::Trigger:
        return instant(process, saidBy(place, event), event.when, {{"command", number}});
      case EventKind::Release:
        return instant(process, saidBy(place, event), event.when, {{"row", number}});
      case EventKind::Difference:  // the first is the only one, and may be about no workgroup
        return instant(process, spelling(event.kind), event.when, {});
      default:
        return;
    }
  }

  /// "trigger 5", or "stack2: trigger 5" of the share of one of several stacks.
  static std::string saidBy(const ModelPlace& place, const Event& event) {
    const std::string unit = place.stack();
    return unit + (unit.empty() ? "" : ": ") + spelling(event.kind) + " " +
           std::to_string(event.number);
  }

  void instant(std::uint32_t process, const std::string& name, Picoseconds when,
               const TraceEvents::Arguments& arguments) {
    if (!options.window.contains(when)) return;
    Track& tracker = tracks.track(process, "tracker");
    tracker.hold(0);
    file.instant(process, tracker.thread(0), name, traceTime(when), arguments);
  }

  /// The oldest stage that is not over is the one that is drawn.
  void stageEnded(const Event& event) {
    const ModelPlace& place = places[event.source];
    const Picoseconds when = event.when;
    Stages& of = stages[event.source];
    of.ended[event.number] = true;
    Track& in = tracks.track(place.process, kernelOf(place) + " stages");
    for (; of.ended[of.oldest]; ++of.oldest) {
      in.hold(0);
      tracks.draw(in, 0, "stage " + std::to_string(of.oldest), traceTime(of.since), traceTime(when),
                  {});
      of.since = when;
    }
  }

  /// "gemm" or "consumer".
  static std::string kernelOf(const ModelPlace& place) {
    return place.part.substr(place.part.rfind('.') + 1);
  }
  /// Where a kernel's workgroups are drawn. Of a mode's GEMM that comes first, "workgroup slot".
  Track& slotsOf(const ModelPlace& place) {
    Track& slots = tracks.track(place.process,
                                place.part == kProducer ? kSlots : kernelOf(place) + " " + kSlots);
    slots.number();
    return slots;
  }

  TraceEvents::Arguments tileArguments(const Event& event) const {
    const WorkgroupId workgroup = event.workgroup;
    const TileFlow* made = flowOfKernel[event.source];
    if (made == nullptr) return {{"workgroup", workgroup.value}};
    return {{"workgroup", workgroup.value}, {"chunk", made->tiling().chunkOf(workgroup).value}};
  }

  /// Where a node of the graph is drawn: what runs side by side has tracks of its own.
  Track& streamOf(const Event& event) {
    const bool moves = graph.nodes[event.number].as<CollectiveWork>() != nullptr;
    return tracks.track(places[event.source].process, moves ? kCommunication : kCompute);
  }
  /// Of the output that a node makes, or works on.
  TileFlow& flowOf(NodeId node) { return tiles[graph.outputOf(node)]; }

  /// A collective from a file has thread blocks. Those before this one get their places first.
  Track& stepsTrack(const Event& event) {
    const ModelPlace& place = places[event.source];
    const std::string worker = kernelOf(place);
    if (!worker.starts_with("kernel") && worker != "joins") {  // it has no thread blocks to show
      return tracks.track(place.process, place.part + " steps");
    }
    for (std::uint32_t before = 0; before < event.threadBlock; ++before) {
      tracks.track(place.process, threadBlock(before));
    }
    return tracks.track(place.process, threadBlock(event.threadBlock));
  }
  static std::string threadBlock(std::uint32_t number) {
    return "thread block " + std::to_string(number);
  }

  void commandBegins(const Event& event) {
    const ModelPlace& place = places[event.source];
    if (tiles.empty()) {
      return tracks.openNext(
          tracks.track(place.process, kCommands), commandKey(event),
          "step " + std::to_string(event.number) + ", slice " + std::to_string(event.slice),
          event.when,
          {{"thread block", event.threadBlock}, {"step", event.number}, {"slice", event.slice}});
    }
    Track& channels = tracks.track(place.process, kChannels);
    const auto values = channelCommands.find(event.source);
    std::uint32_t lane = 0;
    for (const auto& [active, command] : values->second) {
      if (active.read() != 0 && command.read() == event.number) break;
      ++lane;
    }
    tracks.open(channels, lane, event.number, "command " + std::to_string(event.number), event.when,
                {{"command", event.number}, {"workgroup", event.workgroup.value}});
    flowOf(event.node)
        .commandBegins(place.gpu, event.workgroup,
                       {place.process, channels.thread(lane), traceTime(event.when)});
  }
  void commandEnds(const Event& event) {
    const std::uint32_t process = places[event.source].process;
    if (tiles.empty()) {
      return tracks.close(tracks.track(process, kCommands), commandKey(event), event.when);
    }
    tracks.close(tracks.track(process, kChannels), event.number, event.when);
  }
  /// Of a step on a slice.
  static std::uint64_t commandKey(const Event& event) {
    return std::uint64_t{event.threadBlock} << 48 | event.number << 24 | event.slice;
  }

  // ---- requests ---------------------------------------------------------------------------------

  void moved(const RequestStep& step) override {
    if (step.phase == RequestPhase::Sent) return sent(step);
    if (step.phase != RequestPhase::Counted || tiles.empty()) return;
    flowOf(traffic(step.payload).node).counted(step, places[step.source]);
  }

  /// What a link sends, drawn as one slice while there is no gap that a counter would show.
  void sent(const RequestStep& step) {
    const Phase phase = traffic(step.payload).phase;
    Sending& run = sending[step.source];
    const TraceTime begin = std::max(run.end, traceTime(listeners->time()));
    if (run.bytes != 0 &&
        (phase != run.phase || begin - run.end > traceTime(options.samplePeriod))) {
      endSending(step.source, run);
    }
    if (run.bytes == 0) run = {phase, begin, begin, 0};
    run.end = std::max(begin, traceTime(step.when));
    run.bytes += step.bytes;
  }
  void endSending(std::uint32_t source, Sending& run) {
    const ModelPlace& place = places[source];
    Track& in = tracks.track(place.process, place.part);
    in.hold(0);
    tracks.draw(in, 0, phaseName(run.phase), run.begin, run.end, {{"bytes", run.bytes}});
    run.bytes = 0;
  }

  // ---- the whole run ----------------------------------------------------------------------------

  void sample() override {
    const Picoseconds when = listeners->time();
    counters.sample(when);
    if (!countsTiles) return;
    std::map<std::uint32_t, std::uint64_t> open;  // by process
    for (const TileFlow& output : tiles) {
      for (const auto& [process, count] : output.openTiles()) open[process] += count;
    }
    for (const auto& [process, count] : open) {
      counters.show(process, kOpenTiles, "open", count, when);
    }
  }

  void finish() override {
    const Picoseconds end = listeners->time();
    sample();
    counters.finish(end);
    tracks.closeAll(end);
    for (auto& [source, run] : sending) {
      if (run.bytes != 0) endSending(source, run);
    }
    for (TileFlow& output : tiles) output.finish(traceTime(end));
    file.finish();
  }

  const TimelineOptions options;
  TraceEvents file;
  Tracks tracks;
  Counters counters;
  Graph graph;                 ///< of a sublayer …
  std::deque<TileFlow> tiles;  ///< … and its outputs
  bool countsTiles = false;

  Listeners* listeners = nullptr;
  std::vector<ModelPlace> places;            ///< by model
  std::vector<TileFlow*> flowOfKernel;       ///< by model: of the output that a GEMM makes
  std::map<std::uint32_t, Stages> stages;    ///< by model, a GEMM
  std::map<std::uint32_t, Sending> sending;  ///< by model
  /// Of each DMA engine, by channel: whether it is active, and its command.
  std::map<std::uint32_t, std::vector<std::pair<PublishedValue, PublishedValue>>> channelCommands;

 private:
  void addProcesses();
  void addChannels(std::size_t model);
};

void Timeline::begin(Listeners& all) {
  listeners = &all;
  Scopes scopes(options.scopes.value_or(std::vector<std::string>{}));
  std::vector<std::string> names;
  for (std::size_t m = 0; m < all.models().size(); ++m) {
    const PublishedModel& model = all.models()[m];
    names.push_back(model.name);
    ModelPlace place;
    place.gpu = gpuOfModel(model.name);
    place.process = static_cast<std::uint32_t>(place.gpu + 1);  // 0 is what belongs to no GPU
    place.part = place.gpu < 0 ? model.name : model.name.substr(model.name.find('.') + 1);
    place.inScope = scopes.contain(model.name) || !options.scopes;
    places.push_back(place);
    const auto made = outputMadeBy(model.name, graph);
    flowOfKernel.push_back(made ? &tiles[*made] : nullptr);
    // The twin of a lockstep pair says everything a second time.
    if (!place.inScope || model.name.find(".twin") != std::string::npos) continue;
    all.add(static_cast<EventSink&>(*this), m);
    if (place.part == "hbm") {
      all.add(static_cast<RequestSink&>(*this), m, phaseBit(RequestPhase::Counted));
    } else if (place.isLink()) {
      all.add(static_cast<RequestSink&>(*this), m, phaseBit(RequestPhase::Sent));
    }
    counters.add(place, all, m);
    if (place.part == "gpu.dma") addChannels(m);
  }
  scopes.checkFound("--timeline-scope", names);
  addProcesses();
  sample();
}

void Timeline::addChannels(std::size_t model) {
  ValueList list;
  listeners->models()[model].model->publish(list);
  auto& channels = channelCommands[static_cast<std::uint32_t>(model)];
  for (std::size_t v = 0; v < list.values().size(); ++v) {
    const PublishedValue& value = list.values()[v];
    if (!value.name.starts_with("channel")) continue;
    const auto watched = [&] {
      return listeners->watch(model, v, value, Listeners::Watch::AtEvents);
    };
    if (value.name.ends_with(".active")) {
      channels.emplace_back(watched(), PublishedValue{});
    } else if (value.name.ends_with(".command")) {
      channels.back().second = watched();
    }
  }
}

/// Those with a model in scope, and the tracks of a GPU in the order in which people read them.
void Timeline::addProcesses() {
  for (const ModelPlace& place : places) {
    if (!place.inScope || tracks.contains(place.process)) continue;
    tracks.add(place.process);
    if (place.gpu < 0) continue;
    file.process(place.process, "gpu" + std::to_string(place.gpu));
    if (tiles.empty()) continue;
    for (const char* name : {kCompute, kCommunication, "gpu.gemm", "gemm stages", "gemm chunks",
                             kSlots, "gpu.gemm waits", "zeroing", "own updates", "tracker"}) {
      tracks.track(place.process, name);
    }
    tracks.track(place.process, kChannels).number();
  }
}

}  // namespace

std::unique_ptr<Instrument> makeTimeline(const TimelineOptions& options, const SystemConfig& config,
                                         Mode mode) {
  return std::make_unique<Timeline>(options, config, mode);
}

std::unique_ptr<Instrument> makeTimeline(const TimelineOptions& options) {
  return std::make_unique<Timeline>(options);
}

}  // namespace t3
