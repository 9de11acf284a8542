// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/model_tracker.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

namespace r = registers;

constexpr std::uint32_t kGranule = 32;  // an entry keeps addresses in these units
constexpr std::uint32_t kPageShift = 12;
constexpr std::uint8_t kSpilledMax = 7;
constexpr std::uint32_t kExpectedMask = (1U << 18) - 1;
constexpr std::uint32_t kGeometryBytes = 0x100;
constexpr std::uint32_t kRegionBytes = 0x40;
constexpr std::uint32_t kAllStrobes = 0xffffffff;

// The 128-bit record of promise 9, as two little-endian words.
struct Record {
  std::uint64_t low = 0, high = 0;

  // address/32 [42:0], bytes [62:43], epoch [78:63], region [82:79], live [83], wg [99:84], wf
  // [103:100]
  static Record of(std::uint64_t address, std::uint64_t bytes, std::uint64_t epoch,
                   std::uint64_t region, std::uint64_t wg, std::uint64_t wf) {
    return {address / kGranule | bytes << 43 | epoch << 63,
            epoch >> 1 | region << 15 | std::uint64_t{1} << 19 | wg << 20 | wf << 36};
  }
  std::uint64_t address() const { return (low & ((std::uint64_t{1} << 43) - 1)) * kGranule; }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(low >> 43 & 0xfffff); }
  /// Everything but address and bytes: epoch, region, live, wg, wf.
  bool sameTile(const Record& other) const {
    return high == other.high && low >> 63 == other.low >> 63;
  }
};

}  // namespace

ModelTracker::ModelTracker(const sc_core::sc_module_name& name, const TrackerConfig& config)
    : Tracker(name, config),
      commandSlots_(config.command_slots),
      banks_(config.banks),
      sets_(std::size_t{config.banks} * config.sets_per_bank),
      parked_(std::size_t{kParkedWorkgroups} * kWavefronts),
      blockedSince_(config.lanes),
      blockedBy_(config.lanes) {}

// ---- one clock edge ---------------------------------------------------------------------------

Picoseconds ModelTracker::cycle(Picoseconds edge) {
  ++cycles_;
  takeAnswers(edge);
  if (clearing_ && filling_ == 0) clear();
  const bool served = !clearing_ && serveLanes(edge);
  sendOutputs(edge);
  return nextEdge(edge, served);
}

bool ModelTracker::serveLanes(Picoseconds edge) {
  bool served = false;
  const std::uint32_t laneMask = config().lanes - 1;
  for (std::uint32_t i = 0; i <= laneMask; ++i) {
    // Round robin: which lane a bank looks at first moves on every cycle.
    const std::uint32_t lane = (static_cast<std::uint32_t>(cycles_) + i) & laneMask;
    const LaneQueue& queue = queues()[lane];
    if (!queue.ready(edge)) continue;
    const Served outcome = serve(queue.front(), edge);
    if (outcome == Served::Yes) {
      popLane(lane);
      served = true;
      if (blockedSince_[lane] != 0) {
        const std::uint64_t cycles = (edge - blockedSince_[lane]) / period();
        counters_[Stalls] += cycles;
        if (blockedBy_[lane] == Served::BankSpills) counters_[StallsSpill] += cycles;
        blockedSince_[lane] = 0;
      }
    } else if (blockedSince_[lane] == 0) {
      blockedSince_[lane] = edge;
      blockedBy_[lane] = outcome;
    }
  }
  return served;
}

