// SPDX-License-Identifier: Apache-2.0
#include "testbench/follow/tile_record.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "testbench/probe/request_numbers.h"
#include "tlm/node/tracker_plan.h"

namespace t3 {

namespace {

constexpr Picoseconds kOpen = std::numeric_limits<Picoseconds>::max();

/// "gpu.ingress_1.memory" is "gpu.ingress.memory": one of several of a kind.
std::string withoutNumbers(const std::string& name) {
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_' && i + 1 < name.size() && std::isdigit(name[i + 1]) != 0) {
      while (i + 1 < name.size() && std::isdigit(name[i + 1]) != 0) ++i;
    } else {
      plain += name[i];
    }
  }
  return plain;
}

}  // namespace

std::uint64_t TileRequest::bytesOf(RequestPhase phase) const {
  std::uint64_t sum = 0;
  for (const TileStep& step : steps) sum += step.phase == phase ? step.bytes : 0;
  return sum;
}

std::optional<Picoseconds> TileRequest::last(RequestPhase phase) const {
  std::optional<Picoseconds> latest;
  for (const TileStep& step : steps) {
    if (step.phase == phase) latest = std::max(latest.value_or(0), step.when);
  }
  return latest;
}

TileWay::TileWay(const SystemConfig& config, const Graph& graph, const Tracking& tracking,
                 const FollowedTile& followed)
    : route_(config.makeRoute()),
      output_(planOutputs(config, graph.outputs, *route_)[graph.outputOf(tracking)]),
      tile_(followed),
      block_(commandBlock(followed.workgroup, config.tracker.block_log2)),
      wavefront_(followed.wavefront.value_or(WavefrontId{})) {}

TileRecord::TileRecord(const SystemConfig& config, const Graph& graph, const Tracking& tracking,
                       const FollowedTile& tile)
    : way_(config, graph, tracking, tile),
      gemm_(graph.modelName(*graph.producerOf(tracking))),
      tilesDone_(config.gpus, 0),
      blocks_(config.gpus),
      counts_(config.gpus),
      switched_(config.fabric.switched()) {
  for (std::uint32_t gpu = 0; gpu < config.gpus; ++gpu) {
    if (way_.duty(gpu) == Route::Duty::Sends) continue;
    blocks_[gpu].missing = blockBytes(way_.tiling(), way_.block()) *
                           way_.route().updatesPerElement(GpuId{gpu}, way_.chunk());
  }
  missingAtOwner_ =
      way_.route().updatesPerElement(GpuId{way_.owner()}, way_.chunk()) *
      way_.tiling().bytes(tile.wavefront ? way_.area() : way_.tiling().tile(tile.workgroup));
  const auto rows = std::ranges::find_if(graph.edges, [&](const GraphEdge& edge) {
    return edge.from == tracking.gathers && edge.gate == Gate::Rows;
  });
  if (rows == graph.edges.end()) return;
  consumer_ = graph.modelName(rows->to);
  const OutputShape& shape = graph.outputs[graph.outputOf(rows->to)];
  tilesAcrossConsumer_ = tilingOf(config, shape, 1).tilesAcross();
  if (!tracking.use.norms) return;
  std::uint32_t first = way_.tiling().tiles();  // of the owner
  for (std::uint32_t c = 0; c < way_.tiling().chunks(); ++c) {
    if (way_.route().owner(ChunkId{c}) != way_.route().owner(way_.chunk())) continue;
    first = std::min(first, way_.tiling().chunk(ChunkId{c}).first);
  }
  rowSlotOfNorm_ = way_.tiling().tilesDown() + way_.row() - first / way_.tiling().tilesAcross();
}

