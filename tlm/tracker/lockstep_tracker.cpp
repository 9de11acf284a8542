// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/lockstep_tracker.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

namespace r = registers;

// Errors that may differ after a surplus: the order in which a bank sees the lanes decides.
constexpr std::uint32_t kAfterSurplus =
    r::kErrorsRowStray | r::kErrorsRowOutside | r::kErrorsArmedEarly | r::kErrorsRowArmedEarly;

constexpr std::size_t kRowsQueue = 16;  // docs/tracker.md, "Memories"

constexpr std::array kSignals = {"done_*", "rel_*"};    // by kind
constexpr std::array kThings = {"slot ", "row slot "};  // by kind

}  // namespace

LockstepTracker::LockstepTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
                                 const RtlOptions& options)
    : RtlTracker(name, config, options),
      window_(windowCycles(config.lanes) * period()),
      sweep_(Picoseconds{8} * config.slots * period()),
      updates_(config.lanes),
      armed_(config.slots),
      surplusSlots_(config.slots),
      surplusRows_(config.rows) {
  twin_ = std::make_unique<LockstepTwin>("twin", config, static_cast<TwinListener&>(*this));
  observe(*this);
}

LockstepTracker::~LockstepTracker() = default;

// ---- what both sides see ----------------------------------------------------------------------

void LockstepTracker::pieceTaken(std::uint32_t lane, const LanePiece& piece) {
  twin_->show(lane, seenByTwin(piece));
}

void LockstepTracker::laneTakes(std::uint32_t lane, const LaneUpdate& update) {
  updates_.took(Side::Rtl, {lane, update, now()}, twin_->model().slotOf(update));
}

void LockstepTracker::served(std::uint32_t lane, const LaneUpdate& update,
                             std::optional<std::uint32_t> slot) {
  updates_.took(Side::Twin, {lane, update, now()}, slot);
  if (updates_.ahead(Side::Twin, lane).size() == 1) armWindow(now());
}

// ---- what they say ----------------------------------------------------------------------------

void LockstepTracker::commandIssued(const TriggerMessage& message) {
  if (!loose_) judgeCommand(message);
  said(Side::Rtl, Kind::Command, message.command.value);
}

void LockstepTracker::released(const ReleaseMessage& message) {
  if (!loose_) judgeRow(message);
  said(Side::Rtl, Kind::Release, message.row);
}

void LockstepTracker::twinIssued(const TriggerMessage& message) {
  said(Side::Twin, Kind::Command, message.command.value);
}

void LockstepTracker::twinReleased(std::uint32_t row) { said(Side::Twin, Kind::Release, row); }

void LockstepTracker::counted(std::uint32_t slot, std::uint32_t bytes, SlotWords::Outcome outcome,
                              std::optional<std::uint32_t> row) {
  updates_.counted(slot, bytes, outcome);
  twinSlot_ = slot;
  twinMissing_ = twin_->model().state().slots.missing(slot);
  if (outcome != SlotWords::Outcome::Overrun && outcome != SlotWords::Outcome::Stray) return;
  anySurplus_ = surplusSlots_[slot] = true;
  unsureErrors_ |= kAfterSurplus;
  if (row && *row < surplusRows_.size()) surplusRows_[*row] = true;
}

/// Bytes of each slot, of updates that the RTL has taken and the twin has not.
std::map<std::uint32_t, std::uint32_t> LockstepTracker::bytesAhead() const {
  std::map<std::uint32_t, std::uint32_t> bytes;
  for (std::uint32_t lane = 0; lane < updates_.lanes(); ++lane) {
    for (const auto& taken : updates_.ahead(Side::Rtl, lane)) {
      if (const auto slot = twin_->model().slotOf(taken.update)) bytes[*slot] += taken.update.bytes;
    }
  }
  return bytes;
}