/// Anything but Yes: the update has to wait at its lane.
ModelTracker::Served ModelTracker::serve(const LaneUpdate& update, Picoseconds edge) {
  const auto region = match(update);
  if (!region) {
    ++counters_[Untracked];
    return Served::Yes;
  }
  Tile tile{*region, update.workgroup.value, update.wavefront.value,
            update.address / kGranule * kGranule, update.bytes};
  Bank& bank = bankOf(tile.workgroup, tile.wavefront);
  if (bank.filling) return Served::BankSpills;
  if (bank.servedCycle == cycles_ &&
      !bank.serving.same(tile.region, tile.workgroup, tile.wavefront)) {
    return Served::BankBusy;
  }
  Set& set = setOf(tile);
  Way& way = wayOf(set, tile);
  const bool hit = way.live && way.tile.same(tile.region, tile.workgroup, tile.wavefront);
  const bool parked = !hit && parks(tile) && parkedCount(tile) != 0;
  // Before this eviction: nothing else has left yet. What is parked is not in memory.
  const bool mayBeInMemory = set.spilled != 0 && !parked;
  if (!hit && (way.live || mayBeInMemory) && spillReadyEdge() > edge) {
    return Served::BankSpills;
  }

  bank.servedCycle = cycles_;
  bank.serving = tile;
  ++counters_[Updates];
  set.last = static_cast<std::uint8_t>(&way - set.ways.data());
  if (hit) {
    add(way, tile);
    return Served::Yes;
  }
  if (parked) {
    tile.bytes += parkedCount(tile) * contributionBytes(tile);
    parkedCount(tile) = 0;
  }
  if (way.live) evict(set, way);
  if (mayBeInMemory) {
    bank.filling = true;
    bank.missed = tile;
    ++filling_;
    ++counters_[Fills];
    readRecord(recordAddress(tile), static_cast<std::uint32_t>(&bank - banks_.data()));
  } else {
    install(way, tile);
  }
  return Served::Yes;
}

void ModelTracker::takeAnswers(Picoseconds edge) {
  auto& waiting = answers();
  for (auto answer = waiting.begin(); answer != waiting.end();) {
    if (answer->edge > edge) {
      ++answer;
      continue;
    }
    Bank& bank = banks_[answer->id];
    Set& set = setOf(bank.missed);
    const Tile& missed = bank.missed;
    Record record;
    std::memcpy(&record, answer->data.data(), sizeof record);
    const Geometry& geometry = geometryOf(missed.region);
    const Record wanted =
        Record::of(0, 0, geometry.epoch, missed.region, missed.workgroup, missed.wavefront);
    Tile tile = missed;
    if (record.sameTile(wanted)) {
      tile.address = std::min(tile.address, record.address());
      tile.bytes += record.bytes();
      if (set.spilled != kSpilledMax) --set.spilled;
    }
    bank.filling = false;
    --filling_;
    install(wayOf(set, tile), tile);
    answer = waiting.erase(answer);
  }
}

void ModelTracker::sendOutputs(Picoseconds edge) {
  while (!notices_.empty() && notices_.front().due <= edge) {
    const TriggerMessage message = notices_.front().message;
    notices_.pop_front();
    notify(message);
  }
  if (!commands_.empty() && commands_.front().due <= edge && commandReadyEdge() <= edge) {
    const TriggerMessage message = commands_.front().message;
    commands_.pop_front();
    issueCommand(message);
  }
}

/// Lanes that wait for the memory or for a fill are woken by its answer; `served` says that a bank
/// was busy with another tile in this cycle, so that trying again helps.
Picoseconds ModelTracker::nextEdge(Picoseconds edge, bool served) const {
  const Picoseconds following = edge + period();
  Picoseconds next = kNever;
  for (const LaneQueue& queue : queues()) {
    if (queue.empty()) continue;
    if (queue.ready(following)) {
      if (served || !queue.ready(edge)) return following;
    } else {
      next = std::min(next, queue.frontEdge());
    }
  }
  for (const RecordAnswer& answer : answers()) {
    next = std::min(next, std::max(following, answer.edge));
  }
  if (!notices_.empty()) next = std::min(next, std::max(following, notices_.front().due));
  if (!commands_.empty()) {
    next = std::min(next, std::max({following, commands_.front().due, commandReadyEdge()}));
  }
  return next;
}

// ---- promises 2 to 7 --------------------------------------------------------------------------

std::optional<std::uint32_t> ModelTracker::match(const LaneUpdate& update) const {
  if (!enabled_) return std::nullopt;
  const std::uint64_t page = update.address >> kPageShift;
  for (std::uint32_t index = 0; index < kRegions; ++index) {
    const Region& region = regions_[index];
    if ((region.control & r::kRegCtrlEnable) != 0 && update.workgroup.value >= region.wgFirst &&
        update.workgroup.value <= region.wgLast && page >= region.pageFirst &&
        page <= region.pageLast) {
      return index;
    }
  }
  return std::nullopt;
}

const ModelTracker::Geometry& ModelTracker::geometryOf(std::uint32_t region) const {
  return geometries_[((regions_[region].control & r::kRegCtrlGeometry) >>
                      r::kRegCtrlGeometryShift) %
                     kGeometries];
}

