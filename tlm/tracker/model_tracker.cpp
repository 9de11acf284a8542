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
constexpr std::uint32_t kAllStrobes = 0xffffffff;
constexpr std::uint32_t kBytesMax = (1U << 18) - 1;  // the unit's CntWidth
constexpr std::uint64_t kAddresses = std::uint64_t{1} << 48;

// The 128-bit record of promise 9, as two little-endian words.
struct Record {
  std::uint64_t low = 0, high = 0;

  // address/32 [42:0], bytes [62:43], epoch [78:63], region [82:79], live [83], wg [99:84], wf
  // [103:100], taken [104]
  static Record of(std::uint64_t address, std::uint64_t bytes, std::uint64_t epoch,
                   std::uint64_t region, std::uint64_t wg, std::uint64_t wf) {
    return {address / kGranule | bytes << 43 | epoch << 63,
            epoch >> 1 | region << 15 | std::uint64_t{1} << 19 | wg << 20 | wf << 36};
  }
  std::uint64_t address() const { return (low & ((std::uint64_t{1} << 43) - 1)) * kGranule; }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(low >> 43 & 0xfffff); }
  /// Everything but address and bytes: epoch, region, live, wg, wf, taken.
  bool sameTile(const Record& other) const {
    return high == other.high && low >> 63 == other.low >> 63;
  }
  bool empty() const { return low == 0 && high == 0; }
  /// What some kernel may have written for this workgroup and wavefront.
  bool plausible(std::uint64_t wg, std::uint64_t wf) const {
    const bool live = (high >> 19 & 1) != 0;
    const bool taken = (high >> 40 & 1) != 0;
    return live != taken && (high >> 20 & ~(std::uint64_t{1} << 20)) == (wg | wf << 16) &&
           bytes() != 0 && bytes() <= kBytesMax;
  }
  /// The same, taken instead of live, or live instead of taken.
  Record taken() const { return {low, high ^ (std::uint64_t{1} << 19 | std::uint64_t{1} << 40)}; }
  SpillRecord bytesInMemory() const {
    SpillRecord data;
    std::memcpy(data.data(), this, sizeof *this);
    return data;
  }
};

}  // namespace

ModelTracker::ModelTracker(const sc_core::sc_module_name& name, const TrackerConfig& config)
    : Tracker(name, config),
      registers_(config),
      banks_(config.banks),
      sets_(std::size_t{config.banks} * config.sets_per_bank),
      parked_(std::size_t{config.parked_workgroups} * TrackerConfig::kWavefronts),
      blockedSince_(config.lanes),
      blockedBy_(config.lanes) {}

// ---- one clock edge ---------------------------------------------------------------------------

Picoseconds ModelTracker::cycle(Picoseconds edge) {
  ++cycles_;
  takeAnswers(edge);
  if (registers_.clearing && filling_ == 0) clear();
  const bool served = !registers_.clearing && serveLanes(edge);
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
        registers_.counters[Stalls] += cycles;
        if (blockedBy_[lane] == Served::BankSpills) registers_.counters[StallsSpill] += cycles;
        blockedSince_[lane] = 0;
        registers_.lanesWaiting &= ~(1U << lane);
      }
    } else if (blockedSince_[lane] == 0) {
      blockedSince_[lane] = edge;
      blockedBy_[lane] = outcome;
      registers_.lanesWaiting |= 1U << lane;
    }
  }
  return served;
}

