// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/lockstep_tracker.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "tlm/tracker/lockstep_twin.h"
#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

namespace r = registers;

constexpr std::size_t kHistory = 16;    // events of a slot that an error report lists
constexpr std::size_t kRowsQueue = 16;  // docs/tracker.md, "Memories"

constexpr std::array kSignals = {"done_*", "rel_*"};    // by kind
constexpr std::array kThings = {"slot ", "row slot "};  // by kind

/// Registers whose value does not depend on when they are read.
bool isConfiguration(std::uint32_t offset) {
  if (offset >= r::region(0) && offset < r::row(0)) return (offset & 0x3f) != r::kRegDone;
  return offset <= r::kConfig2 || offset == r::kLock || offset == r::kIrqEnable ||
         (offset >= r::window(0) && offset < r::region(0));
}

/// Registers whose writing is refused while something is counted or waits.
bool arms(std::uint32_t offset) { return offset == r::kFill || offset >= r::row(0); }

/// Registers that tell of errors and interrupts.
bool reports(std::uint32_t offset) {
  return offset == r::kIrqStatus || offset == r::kRegionDone ||
         (offset >= r::kErrors && offset < r::window(0));
}

// All causes of errors.
constexpr std::uint32_t kErrors = 2 * r::kErrorsDamaged - 1;
// Errors that depend on the order in which a bank sees the lanes; after those also others.
constexpr std::uint32_t kSurplus = r::kErrorsOverrun | r::kErrorsStray;
constexpr std::uint32_t kAfterSurplus =
    r::kErrorsRowStray | r::kErrorsRowOutside | r::kErrorsArmedEarly | r::kErrorsRowArmedEarly;
// Errors that depend on how far a side is when software arms under traffic.
constexpr std::uint32_t kRaced =
    r::kErrorsRowStray | r::kErrorsArmedEarly | r::kErrorsRowArmedEarly | r::kErrorsInUse;

}  // namespace

LockstepTracker::LockstepTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
                                 const RtlOptions& options)
    : RtlTracker(name, config, options),
      window_(windowCycles(config.lanes) * period()),
      sweep_(Picoseconds{8} * config.slots * period()),
      armed_(config.slots),
      surplusSlots_(config.slots),
      surplusRows_(config.rows) {
  twin_ = std::make_unique<LockstepTwin>("twin", config, static_cast<TwinListener&>(*this));
  observe(*this);
}

LockstepTracker::~LockstepTracker() = default;

// ---- what both sides see ----------------------------------------------------------------------

void LockstepTracker::pieceTaken(std::uint32_t lane, const LanePiece& piece) {
  if (showTwin(lane, piece)) twin_->show(lane, piece);
}

void LockstepTracker::accessRegister(Payload& payload, sc_core::sc_time& delay) {
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  std::uint32_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), sizeof value);
  const bool quiet = idle();
  if (payload.is_write()) {
    const bool clears = offset == r::kCtrl && (value & r::kCtrlClear) != 0;
    if (quiet && clears) compareCounts();
    if (!quiet && disturbs(offset, value)) loosen();
    if (quiet && clears) {
      countsDiffer_ = anySurplus_ = false;
      unsureErrors_ = errorsBefore_ = 0;
      unsure_.clear();
      std::fill(armed_.begin(), armed_.end(), false);
      history_.clear();
    }
  } else if (reports(offset)) {
    compareErrors();
  }
  RtlTracker::accessRegister(payload, delay);
  // What still counts or waits on one side need not do so on the other: then the RTL decides.
  const bool locked = (twin_->peek(r::kLock) & r::kLockLocked) != 0;
  if (payload.is_write() && arms(offset) && !quiet && !locked) {
    unsureErrors_ |= kRaced;
    if (!payload.is_response_ok()) return;
  }

  std::uint32_t twinValue = payload.is_write() ? shownToTwin(offset, value) : value;
  const auto twinStatus = twin_->access(payload, twinValue);
  const bool agree = compareAccess(payload, twinStatus, twinValue);
  if (payload.is_write() && payload.is_response_ok() && agree) written(offset, value, quiet);
  if (payload.is_read() && (offset == r::kStatus || offset == r::kCtrl)) {
    // Software that waits for the unit waits for both: the twin may be behind.
    std::uint32_t both = 0;
    std::memcpy(&both, payload.get_data_ptr(), sizeof both);
    both |= twinValue;
    std::memcpy(payload.get_data_ptr(), &both, sizeof both);
  }
}

