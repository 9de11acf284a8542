// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/tracker_driver.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "tlm/node/tracker_plan.h"
#include "tlm/tracker/registers.h"
#include "tlm/tracker/tracker_config.h"

namespace t3 {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint32_t kOff = 0, kOn = 1, kStopped = 2;  ///< REG_STATE
constexpr auto kWavefrontBits =
    static_cast<std::uint32_t>(std::bit_width(TrackerConfig::kWavefronts) - 1);
constexpr std::uint32_t kReciprocalBits = 26;
/// No walk of the unit's memories is longer, whatever its size.
constexpr int kMostPolls = 1 << 16;

/// Bit s: stack s has some of the bytes.
std::uint32_t stacksOf(const StackShares::Bytes& bytes) {
  std::uint32_t set = 0;
  for (std::size_t s = 0; s < bytes.size(); ++s) set |= bytes[s] != 0 ? 1U << s : 0;
  return set;
}

void reportError(const std::string& text) { SC_REPORT_ERROR("t3/driver", text.c_str()); }

}  // namespace

std::uint32_t TrackerDriver::blockCount(const TrackedRegion& region) const {
  return (region.tiles.count + (1U << program_.blockLog2) - 1) >> program_.blockLog2;
}

TileRange TrackerDriver::blockOf(const TrackedRegion& region, std::uint32_t number) const {
  const std::uint32_t first = region.tiles.first + (number << program_.blockLog2);
  return {first, std::min(1U << program_.blockLog2, region.tiles.end() - first)};
}

/// Whether updates of a tile find a region of the same buffer before number `number`.
bool TrackerDriver::matchesEarlier(std::uint32_t number, WorkgroupId tile) const {
  const auto& regions = program_.regions;
  return std::any_of(regions.begin(), regions.begin() + number, [&](const TrackedRegion& earlier) {
    return earlier.buffer == regions[number].buffer && earlier.tiles.contains(tile);
  });
}

/// Whether a slot counts for a region before number `number`.
bool TrackerDriver::countsForEarlier(std::uint32_t number, std::uint32_t slot) const {
  const auto& regions = program_.regions;
  return std::any_of(regions.begin(), regions.begin() + number, [&](const TrackedRegion& earlier) {
    const std::uint32_t first = earlier.firstCommand.value;
    return slot >= first && slot < first + blockCount(earlier);
  });
}

// ---- before the first kernel ------------------------------------------------------------------

void TrackerDriver::program(const TrackerProgram& program) {
  program_ = program;
  if (judge_ != nullptr) judge_->program(program_);
  addAll(true);
  for (const Step& step : steps_) {
    int polls = 0;
    while (!perform(step, elapsed_)) {
      if (++polls == kMostPolls) return reportError("the tracker does not become ready");
    }
  }
  setup_.first = toPicoseconds(elapsed_);
}

void TrackerDriver::addAll(bool clears) {
  namespace r = registers;
  const std::vector<TrackedRegion>& regions = program_.regions;
  elapsed_ = sc_core::SC_ZERO_TIME;
  setup_.accesses = 0;
  steps_.clear();

  std::vector<std::uint64_t> windows;  // by number, the first address
  std::vector<std::uint32_t> windowOf;
  std::vector<std::uint64_t> sizes;
  for (const TrackedRegion& region : regions) {
    const std::uint64_t base = program_.layout.base(region.buffer);
    const auto found = std::ranges::find(windows, base);
    windowOf.push_back(static_cast<std::uint32_t>(found - windows.begin()));
    if (found == windows.end()) {
      windows.push_back(base);
      sizes.push_back(0);
    }
    std::uint64_t& size = sizes[windowOf.back()];
    size = std::max(size, region.bytes != 0 ? region.bytes : program_.tiling.outputBytes());
  }
  checkParts(windows.size());
  countShares();

  const std::uint32_t all = (ask(r::kConfig0) & r::kConfig0Regions) >> r::kConfig0RegionsShift;
  if (!clears) addDrain();
  unitsOf_.assign(regions.size(), 0);
  forUnits([&] {
    // Whatever ran before: its regions are off, so that all settings may be written.
    addStates(all, kOff);
    if (clears) {
      add(r::kCtrl, r::kCtrlClear);
      addWait(r::kCtrl, r::kCtrlClear);
    }
    firstRows_.assign(regions.size(), std::nullopt);
    for (std::uint32_t w = 0; w < windows.size(); ++w) addWindow(w, windows[w], sizes[w]);
    for (std::uint32_t number = 0; number < regions.size(); ++number) {
      if (!clears) add(r::region(number) + r::kRegDone, 0);
      addRegion(number, windowOf[number]);
    }
    addArming();
  });
  unitsLeft_ = unitsOf_;
  addJoins(clears);
  forUnits([&] {
    addStates(regions.size(), kOn);
    add(r::kIrqEnable, regionDone_ ? r::kIrqStatusRegionDone : 0);
    if (clears) add(r::kCtrl, r::kCtrlEnable);
  });
}