/// If the answer is not Yes, the update has to wait at its lane.
ModelTracker::Served ModelTracker::serve(const LaneUpdate& update, Picoseconds edge) {
  const auto region = match(update);
  if (!region) {
    ++registers_.counters[Untracked];
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
  // Asked before this update evicts anything. A parked tile has no record in memory.
  const bool mayBeInMemory = set.spilled != 0 && !parked;
  if (!hit && (way.live || mayBeInMemory) && spillReadyEdge() > edge) {
    return Served::BankSpills;
  }

  bank.servedCycle = cycles_;
  bank.serving = tile;
  ++registers_.counters[Updates];
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
    if (wraps(tile)) {
      install(way, tile);
      return Served::Yes;
    }
    bank.filling = true;
    bank.missed = tile;
    ++filling_;
    ++registers_.counters[Fills];
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
    const ModelRegisters::Geometry& geometry = geometryOf(missed.region);
    const Record wanted =
        Record::of(0, 0, geometry.epoch, missed.region, missed.workgroup, missed.wavefront);
    Tile tile = missed;
    bank.filling = false;
    --filling_;
    const bool plausible = record.plausible(missed.workgroup, missed.wavefront);
    if (!plausible && !record.empty()) {
      report(ModelRegisters::Cause::BadRecord, missed.region, missed.workgroup, missed.wavefront);
    }
    if (plausible && record.sameTile(wanted.taken())) {
      overran(tile);
    } else {
      if (plausible && record.sameTile(wanted)) {
        tile.address = std::min(tile.address, record.address());
        tile.bytes += record.bytes();
        if (set.spilled != kSpilledMax) --set.spilled;
        writeRecord(recordAddress(tile), record.taken().bytesInMemory());
      }
      install(wayOf(set, tile), tile);
    }
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
    registers_.waits[message.command.value] = false;
    --registers_.queued;
    ++registers_.counters[Taken];
    issueCommand(message);
  }
  if (!releases_.empty() && releases_.front().due <= edge && releaseReadyEdge() <= edge) {
    const std::uint32_t row = releases_.front().row;
    releases_.pop_front();
    registers_.rowWaits[row] = false;
    --registers_.releasesQueued;
    releaseRow(row);
  }
}

/// Lanes that wait for the memory or for a fill need no edge: its answer wakes them. `served` says
/// that a bank was busy with another tile in this cycle, so another try can succeed.
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
  if (!releases_.empty()) {
    next = std::min(next, std::max({following, releases_.front().due, releaseReadyEdge()}));
  }
  return next;
}

// ---- promises 2 to 7 --------------------------------------------------------------------------

std::optional<std::uint32_t> ModelTracker::match(const LaneUpdate& update) const {
  if (!registers_.enabled) return std::nullopt;
  const std::uint64_t page = update.address >> kPageShift;
  for (std::uint32_t index = 0; index < ModelRegisters::kRegions; ++index) {
    const ModelRegisters::Region& region = registers_.regions[index];
    if ((region.control & r::kRegCtrlEnable) != 0 && update.workgroup.value >= region.wgFirst &&
        update.workgroup.value <= region.wgLast && page >= region.pageFirst &&
        page <= region.pageLast) {
      return index;
    }
  }
  return std::nullopt;
}

const ModelRegisters::Geometry& ModelTracker::geometryOf(std::uint32_t region) const {
  return registers_.geometries[((registers_.regions[region].control & r::kRegCtrlGeometry) >>
                                r::kRegCtrlGeometryShift) %
                               ModelRegisters::kGeometries];
}

std::uint32_t ModelTracker::rowOf(const Tile& tile) const {
  return static_cast<std::uint32_t>((tile.workgroup * geometryOf(tile.region).reciprocal) >> 32);
}

std::uint32_t ModelTracker::contributionBytes(const Tile& tile) const {
  const ModelRegisters::Geometry& geometry = geometryOf(tile.region);
  const std::uint32_t row = rowOf(tile);
  const std::uint32_t column = tile.workgroup - row * geometry.tilesAcross;
  const std::size_t tileClass =
      (row + 1 == geometry.tilesDown ? 2U : 0U) + (column + 1 == geometry.tilesAcross ? 1U : 0U);
  return geometry.expected[tileClass][tile.wavefront];
}

std::uint32_t ModelTracker::expectedBytes(const Tile& tile) const {
  const std::uint32_t updates =
      (registers_.regions[tile.region].control & r::kRegCtrlUpdates) >> r::kRegCtrlUpdatesShift;
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
  ++registers_.live;
  registers_.peak = std::max(registers_.peak, registers_.live);
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
  --registers_.live;
  if (tile.bytes > expected) {
    overran(tile);
  } else {
    complete(tile);
  }
}

