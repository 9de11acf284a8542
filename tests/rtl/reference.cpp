// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/reference.h"

#include <algorithm>

namespace t3::rtl_test {
namespace {

namespace r = registers;

constexpr std::uint32_t kOkay = TrackTriggerBench::kOkay;
constexpr std::uint32_t kSlvErr = TrackTriggerBench::kSlvErr;
constexpr std::uint32_t kSettings = 9;  ///< words of a region that stay while it is not off

constexpr std::array kCounters{r::kUpdates, r::kUntracked, r::kDropped, r::kCompleted, r::kTriggers,
                               r::kTaken,   r::kReleased,  r::kStalls,  r::kCorrected};

std::uint32_t ones(std::uint32_t count) { return count >= 32 ? ~0u : (1u << count) - 1; }

std::uint32_t log2Of(std::uint32_t value) {
  std::uint32_t log = 0;
  while (1u << log < value) ++log;
  return log;
}

/// The word of an array of `count` that `address` is in, and which of its elements.
struct Place {
  std::uint32_t index;
  std::uint32_t offset;
};
std::optional<Place> placeIn(std::uint32_t address, std::uint32_t base, std::uint32_t stride,
                             std::uint32_t count) {
  if (address < base || address >= base + stride * count) return std::nullopt;
  return Place{(address - base) / stride, (address - base) % stride};
}

}  // namespace

std::uint32_t Reference::Word::read() const {
  return missing | (waits ? r::kSlotWaits : 0u) | (spoiled ? r::kSlotSpoiled : 0u);
}

std::map<std::uint32_t, std::uint32_t> Reference::writable(const UnitSize& size) {
  std::map<std::uint32_t, std::uint32_t> map;
  map[r::kCtrl] = r::kCtrlEnable;
  map[r::kIrqEnable] = r::kIrqStatusRegionDone | r::kIrqStatusError;
  map[r::kLock] = r::kLockLocked | r::kLockPrivileged;
  const std::uint32_t high = size.addrWidth > 44 ? ones(size.addrWidth - 44) : 0;
  for (std::uint32_t w = 0; w < size.windows; ++w) {
    map[r::window(w) + r::kWindowPageFirst] = ones(size.addrWidth - 12);
    map[r::window(w) + r::kWindowPageLast] = ones(size.addrWidth - 12);
    map[r::window(w) + r::kWindowPageHigh] = high | high << r::kWindowPageHighLastShift;
  }
  for (std::uint32_t i = 0; i < size.regions; ++i) {
    const std::uint32_t base = r::region(i), slot = size.slots - 1;
    map[base + r::kRegState] = 3;
    // One window needs a bit of its number, too.
    const bool rows = size.rows != 0;
    map[base + r::kRegCtrl] = r::kRegCtrlTrigger | (rows ? r::kRegCtrlRows : 0u) |
                              r::kRegCtrlShift |
                              ones(std::max(log2Of(size.windows), 1u)) << r::kRegCtrlWindowShift;
    map[base + r::kRegWgFirst] = map[base + r::kRegWgLast] = size.workgroups() - 1;
    map[base + r::kRegSlotFirst] = map[base + r::kRegSlotLast] = slot;
    map[base + r::kRegRowFirst] = rows ? size.rows - 1 : 0;
    map[base + r::kRegRowPhase] = rows ? slot : 0;
    map[base + r::kRegRowReciprocal] = rows ? ones(27) : 0;
    map[base + r::kRegTarget] = 0xffff;
  }
  return map;
}

bool Reference::mapped(const UnitSize& size, std::uint32_t address) {
  if (address % 4 != 0) return false;
  if (address <= r::kConfig3) return true;
  if (address >= r::kUpdates && address < r::kCorrected + 8) return true;
  if (address >= r::kErrors && address <= r::kErrorInfo) return true;
  if (placeIn(address, r::errorCount(0), 4, kCauses)) return true;
  if (const auto place = placeIn(address, r::window(0), 0x10, size.windows))
    return place->offset <= r::kWindowPageHigh;
  if (const auto place = placeIn(address, r::region(0), 0x40, size.regions))
    return place->offset <= r::kRegDone;
  return placeIn(address, r::row(0), 4, size.rows) || placeIn(address, r::slot(0), 4, size.slots);
}

Reference::Reference(const UnitSize& size)
    : slotWords(size.slots),
      rowWords(size.rows),
      size_(size),
      bits_(writable(size)),
      regionCounts_(size.regions) {}

std::uint32_t Reference::field(std::uint32_t address) const {
  const auto found = kept_.find(address);
  return found == kept_.end() ? 0 : found->second;
}

State Reference::state(std::uint32_t region) const {
  return static_cast<State>(std::min(field(r::region(region) + r::kRegState), 2u));
}

std::optional<Reference::Matched> Reference::match(const Update& update) const {
  if ((field(r::kCtrl) & r::kCtrlEnable) == 0) return std::nullopt;
  const std::uint64_t page = update.address >> 12;
  for (std::uint32_t i = 0; i < size_.regions; ++i) {
    const std::uint32_t base = r::region(i);
    if (state(i) == State::Off) continue;
    if (update.wg < field(base + r::kRegWgFirst) || update.wg > field(base + r::kRegWgLast))
      continue;
    const std::uint32_t window =
        r::window((field(base + r::kRegCtrl) & r::kRegCtrlWindow) >> r::kRegCtrlWindowShift);
    const std::uint64_t high = field(window + r::kWindowPageHigh);
    const std::uint64_t low = field(window + r::kWindowPageFirst) | (high & 0xf) << 32;
    const std::uint64_t top = field(window + r::kWindowPageLast) | (high >> 16 & 0xf) << 32;
    if (page < low || page > top) continue;
    return Matched{i, state(i)};
  }
  return std::nullopt;
}

void Reference::report(std::uint32_t cause, std::optional<std::uint32_t> region,
                       std::uint32_t info) {
  errors |= 1u << cause;
  errorCounts[cause] = std::min(errorCounts[cause] + 1, 255u);
  irqStatus_ |= r::kIrqStatusError;
  if (!first) first = FirstError{cause, region, info};
}

void Reference::update(const Update& update) {
  const auto matched = match(update);
  if (!matched) {
    ++counters[r::kUntracked];
    return;
  }
  if (matched->state == State::Stopped) {
    ++counters[r::kDropped];
    return;
  }
  ++counters[r::kUpdates];
  const std::uint32_t region = matched->region, base = r::region(region);
  const std::uint32_t identity = update.wf << 16 | update.wg;
  if (update.weight == 0 || update.weight > size_.mostWeight())
    return report(kWeight, region, identity);
  const std::uint32_t shift =
      (field(base + r::kRegCtrl) & r::kRegCtrlShift) >> r::kRegCtrlShiftShift;
  const std::uint32_t distance =
      ((update.wg - field(base + r::kRegWgFirst)) << size_.wfWidth | update.wf) >> shift;
  const std::uint32_t slot = field(base + r::kRegSlotFirst) + distance;
  if (slot > field(base + r::kRegSlotLast)) return report(kOutside, region, identity);
  Word& word = slotWords[slot];
  if (word.missing != 0) {
    if (update.weight > word.missing) {
      word = {.missing = 0, .waits = false, .spoiled = true};
      return report(kOverrun, region, slot);
    }
    word.missing -= update.weight;
    if (word.missing == 0) complete(region, slot);
  } else if (!word.spoiled) {
    // Idle or waiting; a slot that waits is spoiled by it.
    if (word.waits) word.spoiled = true;
    report(kStray, region, slot);
  }
}

void Reference::complete(std::uint32_t region, std::uint32_t slot) {
  const std::uint32_t base = r::region(region), control = field(base + r::kRegCtrl);
  ++counters[r::kCompleted];
  regionCounts_[region] = (regionCounts_[region] + 1) & 0xffff;
  if (regionCounts_[region] == field(base + r::kRegTarget)) {
    regionDone_ |= 1u << region;
    irqStatus_ |= r::kIrqStatusRegionDone;
  }
  if ((control & r::kRegCtrlRows) != 0) countRow(region, slot);
  if ((control & r::kRegCtrlTrigger) == 0) return;
  ++counters[r::kTriggers];
  slotWords[slot].waits = true;
  doneQueue_.push_back(slot);
  if (doneQueue_.size() > size_.queueDepth) orderUnknown = true;
}

void Reference::countRow(std::uint32_t region, std::uint32_t slot) {
  const std::uint64_t row = rowOf(region, slot);
  if (row >= size_.rows) return report(kRowOutside, region, slot);
  Word& word = rowWords[row];
  if (word.missing != 0) {
    if (--word.missing != 0) return;
    word.waits = true;
    ++counters[r::kReleased];
    rowQueue_.push_back(static_cast<std::uint32_t>(row));
    if (rowQueue_.size() > 16) orderUnknown = true;
  } else if (!word.spoiled) {
    if (word.waits) word.spoiled = true;
    report(kRowStray, region, static_cast<std::uint32_t>(row));
  }
}

void Reference::settle(bool doneReady, bool releaseReady) {
  while (donePort_ || !doneQueue_.empty()) {
    if (!donePort_) {
      Word& word = slotWords[doneQueue_.front()];
      donePort_ = Done{0, doneQueue_.front(), word.spoiled};
      word.waits = false;
      doneQueue_.pop_front();
    }
    if (!doneReady) break;
    done.push_back(*donePort_);
    donePort_.reset();
    ++counters[r::kTaken];
  }
  while (rowPort_ || !rowQueue_.empty()) {
    if (!rowPort_) {
      rowPort_ = rowQueue_.front();
      rowWords[*rowPort_].waits = false;
      rowQueue_.pop_front();
    }
    if (!releaseReady) break;
    rows.push_back(*rowPort_);
    rowPort_.reset();
  }
}

bool Reference::areOf(State wanted, std::uint32_t from, std::uint32_t to) const {
  for (std::uint32_t i = 0; i < size_.regions; ++i) {
    const std::uint32_t base = r::region(i);
    if (state(i) == wanted && to >= field(base + r::kRegSlotFirst) &&
        from <= field(base + r::kRegSlotLast)) {
      return true;
    }
  }
  return false;
}

std::uint64_t Reference::rowOf(std::uint32_t region, std::uint32_t slot) const {
  const std::uint32_t base = r::region(region);
  const std::uint64_t n =
      std::uint64_t{slot} - field(base + r::kRegSlotFirst) + field(base + r::kRegRowPhase);
  return field(base + r::kRegRowFirst) + (n * field(base + r::kRegRowReciprocal) >> 26);
}

bool Reference::rowOfStopped(std::uint32_t row) const {
  bool stopped = false, on = false;
  for (std::uint32_t i = 0; i < size_.regions; ++i) {
    const std::uint32_t base = r::region(i), last = field(base + r::kRegSlotLast);
    if (state(i) == State::Off || (field(base + r::kRegCtrl) & r::kRegCtrlRows) == 0 ||
        last < field(base + r::kRegSlotFirst) || row < field(base + r::kRegRowFirst) ||
        row > rowOf(i, last)) {
      continue;
    }
    (state(i) == State::On ? on : stopped) = true;
  }
  return stopped && !on;
}

std::uint32_t Reference::arm(Word& word, std::uint32_t missing, bool anyway, std::uint32_t cause,
                             std::uint32_t number) {
  if (word.busy() && !anyway) {
    report(cause, std::nullopt, number);
    return kSlvErr;
  }
  const bool waited = word.waits;
  word = {.missing = missing, .waits = false, .spoiled = false};
  if (waited) {
    auto& queue = cause == kArmedEarly ? doneQueue_ : rowQueue_;
    std::erase(queue, number);
  }
  return kOkay;
}

void Reference::fill(std::uint32_t region, std::uint32_t bytes) {
  const std::uint32_t base = r::region(region);
  for (std::uint32_t slot = field(base + r::kRegSlotFirst); slot <= field(base + r::kRegSlotLast);
       ++slot) {
    arm(slotWords[slot], bytes, state(region) == State::Stopped, kArmedEarly, slot);
  }
}

void Reference::clear() {
  std::ranges::fill(slotWords, Word{});
  std::ranges::fill(rowWords, Word{});
  std::ranges::fill(regionCounts_, 0u);
  doneQueue_.clear();
  rowQueue_.clear();
  counters.clear();
  errors = regionDone_ = irqStatus_ = 0;
  errorCounts = {};
  first.reset();
}

bool Reference::refusedInUse(std::uint32_t address, std::uint32_t data) const {
  if (const auto place = placeIn(address, r::region(0), 0x40, size_.regions)) {
    const bool setting = place->offset != r::kRegState && place->offset / 4 < kSettings;
    return setting && state(place->index) != State::Off;
  }
  if (const auto place = placeIn(address, r::window(0), 0x10, size_.windows)) {
    for (std::uint32_t i = 0; i < size_.regions; ++i) {
      const std::uint32_t control = field(r::region(i) + r::kRegCtrl);
      if (state(i) != State::Off &&
          (control & r::kRegCtrlWindow) >> r::kRegCtrlWindowShift == place->index) {
        return true;
      }
    }
  }
  if (address != r::kFill || data >> r::kFillRegionShift >= size_.regions) return false;
  const std::uint32_t region = data >> r::kFillRegionShift, base = r::region(region);
  return state(region) == State::On ||
         areOf(State::On, field(base + r::kRegSlotFirst), field(base + r::kRegSlotLast));
}

std::uint32_t Reference::write(std::uint32_t address, std::uint32_t data, bool privileged) {
  if (!mapped(size_, address)) return kSlvErr;
  const std::uint32_t lock = field(r::kLock);
  const bool locks = address == r::kCtrl || address == r::kFill || address >= r::window(0);
  if (((lock & r::kLockLocked) != 0 && locks) ||
      (lock == (r::kLockLocked | r::kLockPrivileged) && !privileged)) {
    report(kLocked, std::nullopt, address);
    return kSlvErr;
  }
  if (refusedInUse(address, data)) {
    report(kInUse, std::nullopt, address);
    return kSlvErr;
  }
  const std::uint32_t bytes = data & r::kFillBytes;
  if ((address == r::kFill || address >= r::slot(0)) && bytes > size_.mostCount()) return kSlvErr;
  if (address == r::kFill && data >> r::kFillRegionShift >= size_.regions) return kSlvErr;
  if (address == r::kFill && (data & 1u << 27) != 0) return kSlvErr;
  if (const auto place = placeIn(address, r::slot(0), 4, size_.slots)) {
    if ((data & ~(r::kFillBytes | r::kSlotWaits | r::kSlotSpoiled)) != 0) return kSlvErr;
    const std::uint32_t slot = place->index;
    return arm(slotWords[slot], bytes,
               areOf(State::Stopped, slot, slot) && !areOf(State::On, slot, slot), kArmedEarly,
               slot);
  }
  if (const auto place = placeIn(address, r::row(0), 4, size_.rows)) {
    if ((data & ~(ones(14) | r::kRowWaits | r::kRowSpoiled)) != 0) return kSlvErr;
    return arm(rowWords[place->index], data & ones(14), rowOfStopped(place->index), kRowArmedEarly,
               place->index);
  }
  if (const auto place = placeIn(address, r::region(0), 0x40, size_.regions)) {
    if (place->offset == r::kRegDone) {
      regionCounts_[place->index] = 0;
      return kOkay;
    }
    // A target that has been reached.
    if (place->offset == r::kRegTarget && state(place->index) != State::Off && data != 0 &&
        data <= regionCounts_[place->index]) {
      regionDone_ |= 1u << place->index;
      irqStatus_ |= r::kIrqStatusRegionDone;
    }
  }
  switch (address) {
    case r::kFill:
      fill(data >> r::kFillRegionShift, bytes);
      return kOkay;
    case r::kIrqStatus:
      irqStatus_ &= ~data;
      return kOkay;
    case r::kIrqTest:
      irqStatus_ |= data & (r::kIrqStatusRegionDone | r::kIrqStatusError);
      return kOkay;
    case r::kRegionDone:
      regionDone_ &= ~data;
      return kOkay;
    case r::kErrors:
      errors &= ~data;
      return kOkay;
    case r::kErrorFirst:
      if ((data & r::kErrorFirstValid) != 0) first.reset();
      return kOkay;
    case r::kCtrl:
      if ((data & ~(r::kCtrlEnable | r::kCtrlClear | r::kCtrlLook)) != 0) return kSlvErr;
      if ((data & r::kCtrlLook) != 0 && !(doneQueue_.empty() && rowQueue_.empty()))
        orderUnknown = true;
      if ((data & r::kCtrlClear) != 0) clear();
      kept_[address] = data & r::kCtrlEnable;
      return kOkay;
    default:
      break;
  }
  const auto found = bits_.find(address);
  if (found == bits_.end()) return kSlvErr;  // read only
  if ((data & ~found->second) != 0) return kSlvErr;
  kept_[address] = data;
  return kOkay;
}

std::uint32_t Reference::read(std::uint32_t address) const {
  if (const auto place = placeIn(address, r::slot(0), 4, size_.slots))
    return slotWords[place->index].read();
  if (const auto place = placeIn(address, r::row(0), 4, size_.rows))
    return rowWords[place->index].read();
  if (const auto place = placeIn(address, r::errorCount(0), 4, kCauses))
    return errorCounts[place->index];
  if (const auto place = placeIn(address, r::region(0), 0x40, size_.regions)) {
    if (place->offset == r::kRegDone) return regionCounts_[place->index];
  }
  for (const std::uint32_t counter : kCounters) {
    if (address != counter && address != counter + 4) continue;
    const auto found = counters.find(counter);
    const std::uint64_t count = found == counters.end() ? 0 : found->second;
    return static_cast<std::uint32_t>(address == counter ? count : count >> 32);
  }
  switch (address) {
    case r::kId:
      return 0x54335454;
    case r::kVersion:
      return 0x00020001;
    case r::kConfig0:
      return size_.lanes | size_.banks << 8 | size_.regions << 16 | size_.windows << 24;
    case r::kConfig1:
      return size_.slots | size_.rows << 16;
    case r::kConfig2:
      return size_.countWidth | size_.weightWidth << 8 | size_.wfWidth << 16 |
             size_.protection << 24;
    case r::kConfig3:
      return size_.wgWidth | size_.addrWidth << 8;
    case r::kStatus:
      return (donePort_ ? r::kStatusCommands : 0u) | (rowPort_ ? r::kStatusRows : 0u);
    case r::kIrqStatus:
      return irqStatus_;
    case r::kRegionDone:
      return regionDone_;
    case r::kErrors:
      return errors;
    case r::kErrorFirst:
      return first ? r::kErrorFirstValid | first->cause |
                         first->region.value_or(0) << r::kErrorFirstRegionShift
                   : 0;
    case r::kErrorInfo:
      return first ? first->info : 0;
    default:
      return field(address);
  }
}

}  // namespace t3::rtl_test
