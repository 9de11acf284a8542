// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tlm/tracker/lockstep_twin.h"
#include "tlm/tracker/rtl_tracker.h"
#include "tlm/transport/agenda.h"

namespace t3 {

/// The RTL drives the system. The behavioural twin sees the same lane updates and register writes
/// and spills to a memory of its own. All outputs of the two are compared. The first difference
/// ends the run with an error report "t3/lockstep": time, cycle, signal, the RTL's value, the
/// twin's; below that the last updates and completions of the workgroup it is about, and the
/// options that draw a waveform of the time around it.
///
/// Compared
/// - Commands and notifications, one by one: what one side sends the other must send within
///   `windowCycles()`, with the same command, region and workgroup, notifications also with the
///   same address. So events further apart than two windows come in the same order on both sides.
///   Closer ones may swap, and the notification of several wavefront tiles may name another one of
///   those that completed within the window. The address of a tile that can be parked is not
///   compared: it depends on which bytes complete the first contribution, and so on the order in
///   which a bank sees the lanes. While the world outside holds a side up (updates wait at a lane,
///   records are under way, the DMA engine refuses a command), the window of that side has not
///   begun.
/// - Releases likewise, by row slot.
/// - Register writes and reads of configuration: response and value. Status and counters differ in
///   time and are left out.
/// - Counts of updates, untracked updates, completed tiles, triggers, notifications and releases,
/// when
///   both sides are idle: at `statistics()` and before CTRL.clear zeroes them. Evictions and fills
///   are not compared: they depend on the order in which a bank sees the lanes.
class LockstepTracker : public RtlTracker, private TrackerObserver, private TwinListener {
 public:
  /// In the worst case the RTL holds 8 updates per lane that all go to one bank, each with an
  /// eviction, while the twin has no queues: 4 cycles for each of them, and 64 for the pipelines.
  static constexpr std::uint32_t windowCycles(std::uint32_t lanes) { return 4 * 8 * lanes + 64; }

  LockstepTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
                  const RtlOptions& options = {});
  ~LockstepTracker() override;

  TrackerStatistics statistics() override;
  bool idle() const override;
  std::string waiting() override;

 protected:
  Picoseconds cycle(Picoseconds edge) override;
  void accessRegister(Payload& payload, sc_core::sc_time& delay) override;

  /// Whether the twin sees this piece. A test overrides it to make the two sides differ.
  virtual bool showTwin(std::uint32_t /*lane*/, const LanePiece& /*piece*/) { return true; }

 private:
  enum class Kind : std::size_t { Command, Notification, Release };
  static constexpr std::size_t kKinds = 3;
  enum class Side : std::size_t { Rtl, Twin };
  struct Event {
    TriggerMessage message;  ///< Release: the row slot is in the command's place
    Picoseconds time;
  };
  struct Completion {
    WorkgroupId workgroup;
    std::uint64_t address;
    bool exactAddress;
    Picoseconds time;
  };

  /// Something that happened to a workgroup.
  struct Incident {
    enum class What : std::uint8_t { Piece, TwinCompletes, RtlSays, TwinSays };
    What what = What::Piece;
    std::uint32_t lane = 0;  ///< Piece
    LanePiece piece;         ///< Piece
    CommandId command;       ///< the others
    Picoseconds time = 0;
  };
  static std::string tell(const Incident& incident);

  void pieceTaken(std::uint32_t lane, const LanePiece& piece) override;
  void commandIssued(const TriggerMessage& message) override;
  void notified(const TriggerMessage& message) override;
  void released(std::uint32_t row) override;

  void twinIssued(const TriggerMessage& message) override;
  void twinNotified(const TriggerMessage& message) override;
  void twinReleased(std::uint32_t row) override;
  void twinCompleted(CommandId command, WorkgroupId workgroup, std::uint64_t address,
                     bool exactAddress) override;
  void twinCycled() override { sample(Side::Twin); }

  void said(Side side, Kind kind, const TriggerMessage& message);
  void compare(Kind kind, const TriggerMessage& rtl, const TriggerMessage& twin);
  void sample(Side side);
  void armWindow(Picoseconds from);
  void checkWindow();
  void compareCounts();
  void remember(WorkgroupId workgroup, Incident incident);
  void differ(const std::string& signal, const std::string& rtl, const std::string& twin,
              std::optional<WorkgroupId> workgroup = {});

  Picoseconds window_;
  std::unique_ptr<LockstepTwin> twin_;
  /// What only one side has sent so far, oldest first: [side][kind].
  std::deque<Event> pending_[2][kKinds];
  /// For each side: the last time at which it was held up, and whether it was so at the last look.
  Picoseconds lastHeld_[2] = {0, 0};
  bool wasHeld_[2] = {false, false};
  std::unordered_map<std::uint32_t, std::vector<Completion>> completions_;  ///< twin's, by command
  Alarm windowAlarm_{Turn::Check, [this] { checkWindow(); }};
  /// By workgroup, oldest first: what happened to its entries.
  std::unordered_map<std::uint32_t, std::deque<Incident>> history_;
};

}  // namespace t3
