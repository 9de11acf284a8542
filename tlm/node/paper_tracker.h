// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/gpu/tiling.h"
#include "tlm/node/tracker_plan.h"
#include "tlm/tracker/tracker.h"

namespace t3 {

/// Counts beside the tracker as the paper does, and judges what the tracker sends.
///
/// The T3 paper counts the updates of each wavefront's output tile by itself: a tile is complete
/// when it has received its bytes as often as each of its elements is updated, and a command is due
/// when all tiles of its block are complete. This class does just that, of any size, with nothing
/// shared or rounded. It sees every update as it enters a lane, and every command and released row
/// as it leaves, of any kind of tracker. So it says of each run whether the tracker beside it did
/// what T3's tracker does (docs/paper-tracker.md). It only judges: nothing in a simulated machine
/// hears of it, only reports do.
///
/// What it takes for a fault, with the tile concerned:
/// - a command or a row leaves before all of its tiles are complete, or once more;
/// - a tile receives more bytes than it has, which a count of bytes cannot tell from its own;
/// - at the end: something is due and has not left, or a tile that began is not complete.
class PaperTracker : public TrackerObserver {
 public:
  /// What is counted from now on. Whatever the program before left undone stays a fault.
  void program(const TrackerProgram& program);

  void pieceTaken(std::uint32_t lane, const LanePiece& piece) override;
  void commandIssued(const TriggerMessage& message) override;
  void released(const ReleaseMessage& message) override;

  /// Updates that lie in a region.
  std::uint64_t counted() const { return counted_; }
  /// Wavefront tiles that have been complete.
  std::uint64_t completed() const { return completed_; }
  /// Bytes of the block of a slot are missing.
  bool misses(CommandId slot) const {
    return slot.value < slots_.size() && slots_[slot.value].missing != 0;
  }

  /// One line about the first fault so far; empty if there is none.
  const std::string& fault() const { return fault_; }
  /// The same, where nothing is to come any more.
  std::string faultAtEnd() const;

 private:
  struct Region {
    TrackedRegion plan;
    std::uint64_t begin = 0, end = 0;    ///< bytes of its buffer
    std::vector<std::uint32_t> missing;  ///< bytes, [tile of the range][wavefront]
  };
  /// What counts tiles: a command's slot or a row's.
  struct Slot {
    std::uint32_t missing = 0;  ///< wavefront tiles
    bool used = false;
    bool leaves = false;  ///< when it is due; all rows do
    bool left = false;

    bool due() const { return used && missing == 0; }
    bool owes() const { return due() && leaves && !left; }
  };
  /// A wavefront tile of a region.
  struct Tile {
    std::size_t region;
    WorkgroupId workgroup;
    WavefrontId wavefront;
  };

  void addSlots(const Region& region);
  void addRows(std::size_t index);
  std::uint32_t slotOf(const Region& region, WorkgroupId workgroup) const;
  std::uint32_t rowOf(const Region& region, WorkgroupId workgroup) const;
  std::uint32_t wanted(const Region& region, WorkgroupId workgroup, WavefrontId wavefront) const;
  std::size_t indexOf(const Region& region, WorkgroupId workgroup, WavefrontId wavefront) const;
  void settle(std::size_t region, const LanePiece& piece, std::uint32_t& missing);
  void leaves(const char* what, std::uint32_t number, std::vector<Slot>& slots);
  /// The first tile for which `slotNumber` is waiting, in words; `rows`: of row slots.
  std::string firstMissing(std::uint32_t slotNumber, bool rows) const;
  std::string nameOf(const Tile& tile) const;
  void note(const std::string& text) {
    if (fault_.empty()) fault_ = text;
  }
  std::string undone() const;

  Tiling tiling_{{1, 1, 1}, {1, 1, 1}, 1};
  std::uint32_t blockLog2_ = 0;
  std::vector<Region> regions_;
  std::vector<Slot> slots_, rows_;
  std::uint64_t counted_ = 0, completed_ = 0;
  std::string fault_;
};

}  // namespace t3
