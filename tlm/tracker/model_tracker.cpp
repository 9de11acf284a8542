// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/model_tracker.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sstream>

#include "tlm/tracker/registers.h"
#include "tlm/tracker/tracker.h"

namespace t3 {
namespace {

constexpr std::uint32_t kPageShift = 12;
constexpr std::uint32_t kAllStrobes = 0xffffffff;
constexpr std::uint32_t kWorkgroupBits = 16;

}  // namespace

ModelTracker::ModelTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
                           std::uint32_t latency)
    : Tracker(name, config),
      latency_(latency),
      registers_(config),
      banks_(config.banks),
      blockedSince_(config.lanes) {}

// ---- one clock edge ---------------------------------------------------------------------------

Picoseconds ModelTracker::cycle(Picoseconds edge) {
  ++cycles_;
  if (registers_.walk != ModelRegisters::Walk::None) passWalk(0);
  const bool open = registers_.walk != ModelRegisters::Walk::Clear;
  const bool served = open && waitingLanes() != 0 && serveLanes(edge);
  if (!completions_.empty() && completions_.front().due <= edge) {
    const Completion completion = completions_.front();
    completions_.pop_front();
    complete(completion, edge);
  }
  sendOutputs(edge);
  if (watcher_ != nullptr) watcher_->cycled();
  return nextEdge(edge, served);
}

bool ModelTracker::serveLanes(Picoseconds edge) {
  bool served = false;
  const std::uint32_t laneMask = config().lanes - 1;
  touched_ = 0;
  for (std::uint32_t i = 0; i <= laneMask; ++i) {
    // Round robin: which lane a bank looks at first moves on every cycle.
    const std::uint32_t lane = (static_cast<std::uint32_t>(cycles_) + i) & laneMask;
    if (!queues()[lane].ready(edge)) continue;
    if (serve(lane)) {
      popLane(lane);
      served = true;
      if (blockedSince_[lane] != 0) {
        registers_.counters[Stalls] += (edge - blockedSince_[lane]) / period();
        blockedSince_[lane] = 0;
      }
    } else if (blockedSince_[lane] == 0) {
      blockedSince_[lane] = edge;
    }
  }
  for (std::uint32_t left = touched_; left != 0; left &= left - 1) {
    const auto bank = static_cast<std::uint32_t>(std::countr_zero(left));
    countBank(banks_[bank], bank, edge);
  }
  return served;
}

/// Promise 2: the region of the update; null if it has none.
const ModelTracker::Rule* ModelTracker::ruleOf(const LaneUpdate& update) const {
  const std::uint32_t workgroup = update.workgroup.value;
  const std::uint64_t page = update.address >> kPageShift;
  const auto rule = std::ranges::find_if(rules_, [workgroup, page](const Rule& r) {
    return workgroup >= r.wgFirst && workgroup <= r.wgLast && page >= r.pageFirst &&
           page <= r.pageLast;
  });
  return rule == rules_.end() ? nullptr : &*rule;
}

/// Promise 3. It may be beyond the region's last slot.
std::uint32_t ModelTracker::slotOf(const Rule& rule, const LaneUpdate& update) {
  const std::uint32_t wavefronts =
      (update.workgroup.value - rule.wgFirst) * TrackerConfig::kWavefronts + update.wavefront.value;
  return rule.slotFirst + (wavefronts >> rule.shift);
}

std::optional<std::uint32_t> ModelTracker::slotOf(const LaneUpdate& update) const {
  const Rule* rule = ruleOf(update);
  if (rule == nullptr || rule->stopped) return std::nullopt;
  const std::uint32_t slot = slotOf(*rule, update);
  return slot <= rule->slotLast ? std::optional(slot) : std::nullopt;
}

std::optional<std::uint32_t> ModelTracker::rowOf(const LaneUpdate& update) const {
  const auto slot = slotOf(update);
  if (!slot) return std::nullopt;
  const ModelRegisters::Region& region = registers_.regions[ruleOf(update)->region];
  return region.countsRows() ? std::optional(region.rowOf(*slot)) : std::nullopt;
}

std::uint32_t ModelTracker::onTheWayTo(std::uint32_t row) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(completions_, [&](const Completion& c) {
    const ModelRegisters::Region& region = registers_.regions[c.region];
    return region.countsRows() && region.rowOf(c.slot) == row;
  }));
}

bool ModelTracker::releasing(std::uint32_t row) const {
  return registers_.rows.waits(row) || (row_ && row_->row == row);
}