void TrackerDriver::countShares() {
  bytes_.clear();
  for (const TrackedRegion& region : program_.regions) {
    auto& blocks = bytes_.emplace_back(blockCount(region));
    for (std::uint32_t number = 0; number < blocks.size(); ++number) {
      blocks[number] = blockShares(shares_, program_, region.buffer, blockOf(region, number));
      for (std::uint64_t& bytes : blocks[number]) {
        bytes *= region.updatesPerElement;
        if (bytes <= TrackerConfig::kMostCount) continue;
        return reportError("slot " + std::to_string(region.firstCommand.value + number) +
                           " would wait for " + std::to_string(bytes) +
                           " bytes, more than it counts");
      }
    }
  }
}

void TrackerDriver::checkParts(std::size_t windows) {
  namespace r = registers;
  const std::uint32_t parts = ask(r::kConfig0);
  const std::uint32_t memories = ask(r::kConfig1);
  const auto expect = [](const char* what, std::uint64_t needed, std::uint32_t there) {
    if (needed <= there) return;
    reportError("the plan needs " + std::to_string(needed) + " " + what + ", the tracker has " +
                std::to_string(there));
  };
  const std::uint32_t across = program_.tiling.tilesAcross();
  const std::uint32_t blockTiles = 1U << program_.blockLog2;
  expect("regions", program_.regions.size(),
         (parts & r::kConfig0Regions) >> r::kConfig0RegionsShift);
  expect("windows", windows, (parts & r::kConfig0Windows) >> r::kConfig0WindowsShift);
  std::uint32_t slots = 0, rows = 0;
  for (const TrackedRegion& region : program_.regions) {
    slots = std::max(slots, region.firstCommand.value + blockCount(region));
    if (!region.firstRow) continue;
    rows = std::max(rows, *region.firstRow + (region.tiles.end() - 1) / across + 1);
    if (across % blockTiles == 0) continue;
    reportError("blocks of " + std::to_string(blockTiles) + " tiles cross rows of " +
                std::to_string(across) + " that are to be released");
  }
  expect("slots", slots, (memories & r::kConfig1Slots) >> r::kConfig1SlotsShift);
  expect("row slots", rows, (memories & r::kConfig1Rows) >> r::kConfig1RowsShift);
}

void TrackerDriver::addStates(std::size_t regions, std::uint32_t state) {
  for (std::uint32_t number = 0; number < regions; ++number) {
    add(registers::region(number) + registers::kRegState, state);
  }
}

void TrackerDriver::addWindow(std::uint32_t number, std::uint64_t base, std::uint64_t bytes) {
  namespace r = registers;
  const std::uint64_t first = base / kPageBytes;
  const std::uint64_t last = (base + bytes - 1) / kPageBytes;
  const std::uint32_t window = r::window(number);
  add(window + r::kWindowPageFirst, static_cast<std::uint32_t>(first));
  add(window + r::kWindowPageLast, static_cast<std::uint32_t>(last));
  add(window + r::kWindowPageHigh, static_cast<std::uint32_t>((first >> 32) | (last >> 32 << 16)));
}