TilePlace TileRecord::placeOf(const std::string& name) const {
  static constexpr std::array<std::pair<const char*, TilePart>, 9> kParts = {
      {{"gpu.dma", TilePart::Dma},
       {"gpu.dma.memory", TilePart::DmaMemory},
       {"gpu.dma.egress", TilePart::DmaEgress},
       {"gpu.dma.gather", TilePart::DmaEgress},
       {"gpu.ingress", TilePart::Ingress},
       {"gpu.ingress.memory", TilePart::IngressMemory},
       {"link", TilePart::Link},
       {"hbm", TilePart::Memory},
       {"tracker", TilePart::Tracker}}};
  TilePlace place{name, TilePart::Other, gpuOfModel(name)};
  if (name.starts_with("switch.link")) place.part = TilePart::Link;
  if (name.starts_with("switch.merge")) place.part = TilePart::Merge;
  const std::size_t dot = name.find('.');
  if (place.gpu < 0 || dot == std::string::npos) return place;
  const std::string own = name.substr(dot + 1), rest = withoutNumbers(own);
  for (const auto& [is, part] : kParts) {
    if (rest == is) place.part = part;
  }
  if (own.starts_with("tracker.stack") && own.rfind('.') == own.find('.'))
    place.part = TilePart::Stack;
  const std::string gemm = "gpu." + gemm_;
  if (own == gemm) place.part = TilePart::Gemm;
  if (own == gemm + ".memory") place.part = TilePart::GemmMemory;
  if (own.starts_with(gemm + ".egress")) place.part = TilePart::GemmEgress;
  if (own == "gpu." + consumer_) place.part = TilePart::Consumer;
  return place;
}

std::uint32_t TileWay::next(std::uint32_t gpu) const {
  return route_->peer(GpuId{gpu}, route_->port(GpuId{gpu}, chunk())).value;
}

const TileRequest* TileRecord::request(std::uint64_t number) const {
  const auto found = byNumber_.find(number);
  return found == byNumber_.end() ? nullptr : &requests_[found->second];
}

std::uint32_t TileRecord::ownerOf(std::uint32_t port) const {
  const std::string& name = places_[port].name;
  const auto owner = std::ranges::find(places_, name.substr(0, name.rfind('.')), &TilePlace::name);
  return static_cast<std::uint32_t>(owner - places_.begin());
}

Picoseconds TileRecord::waited(std::uint32_t place, Interval during) const {
  const auto found = waits_.find(place);
  if (found == waits_.end()) return 0;
  Picoseconds sum = 0;
  for (const auto& [from, to] : found->second) {
    const Picoseconds begin = std::max(from, during.first);
    const Picoseconds end = std::min(to, during.second);
    if (begin < end) sum += end - begin;
  }
  return sum;
}

std::optional<Picoseconds> TileRecord::stalled(std::uint32_t gpu, std::uint64_t address,
                                               Picoseconds before) const {
  std::optional<Picoseconds> when;
  for (const Event& event : events_) {
    const TilePlace& at = places_[event.source];
    const bool here = event.kind == EventKind::Stall && at.gpu == static_cast<int>(gpu) &&
                      event.address == address && event.when <= before;
    if (here) when = event.when;
  }
  return when;
}

std::optional<Picoseconds> TileRecord::blockCounted(std::uint32_t gpu) const {
  const BlockCount& block = blocks_[gpu];
  return block.missing == 0 ? std::optional(block.last) : std::nullopt;
}

std::optional<Event> TileRecord::commandTaken(std::uint32_t gpu) const {
  return find(gpu, TilePart::Dma, EventKind::CommandTaken);
}

std::optional<Picoseconds> TileRecord::triggered(std::uint32_t gpu, std::uint64_t number) const {
  const auto event = find(gpu, TilePart::Tracker, EventKind::Trigger,
                          [&](const Event& one) { return one.number == number; });
  return event ? std::optional(event->when) : std::nullopt;
}

std::vector<std::pair<Picoseconds, std::string>> TileRecord::shares(std::uint32_t gpu,
                                                                    std::uint64_t number) const {
  std::vector<std::pair<Picoseconds, std::string>> list;
  for (const Event& event : events_) {
    const TilePlace& at = places_[event.source];
    if (at.part != TilePart::Stack || at.gpu != static_cast<int>(gpu)) continue;
    if (event.kind != EventKind::Trigger || event.number != number) continue;
    list.emplace_back(event.when, at.name.substr(at.name.rfind('.') + 1));
  }
  return list;
}