void ModelTracker::tellServed(std::uint32_t lane, const LaneUpdate& update,
                              std::optional<std::uint32_t> slot) {
  if (watcher_ != nullptr) watcher_->served(lane, update, slot);
}

/// Promises 2 to 4. False if the update has to wait at its lane, because its bank has one of
/// another slot in this cycle.
bool ModelTracker::serve(std::uint32_t lane) {
  const LaneUpdate update = queues()[lane].front();
  const Rule* rule = ruleOf(update);
  if (rule == nullptr || rule->stopped) {
    ++registers_.counters[rule == nullptr ? Untracked : Dropped];
    tellServed(lane, update, std::nullopt);
    return true;
  }
  const std::uint32_t slot = slotOf(*rule, update);
  if (slot > rule->slotLast) {
    ++registers_.counters[Updates];
    registers_.error(ModelRegisters::Cause::Outside, rule->region,
                     update.wavefront.value << kWorkgroupBits | update.workgroup.value, cycles_,
                     lane);
    tellServed(lane, update, std::nullopt);
    return true;
  }
  const std::uint32_t number = registers_.bankOf(slot);
  Bank& bank = banks_[number];
  if (bank.cycle != cycles_) {
    bank = {cycles_, rule->region, slot, 0};
    touched_ |= 1U << number;
  } else if (bank.slot != slot || bank.region != rule->region) {
    return false;
  }
  bank.bytes += update.bytes;
  ++registers_.counters[Updates];
  tellServed(lane, update, slot);
  return true;
}

/// Promises 5 and 6.
void ModelTracker::countBank(Bank& bank, std::uint32_t number, Picoseconds edge) {
  const ModelRegisters::Region& region = registers_.regions[bank.region];
  const auto outcome = registers_.slots.take(bank.slot, bank.bytes, region.triggers());
  if (watcher_ != nullptr) {
    watcher_->counted(bank.slot, bank.bytes, outcome,
                      region.countsRows() ? std::optional(region.rowOf(bank.slot)) : std::nullopt);
  }
  switch (outcome) {
    case SlotWords::Outcome::Counted:
      return;
    case SlotWords::Outcome::Done:
      ++registers_.regions[bank.region].inside;
      completions_.push_back({edge + latency_ * period(), bank.region, bank.slot});
      return;
    case SlotWords::Outcome::Overrun:
      return registers_.error(ModelRegisters::Cause::Overrun, bank.region, bank.slot, cycles_,
                              number);
    case SlotWords::Outcome::Stray:
      return registers_.error(ModelRegisters::Cause::Stray, bank.region, bank.slot, cycles_,
                              number);
  }
}

// ---- completions ------------------------------------------------------------------------------

void ModelTracker::complete(const Completion& completion, Picoseconds edge) {
  ++registers_.counters[Completed];
  --registers_.regions[completion.region].inside;
  registers_.countDone(completion.region);
  const ModelRegisters::Region& region = registers_.regions[completion.region];
  if (region.triggers()) {
    ++registers_.counters[Triggers];
    registers_.slots.queue(completion.slot);
  }
  if (region.countsRows()) countRow(completion, edge);
}

void ModelTracker::countCompletions() {
  for (; !completions_.empty(); completions_.pop_front()) complete(completions_.front(), now());
}

/// Promise 8.
void ModelTracker::countRow(const Completion& completion, Picoseconds edge) {
  const std::uint32_t row = registers_.regions[completion.region].rowOf(completion.slot);
  if (row >= config().rows) {
    return registers_.error(ModelRegisters::Cause::RowOutside, completion.region, completion.slot,
                            cycles_);
  }
  switch (registers_.rows.take(row, 1, true)) {
    case SlotWords::Outcome::Done:
      ++registers_.counters[Released];
      dueRows_.push_back({edge + kReleaseCycles * period(), row});
      return;
    case SlotWords::Outcome::Stray:
      return registers_.error(ModelRegisters::Cause::RowStray, completion.region, row, cycles_);
    case SlotWords::Outcome::Counted:
    case SlotWords::Outcome::Overrun:  // a row counts down by one
      return;
  }
}

void ModelTracker::showCommand() {
  if (command_) return;
  if (const auto shown = registers_.slots.show()) {
    command_ = TriggerMessage{CommandId{shown->slot}, shown->spoiled};
  }
}

void ModelTracker::showRow(Picoseconds edge) {
  while (!dueRows_.empty() && dueRows_.front().due <= edge) {
    registers_.rows.queue(dueRows_.front().row);
    dueRows_.pop_front();
  }
  if (row_) return;
  if (const auto shown = registers_.rows.show()) row_ = ReleaseMessage{shown->slot, shown->spoiled};
}