bool LockstepTracker::twinHasSaid(Kind kind, std::uint32_t number) const {
  const auto& events =
      pending_[static_cast<std::size_t>(Side::Twin)][static_cast<std::size_t>(kind)].events;
  return std::ranges::find(events, number, &Event::number) != events.end();
}

/// Whether the slot is done, by what the RTL has taken, and spoiled only if it may be.
void LockstepTracker::judgeCommand(const TriggerMessage& message) {
  const std::uint32_t slot = message.command.value;
  if (slot >= surplusSlots_.size()) {
    return differ("done_slot_o", std::to_string(slot),
                  "at most " + std::to_string(surplusSlots_.size() - 1));
  }
  if (surplusSlots_[slot]) return;
  const SlotWords& slots = twin_->model().state().slots;
  const std::uint32_t ahead = bytesAhead()[slot];
  const std::string number = kThings[0] + std::to_string(slot);
  if (!twinHasSaid(Kind::Command, slot) && !slots.waits(slot)) {
    const std::uint32_t missing = slots.missing(slot);
    const auto before = updates_.saidByRtl(slot);
    if (missing > ahead) {
      differ(kSignals[0], number, "misses " + std::to_string(missing - ahead) + " bytes of it",
             {.slot = slot});
    } else if (missing == 0 && before) {
      differ(kSignals[0], number + " again, as at " + fromPicoseconds(*before).to_string(),
             "nothing, once is enough", {.slot = slot});
    } else if (missing == 0) {
      differ(kSignals[0], number, "nothing, the slot does not count", {.slot = slot});
    }
  }
  if (message.spoiled && ahead == 0 && !surplusSlots_[slot])
    differ("done_spoiled_o", "1, " + number, "0, no byte too many", {.slot = slot});
}

/// The same of a row, whose slots are done by what the RTL has taken.
void LockstepTracker::judgeRow(const ReleaseMessage& message) {
  const std::uint32_t row = message.row;
  const ModelTracker& twin = twin_->model();
  const std::string number = kThings[1] + std::to_string(row);
  if (row >= surplusRows_.size()) {
    return differ("rel_row_o", std::to_string(row),
                  "at most " + std::to_string(surplusRows_.size() - 1));
  }
  if (anySurplus_) return;
  std::uint32_t coming = twin.onTheWayTo(row);
  std::map<std::uint32_t, std::uint32_t> bytes = bytesAhead();
  for (std::uint32_t lane = 0; lane < updates_.lanes(); ++lane) {
    for (const auto& taken : updates_.ahead(Side::Rtl, lane)) {
      if (twin.rowOf(taken.update) != row) continue;
      const std::uint32_t slot = *twin.slotOf(taken.update);
      const std::uint32_t left = twin.state().slots.missing(slot);
      if (left == 0 || bytes[slot] < left) continue;
      ++coming;
      bytes[slot] = 0;  // counted once
    }
  }
  if (!twinHasSaid(Kind::Release, row) && !twin.releasing(row)) {
    const std::uint32_t missing = twin.state().rows.missing(row);
    if (missing == 0) {
      differ(kSignals[1], number, "nothing, it was released or does not count");
    } else if (coming < missing) {
      differ(kSignals[1], number, "misses " + std::to_string(missing - coming) + " slots of it");
    }
  }
  // The twin's row need not wait any more when a slot too many is done for it.
  constexpr auto kStray = static_cast<std::size_t>(ModelRegisters::Cause::RowStray);
  if (message.spoiled && coming == 0 && twin.state().errorCounts[kStray] == 0)
    differ("rel_spoiled_o", "1, " + number, "0, no slot too many");
}