void TrackerDriver::addRegion(std::uint32_t number, std::uint32_t window) {
  namespace r = registers;
  const TrackedRegion& region = program_.regions[number];
  const std::uint32_t base = r::region(number);
  const std::uint32_t first = region.firstCommand.value;
  const std::uint32_t blocks = blockCount(region);
  std::uint32_t target = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t tile = blockOf(region, block).first;
    const bool unwritten = std::ranges::any_of(region.unwritten, [&](const TileRange& tiles) {
      return tiles.contains(WorkgroupId{tile});
    });
    const bool counts = bytes_[number][block][face_] != 0;
    if (counts && !unwritten && !countsForEarlier(number, first + block)) ++target;
  }
  if (target != 0) unitsOf_[number] |= 1U << face_;
  add(base + r::kRegCtrl, (region.trigger ? r::kRegCtrlTrigger : 0) |
                              (region.firstRow ? r::kRegCtrlRows : 0) |
                              (kWavefrontBits + program_.blockLog2) << r::kRegCtrlShiftShift |
                              window << r::kRegCtrlWindowShift);
  add(base + r::kRegWgFirst, region.tiles.first);
  add(base + r::kRegWgLast, region.tiles.end() - 1);
  add(base + r::kRegSlotFirst, first);
  add(base + r::kRegSlotLast, first + blocks - 1);
  add(base + r::kRegTarget, target);
  addRowRegisters(number);
}

/// Nothing where they are as they should be.
void TrackerDriver::addRowRegisters(std::uint32_t number) {
  namespace r = registers;
  const TrackedRegion& region = program_.regions[number];
  if (region.firstRow == firstRows_[number]) return;
  firstRows_[number] = region.firstRow;
  if (!region.firstRow) return;
  const std::uint32_t across = program_.tiling.tilesAcross();
  const std::uint32_t blocksPerRow = across >> program_.blockLog2;
  const std::uint32_t base = r::region(number);
  add(base + r::kRegRowFirst, *region.firstRow + region.tiles.first / across);
  add(base + r::kRegRowPhase, (region.tiles.first % across) >> program_.blockLog2);
  add(base + r::kRegRowReciprocal, ((1U << kReciprocalBits) + blocksPerRow - 1) / blocksPerRow);
}

// ---- arming -----------------------------------------------------------------------------------

void TrackerDriver::addArming() {
  addStates(program_.regions.size(), kStopped);
  // A slot that regions have in common gets what the first of them waits for, which comes last.
  for (auto number = static_cast<std::uint32_t>(program_.regions.size()); number-- > 0;) {
    addSlots(number);
  }
  addRows();
}

void TrackerDriver::addSlots(std::uint32_t number) {
  namespace r = registers;
  const TrackedRegion& region = program_.regions[number];
  std::map<std::uint32_t, std::uint32_t> bytesOf;  // by slot
  std::map<std::uint32_t, std::uint32_t> howOften;
  for (std::uint32_t block = 0; block < blockCount(region); ++block) {
    const std::uint32_t slot = region.firstCommand.value + block;
    if (countsForEarlier(number, slot)) continue;
    const auto bytes = static_cast<std::uint32_t>(bytes_[number][block][face_]);
    bytesOf[slot] = bytes;
    ++howOften[bytes];
  }
  if (bytesOf.empty()) return;
  const auto most =
      std::ranges::max_element(howOften, {}, [](const auto& entry) { return entry.second; });
  add(r::kFill, most->first | number << r::kFillRegionShift);
  addWait(r::kStatus, r::kStatusFilling);
  for (const auto& [slot, bytes] : bytesOf) {
    if (bytes != most->first) add(r::slot(slot), bytes);
  }
}

void TrackerDriver::addRows() {
  std::map<std::uint32_t, std::uint32_t> blocks;  // by row slot
  for (std::uint32_t number = 0; number < program_.regions.size(); ++number) {
    const TrackedRegion& region = program_.regions[number];
    if (!region.firstRow) continue;
    for (std::uint32_t block = 0; block < blockCount(region); ++block) {
      const std::uint32_t first = blockOf(region, block).first;
      if (matchesEarlier(number, WorkgroupId{first})) continue;
      blocks[*region.firstRow + first / program_.tiling.tilesAcross()] +=
          bytes_[number][block][face_] != 0 ? 1 : 0;
    }
  }
  for (const auto& [row, count] : blocks) add(registers::row(row), count);
}

void TrackerDriver::addJoins(bool clears) {
  if (shares_.stacks() == 1) return;
  face_ = shares_.stacks();
  addSets(slotSets(), clears);
  ++face_;
  addSets(rowSets(), clears);
  face_ = 0;
}