void ModelTracker::sendOutputs(Picoseconds edge) {
  showCommand();
  if (command_ && commandReadyEdge() <= edge) {
    const TriggerMessage message = *command_;
    command_.reset();
    ++registers_.counters[Taken];
    issueCommand(message);
  }
  showRow(edge);
  if (row_ && releaseReadyEdge() <= edge) {
    const ReleaseMessage message = *row_;
    row_.reset();
    releaseRow(message);
  }
}

/// `served` says that a bank was busy with another slot in this cycle, so another try can succeed.
Picoseconds ModelTracker::nextEdge(Picoseconds edge, bool served) const {
  const Picoseconds following = edge + period();
  Picoseconds next = kNever;
  const auto at = [&next, following](Picoseconds when) {
    next = std::min(next, std::max(following, when));
  };
  if (registers_.walk != ModelRegisters::Walk::None) at(walkSeen_ + walkLeft_);
  if (registers_.walk != ModelRegisters::Walk::Clear) {
    for (std::uint32_t left = waitingLanes(); left != 0; left &= left - 1) {
      const LaneQueue& queue = queues()[static_cast<std::size_t>(std::countr_zero(left))];
      if (queue.ready(following)) {
        if (served || !queue.ready(edge)) return following;
      } else {
        at(queue.frontEdge());
      }
    }
  }
  if (!completions_.empty()) at(completions_.front().due);
  if (command_) {
    at(commandReadyEdge());
  } else if (!registers_.slots.empty()) {
    at(following);
  }
  if (!dueRows_.empty()) at(dueRows_.front().due);
  if (row_) {
    at(releaseReadyEdge());
  } else if (!registers_.rows.empty()) {
    at(following);
  }
  return next;
}

// ---- registers --------------------------------------------------------------------------------

bool ModelTracker::busy() const {
  return !completions_.empty() || !dueRows_.empty() ||
         registers_.walk != ModelRegisters::Walk::None;
}

void ModelTracker::makeRules() {
  rules_.clear();
  if (!registers_.enabled) return;
  for (std::uint32_t index = 0; index < registers_.regions.size(); ++index) {
    const ModelRegisters::Region& region = registers_.regions[index];
    if (region.off()) continue;
    const ModelRegisters::Window& window = registers_.windows[region.window()];
    rules_.push_back({index, region.stopped(), region.wgFirst, region.wgLast, window.pageFirst,
                      window.pageLast, region.shift(), region.slotFirst, region.slotLast});
  }
}

/// Promise 7: slots and rows that software has made idle while they waited have no place any more.
void ModelTracker::forgetPlaces() {
  if (registers_.slots.forgotten() || registers_.rows.forgotten()) {
    // What is inside finishes: a slot that was forgotten may have its completion there.
    countCompletions();
    for (; !dueRows_.empty(); dueRows_.pop_front()) registers_.rows.queue(dueRows_.front().row);
  }
  registers_.slots.sort();
  registers_.rows.sort();
}

/// What is inside finishes; what stands at the ports stays there.
void ModelTracker::clear() {
  countCompletions();
  showCommand();
  for (DueRow& row : dueRows_) row.due = 0;
  showRow(now());
  registers_.clear();
}

/// The walk goes on while time passes, and while software asks for it without letting time pass.
void ModelTracker::passWalk(Picoseconds more) {
  const Picoseconds passed = now() - walkSeen_ + more;
  walkSeen_ = now();
  walkLeft_ -= std::min(walkLeft_, passed);
  if (walkLeft_ == 0) registers_.walk = ModelRegisters::Walk::None;
}

