// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tlm/tracker/lane_queue.h"
#include "tlm/tracker/slot_words.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// The updates that the two sides of a lockstep pair have taken from their lanes, and what became
/// of the slots.
///
/// Both sides get the same updates, but each takes them when it can. So a side may know of an
/// update that the other one has not seen yet. What one side alone has taken decides whether its
/// output is early, or only ahead; and how much a side had taken when it sent something says from
/// when on the other one can send it, too.
class LockstepUpdates {
 public:
  enum class Side : std::size_t { Rtl, Twin };
  static constexpr std::size_t kMostLanes = 16;

  struct Taken {
    std::uint32_t lane = 0;
    LaneUpdate update;
    Picoseconds time = 0;
  };
  /// How many updates a side has taken from each lane.
  using Counts = std::array<std::uint64_t, kMostLanes>;

  explicit LockstepUpdates(std::uint32_t lanes) : lanes_(lanes) {}

  /// `slot`: it counts for that one.
  void took(Side side, const Taken& taken, std::optional<std::uint32_t> slot);

  const Counts& taken(Side side) const { return taken_[index(side)]; }
  /// Whether the side has not taken all of `counts` yet.
  bool behind(Side side, const Counts& counts) const;
  /// What that side alone has taken from a lane, oldest first.
  const std::deque<Taken>& ahead(Side side, std::uint32_t lane) const {
    return lanes_[lane].ahead[index(side)];
  }
  /// When the side last took one from the lane.
  Picoseconds lastTaken(Side side, std::uint32_t lane) const {
    return lanes_[lane].last[index(side)];
  }
  std::uint32_t lanes() const { return static_cast<std::uint32_t>(lanes_.size()); }

  // ---- what became of the slots -----------------------------------------------------------------

  void counted(std::uint32_t slot, std::uint32_t bytes, SlotWords::Outcome outcome);
  void said(Side side, std::uint32_t slot);
  /// It is armed anew: what was said of it is of the time before.
  void armed(std::uint32_t slot);
  void forget();

  /// When the RTL last said that the slot is done, since it was armed.
  std::optional<Picoseconds> saidByRtl(std::uint32_t slot) const;
  /// Lines about the slot: its last update, and its last events.
  std::string story(std::uint32_t slot) const;
  /// Lines about the last updates of all that the RTL has taken.
  std::string lastUpdates() const;

 private:
  struct Incident {
    enum class What : std::uint8_t { Taken, Counted, Done, Overrun, Stray, RtlSays, TwinSays };
    What what = What::Counted;
    std::uint32_t bytes = 0;  ///< of those of the twin's counts
    Taken taken;              ///< of Taken
    Picoseconds time = 0;
  };
  struct Lane {
    std::deque<Taken> ahead[2];  ///< by side; at most one of them has any
    Picoseconds last[2] = {0, 0};
  };

  static std::size_t index(Side side) { return static_cast<std::size_t>(side); }
  static std::string tell(const Incident& incident);
  void remember(std::uint32_t slot, Incident incident);

  std::vector<Lane> lanes_;
  Counts taken_[2] = {};
  std::deque<Taken> last_;                                           ///< of the RTL, oldest first
  std::unordered_map<std::uint32_t, std::deque<Incident>> history_;  ///< by slot, oldest first
};

/// "128 bytes at 0x224000 of workgroup 10, wavefront 3 at lane 5".
std::string updateText(const LockstepUpdates::Taken& taken);

}  // namespace t3
