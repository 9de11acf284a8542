// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/model_registers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

namespace r = registers;

constexpr std::uint32_t kWindowBytes = 0x10;
constexpr std::uint32_t kRegionBytes = 0x40;
constexpr std::uint32_t kIrqBits = r::kIrqStatusRegionDone | r::kIrqStatusError;
constexpr std::uint32_t kControlBits = r::kRegCtrlTrigger | r::kRegCtrlShift;
constexpr std::uint32_t kReciprocalBits = 27;
constexpr std::uint32_t kRowCount = 0x3fff;
constexpr std::uint32_t kIdBits = std::bit_width(TrackerConfig::kWorkgroups) - 1;
constexpr std::uint32_t kAddressBits = 48;
constexpr std::uint32_t kWordFlags = r::kSlotWaits | r::kSlotSpoiled;  // the same of a row

/// Of the numbers of `count` things; one bit where there is only one thing.
constexpr std::uint32_t maskOf(std::uint32_t count) {
  return std::bit_ceil(std::max(count, 2U)) - 1;
}

/// The registers of a region that keep what is written, but its state.
struct RegionField {
  std::uint32_t offset;
  std::uint32_t ModelRegisters::Region::*member;
};
constexpr std::array<RegionField, 9> kRegionFields = {{
    {r::kRegCtrl, &ModelRegisters::Region::control},
    {r::kRegWgFirst, &ModelRegisters::Region::wgFirst},
    {r::kRegWgLast, &ModelRegisters::Region::wgLast},
    {r::kRegSlotFirst, &ModelRegisters::Region::slotFirst},
    {r::kRegSlotLast, &ModelRegisters::Region::slotLast},
    {r::kRegRowFirst, &ModelRegisters::Region::rowFirst},
    {r::kRegRowPhase, &ModelRegisters::Region::rowPhase},
    {r::kRegRowReciprocal, &ModelRegisters::Region::rowReciprocal},
    {r::kRegTarget, &ModelRegisters::Region::target},
}};
/// Null if there is none of that offset.
const RegionField* regionField(std::uint32_t offset) {
  const auto* found = std::ranges::find(kRegionFields, offset, &RegionField::offset);
  return found == kRegionFields.end() ? nullptr : found;
}

/// With another low word, or another high one of 4 bits.
std::uint64_t withLow(std::uint64_t word, std::uint32_t low) { return word >> 32 << 32 | low; }
std::uint64_t withHigh(std::uint64_t word, std::uint32_t high) {
  return (word & 0xffffffff) | std::uint64_t{high & 0xf} << 32;
}

/// What a slot or a row slot reads as.
std::uint32_t wordOf(const SlotWords& words, std::uint32_t slot) {
  return words.missing(slot) | (words.waits(slot) ? r::kSlotWaits : 0) |
         (words.spoiled(slot) ? r::kSlotSpoiled : 0);
}

}  // namespace

bool ModelRegisters::Region::triggers() const { return (control & r::kRegCtrlTrigger) != 0; }
bool ModelRegisters::Region::countsRows() const { return (control & r::kRegCtrlRows) != 0; }
std::uint32_t ModelRegisters::Region::shift() const {
  return (control & r::kRegCtrlShift) >> r::kRegCtrlShiftShift;
}
std::uint32_t ModelRegisters::Region::window() const {
  return (control & r::kRegCtrlWindow) >> r::kRegCtrlWindowShift;
}
std::uint32_t ModelRegisters::Region::rowOf(std::uint32_t slot) const {
  const std::uint64_t block = std::uint64_t{slot} - slotFirst + rowPhase;
  return rowFirst + static_cast<std::uint32_t>(block * rowReciprocal >> (kReciprocalBits - 1));
}

