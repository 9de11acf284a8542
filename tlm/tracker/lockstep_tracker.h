// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tlm/tracker/lockstep_twin.h"
#include "tlm/tracker/rtl_tracker.h"
#include "tlm/transport/agenda.h"

namespace t3 {

/// The RTL drives the system. The behavioural twin sees the same lane updates and register writes.
/// All outputs of the two are compared. The first difference ends the run with an error report
/// "t3/lockstep": time, cycle, signal, the RTL's value, the twin's; below that the last events of
/// the slot it is about, and the options that draw a waveform of the time around it.
///
/// Compared
/// - Commands and rows, one by one: what one side sends the other must send within
///   `windowCycles()`. So events further apart than two windows come in the same order on both
///   sides. Closer ones may swap. While the world outside holds a side up (updates wait at a lane,
///   the DMA engine refuses a command), the window of that side has not begun. A side that is
///   behind by more than its queue looks through its slots: then its window begins with its latest
///   output.
/// - Register writes, and reads of configuration: response and value. Status, counters and slots
///   differ in time and are left out.
/// - When both sides are idle, at `statistics()` and before CTRL.clear: counts of updates,
///   untracked and dropped ones, of what was completed, triggered, taken and released, DONE of all
///   regions, and what is missing in every slot that was armed.
/// - Then, and when software reads one of them while both sides are idle: ERROR_COUNT, ERRORS,
///   IRQ_STATUS, REGION_DONE, ERROR_FIRST.valid; the rest of ERROR_FIRST and ERROR_INFO if there
///   was one error since ERROR_FIRST was free. Not the bits that software cleared while one side
///   was behind, until it clears them while both are idle; not causes that depend on when software
///   arms, after it armed under traffic, until the next clear.
///
/// Not compared, because both sides may be right
/// - Slots with a surplus of bytes, and their rows: whether an update too many completes the slot
///   before its last one depends on the order in which a bank sees the lanes. Both sides must
///   report a surplus, though. After one, neither what it completes nor errors of rows and arming.
/// - What happens from the moment software stops a region that has updates under way, clears or
///   disables the unit, until both sides are idle again: how many updates still count depends on
///   how far each side is. Counts are then compared from the next clear on.
class LockstepTracker : public RtlTracker, private TrackerObserver, private TwinListener {
 public:
  /// In the worst case the RTL holds 8 updates per lane that all go to one bank, while the twin has
  /// no queues: 4 cycles for each of them, and 64 for the pipelines.
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
  /// What the twin sees of a register write. A test overrides it for the same reason.
  virtual std::uint32_t shownToTwin(std::uint32_t /*offset*/, std::uint32_t value) { return value; }

 private:
  enum class Kind : std::size_t { Command, Release };
  static constexpr std::size_t kKinds = 2;
  enum class Side : std::size_t { Rtl, Twin };
  struct Event {
    std::uint32_t number;  ///< slot, or row slot
    Picoseconds time;
  };
  /// What one side has sent and the other has not, of one kind.
  struct Pending {
    std::deque<Event> events;  ///< oldest first
    bool many = false;         ///< there were more of them than the other side's queue holds
  };

  /// Something that happened to a slot.
  struct Incident {
    enum class What : std::uint8_t { Counted, Done, Overrun, Stray, RtlSays, TwinSays };
    What what = What::Counted;
    std::uint32_t bytes = 0;  ///< of the first four
    Picoseconds time = 0;
  };
  static std::string tell(const Incident& incident);

  void pieceTaken(std::uint32_t lane, const LanePiece& piece) override;
  void commandIssued(const TriggerMessage& message) override;
  void released(std::uint32_t row) override;

  void twinIssued(const TriggerMessage& message) override;
  void twinReleased(std::uint32_t row) override;
  void counted(std::uint32_t slot, std::uint32_t bytes, SlotWords::Outcome outcome,
               std::optional<std::uint32_t> row) override;
  void cycled() override { sample(Side::Twin); }

  void said(Side side, Kind kind, std::uint32_t number);
  bool surplus(Kind kind, std::uint32_t number) const;
  bool disturbs(std::uint32_t offset, std::uint32_t value);
  void loosen();
  void written(std::uint32_t offset, std::uint32_t value, bool quiet);
  void cleared(std::uint32_t offset, std::uint32_t bits, bool quiet);
  void arm(std::uint32_t slot);
  void forget(Kind kind, std::uint32_t number);
  bool compareAccess(const Payload& payload, tlm::tlm_response_status twin, std::uint32_t value);

  void sample(Side side);
  void armWindow(Picoseconds from);
  void checkWindow();
  Picoseconds windowStart(const Event& event, Side late, Kind kind) const;
  void compareCounts();
  void compareErrors();
  std::uint32_t twinErrors();
  void compareSlots();
  void remember(std::uint32_t slot, Incident incident);
  void differ(const std::string& signal, const std::string& rtl, const std::string& twin,
              std::optional<std::uint32_t> slot = {});

  Picoseconds window_, sweep_;
  std::unique_ptr<LockstepTwin> twin_;
  Pending pending_[2][kKinds];         ///< [side][kind]
  Picoseconds lastSaid_[2][kKinds]{};  ///< [side][kind]
  /// For each side: the last time at which it was held up, and whether it was so at the last look.
  Picoseconds lastHeld_[2] = {0, 0};
  bool wasHeld_[2] = {false, false};
  Alarm windowAlarm_{Turn::Check, [this] { checkWindow(); }};
  bool loose_ = false;              ///< nothing is compared until both sides are idle
  bool countsDiffer_ = false;       ///< until the next clear
  bool anySurplus_ = false;         ///< since the last clear
  std::uint32_t unsureErrors_ = 0;  ///< causes that may differ, since the last clear
  std::map<std::uint32_t, std::uint32_t> unsure_;  ///< bits that may differ, of what `reports`
  std::uint32_t errorsBefore_ = 0;                 ///< when ERROR_FIRST was last made free
  std::vector<bool> armed_, surplusSlots_;
  std::vector<bool> surplusRows_;
  std::unordered_map<std::uint32_t, std::deque<Incident>> history_;  ///< by slot, oldest first
};

}  // namespace t3