void ModelTracker::overran(const Tile& tile) {
  ++registers_.counters[Overrun];
  registers_.irqStatus |= r::kIrqStatusOverrun;
  report(ModelRegisters::Cause::Overrun, tile);
}

void ModelTracker::report(ModelRegisters::Cause cause, const Tile& tile) {
  registers_.error(cause, {tile.region, tile.workgroup, tile.wavefront, tile.address});
}

void ModelTracker::report(ModelRegisters::Cause cause, std::uint32_t region,
                          std::uint32_t workgroup, std::uint32_t wavefront) {
  registers_.error(cause, {region, workgroup, wavefront, 0});
}

bool ModelTracker::parks(const Tile& tile) const {
  const std::uint32_t control = registers_.regions[tile.region].control;
  return (control & r::kRegCtrlPark) != 0 && (control & r::kRegCtrlGeometry) == 0 &&
         tile.workgroup < config().parked_workgroups;
}

/// Promise 10. Parks the entry if it holds whole contributions only.
void ModelTracker::park(Way& way) {
  const std::uint32_t contribution = contributionBytes(way.tile);
  const std::uint32_t contributions = way.tile.bytes / contribution;
  if (way.tile.bytes % contribution != 0 || contributions > kParkedMax || !parks(way.tile)) return;
  parkedCount(way.tile) = static_cast<std::uint8_t>(contributions);
  way.live = false;
  --registers_.live;
}

void ModelTracker::complete(const Tile& tile) {
  ++registers_.counters[Completed];
  countCommand(tile);
  countRow(tile);
}

void ModelTracker::countCommand(const Tile& tile) {
  ModelRegisters::Region& region = registers_.regions[tile.region];
  const std::uint32_t block = (region.control & r::kRegCtrlBlockLog2) >> r::kRegCtrlBlockLog2Shift;
  const CommandId command{(region.commandBase + ((tile.workgroup - region.wgFirst) >> block)) &
                          (config().command_slots - 1)};
  tileCompleted(tile, command);
  std::uint16_t& missing = registers_.commandSlots[command.value];
  if (missing == 0) {
    ++registers_.counters[Stray];
    registers_.irqStatus |= r::kIrqStatusStray;
    report(ModelRegisters::Cause::Stray, tile);
    return;
  }
  if (--missing != 0) return;

  const Picoseconds due = now() + kLatencyCycles * period();
  if ((region.control & r::kRegCtrlTrigger) != 0) {
    ++registers_.counters[Triggers];
    const std::uint32_t blocks =
        (command.value - region.commandBase) & (config().command_slots - 1);
    commands_.push_back(
        {due, {command, tile.region, WorkgroupId{region.wgFirst + (blocks << block)}}});
    registers_.waits[command.value] = true;
    ++registers_.queued;
  }
  if ((region.control & r::kRegCtrlNotify) != 0) {
    ++registers_.counters[Notifications];
    notices_.push_back({due, {command, tile.region, WorkgroupId{tile.workgroup}, tile.address}});
  }
  if (++region.done == region.target) {
    registers_.regionDone |= 1U << tile.region;
    registers_.irqStatus |= r::kIrqStatusRegionDone;
  }
}

// ---- promise 12 -------------------------------------------------------------------------------

void ModelTracker::countRow(const Tile& tile) {
  const ModelRegisters::Region& region = registers_.regions[tile.region];
  if (!region.releases) return;
  const std::uint32_t row = (region.rowBase + rowOf(tile)) & (config().release_rows - 1);
  std::uint16_t& missing = registers_.rowSlots[row];
  if (missing == 0) {
    registers_.error(ModelRegisters::Cause::StrayRow,
                     {tile.region, tile.workgroup, tile.wavefront, std::uint64_t{row} * kGranule});
    return;
  }
  if (--missing != 0) return;
  ++registers_.counters[Releases];
  releases_.push_back({now() + (kLatencyCycles + kReleaseCycles) * period(), row});
  registers_.rowWaits[row] = true;
  ++registers_.releasesQueued;
}