ModelRegisters::ModelRegisters(const TrackerConfig& config)
    : windows(maskOf(config.windows) + 1),
      regions(config.regions),
      slots(config.slots, config.queue),
      rows(config.rows, TrackerConfig::kRowQueue),
      config_(config),
      windowMask_(maskOf(config.windows) << r::kRegCtrlWindowShift),
      slotMask_(config.slots - 1) {
  // What does not exist matches nothing.
  for (std::size_t w = config.windows; w < windows.size(); ++w) windows[w].pageFirst = 1;
}

std::uint32_t ModelRegisters::bankOf(std::uint32_t slot) const {
  const auto bits = static_cast<std::uint32_t>(std::countr_zero(config_.banks));
  std::uint32_t bank = 0;
  for (; slot != 0; slot >>= bits) bank ^= slot;
  return bank & (config_.banks - 1);
}

void ModelRegisters::clear() {
  slots.clear();
  rows.clear();
  counters.fill(0);
  for (Region& region : regions) region.done = 0;
  irqStatus = regionDone = errors = 0;
  errorCounts.fill(0);
  firstError_.reset();
}

void ModelRegisters::error(Cause cause, std::uint32_t region, std::uint32_t info,
                           std::uint64_t cycle, std::uint32_t number) {
  const auto index = static_cast<std::size_t>(cause);
  errors |= 1U << index;
  irqStatus |= r::kIrqStatusError;
  if (errorCounts[index] != 0xff) ++errorCounts[index];
  const bool first =
      !firstError_ || (cycle != 0 && cycle == firstError_->cycle &&
                       std::tie(cause, number) < std::tie(firstError_->cause, firstError_->number));
  if (first) firstError_ = {cause, region, info, cycle, number};
}

void ModelRegisters::countDone(std::uint32_t index) {
  Region& region = regions[index];
  region.done = (region.done + 1) & 0xffff;
  if (region.done == region.target) reachTarget(index);
}

void ModelRegisters::reachTarget(std::uint32_t index) {
  regionDone |= 1U << index;
  irqStatus |= r::kIrqStatusRegionDone;
}

// ---- reads ------------------------------------------------------------------------------------