/// The RTL sends what the twin has sent as `twin`: nothing that the twin sent long before may be
/// missing still.
void LockstepTracker::judgeOrder(Kind kind, const Event& twin) {
  const auto k = static_cast<std::size_t>(kind);
  const Pending& pending = pending_[static_cast<std::size_t>(Side::Twin)][k];
  const Event& oldest = pending.events.front();
  if (loose_ || pending.many || surplus(kind, oldest.number) || anySurplus_) return;
  if (twin.time <= oldest.time + 2 * window_ || updates_.behind(Side::Rtl, oldest.taken)) return;
  differ(kSignals[k], kThings[k] + std::to_string(twin.number) + " next",
         seen(kind, oldest) + ", long before it",
         {.slot = kind == Kind::Command ? std::optional(oldest.number) : std::nullopt,
          .since = oldest.time});
}

void LockstepTracker::said(Side side, Kind kind, std::uint32_t number) {
  const auto s = static_cast<std::size_t>(side);
  const auto k = static_cast<std::size_t>(kind);
  if (kind == Kind::Command) {
    updates_.said(side, number);
    lastSlot_[s] = number;
    ++commandsOf_[s];
  }
  lastSaid_[s][k] = now();
  Pending& others = pending_[1 - s][k];
  const auto match = std::ranges::find(others.events, number, &Event::number);
  if (match != others.events.end()) {
    if (side == Side::Rtl) judgeOrder(kind, *match);
    others.events.erase(match);
    return;
  }
  Pending& own = pending_[s][k];
  if (own.events.empty()) own.many = false;
  own.events.push_back({number, now(), updates_.taken(side), now()});
  own.many |= own.events.size() > (kind == Kind::Command ? config().queue : kRowsQueue);
  armWindow(now());
}

bool LockstepTracker::surplus(Kind kind, std::uint32_t number) const {
  return kind == Kind::Command ? surplusSlots_[number] : surplusRows_[number];
}

// ---- windows ----------------------------------------------------------------------------------

Picoseconds LockstepTracker::cycle(Picoseconds edge) {
  const Picoseconds next = RtlTracker::cycle(edge);
  sample(Side::Rtl);
  return next;
}

/// Whatever ends a wait also starts a clock edge, so a look at every edge misses no end of one.
void LockstepTracker::sample(Side side) {
  if (side == Side::Rtl) {
    const bool isRefused = refused();
    if (isRefused || wasRefused_) {
      lastRefused_ = now();
      if (!isRefused) armWindow(now());
    }
    wasRefused_ = isRefused;
    if (!loose_) checkPins();
  }
  if (twin_->model().state().walk != ModelRegisters::Walk::None) lastWalk_ = now();
  if (!idle()) return;
  if (loose_) {
    loose_ = false;
    for (auto& kinds : pending_) {
      for (Pending& pending : kinds) pending = {};
    }
  }
  if (now() >= countsAgreed_ + kCountsApart) compareCounts();
}

void LockstepTracker::checkPins() {
  const RtlPins& pins = unit().pins;
  checkShown(Kind::Command, pins.doneValid != 0, static_cast<std::uint32_t>(pins.doneSlot));
  checkShown(Kind::Release, pins.releaseValid != 0, static_cast<std::uint32_t>(pins.releaseRow));
  if (pins.alert != 0) differ("alert_o", "1", "0");
  // While its clock stood the RTL was not busy.
  const bool stood = now() > std::exchange(checkedAt_, now()) + period();
  if (pins.busy == 0 || stood || !twin_->model().idle() || held()) busySince_ = now();
  if (now() > busySince_ + window_ + sweep_)
    differ("busy_o", "1", "0, idle since " + fromPicoseconds(busySince_).to_string());
}

/// What was shown and not taken must still be there.
void LockstepTracker::checkShown(Kind kind, bool valid, std::uint32_t number) {
  const auto k = static_cast<std::size_t>(kind);
  Shown& before = shown_[k];
  const bool taken = lastSaid_[static_cast<std::size_t>(Side::Rtl)][k] == now();
  if (before.valid && !taken && (!valid || number != before.number)) {
    differ(std::string(kSignals[k]) + " before it is taken",
           valid ? kThings[k] + std::to_string(number) : "valid 0",
           kThings[k] + std::to_string(before.number) + ", until it is taken");
  }
  before = {valid, number};
}