void TileRecord::begin(Listeners& listeners) {
  listeners_ = &listeners;
  numbers_.emplace(listeners.models());
  for (std::size_t m = 0; m < listeners.models().size(); ++m) {
    places_.push_back(placeOf(listeners.models()[m].name));
    if (places_.back().part != TilePart::Other) listeners.add(static_cast<EventSink&>(*this), m);
    listeners.add(static_cast<RequestSink&>(*this), m);
  }
}

void TileRecord::finish() {
  end_ = listeners_->time();
  followSums();
  if (way_.tile().wavefront) return;
  way_.setWavefront(findSlowest());
  std::erase_if(requests_,
                [&](const TileRequest& one) { return one.wavefront != way_.wavefront(); });
  byNumber_.clear();
  for (const TileRequest& one : requests_) byNumber_.emplace(one.number, byNumber_.size());
}

/// Where a switch adds, a request goes on as the sums that have its bytes. Their steps become steps
/// of the request, those of the sum that gets least far, or is the last to arrive, at the end; sums
/// are no requests of their own then.
void TileRecord::followSums() {
  std::map<std::uint64_t, TileRequest> sums;
  for (const TileRequest& request : requests_) {
    if (place(request.origin()).part == TilePart::Merge) sums.emplace(request.number, request);
  }
  if (sums.empty()) return;
  std::erase_if(requests_, [&](const TileRequest& one) { return sums.contains(one.number); });
  const auto lateness = [&](const TileStep& joined) {
    const TileRequest& sum = sums.at(joined.sum);
    const bool counted = sum.bytesOf(RequestPhase::Counted) == sum.bytes;
    return std::pair(!counted, counted ? *sum.last(RequestPhase::Counted) : joined.when);
  };
  for (TileRequest& request : requests_) {
    const auto first = std::stable_partition(
        request.steps.begin(), request.steps.end(),
        [](const TileStep& step) { return step.phase != RequestPhase::Joined; });
    std::stable_sort(first, request.steps.end(), [&](const TileStep& one, const TileStep& other) {
      return lateness(one) < lateness(other);
    });
    std::vector<TileStep> joined(first, request.steps.end());
    request.steps.erase(first, request.steps.end());
    for (const TileStep& step : joined) {
      const TileRequest& sum = sums.at(step.sum);
      request.steps.push_back(step);
      request.steps.insert(request.steps.end(), sum.steps.begin(), sum.steps.end());
    }
  }
  byNumber_.clear();
  for (const TileRequest& one : requests_) byNumber_.emplace(one.number, byNumber_.size());
}

std::vector<std::uint32_t> TileRecord::addedTo(std::uint64_t sum) const {
  std::vector<std::pair<Picoseconds, std::uint32_t>> parts;
  for (const TileRequest& request : requests_) {
    for (const TileStep& step : request.steps) {
      if (step.phase == RequestPhase::Joined && step.sum == sum) {
        parts.emplace_back(step.entered, request.source);
      }
    }
  }
  std::ranges::sort(parts);
  std::vector<std::uint32_t> gpus;
  for (const auto& [when, gpu] : parts) gpus.push_back(gpu);
  return gpus;
}

WavefrontId TileRecord::findSlowest() const {
  std::uint64_t sums = 0;  // GPUs that add it up
  for (std::uint32_t gpu = 0; gpu < way_.route().gpus(); ++gpu) {
    if (way_.duty(gpu) != Route::Duty::Sends)
      sums += way_.route().updatesPerElement(GpuId{gpu}, way_.chunk());
  }
  /// What is missing of all that GPUs count of a whole tile, and when the last was counted.
  std::vector<std::pair<std::uint64_t, Picoseconds>> progress;
  for (std::uint32_t wf = 0; wf < way_.tiling().liveWavefronts(way_.tile().workgroup); ++wf) {
    const Rectangle band = way_.tiling().wavefrontTile(way_.tile().workgroup, WavefrontId{wf});
    progress.emplace_back(sums * way_.tiling().bytes(band), 0);
  }
  for (const TileRequest& request : requests_) {
    auto& [missing, last] = progress[request.wavefront.value];
    missing -= request.bytesOf(RequestPhase::Counted);
    last = std::max(last, request.last(RequestPhase::Counted).value_or(0));
  }
  const auto slowest = std::ranges::max_element(progress);
  return WavefrontId{static_cast<std::uint32_t>(slowest - progress.begin())};
}

