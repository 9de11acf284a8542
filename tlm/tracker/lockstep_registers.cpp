// SPDX-License-Identifier: Apache-2.0
// What a lockstep pair compares over the registers: each access, and counts, errors and slots.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "tlm/tracker/lockstep_tracker.h"
#include "tlm/tracker/register_text.h"
#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

namespace r = registers;

/// Registers whose value does not depend on when they are read.
bool isConfiguration(std::uint32_t offset) {
  if (offset >= r::region(0) && offset < r::row(0)) return (offset & 0x3f) != r::kRegDone;
  return offset <= r::kConfig2 || offset == r::kLock || offset == r::kIrqEnable ||
         (offset >= r::window(0) && offset < r::region(0));
}

/// Registers whose writing begins a walk through the memories, or may.
bool walks(std::uint32_t offset) { return offset == r::kFill || offset == r::kCtrl; }

/// Registers whose writing is refused while something is counted or waits.
bool arms(std::uint32_t offset) { return offset == r::kFill || offset >= r::row(0); }

/// Registers of a region whose writing is refused while it is not off, or has completions inside.
bool isSetting(std::uint32_t offset) {
  const std::uint32_t field = offset & 0x3f;
  return offset >= r::region(0) && offset < r::row(0) && field != r::kRegState &&
         field != r::kRegTarget && field != r::kRegDone;
}

/// Registers that tell of errors and interrupts.
bool reports(std::uint32_t offset) {
  return offset == r::kIrqStatus || offset == r::kRegionDone ||
         (offset >= r::kErrors && offset < r::window(0));
}

// All causes of errors.
constexpr std::uint32_t kErrors = 2 * r::kErrorsDamaged - 1;
// Errors that depend on the order in which a bank sees the lanes.
constexpr std::uint32_t kSurplus = r::kErrorsOverrun | r::kErrorsStray;
// Errors that depend on how far a side is when software arms under traffic.
constexpr std::uint32_t kRaced =
    r::kErrorsRowStray | r::kErrorsArmedEarly | r::kErrorsRowArmedEarly | r::kErrorsInUse;

}  // namespace

// ---- accesses ---------------------------------------------------------------------------------

/// Nothing is under way that may come before an access on one side and after it on the other. What
/// a write to a register has begun keeps the RTL busy for some clocks more than its answer takes.
bool LockstepTracker::quiet() const {
  if (idle()) return true;
  return settles_ == updates_.taken(Side::Rtl) && Tracker::idle() && twin_->model().idle();
}

void LockstepTracker::accessRegister(Payload& payload, sc_core::sc_time& delay) {
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  std::uint32_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), sizeof value);
  const bool wasQuiet = quiet();
  if (payload.is_write()) {
    const bool clears = offset == r::kCtrl && (value & r::kCtrlClear) != 0;
    if (wasQuiet && clears) compare();
    if (!wasQuiet && disturbs(offset, value)) loosen();
    if (wasQuiet && clears) {
      countsDiffer_ = anySurplus_ = false;
      unsureErrors_ = errorsBefore_ = 0;
      unsure_.clear();
      std::fill(armed_.begin(), armed_.end(), false);
      updates_.forget();
    }
  } else if (reports(offset)) {
    compareErrors();
  }
  RtlTracker::accessRegister(payload, delay);
  if (payload.is_write())
    settles_ = wasQuiet && !walks(offset) ? std::optional(updates_.taken(Side::Rtl)) : std::nullopt;
  // What still counts or waits on one side need not do so on the other: then the RTL decides.
  const bool locked = (twin_->peek(r::kLock) & r::kLockLocked) != 0;
  if (payload.is_write() && arms(offset) && !wasQuiet && !locked) {
    unsureErrors_ |= kRaced;
    if (!payload.is_response_ok()) return;
  }
  // So need a completion of a region that is off, which is inside on one side, not be on the other.
  if (payload.is_write() && isSetting(offset) && !wasQuiet && !locked &&
      twin_->peek(offset & ~0x3fU) == 0) {
    if (!payload.is_response_ok()) {
      unsureErrors_ |= r::kErrorsInUse;
      return;
    }
    twin_->model().countCompletions();
  }

  std::uint32_t twinValue = payload.is_write() ? shownToTwin(offset, value) : value;
  const auto twinStatus = twin_->access(payload, twinValue);
  const bool agree = compareAccess(payload, twinStatus, twinValue);
  if (payload.is_write() && payload.is_response_ok() && agree) written(offset, value, wasQuiet);
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
  const std::string where = registerText(offset);
  if (payload.get_response_status() != twin) {
    if (offset >= r::slot(0) && surplusSlots_[(offset - r::slot(0)) / 4]) return false;
    if (offset >= r::row(0) && offset < r::slot(0) && surplusRows_[(offset - r::row(0)) / 4])
      return false;
    differ(where + (payload.is_write() ? " write" : " read"),
           payload.is_response_ok() ? "OKAY" : "SLVERR",
           twin == tlm::TLM_OK_RESPONSE ? "OKAY" : "SLVERR");
  }
  if (!payload.is_read() || !payload.is_response_ok() || !isConfiguration(offset)) return true;
  std::uint32_t rtl = 0;
  std::memcpy(&rtl, payload.get_data_ptr(), sizeof rtl);
  if (rtl != value) differ(where, registerValueText(offset, rtl), registerValueText(offset, value));
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
    if (field == r::kRegDone) unsure_[offset] = ~0U;
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
  updates_.armed(slot);
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

// ---- counts -----------------------------------------------------------------------------------

/// A difference says since when: the latest time at which all was equal.
void LockstepTracker::compareCounts() {
  if (!quiet() || countsDiffer_) return;
  comparePending();
  const Picoseconds agreed = std::exchange(countsAgreed_, now());
  const TrackerStatistics rtl = RtlTracker::statistics();
  const TrackerStatistics twin = twin_->model().statistics();
  const auto same = [&](const std::string& count, std::uint64_t a, std::uint64_t b) {
    if (a != b) differ(count, std::to_string(a), std::to_string(b), {.agreed = agreed});
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
    if (unsure_.contains(offset)) continue;
    same("REG_DONE of region " + std::to_string(region), peek(offset), twin_->peek(offset));
  }
}

void LockstepTracker::compare() {
  if (!quiet() || countsDiffer_) return;
  compareCounts();
  if (!anySurplus_) compareSlots();
}

void LockstepTracker::compareErrors() {
  if (!quiet() || countsDiffer_) return;
  const auto compare = [this](const std::string& what, std::uint32_t offset, std::uint32_t bits) {
    const auto unsure = unsure_.find(offset);
    if (unsure != unsure_.end()) bits &= ~unsure->second;
    const std::uint32_t rtl = peek(static_cast<std::uint16_t>(offset)) & bits;
    const std::uint32_t twin = twin_->peek(offset) & bits;
    if (rtl == twin) return;
    differ(what, registerValueText(offset, rtl), registerValueText(offset, twin));
  };
  const std::uint32_t sure = kErrors & ~(unsureErrors_ | kSurplus);
  for (std::uint32_t left = sure; left != 0; left &= left - 1) {
    const auto cause = static_cast<std::uint32_t>(std::countr_zero(left));
    compare("ERROR_COUNT of " + errorNames(1U << cause), r::errorCount(cause), ~0U);
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
    differ(registerText(offset), registerValueText(offset, rtl), registerValueText(offset, twin),
           {.slot = slot});
  }
}

}  // namespace t3