void LockstepTracker::armWindow(Picoseconds from) { windowAlarm_.set(from + window_ + period()); }

/// From when on the late side has `window_` for the event.
Picoseconds LockstepTracker::windowStart(const Event& event, Side late, Kind kind) const {
  const auto s = static_cast<std::size_t>(late);
  const auto k = static_cast<std::size_t>(kind);
  const Picoseconds start = late == Side::Rtl ? std::max(event.since, lastRefused_) : event.since;
  return pending_[1 - s][k].many ? std::max(start, lastSaid_[s][k]) + sweep_ : start;
}

std::string LockstepTracker::seen(Kind kind, const Event& event) const {
  return kThings[static_cast<std::size_t>(kind)] + std::to_string(event.number) + " at " +
         fromPicoseconds(event.time).to_string();
}

void LockstepTracker::checkWindow() {
  if (loose_) return;
  Picoseconds oldest = checkLanes();  // start of the oldest window that is still open
  for (const Side side : {Side::Rtl, Side::Twin}) {
    const Side late = side == Side::Rtl ? Side::Twin : Side::Rtl;
    if (late == Side::Rtl && wasRefused_) continue;  // its end arms a window
    for (const Kind kind : {Kind::Command, Kind::Release}) {
      const auto k = static_cast<std::size_t>(kind);
      auto& events = pending_[static_cast<std::size_t>(side)][k].events;
      while (!events.empty()) {
        if (updates_.behind(late, events.front().taken)) events.front().since = now();
        const Event event = events.front();
        const Picoseconds start = windowStart(event, late, kind);
        if (now() <= start + window_) {
          oldest = std::min(oldest, start);
          break;
        }
        events.pop_front();
        if (surplus(kind, event.number)) continue;
        differ(side, kind, event,
               "nothing within " + std::to_string(window_ / period()) + " cycles");
      }
    }
  }
  if (oldest != kNever) armWindow(oldest);
}

/// Both sides are idle: what one has sent and the other has not, never comes.
void LockstepTracker::comparePending() {
  for (const Side side : {Side::Twin, Side::Rtl}) {
    for (const Kind kind : {Kind::Command, Kind::Release}) {
      const auto k = static_cast<std::size_t>(kind);
      for (const Event& event : pending_[static_cast<std::size_t>(side)][k].events) {
        if (surplus(kind, event.number) || anySurplus_) continue;
        differ(side, kind, event, "nothing, and is idle");
      }
    }
  }
}

/// A lane of the RTL may leave an update there for a window after the twin has taken it, because
/// its bank takes others. Returns the start of the oldest window that is still open.
Picoseconds LockstepTracker::checkLanes() {
  Picoseconds oldest = kNever;
  for (std::uint32_t lane = 0; lane < updates_.lanes(); ++lane) {
    const auto& waiting = updates_.ahead(Side::Twin, lane);
    if (waiting.empty()) continue;
    const auto& first = waiting.front();
    const Picoseconds start =
        std::max({first.time, updates_.lastTaken(Side::Rtl, lane), lastWalk_});
    if (now() > start + window_) {
      differ("lane_ready_o[" + std::to_string(lane) + "]",
             "0 for " + std::to_string((now() - start) / period()) + " cycles",
             "took " + updateText(first) + ", at " + fromPicoseconds(first.time).to_string(),
             {.slot = twin_->model().slotOf(first.update), .since = first.time});
    }
    oldest = std::min(oldest, start);
  }
  return oldest;
}

bool LockstepTracker::idle() const { return RtlTracker::idle() && twin_->model().idle(); }

std::string LockstepTracker::waiting() {
  return RtlTracker::waiting() + "the twin:\n" + twin_->model().waiting();
}

// ---- reports ----------------------------------------------------------------------------------