void TileRecord::happened(const Event& event) {
  const TilePlace& at = places_[event.source];
  const auto gpu = static_cast<std::uint32_t>(at.gpu);
  switch (event.kind) {
    case EventKind::TileEnd:
    case EventKind::TileBegin:
    case EventKind::TileStore:
    case EventKind::BandStore:
      if (at.part == TilePart::Consumer && event.kind == EventKind::TileBegin) {
        if (event.workgroup.value / tilesAcrossConsumer_ != way_.row()) return;
        consuming_.insert(gpu);
        break;
      }
      if (at.part != TilePart::Gemm) return;
      if (event.kind == EventKind::TileEnd) ++tilesDone_[gpu];
      [[fallthrough]];
    case EventKind::Stall:
      if (event.workgroup != way_.tile().workgroup) return;
      break;
    case EventKind::ZeroWaitBegin:
    case EventKind::CreditWaitBegin:
      waits_[event.source].emplace_back(event.when, kOpen);
      return;
    case EventKind::ZeroWaitEnd:
    case EventKind::CreditWaitEnd:
      waits_[event.source].back().second = event.when;
      return;
    case EventKind::CommandTaken:
    case EventKind::CommandBegin:
      if (!counts_[gpu] || !way_.block().contains(event.workgroup)) return;
      break;
    case EventKind::Release:
      if (!counts_[gpu] || (event.number != way_.row() && event.number != rowSlotOfNorm_)) return;
      break;
    case EventKind::Trigger:  // names a slot; whose that is, the DMA engine says
      if (!counts_[gpu]) return;
      break;
    case EventKind::KernelBegin:
    case EventKind::KernelEnd:
      break;
    default:
      return;
  }
  events_.push_back(event);
}

void TileRecord::moved(const RequestStep& step) {
  const RequestName& name = (*numbers_)(step);
  if (!name.ofTile) return;
  const TrafficExtension& extension = traffic(step.payload);
  // Tiles of other outputs have the same ids, and other addresses.
  const std::uint64_t address = localAddress(step.address);
  if (address < way_.layout().output || address >= way_.layout().end) return;
  const TilePlace& at = places_[step.source];
  const auto gpu = static_cast<std::uint32_t>(at.gpu);
  const bool counted = step.phase == RequestPhase::Counted && at.gpu >= 0;
  if (counted) counts_[gpu] = true;
  // A tile is followed until it is summed. What is made of the sum then, and gathered, has its ids.
  if (extension.phase != Phase::Gemm && extension.phase != Phase::ReduceScatter) return;
  if (counted && way_.block().contains(extension.workgroup)) {
    blocks_[gpu].missing -= step.bytes * extension.contributions;
    blocks_[gpu].last = step.when;
  }
  if (extension.workgroup != way_.tile().workgroup) return;
  if (way_.tile().wavefront && extension.wavefront != *way_.tile().wavefront) return;
  const bool added =
      step.phase == RequestPhase::Served && gpu == way_.owner() && !step.payload.is_read();
  if (added) missingAtOwner_ -= step.bytes * extension.contributions;
  const auto [entry, isNew] = byNumber_.emplace(name.number, requests_.size());
  if (isNew) {
    requests_.push_back({name.number,
                         name.cause,
                         extension.wavefront,
                         extension.source.value,
                         step.payload.is_read(),
                         address,
                         step.bytes,
                         {}});
  }
  requests_[entry->second].steps.push_back({step.phase, step.source, step.when, listeners_->time(),
                                            step.entered, step.channel, address, step.bytes,
                                            step.phase == RequestPhase::Joined ? name.cause : 0});
}

}  // namespace t3