/// A run of slots gets the set of all stacks at once, then those that have another one.
void TrackerDriver::addSets(const Sets& sets, bool clears) {
  const std::uint32_t all = (1U << shares_.stacks()) - 1;
  if (clears) add(stacked::kJoinSaid, 0);
  for (auto first = sets.begin(); first != sets.end();) {
    auto last = first, end = std::next(first);
    for (; end != sets.end() && end->first == last->first + 1; ++end) last = end;
    addJoinCommand(first->first, last->first, all, clears);
    for (; first != end;) {
      const auto [slot, set] = *first;
      std::uint32_t behind = slot;
      for (; first != end && first->second == set; ++first) behind = first->first;
      if (set != all) addJoinCommand(slot, behind, set, true);
    }
  }
}

void TrackerDriver::addJoinCommand(std::uint32_t first, std::uint32_t last, std::uint32_t set,
                                   bool force) {
  add(stacked::kJoinRange, first | last << stacked::kJoinRangeLastShift);
  add(stacked::kJoinCommand,
      set | stacked::kJoinCommandWrite | (force ? stacked::kJoinCommandForce : 0));
  if (!force) add(stacked::kJoinStatus, stacked::kJoinStatusRefused, Step::Kind::Expect);
}

/// Of slots that units say, each for its first region.
TrackerDriver::Sets TrackerDriver::slotSets() const {
  Sets sets;
  for (std::uint32_t number = 0; number < program_.regions.size(); ++number) {
    const TrackedRegion& region = program_.regions[number];
    for (std::uint32_t block = 0; region.trigger && block < blockCount(region); ++block) {
      const std::uint32_t slot = region.firstCommand.value + block;
      if (!countsForEarlier(number, slot)) sets[slot] = stacksOf(bytes_[number][block]);
    }
  }
  return sets;
}

TrackerDriver::Sets TrackerDriver::rowSets() const {
  Sets sets;
  for (std::uint32_t number = 0; number < program_.regions.size(); ++number) {
    const TrackedRegion& region = program_.regions[number];
    for (std::uint32_t block = 0; region.firstRow && block < blockCount(region); ++block) {
      const std::uint32_t first = blockOf(region, block).first;
      if (matchesEarlier(number, WorkgroupId{first})) continue;
      sets[*region.firstRow + first / program_.tiling.tilesAcross()] |=
          stacksOf(bytes_[number][block]);
    }
  }
  return sets;
}

// ---- another kernel, and one more -------------------------------------------------------------

/// False if the one before is not over.
bool TrackerDriver::begin(const TrackerProgram& program, Done done) {
  if (!next_.empty()) {
    reportError("programmed while it is being programmed");
    return false;
  }
  program_ = program;
  done_ = std::move(done);
  return true;
}

void TrackerDriver::programNext(const TrackerProgram& program, Done done) {
  if (!begin(program, std::move(done))) return;
  addAll(false);
  next_.post(now(), 0);
}

void TrackerDriver::programAgain(const TrackerProgram& program, Done done) {
  namespace r = registers;
  if (program.regions.size() != firstRows_.size()) {
    return reportError("programmed again with other regions");
  }
  for (std::size_t number = 0; number < firstRows_.size(); ++number) {
    if (program.regions[number].firstRow.has_value() != firstRows_[number].has_value()) {
      return reportError("programmed again with other rows");
    }
  }
  if (!begin(program, std::move(done))) return;
  elapsed_ = sc_core::SC_ZERO_TIME;
  setup_.accesses = 0;
  steps_.clear();
  addDrain();
  const auto before = firstRows_;
  forUnits([&] {
    firstRows_ = before;
    for (std::uint32_t number = 0; number < firstRows_.size(); ++number) {
      add(r::region(number) + r::kRegDone, 0);
      if (program_.regions[number].firstRow == firstRows_[number]) continue;
      add(r::region(number) + r::kRegState, kOff);
      addRowRegisters(number);
    }
    addArming();
  });
  unitsLeft_ = unitsOf_;
  addJoins(false);
  forUnits([&] { addStates(program_.regions.size(), kOn); });
  next_.post(now(), 0);
}