std::uint32_t ModelTracker::contributionBytes(const Tile& tile) const {
  const Geometry& geometry = geometryOf(tile.region);
  const auto row = static_cast<std::uint32_t>((tile.workgroup * geometry.reciprocal) >> 32);
  const std::uint32_t column = tile.workgroup - row * geometry.tilesAcross;
  const std::size_t tileClass =
      (row + 1 == geometry.tilesDown ? 2U : 0U) + (column + 1 == geometry.tilesAcross ? 1U : 0U);
  return geometry.expected[tileClass][tile.wavefront];
}

std::uint32_t ModelTracker::expectedBytes(const Tile& tile) const {
  const std::uint32_t updates =
      (regions_[tile.region].control & r::kRegCtrlUpdates) >> r::kRegCtrlUpdatesShift;
  return contributionBytes(tile) * updates;
}

ModelTracker::Set& ModelTracker::setOf(const Tile& tile) {
  const std::size_t bank = (tile.workgroup ^ tile.wavefront) & (config().banks - 1);
  return sets_[bank * config().sets_per_bank + (tile.workgroup & (config().sets_per_bank - 1))];
}

ModelTracker::Way& ModelTracker::wayOf(Set& set, const Tile& tile) {
  const auto end = set.ways.begin() + config().ways;
  const auto own = std::find_if(set.ways.begin(), end, [&tile](const Way& way) {
    return way.live && way.tile.same(tile.region, tile.workgroup, tile.wavefront);
  });
  if (own != end) return *own;
  const auto free = std::find_if(set.ways.begin(), end, [](const Way& way) { return !way.live; });
  return free != end ? *free : set.ways[(set.last + 1U) % config().ways];
}

void ModelTracker::install(Way& way, const Tile& tile) {
  way.live = true;
  way.tile = tile;
  way.tile.bytes = 0;
  ++live_;
  peak_ = std::max(peak_, live_);
  add(way, tile);
}

void ModelTracker::add(Way& way, const Tile& update) {
  Tile& tile = way.tile;
  tile.address = std::min(tile.address, update.address);
  tile.bytes += update.bytes;
  const std::uint32_t expected = expectedBytes(tile);
  if (tile.bytes < expected) {
    park(way);
    return;
  }
  way.live = false;
  --live_;
  if (tile.bytes > expected) {
    ++counters_[Overrun];
    irqStatus_ |= r::kIrqStatusOverrun;
  } else {
    complete(tile);
  }
}

bool ModelTracker::parks(const Tile& tile) const {
  const std::uint32_t control = regions_[tile.region].control;
  return (control & r::kRegCtrlPark) != 0 && (control & r::kRegCtrlGeometry) == 0 &&
         tile.workgroup < kParkedWorkgroups;
}

/// Promise 10: if the entry holds whole contributions only.
void ModelTracker::park(Way& way) {
  const std::uint32_t contribution = contributionBytes(way.tile);
  const std::uint32_t contributions = way.tile.bytes / contribution;
  if (way.tile.bytes % contribution != 0 || contributions > kParkedMax || !parks(way.tile)) return;
  parkedCount(way.tile) = static_cast<std::uint8_t>(contributions);
  way.live = false;
  --live_;
}

void ModelTracker::complete(const Tile& tile) {
  ++counters_[Completed];
  Region& region = regions_[tile.region];
  const std::uint32_t block = (region.control & r::kRegCtrlBlockLog2) >> r::kRegCtrlBlockLog2Shift;
  const CommandId command{(region.commandBase + ((tile.workgroup - region.wgFirst) >> block)) &
                          (config().command_slots - 1)};
  tileCompleted(tile, command);
  std::uint16_t& missing = commandSlots_[command.value];
  if (missing == 0) {
    ++counters_[Stray];
    irqStatus_ |= r::kIrqStatusStray;
    return;
  }
  if (--missing != 0) return;

  const Output output{now() + kLatencyCycles * period(),
                      {command, tile.region, WorkgroupId{tile.workgroup}, tile.address}};
  if ((region.control & r::kRegCtrlTrigger) != 0) {
    ++counters_[Triggers];
    commands_.push_back(output);
  }
  if ((region.control & r::kRegCtrlNotify) != 0) {
    ++counters_[Notifications];
    notices_.push_back(output);
  }
  if (++region.done == region.target) {
    regionDone_ |= 1U << tile.region;
    irqStatus_ |= r::kIrqStatusRegionDone;
  }
}

// ---- promise 9 --------------------------------------------------------------------------------

