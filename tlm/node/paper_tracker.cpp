// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/paper_tracker.h"

#include <algorithm>

namespace t3 {

void PaperTracker::program(const TrackerProgram& program) {
  if (const std::string before = undone(); !before.empty()) note(before);
  tiling_ = program.tiling;
  blockLog2_ = program.blockLog2;
  regions_.clear();
  slots_.clear();
  rows_.clear();
  for (const TrackedRegion& plan : program.regions) {
    Region region{plan, program.layout.base(plan.buffer), 0, {}};
    region.end = region.begin + (plan.bytes != 0 ? plan.bytes : tiling_.outputBytes());
    region.missing.resize(std::size_t{plan.tiles.count} * tiling_.wavefronts());
    for (std::uint32_t wg = plan.tiles.first; wg < plan.tiles.end(); ++wg) {
      for (std::uint32_t wf = 0; wf < tiling_.wavefronts(); ++wf) {
        const WorkgroupId workgroup{wg};
        const WavefrontId wavefront{wf};
        region.missing[indexOf(region, workgroup, wavefront)] =
            wanted(region, workgroup, wavefront);
      }
    }
    regions_.push_back(std::move(region));
  }
  for (std::size_t index = 0; index < regions_.size(); ++index) {
    addSlots(regions_[index]);
    if (regions_[index].plan.firstRow) addRows(index);
  }
}

/// Where regions have a slot in common, the first one says what it waits for.
void PaperTracker::addSlots(const Region& region) {
  const std::size_t before = slots_.size();
  std::vector<bool> taken(before);
  for (std::size_t slot = 0; slot < before; ++slot) taken[slot] = slots_[slot].used;
  for (std::uint32_t wg = region.plan.tiles.first; wg < region.plan.tiles.end(); ++wg) {
    const std::uint32_t number = slotOf(region, WorkgroupId{wg});
    if (number < before && taken[number]) continue;
    if (number >= slots_.size()) slots_.resize(number + 1);
    Slot& slot = slots_[number];
    slot.used = true;
    slot.leaves = region.plan.trigger;
    slot.missing += tiling_.liveWavefronts(WorkgroupId{wg});
  }
}

/// A row counts the tiles that no region before this one of the same buffer matches.
void PaperTracker::addRows(std::size_t index) {
  const Region& region = regions_[index];
  for (std::uint32_t wg = region.plan.tiles.first; wg < region.plan.tiles.end(); ++wg) {
    const auto matchesFirst = [&](const Region& other) {
      return other.plan.buffer == region.plan.buffer && other.plan.tiles.contains(WorkgroupId{wg});
    };
    if (std::any_of(regions_.begin(), regions_.begin() + static_cast<std::ptrdiff_t>(index),
                    matchesFirst)) {
      continue;
    }
    const std::uint32_t number = rowOf(region, WorkgroupId{wg});
    if (number >= rows_.size()) rows_.resize(number + 1);
    Slot& row = rows_[number];
    row.used = true;
    row.leaves = true;
    row.missing += tiling_.liveWavefronts(WorkgroupId{wg});
  }
}

std::uint32_t PaperTracker::slotOf(const Region& region, WorkgroupId workgroup) const {
  return region.plan.firstCommand.value +
         ((workgroup.value - region.plan.tiles.first) >> blockLog2_);
}

std::uint32_t PaperTracker::rowOf(const Region& region, WorkgroupId workgroup) const {
  return *region.plan.firstRow + workgroup.value / tiling_.tilesAcross();
}

std::uint32_t PaperTracker::wanted(const Region& region, WorkgroupId workgroup,
                                   WavefrontId wavefront) const {
  return static_cast<std::uint32_t>(tiling_.bytes(tiling_.wavefrontTile(workgroup, wavefront)) *
                                    region.plan.updatesPerElement);
}

std::size_t PaperTracker::indexOf(const Region& region, WorkgroupId workgroup,
                                  WavefrontId wavefront) const {
  return std::size_t{workgroup.value - region.plan.tiles.first} * tiling_.wavefronts() +
         wavefront.value;
}

// ---- counting ---------------------------------------------------------------------------------

void PaperTracker::pieceTaken(std::uint32_t /*lane*/, const LanePiece& piece) {
  for (std::size_t index = 0; index < regions_.size(); ++index) {
    Region& region = regions_[index];
    if (piece.address < region.begin || piece.address >= region.end ||
        !region.plan.tiles.contains(piece.workgroup) ||
        piece.wavefront.value >= tiling_.wavefronts()) {
      continue;
    }
    ++counted_;
    std::uint32_t& missing = region.missing[indexOf(region, piece.workgroup, piece.wavefront)];
    if (missing > piece.weight()) {
      missing -= static_cast<std::uint32_t>(piece.weight());
    } else {
      settle(index, piece, missing);
    }
    return;
  }
}

/// An update that completes its tile, or does not belong to it.
void PaperTracker::settle(std::size_t index, const LanePiece& piece, std::uint32_t& missing) {
  const Region& region = regions_[index];
  if (missing < piece.weight()) {
    note(nameOf({index, piece.workgroup, piece.wavefront}) + " received " +
         std::to_string(piece.weight() - missing) + " bytes more than it has, at address " +
         std::to_string(piece.address));
  }
  if (missing == 0) return;
  missing = 0;
  ++completed_;
  const auto completes = [](Slot& slot) {
    if (slot.missing != 0) --slot.missing;
  };
  if (region.plan.firstRow) completes(rows_[rowOf(region, piece.workgroup)]);
  completes(slots_[slotOf(region, piece.workgroup)]);
}

// ---- judging ----------------------------------------------------------------------------------

void PaperTracker::commandIssued(const TriggerMessage& message) {
  leaves("command", message.command.value, slots_);
}

void PaperTracker::released(const ReleaseMessage& message) { leaves("row", message.row, rows_); }

void PaperTracker::leaves(const char* what, std::uint32_t number, std::vector<Slot>& slots) {
  const std::string name = std::string(what) + " " + std::to_string(number);
  if (number >= slots.size() || !slots[number].leaves) {
    return note(name + " left, and nobody asked for it");
  }
  Slot& slot = slots[number];
  if (slot.left) note(name + " left twice");
  if (!slot.due()) note(name + " left too early: " + firstMissing(number, &slots == &rows_));
  slot.left = true;
}

std::string PaperTracker::faultAtEnd() const { return fault_.empty() ? undone() : fault_; }

std::string PaperTracker::undone() const {
  for (std::size_t index = 0; index < regions_.size(); ++index) {
    const Region& region = regions_[index];
    for (std::uint32_t wg = region.plan.tiles.first; wg < region.plan.tiles.end(); ++wg) {
      for (std::uint32_t wf = 0; wf < tiling_.wavefronts(); ++wf) {
        const WorkgroupId workgroup{wg};
        const WavefrontId wavefront{wf};
        const std::uint32_t missing = region.missing[indexOf(region, workgroup, wavefront)];
        if (missing != 0 && missing != wanted(region, workgroup, wavefront)) {
          return nameOf({index, workgroup, wavefront}) + " still misses " +
                 std::to_string(missing) + " bytes";
        }
      }
    }
  }
  const auto owing = [](const std::vector<Slot>& slots, const char* what) -> std::string {
    const auto found = std::ranges::find_if(slots, &Slot::owes);
    if (found == slots.end()) return {};
    return std::string(what) + " " + std::to_string(found - slots.begin()) +
           " is due and has not left";
  };
  const std::string command = owing(slots_, "command");
  return command.empty() ? owing(rows_, "row") : command;
}

std::string PaperTracker::firstMissing(std::uint32_t slotNumber, bool rows) const {
  for (std::size_t index = 0; index < regions_.size(); ++index) {
    const Region& region = regions_[index];
    if (rows && !region.plan.firstRow) continue;
    for (std::uint32_t wg = region.plan.tiles.first; wg < region.plan.tiles.end(); ++wg) {
      const WorkgroupId workgroup{wg};
      if ((rows ? rowOf(region, workgroup) : slotOf(region, workgroup)) != slotNumber) continue;
      for (std::uint32_t wf = 0; wf < tiling_.wavefronts(); ++wf) {
        const std::uint32_t missing = region.missing[indexOf(region, workgroup, WavefrontId{wf})];
        if (missing == 0) continue;
        return nameOf({index, workgroup, WavefrontId{wf}}) + " misses " + std::to_string(missing) +
               " bytes";
      }
    }
  }
  return "no tile says why";
}

std::string PaperTracker::nameOf(const Tile& tile) const {
  return "wavefront tile " + std::to_string(tile.wavefront.value) + " of workgroup " +
         std::to_string(tile.workgroup.value) + " (region " + std::to_string(tile.region) + ")";
}

}  // namespace t3