/// False if one side refuses to arm what a surplus has left different.
bool LockstepTracker::compareAccess(const Payload& payload, tlm::tlm_response_status twin,
                                    std::uint32_t value) {
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  std::ostringstream where;
  where << "register 0x" << std::hex << std::setw(4) << std::setfill('0') << offset;
  if (payload.get_response_status() != twin) {
    if (offset >= r::slot(0) && surplusSlots_[(offset - r::slot(0)) / 4]) return false;
    if (offset >= r::row(0) && offset < r::slot(0) && surplusRows_[(offset - r::row(0)) / 4])
      return false;
    differ(where.str() + (payload.is_write() ? " write" : " read"),
           payload.is_response_ok() ? "OKAY" : "SLVERR",
           twin == tlm::TLM_OK_RESPONSE ? "OKAY" : "SLVERR");
  }
  if (!payload.is_read() || !payload.is_response_ok() || !isConfiguration(offset)) return true;
  std::uint32_t rtl = 0;
  std::memcpy(&rtl, payload.get_data_ptr(), sizeof rtl);
  if (rtl != value) differ(where.str(), std::to_string(rtl), std::to_string(value));
  return true;
}

/// Whether the write decides which of the updates that are under way still count.
bool LockstepTracker::disturbs(std::uint32_t offset, std::uint32_t value) {
  constexpr std::uint32_t kOn = 1;
  if (offset == r::kCtrl) return (value & r::kCtrlClear) != 0 || (value & r::kCtrlEnable) == 0;
  const bool state = offset >= r::region(0) && offset < r::row(0) && (offset & 0x3f) == 0;
  return state && value != kOn && twin_->peek(offset) == kOn;
}

void LockstepTracker::loosen() {
  loose_ = countsDiffer_ = true;
  std::fill(armed_.begin(), armed_.end(), false);
}

/// Software clears bits while both sides are idle, or while one of them may be behind: then an
/// event may come before on one side and after on the other.
void LockstepTracker::cleared(std::uint32_t offset, std::uint32_t bits, bool quiet) {
  std::uint32_t& unsure = unsure_[offset];
  unsure = quiet ? unsure & ~bits : unsure | bits;
  if (quiet && offset == r::kErrorFirst && (bits & r::kErrorFirstValid) != 0)
    errorsBefore_ = twinErrors();
}

void LockstepTracker::written(std::uint32_t offset, std::uint32_t value, bool quiet) {
  if (reports(offset)) return cleared(offset, value, quiet);
  if (offset >= r::region(0) && offset < r::row(0) && !quiet) {
    const std::uint32_t field = offset & 0x3f;
    if (field == r::kRegTarget || field == r::kRegDone) {
      cleared(r::kRegionDone, 1U << (offset - r::region(0)) / 0x40, false);
      cleared(r::kIrqStatus, r::kIrqStatusRegionDone, false);
    }
  }
  if (offset >= r::slot(0)) return arm((offset - r::slot(0)) / 4);
  if (offset >= r::row(0)) {
    const std::uint32_t row = (offset - r::row(0)) / 4;
    surplusRows_[row] = false;
    return forget(Kind::Release, row);
  }
  if (offset != r::kFill) return;
  const std::uint32_t region = r::region((value & r::kFillRegion) >> r::kFillRegionShift);
  const std::uint32_t last = twin_->peek(region + r::kRegSlotLast);
  for (std::uint32_t slot = twin_->peek(region + r::kRegSlotFirst); slot <= last; ++slot) arm(slot);
}

void LockstepTracker::arm(std::uint32_t slot) {
  armed_[slot] = !loose_;
  surplusSlots_[slot] = false;
  forget(Kind::Command, slot);
}

/// Software has taken back what waited, but for what stands at the RTL's port.
void LockstepTracker::forget(Kind kind, std::uint32_t number) {
  const RtlPins& pins = unit().pins;
  const bool stands = kind == Kind::Command ? pins.doneValid != 0 && pins.doneSlot == number
                                            : pins.releaseValid != 0 && pins.releaseRow == number;
  if (stands) return;
  for (auto& side : pending_) {
    std::erase_if(side[static_cast<std::size_t>(kind)].events,
                  [number](const Event& event) { return event.number == number; });
  }
}

// ---- what they say ----------------------------------------------------------------------------

void LockstepTracker::commandIssued(const TriggerMessage& message) {
  said(Side::Rtl, Kind::Command, message.command.value);
}

void LockstepTracker::released(std::uint32_t row) { said(Side::Rtl, Kind::Release, row); }

void LockstepTracker::twinIssued(const TriggerMessage& message) {
  said(Side::Twin, Kind::Command, message.command.value);
}

void LockstepTracker::twinReleased(std::uint32_t row) { said(Side::Twin, Kind::Release, row); }