std::uint64_t ModelTracker::recordAddress(const Tile& tile) const {
  return geometryOf(tile.region).spillBase +
         (std::uint64_t{tile.workgroup} * kWavefronts + tile.wavefront) * kRecordBytes;
}

void ModelTracker::evict(Set& set, Way& way) {
  const Tile& tile = way.tile;
  const Record record = Record::of(tile.address, tile.bytes, geometryOf(tile.region).epoch,
                                   tile.region, tile.workgroup, tile.wavefront);
  SpillRecord data;
  std::memcpy(data.data(), &record, sizeof record);
  writeRecord(recordAddress(tile), data);
  way.live = false;
  --live_;
  set.spilled = std::min<std::uint8_t>(static_cast<std::uint8_t>(set.spilled + 1), kSpilledMax);
  ++counters_[Evictions];
  irqStatus_ |= r::kIrqStatusSpill;
}

void ModelTracker::clear() {
  std::fill(sets_.begin(), sets_.end(), Set{});
  std::fill(parked_.begin(), parked_.end(), std::uint8_t{0});
  std::fill(commandSlots_.begin(), commandSlots_.end(), std::uint16_t{0});
  counters_.fill(0);
  for (Region& region : regions_) region.done = 0;
  irqStatus_ = regionDone_ = live_ = peak_ = 0;
  clearing_ = false;
}

// ---- registers --------------------------------------------------------------------------------

void ModelTracker::accessRegister(Payload& payload, sc_core::sc_time& delay) {
  delay += fromPicoseconds(kRegisterCycles * period());
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  bool done = false;
  if (payload.is_read()) {
    if (const auto value = readRegister(offset, true)) {
      std::memcpy(payload.get_data_ptr(), &*value, sizeof *value);
      done = true;
    }
  } else if (payload.is_write()) {
    std::uint32_t strobes = kAllStrobes;
    if (payload.get_byte_enable_ptr() != nullptr) {
      std::memcpy(&strobes, payload.get_byte_enable_ptr(), sizeof strobes);
    }
    std::uint32_t value = 0;
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    done = strobes == kAllStrobes && writeRegister(offset, value);
  }
  payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

unsigned int ModelTracker::debugRegister(Payload& payload) {
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  std::uint32_t value = 0;
  if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    return writeRegister(offset, value) ? sizeof value : 0;
  }
  const auto read = readRegister(offset, false);
  if (!read) return 0;
  std::memcpy(payload.get_data_ptr(), &*read, sizeof *read);
  return sizeof *read;
}