/// A slot that waits to be said cannot be armed, and no update may be inside when settings change.
void TrackerDriver::addDrain() {
  namespace r = registers;
  forUnits([&] { addWait(r::kStatus, r::kStatusBusy | r::kStatusCommands | r::kStatusRows); });
  if (shares_.stacks() != 1) {
    for (const std::uint32_t join : {0U, 1U}) {
      face_ = shares_.stacks() + join;
      addWait(stacked::kJoinStatus, stacked::kJoinStatusWaiting);
    }
    face_ = 0;
  }
  drains_ = steps_.size();
}

void TrackerDriver::proceed(std::size_t number) {
  if (number == steps_.size()) {
    setup_.again = std::max(setup_.again, toPicoseconds(elapsed_));
    const Done done = std::exchange(done_, nullptr);
    return done();
  }
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const bool over = perform(steps_[number], delay);
  elapsed_ += delay;
  if (over) ++progress_;
  if (number + 1 == drains_ && over && judge_ != nullptr) judge_->program(program_);
  next_.post(now() + toPicoseconds(delay), over ? number + 1 : number);
}

// ---- interrupts -------------------------------------------------------------------------------

void TrackerDriver::interrupted() {
  if (std::exchange(answers_, true)) return;  // the levels are looked at in the end
  answering_.post(now(), Answer::ClearStatus);
}

/// One more unit has done all blocks of the region that it has.
void TrackerDriver::unitHasDone(std::uint32_t region) {
  if (region >= unitsLeft_.size() || (unitsLeft_[region] >> answered_ & 1) == 0) return;
  unitsLeft_[region] &= ~(1U << answered_);
  if (unitsLeft_[region] == 0) regionDone_(region);
}

void TrackerDriver::answer(Answer step) {
  namespace r = registers;
  ++progress_;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const auto then = [&](Answer following) {
    answering_.post(now() + toPicoseconds(delay), following);
  };
  switch (step) {
    case Answer::ClearStatus: {
      const std::uint32_t levels = interrupts_ ? interrupts_() : 0;
      answered_ = levels == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(levels));
      write(stacked::face(answered_) | r::kIrqStatus, r::kIrqStatusRegionDone, delay);
      return then(Answer::ReadRegions);
    }
    case Answer::ReadRegions:
      regionsDone_ = read(stacked::face(answered_) | r::kRegionDone, delay);
      return then(Answer::ClearRegions);
    case Answer::ClearRegions:
      write(stacked::face(answered_) | r::kRegionDone, regionsDone_, delay);
      return then(Answer::Tell);
    case Answer::Tell:
      break;
  }
  answers_ = interrupts_ && interrupts_() != 0;
  if (answers_) then(Answer::ClearStatus);
  const std::uint32_t done = std::exchange(regionsDone_, 0);
  for (std::uint32_t region = 0; done >> region != 0; ++region) {
    if ((done >> region & 1) != 0) unitHasDone(region);
  }
}

// ---- registers --------------------------------------------------------------------------------

bool TrackerDriver::perform(const Step& step, sc_core::sc_time& delay) {
  ++setup_.accesses;
  switch (step.kind) {
    case Step::Kind::Write:
      write(step.address, step.value, delay);
      return true;
    case Step::Kind::Wait:
      return (read(step.address, delay) & step.value) == 0;
    case Step::Kind::Expect:
      if ((read(step.address, delay) & step.value) == 0) return true;
      reportError("a join refuses a command: a slot misses shares, or waits");
      return true;
  }
  return true;
}

std::uint32_t TrackerDriver::ask(std::uint32_t address) {
  ++setup_.accesses;
  return read(address, elapsed_);
}

void TrackerDriver::write(std::uint32_t address, std::uint32_t value, sc_core::sc_time& delay) {
  access(tlm::TLM_WRITE_COMMAND, address, value, delay);
}

std::uint32_t TrackerDriver::read(std::uint32_t address, sc_core::sc_time& delay) {
  std::uint32_t value = 0;
  access(tlm::TLM_READ_COMMAND, address, value, delay);
  return value;
}

void TrackerDriver::access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value,
                           sc_core::sc_time& delay) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  registers->b_transport(payload, delay);
  delay += gap_;
  if (!payload.is_response_ok()) {
    char text[64];
    std::snprintf(text, sizeof text, "register access at 0x%04x failed: ", address);
    reportError(text + payload.get_response_string());
  }
}

}  // namespace t3