std::optional<std::uint32_t> ModelRegisters::read(std::uint32_t offset, bool latch) {
  if (offset % 4 != 0) return std::nullopt;
  if (offset >= r::kUpdates && offset < r::kUpdates + 8 * kCounters) {
    const std::uint64_t value =
        counters[(offset - r::kUpdates) / 8] % (std::uint64_t{1} << kCounterBits);
    const auto high = static_cast<std::uint32_t>(value >> 32);
    if (offset % 8 != 0) return latch ? latchedHigh_ : high;
    if (latch) latchedHigh_ = high;
    return static_cast<std::uint32_t>(value);
  }
  if (offset >= r::slot(0) && offset < r::slot(slots.size())) {
    return wordOf(slots, (offset - r::slot(0)) / 4);
  }
  if (offset >= r::row(0) && offset < r::row(rows.size())) {
    return wordOf(rows, (offset - r::row(0)) / 4);
  }
  if (offset >= r::region(0) && offset < r::region(config_.regions)) {
    return readRegion(regions[(offset - r::region(0)) / kRegionBytes], offset % kRegionBytes);
  }
  if (offset >= r::window(0) && offset < r::window(config_.windows)) {
    const Window& window = windows[(offset - r::window(0)) / kWindowBytes];
    switch (offset % kWindowBytes) {
      case r::kWindowPageFirst:
        return static_cast<std::uint32_t>(window.pageFirst);
      case r::kWindowPageLast:
        return static_cast<std::uint32_t>(window.pageLast);
      case r::kWindowPageHigh:
        return static_cast<std::uint32_t>(window.pageFirst >> 32 << r::kWindowPageHighFirstShift |
                                          window.pageLast >> 32 << r::kWindowPageHighLastShift);
      default:
        return std::nullopt;
    }
  }
  if (offset >= r::errorCount(0) && offset < r::errorCount(kCauses)) {
    return errorCounts[(offset - r::errorCount(0)) / 4];
  }
  switch (offset) {
    case r::kId:
      return r::kIdValue;
    case r::kVersion:
      return r::kVersionValue;
    case r::kConfig0:
      return config_.lanes << r::kConfig0LanesShift | config_.banks << r::kConfig0BanksShift |
             config_.regions << r::kConfig0RegionsShift |
             config_.windows << r::kConfig0WindowsShift;
    case r::kConfig1:
      return config_.slots << r::kConfig1SlotsShift | config_.rows << r::kConfig1RowsShift;
    case r::kConfig2:  // protection: none
      return TrackerConfig::kCountWidth << r::kConfig2CountWidthShift |
             TrackerConfig::kWeightWidth << r::kConfig2WeightWidthShift |
             static_cast<std::uint32_t>(std::countr_zero(TrackerConfig::kWavefronts))
                 << r::kConfig2WfWidthShift;
    case r::kConfig3:
      return kIdBits << r::kConfig3WgWidthShift | kAddressBits << r::kConfig3AddrWidthShift;
    case r::kCtrl:
      return (enabled ? r::kCtrlEnable : 0) | (walk == Walk::Clear ? r::kCtrlClear : 0);
    case r::kIrqStatus:
      return irqStatus;
    case r::kIrqEnable:
      return irqEnable;
    case r::kIrqTest:
    case r::kFill:
      return 0;
    case r::kRegionDone:
      return regionDone;
    case r::kLock:
      return (locked_ ? r::kLockLocked : 0) | (privileged_ ? r::kLockPrivileged : 0);
    case r::kErrors:
      return errors;
    case r::kErrorFirst:
      if (!firstError_) return 0;
      return r::kErrorFirstValid |
             static_cast<std::uint32_t>(firstError_->cause) << r::kErrorFirstCauseShift |
             firstError_->region << r::kErrorFirstRegionShift;
    case r::kErrorInfo:
      return firstError_ ? firstError_->info : 0;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> ModelRegisters::readRegion(const Region& region,
                                                        std::uint32_t offset) const {
  if (offset == r::kRegState) return region.state;
  if (offset == r::kRegDone) return region.done;
  const RegionField* field = regionField(offset);
  return field == nullptr ? std::nullopt : std::optional(region.*field->member);
}

// ---- writes -----------------------------------------------------------------------------------

std::uint32_t ModelRegisters::bitsOf(std::uint32_t offset) const {
  constexpr std::uint32_t kAll = 0xffffffff;
  const bool hasRows = config_.rows != 0;
  if (offset >= r::slot(0)) return r::kFillBytes | kWordFlags;
  if (offset >= r::row(0)) return kRowCount | kWordFlags;
  if (offset >= r::region(0)) {
    switch (offset % kRegionBytes) {
      case r::kRegState:
        return r::kRegStateOn | r::kRegStateStopped;
      case r::kRegCtrl:
        return kControlBits | windowMask_ | (hasRows ? r::kRegCtrlRows : 0);
      case r::kRegWgFirst:
      case r::kRegWgLast:
        return TrackerConfig::kWorkgroups - 1;
      case r::kRegSlotFirst:
      case r::kRegSlotLast:
        return slotMask_;
      case r::kRegRowPhase:
        return hasRows ? slotMask_ : 0;
      case r::kRegRowFirst:
        return hasRows ? config_.rows - 1 : 0;
      case r::kRegRowReciprocal:
        return hasRows ? (1U << kReciprocalBits) - 1 : 0;
      case r::kRegTarget:
        return 0xffff;
      default:
        return kAll;
    }
  }
  if (offset >= r::window(0)) {
    return offset % kWindowBytes == r::kWindowPageHigh
               ? r::kWindowPageHighFirst | r::kWindowPageHighLast
               : kAll;
  }
  switch (offset) {
    case r::kCtrl:
      return r::kCtrlEnable | r::kCtrlClear | r::kCtrlLook;
    case r::kIrqEnable:
      return kIrqBits;
    case r::kLock:
      return r::kLockLocked | r::kLockPrivileged;
    case r::kFill:
      return r::kFillBytes | r::kFillRegion;
    default:
      return kAll;
  }
}

bool ModelRegisters::someAre(bool (Region::*state)() const, std::uint32_t first,
                             std::uint32_t last) const {
  return std::ranges::any_of(regions, [=](const Region& region) {
    return (region.*state)() && region.shares(first, last);
  });
}
bool ModelRegisters::rowIsStopped(std::uint32_t row) const {
  const auto any = [this, row](bool (Region::*state)() const) {
    return std::ranges::any_of(
        regions, [=](const Region& one) { return (one.*state)() && one.coversRow(row); });
  };
  return any(&Region::stopped) && !any(&Region::on);
}

bool ModelRegisters::refuse(Cause cause, std::uint32_t info) {
  error(cause, 0, info);
  return false;
}

bool ModelRegisters::write(std::uint32_t offset, std::uint32_t value, bool privileged) {
  if (offset % 4 != 0) return false;
  const bool frozen = offset == r::kCtrl || offset == r::kFill || offset >= r::window(0);
  if (locked_ && (frozen || (privileged_ && !privileged))) return refuse(Cause::Locked, offset);
  if (offset >= r::slot(0)) {
    return offset < r::slot(slots.size()) && writeSlot((offset - r::slot(0)) / 4, value);
  }
  if (offset >= r::row(0)) {
    return offset < r::row(rows.size()) && writeRow((offset - r::row(0)) / 4, value);
  }
  if (offset >= r::region(0)) {
    return offset < r::region(config_.regions) &&
           writeRegion((offset - r::region(0)) / kRegionBytes, offset, value);
  }
  if (offset >= r::window(0)) {
    return offset < r::window(config_.windows) &&
           writeWindow((offset - r::window(0)) / kWindowBytes, offset, value);
  }
  switch (offset) {
    case r::kFill:
      return fill(value);
    case r::kCtrl:
      if ((value & ~bitsOf(offset)) != 0) return false;
      enabled = (value & r::kCtrlEnable) != 0;
      if ((value & r::kCtrlLook) != 0) {
        slots.look();
        rows.look();
      }
      if ((value & r::kCtrlClear) != 0 && walk != Walk::Clear) {
        walk = Walk::Clear;
        walkCycles = std::max(config_.slots / config_.banks, config_.rows);
      }
      return true;
    case r::kLock:
      if ((value & ~bitsOf(offset)) != 0) return false;
      locked_ = (value & r::kLockLocked) != 0;
      privileged_ = (value & r::kLockPrivileged) != 0;
      return true;
    case r::kIrqStatus:
      irqStatus &= ~value;
      return true;
    case r::kIrqEnable:
      if ((value & ~bitsOf(offset)) != 0) return false;
      irqEnable = value;
      return true;
    case r::kIrqTest:
      irqStatus |= value & kIrqBits;
      return true;
    case r::kRegionDone:
      regionDone &= ~value;
      return true;
    case r::kErrors:
      errors &= ~value;
      return true;
    case r::kErrorFirst:
      if ((value & r::kErrorFirstValid) != 0) firstError_.reset();
      return true;
    default:
      return false;
  }
}

bool ModelRegisters::writeWindow(std::uint32_t index, std::uint32_t offset, std::uint32_t value) {
  const bool used = std::ranges::any_of(
      regions, [index](const Region& region) { return !region.off() && region.window() == index; });
  if (used) return refuse(Cause::InUse, offset);
  if ((value & ~bitsOf(offset)) != 0) return false;
  Window& window = windows[index];
  switch (offset % kWindowBytes) {
    case r::kWindowPageFirst:
      window.pageFirst = withLow(window.pageFirst, value);
      break;
    case r::kWindowPageLast:
      window.pageLast = withLow(window.pageLast, value);
      break;
    case r::kWindowPageHigh:
      window.pageFirst = withHigh(window.pageFirst, value >> r::kWindowPageHighFirstShift);
      window.pageLast = withHigh(window.pageLast, value >> r::kWindowPageHighLastShift);
      break;
    default:
      return false;
  }
  return true;
}

bool ModelRegisters::writeState(Region& region, std::uint32_t offset, std::uint32_t value) {
  const bool turnsOn = (value & 3) == 1;
  if (turnsOn && walk == Walk::Fill && region.shares(fillFirst_, fillLast_))
    return refuse(Cause::InUse, offset);
  if ((value & ~bitsOf(offset)) != 0) return false;
  region.state = value;
  return true;
}

bool ModelRegisters::writeRegion(std::uint32_t index, std::uint32_t offset, std::uint32_t value) {
  Region& region = regions[index];
  const std::uint32_t field = offset % kRegionBytes;
  if (field == r::kRegState) return writeState(region, offset, value);
  const bool always = field == r::kRegTarget || field == r::kRegDone;
  if (!always && (!region.off() || region.inside != 0)) return refuse(Cause::InUse, offset);
  if ((value & ~bitsOf(offset)) != 0) return false;
  if (field == r::kRegDone) {
    region.done = 0;
    return true;
  }
  const RegionField* kept = regionField(field);
  if (kept == nullptr) return false;
  region.*kept->member = value;
  const bool reached = !region.off() && value != 0 && value <= region.done;
  if (field == r::kRegTarget && reached) reachTarget(index);
  return true;
}

bool ModelRegisters::writeSlot(std::uint32_t slot, std::uint32_t value) {
  if (walk != Walk::None) return refuse(Cause::InUse, r::slot(slot));
  const std::uint32_t bytes = value & r::kFillBytes;
  if ((value & ~bitsOf(r::slot(slot))) != 0 || bytes > TrackerConfig::kMostCount) return false;
  const bool force = someAre(&Region::stopped, slot, slot) && !someAre(&Region::on, slot, slot);
  return slots.arm(slot, bytes, force) || refuse(Cause::ArmedEarly, slot);
}

bool ModelRegisters::writeRow(std::uint32_t row, std::uint32_t value) {
  if (walk != Walk::None) return refuse(Cause::InUse, r::row(row));
  if ((value & ~bitsOf(r::row(row))) != 0) return false;
  return rows.arm(row, value & kRowCount, rowIsStopped(row)) || refuse(Cause::RowArmedEarly, row);
}

/// All words at once; that it takes time shows in what is refused meanwhile.
bool ModelRegisters::fill(std::uint32_t value) {
  const std::uint32_t index = (value & r::kFillRegion) >> r::kFillRegionShift;
  const std::uint32_t bytes = value & r::kFillBytes;
  const bool exists = index < regions.size();
  if (walk != Walk::None ||
      (exists && (regions[index].on() ||
                  someAre(&Region::on, regions[index].slotFirst, regions[index].slotLast)))) {
    return refuse(Cause::InUse, r::kFill);
  }
  if (!exists || (value & ~bitsOf(r::kFill)) != 0 || bytes > TrackerConfig::kMostCount)
    return false;
  const Region& region = regions[index];
  walk = Walk::Fill;
  fillFirst_ = region.slotFirst;
  fillLast_ = region.slotLast;
  const std::uint32_t banks = config_.banks;
  const std::uint32_t first = region.slotFirst / banks, last = region.slotLast / banks;
  walkCycles = region.slotLast < region.slotFirst ? 1 : 2 * (last - first + 1);
  std::vector<std::uint32_t> early(banks);  // by bank: the slot of this word that is not armed, + 1
  for (std::uint32_t word = first; word <= last; ++word) {
    std::ranges::fill(early, 0U);
    for (std::uint32_t slot = word * banks; slot < (word + 1) * banks; ++slot) {
      if (!region.covers(slot) || slots.arm(slot, bytes, region.stopped())) continue;
      early[bankOf(slot)] = slot + 1;
    }
    for (const std::uint32_t slot : early) {
      if (slot != 0) refuse(Cause::ArmedEarly, slot - 1);
    }
  }
  return true;
}

}  // namespace t3