// ---- promise 9 --------------------------------------------------------------------------------

std::uint64_t ModelTracker::recordAddress(const Tile& tile) const {
  return geometryOf(tile.region).spillBase +
         (std::uint64_t{tile.workgroup} * TrackerConfig::kWavefronts + tile.wavefront) *
             TrackerConfig::kRecordBytes;
}

bool ModelTracker::wraps(const Tile& tile) {
  if (recordAddress(tile) < kAddresses) return false;
  report(ModelRegisters::Cause::Wrapped, tile.region, tile.workgroup, tile.wavefront);
  return true;
}

void ModelTracker::evict(Set& set, Way& way) {
  const Tile& tile = way.tile;
  way.live = false;
  --registers_.live;
  set.spilled = std::min<std::uint8_t>(static_cast<std::uint8_t>(set.spilled + 1), kSpilledMax);
  if (wraps(tile)) return;
  const Record record = Record::of(tile.address, tile.bytes, geometryOf(tile.region).epoch,
                                   tile.region, tile.workgroup, tile.wavefront);
  writeRecord(recordAddress(tile), record.bytesInMemory());
  ++registers_.counters[Evictions];
  registers_.irqStatus |= r::kIrqStatusSpill;
}

void ModelTracker::clear() {
  std::fill(sets_.begin(), sets_.end(), Set{});
  std::fill(parked_.begin(), parked_.end(), std::uint8_t{0});
  registers_.clear();
}

// ---- registers --------------------------------------------------------------------------------

void ModelTracker::accessRegister(Payload& payload, sc_core::sc_time& delay) {
  delay += fromPicoseconds(kRegisterCycles * period());
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  bool done = false;
  if (payload.is_read()) {
    if (const auto value = registers_.read(offset, true, !idle())) {
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
    done = strobes == kAllStrobes && write(offset, value);
  }
  payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

bool ModelTracker::write(std::uint32_t offset, std::uint32_t value) {
  const bool done = registers_.write(offset, value);
  if (registers_.clearing && filling_ == 0) clear();
  return done;
}

unsigned int ModelTracker::debugRegister(Payload& payload) {
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  std::uint32_t value = 0;
  if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    return write(offset, value) ? sizeof value : 0;
  }
  const auto read = registers_.read(offset, false, !idle());
  if (!read) return 0;
  std::memcpy(payload.get_data_ptr(), &*read, sizeof *read);
  return sizeof *read;
}

// ---- reports ----------------------------------------------------------------------------------

TrackerStatistics ModelTracker::statistics() {
  TrackerStatistics result = portStatistics();
  result.updates = registers_.counters[Updates];
  result.untracked = registers_.counters[Untracked];
  result.completed = registers_.counters[Completed];
  result.triggers = registers_.counters[Triggers];
  result.notifications = registers_.counters[Notifications];
  result.releases = registers_.counters[Releases];
  result.overrun = registers_.counters[Overrun];
  result.stray = registers_.counters[Stray];
  result.errors = registers_.errors;
  result.peak_entries = registers_.peak;
  return result;
}

bool ModelTracker::idle() const {
  return Tracker::idle() && filling_ == 0 && commands_.empty() && notices_.empty() &&
         releases_.empty();
}

void ModelTracker::publish(ValueList& list) const {
  Tracker::publish(list);
  list.level("entries", 16, "entries", [this] { return registers_.live; });
  list.level("banks_filling", 8, "banks", [this] { return filling_; });
  list.counter("updates", "updates", [this] { return registers_.counters[Updates]; });
  list.counter("completed", "tiles", [this] { return registers_.counters[Completed]; });
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
  if (!releases_.empty()) text << releases_.size() << " rows wait to be released\n";
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