void LockstepTracker::counted(std::uint32_t slot, std::uint32_t bytes, SlotWords::Outcome outcome,
                              std::optional<std::uint32_t> row) {
  using What = Incident::What;
  constexpr std::array kWhats = {What::Counted, What::Done, What::Overrun, What::Stray};
  remember(slot, {kWhats[static_cast<std::size_t>(outcome)], bytes, 0});
  if (outcome != SlotWords::Outcome::Overrun && outcome != SlotWords::Outcome::Stray) return;
  anySurplus_ = surplusSlots_[slot] = true;
  unsureErrors_ |= kAfterSurplus;
  if (row && *row < surplusRows_.size()) surplusRows_[*row] = true;
}

void LockstepTracker::said(Side side, Kind kind, std::uint32_t number) {
  const auto s = static_cast<std::size_t>(side);
  const auto k = static_cast<std::size_t>(kind);
  if (kind == Kind::Command) {
    remember(number,
             {side == Side::Rtl ? Incident::What::RtlSays : Incident::What::TwinSays, 0, 0});
  }
  lastSaid_[s][k] = now();
  Pending& others = pending_[1 - s][k];
  const auto match = std::ranges::find(others.events, number, &Event::number);
  if (match != others.events.end()) {
    others.events.erase(match);
    return;
  }
  Pending& own = pending_[s][k];
  if (own.events.empty()) own.many = false;
  own.events.push_back({number, now()});
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
  const auto s = static_cast<std::size_t>(side);
  const bool isHeld = side == Side::Rtl ? held() : twin_->model().held();
  if (isHeld || wasHeld_[s]) {
    lastHeld_[s] = now();
    if (!isHeld) armWindow(now());
  }
  wasHeld_[s] = isHeld;
  if (loose_ && idle()) {
    loose_ = false;
    for (auto& kinds : pending_) {
      for (Pending& pending : kinds) pending = {};
    }
  }
}

void LockstepTracker::armWindow(Picoseconds from) { windowAlarm_.set(from + window_ + period()); }

/// From when on the late side has `window_` for the event.
Picoseconds LockstepTracker::windowStart(const Event& event, Side late, Kind kind) const {
  const auto s = static_cast<std::size_t>(late);
  const auto k = static_cast<std::size_t>(kind);
  const Picoseconds start = std::max(event.time, lastHeld_[s]);
  return pending_[1 - s][k].many ? std::max(start, lastSaid_[s][k]) + sweep_ : start;
}

void LockstepTracker::checkWindow() {
  if (loose_) return;
  Picoseconds oldest = kNever;  // start of the oldest window that is still open
  for (const Side side : {Side::Rtl, Side::Twin}) {
    const Side late = side == Side::Rtl ? Side::Twin : Side::Rtl;
    if (wasHeld_[static_cast<std::size_t>(late)]) continue;  // its release arms a window
    for (const Kind kind : {Kind::Command, Kind::Release}) {
      const auto k = static_cast<std::size_t>(kind);
      auto& events = pending_[static_cast<std::size_t>(side)][k].events;
      while (!events.empty()) {
        const Event event = events.front();
        const Picoseconds start = windowStart(event, late, kind);
        if (now() <= start + window_) {
          oldest = std::min(oldest, start);
          break;
        }
        events.pop_front();
        if (surplus(kind, event.number)) continue;
        const std::string nothing =
            "nothing within " + std::to_string(window_ / period()) + " cycles";
        const std::string seen = kThings[k] + std::to_string(event.number) + " at " +
                                 fromPicoseconds(event.time).to_string();
        differ(kSignals[k], side == Side::Rtl ? seen : nothing, side == Side::Rtl ? nothing : seen,
               kind == Kind::Command ? std::optional(event.number) : std::nullopt);
      }
    }
  }
  if (oldest != kNever) armWindow(oldest);
}

// ---- counts -----------------------------------------------------------------------------------

void LockstepTracker::compareCounts() {
  if (!idle() || countsDiffer_) return;
  const TrackerStatistics rtl = RtlTracker::statistics();
  const TrackerStatistics twin = twin_->model().statistics();
  const auto same = [this](const std::string& count, std::uint64_t a, std::uint64_t b) {
    if (a != b) differ(count, std::to_string(a), std::to_string(b));
  };
  same("UPDATES", rtl.updates, twin.updates);
  same("UNTRACKED", rtl.untracked, twin.untracked);
  same("DROPPED", rtl.dropped, twin.dropped);
  const auto surplusReported = [](const TrackerStatistics& s) {
    return s.overrun + s.stray != 0 ? 1U : 0U;
  };
  same("a surplus reported", surplusReported(rtl), surplusReported(twin));
  compareErrors();
  if (anySurplus_) return;
  same("COMPLETED", rtl.completed, twin.completed);
  same("TRIGGERS", rtl.triggers, twin.triggers);
  same("TAKEN", rtl.taken, twin.taken);
  same("RELEASED", rtl.releases, twin.releases);
  for (std::uint32_t region = 0; region < config().regions; ++region) {
    const auto offset = static_cast<std::uint16_t>(r::region(region) + r::kRegDone);
    same("REG_DONE of region " + std::to_string(region), peek(offset), twin_->peek(offset));
  }
  compareSlots();
}