void LockstepTracker::publish(ValueList& list) const {
  RtlTracker::publish(list);
  constexpr std::uint32_t kNumber = 16, kCount = 32;
  for (const auto& [side, name] : {std::pair{Side::Rtl, "rtl"}, std::pair{Side::Twin, "twin"}}) {
    const auto s = static_cast<std::size_t>(side);
    const std::string prefix = std::string("lockstep.") + name;
    list.level(prefix + "_done_slot", kNumber, "slot", [this, s] { return lastSlot_[s]; });
    list.level(prefix + "_done_count", kCount, "commands", [this, s] { return commandsOf_[s]; });
  }
  list.level("lockstep.twin_counts_slot", kNumber, "slot", [this] { return twinSlot_; });
  list.level("lockstep.twin_misses", kCount, "bytes", [this] { return twinMissing_; });
}

std::optional<LockstepTracker::Apart> LockstepTracker::apart() const {
  std::optional<Apart> first;
  const auto consider = [&first](Picoseconds since, const std::string& text) {
    if (!first || since < first->since) first = Apart{since, text};
  };
  if (loose_) return first;
  for (const Side side : {Side::Rtl, Side::Twin}) {
    for (const Kind kind : {Kind::Command, Kind::Release}) {
      const auto k = static_cast<std::size_t>(kind);
      const auto& events = pending_[static_cast<std::size_t>(side)][k].events;
      if (events.empty()) continue;
      const Event& event = events.front();
      consider(event.time, std::string(kSignals[k]) + ": " +
                               (side == Side::Rtl ? "RTL " : "twin ") + seen(kind, event) +
                               ", and the other side not yet" +
                               (kind == Kind::Command ? updates_.story(event.number) : ""));
    }
  }
  for (std::uint32_t lane = 0; lane < updates_.lanes(); ++lane) {
    const auto& waiting = updates_.ahead(Side::Twin, lane);
    if (waiting.empty()) continue;
    consider(waiting.front().time, "lane " + std::to_string(lane) + ": the twin took " +
                                       updateText(waiting.front()) + ", and the RTL not yet");
  }
  if (first) first->text = place() + ": " + first->text;
  return first;
}

void LockstepTracker::announceApart(Picoseconds since) const {
  announce({.kind = EventKind::Difference, .since = since});
}

std::string LockstepTracker::place() const {
  return fromPicoseconds(now()).to_string() + ", cycle " + std::to_string(cycles()) + " of " +
         name();
}

std::string LockstepTracker::context(const About& about) const {
  std::ostringstream text;
  if (about.since < now()) {
    text << "\n  the two part at " << fromPicoseconds(about.since) << ", "
         << (now() - about.since) / period() << " clocks before this is seen";
  }
  if (about.agreed) text << "\n  all counts were equal at " << fromPicoseconds(*about.agreed);
  text << (about.slot ? updates_.story(*about.slot) : updates_.lastUpdates());
  return text.str();
}

/// `side` has sent an event, and the other one `nothing`.
void LockstepTracker::differ(Side side, Kind kind, const Event& event, const std::string& nothing) {
  const std::string sent = seen(kind, event);
  const bool byRtl = side == Side::Rtl;
  differ(kSignals[static_cast<std::size_t>(kind)], byRtl ? sent : nothing, byRtl ? nothing : sent,
         {.slot = kind == Kind::Command ? std::optional(event.number) : std::nullopt,
          .since = event.time});
}

void LockstepTracker::differ(const std::string& signal, const std::string& rtl,
                             const std::string& twin, const About& about) {
  announce({.kind = EventKind::Difference,
            .number = about.slot.value_or(0),
            .since = std::min(about.since, now())});
  const std::string text =
      place() + ": " + signal + ": RTL " + rtl + "; twin " + twin + context(about);
  SC_REPORT_ERROR("t3/lockstep", text.c_str());
}

void LockstepTracker::fail(const std::string& text) {
  announce({.kind = EventKind::Difference, .since = now()});
  RtlTracker::fail(text + context({}));
}

}  // namespace t3