void ModelTracker::accessRegister(Payload& payload, sc_core::sc_time& delay) {
  const Picoseconds duration = kRegisterCycles * period();
  delay += fromPicoseconds(duration);
  if (registers_.walk != ModelRegisters::Walk::None) {
    passWalk(duration);
    scheduleEdge(edgeAfter(now()));  // the lanes may be open again
  }
  std::uint32_t strobes = kAllStrobes;
  if (const unsigned char* enables = payload.get_byte_enable_ptr()) {
    std::memcpy(&strobes, enables, sizeof strobes);
  }
  const bool whole = payload.is_read() || (payload.is_write() && strobes == kAllStrobes);
  payload.set_response_status(whole && access(payload, true) ? tlm::TLM_OK_RESPONSE
                                                             : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

bool ModelTracker::access(Payload& payload, bool latch) {
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  if (payload.is_write()) {
    std::uint32_t value = 0;
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    return write(offset, value, isPrivileged(payload));
  }
  const auto value = offset == registers::kStatus ? status() : registers_.read(offset, latch);
  if (value) std::memcpy(payload.get_data_ptr(), &*value, sizeof *value);
  return value.has_value();
}

std::uint32_t ModelTracker::status() const {
  namespace r = registers;
  const auto waits = [](Picoseconds since) { return since != 0; };
  return (busy() ? r::kStatusBusy : 0) |
         (command_ || registers_.slots.waiting() != 0 ? r::kStatusCommands : 0) |
         (row_ || registers_.rows.waiting() != 0 ? r::kStatusRows : 0) |
         (std::ranges::any_of(blockedSince_, waits) ? r::kStatusWaiting : 0) |
         (registers_.walk == ModelRegisters::Walk::Fill ? r::kStatusFilling : 0);
}

bool ModelTracker::write(std::uint32_t offset, std::uint32_t value, bool privileged) {
  const ModelRegisters::Walk before = registers_.walk;
  const auto regionsOn = [this] {
    return std::ranges::count_if(registers_.regions, &ModelRegisters::Region::on);
  };
  const auto wereOn = regionsOn();
  const bool done = registers_.write(offset, value, privileged);
  if (regionsOn() > wereOn) forgetPlaces();
  if (done && offset < registers::row(0)) makeRules();  // slots and rows are no part of them
  if (registers_.walk != before) {
    if (registers_.walk == ModelRegisters::Walk::Clear) clear();
    walkSeen_ = now();
    walkLeft_ = registers_.walkCycles * period();
    scheduleEdge(edgeAfter(now()));
  }
  return done;
}

unsigned int ModelTracker::debugRegister(Payload& payload) {
  return access(payload, false) ? payload.get_data_length() : 0;
}

// ---- reports ----------------------------------------------------------------------------------

TrackerStatistics ModelTracker::statistics() {
  TrackerStatistics result = portStatistics();
  result.updates = registers_.counters[Updates];
  result.untracked = registers_.counters[Untracked];
  result.dropped = registers_.counters[Dropped];
  result.completed = registers_.counters[Completed];
  result.triggers = registers_.counters[Triggers];
  result.taken = registers_.counters[Taken];
  result.releases = registers_.counters[Released];
  const auto count = [this](ModelRegisters::Cause cause) {
    return registers_.errorCounts[static_cast<std::size_t>(cause)];
  };
  result.overrun = count(ModelRegisters::Cause::Overrun);
  result.stray = count(ModelRegisters::Cause::Stray);
  result.errors = registers_.errors;
  return result;
}

bool ModelTracker::idle() const {
  return Tracker::idle() && !busy() && !command_ && !row_ && registers_.slots.empty() &&
         registers_.rows.empty();
}

void ModelTracker::publish(ValueList& list) const {
  Tracker::publish(list);
  list.level("slots_waiting", 16, "slots", [this] { return registers_.slots.waiting(); });
  list.level("rows_waiting", 16, "rows", [this] { return registers_.rows.waiting(); });
  list.counter("updates", "updates", [this] { return registers_.counters[Updates]; });
  list.counter("completed", "slots", [this] { return registers_.counters[Completed]; });
}

std::string ModelTracker::waiting() {
  constexpr std::uint32_t kShown = 16;
  std::ostringstream text;
  text << Tracker::waiting();
  if (command_) text << "command " << command_->command.value << " stands at the port\n";
  if (registers_.slots.waiting() != 0) {
    text << registers_.slots.waiting() << " more commands wait to be issued\n";
  }
  if (row_) text << "row slot " << row_->row << " stands at the port\n";
  if (registers_.rows.waiting() != 0) {
    text << registers_.rows.waiting() << " more rows wait to be released\n";
  }
  std::uint32_t counting = 0;
  for (std::uint32_t slot = 0; slot < registers_.slots.size(); ++slot) {
    const std::uint32_t missing = registers_.slots.missing(slot);
    const bool spoiled = registers_.slots.spoiled(slot);
    if ((missing == 0 && !spoiled) || counting++ >= kShown) continue;
    text << "slot " << slot;
    if (spoiled) {
      text << " is spoiled: it got more bytes than were missing\n";
    } else {
      text << " misses " << missing << " bytes\n";
    }
  }
  if (counting > kShown) text << "... and " << counting - kShown << " more slots\n";
  return text.str();
}

}  // namespace t3