void LockstepTracker::compareErrors() {
  if (!idle() || countsDiffer_) return;
  const auto compare = [this](const std::string& what, std::uint32_t offset, std::uint32_t bits) {
    const auto unsure = unsure_.find(offset);
    if (unsure != unsure_.end()) bits &= ~unsure->second;
    const std::uint32_t rtl = peek(static_cast<std::uint16_t>(offset)) & bits;
    const std::uint32_t twin = twin_->peek(offset) & bits;
    if (rtl != twin) differ(what, std::to_string(rtl), std::to_string(twin));
  };
  const std::uint32_t sure = kErrors & ~(unsureErrors_ | kSurplus);
  for (std::uint32_t left = sure; left != 0; left &= left - 1) {
    const auto cause = static_cast<std::uint32_t>(std::countr_zero(left));
    compare("ERROR_COUNT " + std::to_string(cause), r::errorCount(cause), ~0U);
  }
  compare("ERRORS", r::kErrors, sure);
  if (!anySurplus_) {
    compare("REGION_DONE", r::kRegionDone, ~0U);
    compare("IRQ_STATUS", r::kIrqStatus, r::kIrqStatusRegionDone);
  }
  if (unsureErrors_ != 0) return;
  compare("IRQ_STATUS", r::kIrqStatus, r::kIrqStatusError);
  compare("ERROR_FIRST", r::kErrorFirst, r::kErrorFirstValid);
  // Of several errors under way the first one may be another.
  if (unsure_[r::kErrorFirst] != 0 || twinErrors() - errorsBefore_ > 1) return;
  compare("ERROR_FIRST", r::kErrorFirst, ~0U);
  compare("ERROR_INFO", r::kErrorInfo, ~0U);
}

/// Errors since the last clear.
std::uint32_t LockstepTracker::twinErrors() {
  std::uint32_t sum = 0;
  for (std::uint32_t left = kErrors; left != 0; left &= left - 1) {
    sum += twin_->peek(r::errorCount(static_cast<std::uint32_t>(std::countr_zero(left))));
  }
  return sum;
}

void LockstepTracker::compareSlots() {
  for (std::uint32_t slot = 0; slot < armed_.size(); ++slot) {
    if (!armed_[slot]) continue;
    const auto offset = static_cast<std::uint16_t>(r::slot(slot));
    const std::uint32_t rtl = peek(offset), twin = twin_->peek(offset);
    if (rtl == twin) continue;
    differ("SLOT " + std::to_string(slot), std::to_string(rtl), std::to_string(twin), slot);
  }
}

TrackerStatistics LockstepTracker::statistics() {
  compareCounts();
  return RtlTracker::statistics();
}

bool LockstepTracker::idle() const { return RtlTracker::idle() && twin_->model().idle(); }

std::string LockstepTracker::waiting() {
  return RtlTracker::waiting() + "the twin:\n" + twin_->model().waiting();
}

// ---- reports ----------------------------------------------------------------------------------

void LockstepTracker::remember(std::uint32_t slot, Incident incident) {
  auto& events = history_[slot];
  if (events.size() == kHistory) events.pop_front();
  incident.time = now();
  events.push_back(incident);
}

std::string LockstepTracker::tell(const Incident& incident) {
  std::ostringstream text;
  text << fromPicoseconds(incident.time) << ": ";
  switch (incident.what) {
    case Incident::What::Counted:
      text << "the twin counts " << incident.bytes << " bytes";
      break;
    case Incident::What::Done:
      text << "the twin counts " << incident.bytes << " bytes: done";
      break;
    case Incident::What::Overrun:
      text << "the twin counts " << incident.bytes << " bytes: more than are missing";
      break;
    case Incident::What::Stray:
      text << "the twin gets " << incident.bytes << " bytes: none is missing";
      break;
    case Incident::What::RtlSays:
      text << "the RTL says that the slot is done";
      break;
    case Incident::What::TwinSays:
      text << "the twin says that the slot is done";
      break;
  }
  return text.str();
}

void LockstepTracker::differ(const std::string& signal, const std::string& rtl,
                             const std::string& twin, std::optional<std::uint32_t> slot) {
  announce({.kind = EventKind::Difference, .number = slot.value_or(0)});
  std::ostringstream text;
  text << fromPicoseconds(now()) << ", cycle " << cycles() << " of " << name() << ": " << signal
       << ": RTL " << rtl << "; twin " << twin;
  if (slot) {
    text << "\n  last events of slot " << *slot << ":";
    for (const Incident& event : history_[*slot]) text << "\n    " << tell(event);
  }
  SC_REPORT_ERROR("t3/lockstep", text.str().c_str());
}

}  // namespace t3