std::optional<std::uint32_t> ModelTracker::readRegister(std::uint32_t offset, bool latch) {
  if (offset % 4 != 0) return std::nullopt;
  const bool counter = offset >= r::kUpdates && offset < r::kLive;
  if (counter || (offset >= r::kStallsSpill && offset < r::kStallsClosed + 8)) {
    const std::uint64_t value = counters_[counter ? (offset - r::kUpdates) / 8
                                                  : StallsSpill + (offset - r::kStallsSpill) / 8];
    const auto high = static_cast<std::uint32_t>(value >> 32);
    if (offset % 8 != 0) return latch ? latchedHigh_ : high;
    if (latch) latchedHigh_ = high;
    return static_cast<std::uint32_t>(value);
  }
  if (offset >= r::command(0) && offset < r::command(config().command_slots)) {
    return commandSlots_[(offset - r::command(0)) / 4];
  }
  if (offset >= r::geometry(0) && offset < r::geometry(kGeometries)) {
    return readGeometry(geometries_[(offset - r::geometry(0)) / kGeometryBytes],
                        offset % kGeometryBytes);
  }
  if (offset >= r::region(0) && offset < r::region(kRegions)) {
    return readRegion(regions_[(offset - r::region(0)) / kRegionBytes], offset % kRegionBytes);
  }
  switch (offset) {
    case r::kId:
      return r::kIdValue;
    case r::kVersion:
      return r::kVersionValue;
    case r::kConfig0:
      return config().lanes << r::kConfig0LanesShift | config().banks << r::kConfig0BanksShift |
             config().sets_per_bank << r::kConfig0SetsShift;
    case r::kConfig1:
      return config().command_slots << r::kConfig1CommandsShift |
             kRegions << r::kConfig1RegionsShift | kGeometries << r::kConfig1GeometriesShift;
    case r::kConfig2:
      return kParkedMax << r::kConfig2ParkedMaxShift | config().ways << r::kConfig2WaysShift |
             kParkedWorkgroups << r::kConfig2ParkedWorkgroupsShift;
    case r::kCtrl:
      return (enabled_ ? r::kCtrlEnable : 0) | (clearing_ ? r::kCtrlClear : 0);
    case r::kStatus:
      return (idle() ? 0 : r::kStatusBusy) | (live_ != 0 ? r::kStatusLive : 0);
    case r::kIrqStatus:
      return irqStatus_;
    case r::kIrqEnable:
      return irqEnable_;
    case r::kRegionDone:
      return regionDone_;
    case r::kLive:
      return live_;
    case r::kPeak:
      return peak_;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> ModelTracker::readGeometry(const Geometry& geometry,
                                                        std::uint32_t offset) const {
  if (offset >= r::kGeoExpected) {
    const std::uint32_t index = (offset - r::kGeoExpected) / 4;
    return geometry.expected[index / kWavefronts][index % kWavefronts];
  }
  switch (offset) {
    case r::kGeoTilesAcross:
      return geometry.tilesAcross;
    case r::kGeoTilesDown:
      return geometry.tilesDown;
    case r::kGeoReciprocalLo:
      return static_cast<std::uint32_t>(geometry.reciprocal);
    case r::kGeoReciprocalHi:
      return static_cast<std::uint32_t>(geometry.reciprocal >> 32);
    case r::kGeoSpillBaseLo:
      return static_cast<std::uint32_t>(geometry.spillBase);
    case r::kGeoSpillBaseHi:
      return static_cast<std::uint32_t>(geometry.spillBase >> 32);
    case r::kGeoEpoch:
      return geometry.epoch;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> ModelTracker::readRegion(const Region& region,
                                                      std::uint32_t offset) const {
  switch (offset) {
    case r::kRegCtrl:
      return region.control;
    case r::kRegWgFirst:
      return region.wgFirst;
    case r::kRegWgLast:
      return region.wgLast;
    case r::kRegPageFirst:
      return static_cast<std::uint32_t>(region.pageFirst);
    case r::kRegPageLast:
      return static_cast<std::uint32_t>(region.pageLast);
    case r::kRegPageHigh:
      return static_cast<std::uint32_t>(region.pageFirst >> 32 << r::kRegPageHighFirstShift |
                                        region.pageLast >> 32 << r::kRegPageHighLastShift);
    case r::kRegCmdBase:
      return region.commandBase;
    case r::kRegTarget:
      return region.target;
    case r::kRegDone:
      return region.done;
    default:
      return std::nullopt;
  }
}

namespace {

void setLow(std::uint64_t& word, std::uint32_t low) {
  word = (word & ~std::uint64_t{0xffffffff}) | low;
}
void setHigh(std::uint64_t& word, std::uint32_t high) {
  word = (word & 0xffffffff) | std::uint64_t{high} << 32;
}

}  // namespace

bool ModelTracker::writeRegister(std::uint32_t offset, std::uint32_t value) {
  if (offset % 4 != 0) return false;
  if (offset >= r::command(0) && offset < r::command(config().command_slots)) {
    commandSlots_[(offset - r::command(0)) / 4] = static_cast<std::uint16_t>(value);
    return true;
  }
  if (offset >= r::geometry(0) && offset < r::geometry(kGeometries)) {
    return writeGeometry(geometries_[(offset - r::geometry(0)) / kGeometryBytes],
                         offset % kGeometryBytes, value);
  }
  if (offset >= r::region(0) && offset < r::region(kRegions)) {
    return writeRegion(regions_[(offset - r::region(0)) / kRegionBytes], offset % kRegionBytes,
                       value);
  }
  constexpr std::uint32_t kIrqBits =
      r::kIrqStatusRegionDone | r::kIrqStatusOverrun | r::kIrqStatusStray | r::kIrqStatusSpill;
  switch (offset) {
    case r::kCtrl:
      enabled_ = (value & r::kCtrlEnable) != 0;
      if ((value & r::kCtrlClear) != 0) {
        if (filling_ == 0) {
          clear();
        } else {
          clearing_ = true;
        }
      }
      return true;
    case r::kIrqStatus:
      irqStatus_ &= ~value;
      return true;
    case r::kIrqEnable:
      irqEnable_ = value & kIrqBits;
      return true;
    case r::kRegionDone:
      regionDone_ &= ~value;
      return true;
    default:
      return false;
  }
}

bool ModelTracker::writeGeometry(Geometry& geometry, std::uint32_t offset, std::uint32_t value) {
  if (offset >= r::kGeoExpected) {
    const std::uint32_t index = (offset - r::kGeoExpected) / 4;
    geometry.expected[index / kWavefronts][index % kWavefronts] = value & kExpectedMask;
    return true;
  }
  switch (offset) {
    case r::kGeoTilesAcross:
      geometry.tilesAcross = value & 0xffff;
      return true;
    case r::kGeoTilesDown:
      geometry.tilesDown = value & 0xffff;
      return true;
    case r::kGeoReciprocalLo:
      setLow(geometry.reciprocal, value);
      return true;
    case r::kGeoReciprocalHi:
      setHigh(geometry.reciprocal, value & 1);
      return true;
    case r::kGeoSpillBaseLo:
      setLow(geometry.spillBase, value & ~std::uint32_t{0xfff});
      return true;
    case r::kGeoSpillBaseHi:
      setHigh(geometry.spillBase, value & 0xffff);
      return true;
    case r::kGeoEpoch:
      geometry.epoch = value & 0xffff;
      return true;
    default:
      return false;
  }
}

bool ModelTracker::writeRegion(Region& region, std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case r::kRegCtrl:
      region.control =
          value & (r::kRegCtrlEnable | r::kRegCtrlTrigger | r::kRegCtrlNotify | r::kRegCtrlPark |
                   r::kRegCtrlGeometry | r::kRegCtrlUpdates | r::kRegCtrlBlockLog2);
      region.done = 0;
      return true;
    case r::kRegWgFirst:
      region.wgFirst = value & 0xffff;
      return true;
    case r::kRegWgLast:
      region.wgLast = value & 0xffff;
      return true;
    case r::kRegPageFirst:
      setLow(region.pageFirst, value);
      return true;
    case r::kRegPageLast:
      setLow(region.pageLast, value);
      return true;
    case r::kRegPageHigh:
      setHigh(region.pageFirst, (value & r::kRegPageHighFirst) >> r::kRegPageHighFirstShift);
      setHigh(region.pageLast, (value & r::kRegPageHighLast) >> r::kRegPageHighLastShift);
      return true;
    case r::kRegCmdBase:
      region.commandBase = value & (config().command_slots - 1);
      return true;
    case r::kRegTarget:
      region.target = value;
      return true;
    default:
      return false;
  }
}

// ---- reports ----------------------------------------------------------------------------------

TrackerStatistics ModelTracker::statistics() {
  TrackerStatistics result = portStatistics();
  result.updates = counters_[Updates];
  result.untracked = counters_[Untracked];
  result.completed = counters_[Completed];
  result.triggers = counters_[Triggers];
  result.notifications = counters_[Notifications];
  result.overrun = counters_[Overrun];
  result.stray = counters_[Stray];
  result.peak_entries = peak_;
  return result;
}

bool ModelTracker::idle() const {
  return Tracker::idle() && filling_ == 0 && commands_.empty() && notices_.empty();
}

void ModelTracker::publish(ValueList& list) const {
  Tracker::publish(list);
  list.level("entries", 16, "entries", [this] { return live_; });
  list.level("banks_filling", 8, "banks", [this] { return filling_; });
  list.counter("updates", "updates", [this] { return counters_[Updates]; });
  list.counter("completed", "tiles", [this] { return counters_[Completed]; });
}

std::string ModelTracker::waiting() {
  constexpr std::uint32_t kShown = 16;
  std::ostringstream text;
  text << Tracker::waiting();
  for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
    if (!banks_[bank].filling) continue;
    text << "bank " << bank << " waits for the record of workgroup "
         << banks_[bank].missed.workgroup << " wavefront " << banks_[bank].missed.wavefront << "\n";
  }
  if (!commands_.empty()) text << commands_.size() << " commands wait to be issued\n";
  std::uint32_t shown = 0;
  for (const Set& set : sets_) {
    for (const Way& way : set.ways) {
      if (!way.live || shown++ >= kShown) continue;
      text << "workgroup " << way.tile.workgroup << " wavefront " << way.tile.wavefront
           << " of region " << way.tile.region << ": " << way.tile.bytes << " of "
           << expectedBytes(way.tile) << " bytes\n";
    }
  }
  if (shown > kShown) text << "... and " << shown - kShown << " more live entries\n";
  return text.str();
}

}  // namespace t3
