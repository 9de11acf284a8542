// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "tlm/tracker/lockstep_updates.h"
#include "tlm/tracker/model_tracker.h"
#include "tlm/tracker/rtl_tracker.h"
#include "tlm/tracker/tracker.h"
#include "tlm/transport/agenda.h"

namespace t3 {

/// Who hears what the twin of a lockstep pair says.
class TwinListener : public ModelWatcher {
 public:
  virtual void twinIssued(const TriggerMessage& message) = 0;
  virtual void twinReleased(std::uint32_t row) = 0;
};

/// The twin and what it is connected to: initiators that bring it updates and register accesses,
/// and targets that accept every command and release at once.
class LockstepTwin : public sc_core::sc_module {
 public:
  LockstepTwin(const sc_core::sc_module_name& name, const TrackerConfig& config,
               TwinListener& listener)
      : sc_module(name),
        model_("model", config),
        lanes_("lanes", config.lanes),
        listener_(listener) {
    model_.watch(listener);
    for (std::uint32_t lane = 0; lane < config.lanes; ++lane) {
      lanes_[lane].register_nb_transport_bw(this, &LockstepTwin::pieceDone);
      lanes_[lane].bind(model_.lanes[lane]);
    }
    registers_.bind(model_.registers);
    commands_.register_nb_transport_fw(this, &LockstepTwin::command);
    model_.commands.bind(commands_);
    releases_.register_nb_transport_fw(this, &LockstepTwin::release);
    model_.releases.bind(releases_);
  }

  ModelTracker& model() { return model_; }

  void show(std::uint32_t lane, const LanePiece& piece) {
    Payload& payload = pool_.allocate(tlm::TLM_WRITE_COMMAND, piece.address, piece.bytes, false);
    TrafficExtension& extension = traffic(payload);
    extension.tracked = true;
    extension.workgroup = piece.workgroup;
    extension.wavefront = piece.wavefront;
    extension.contributions = static_cast<std::uint16_t>(piece.contributions);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    // It is seen at the same edge as by the RTL.
    sc_core::sc_time delay =
        piece.edge > now() ? fromPicoseconds(piece.edge - 1 - now()) : sc_core::SC_ZERO_TIME;
    if (lanes_[lane]->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) {
      payload.release();
    }
  }

  /// The same access as `original`, with `value` in place of its data.
  tlm::tlm_response_status access(const Payload& original, std::uint32_t& value) {
    Payload payload;
    payload.set_command(original.get_command());
    payload.set_address(original.get_address());
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    payload.set_byte_enable_ptr(original.get_byte_enable_ptr());
    payload.set_byte_enable_length(original.get_byte_enable_length());
    UnprivilegedAccess unprivileged;
    if (!isPrivileged(original)) payload.set_extension(&unprivileged);
    sc_core::sc_time ignored;
    registers_->b_transport(payload, ignored);
    payload.clear_extension(&unprivileged);
    return payload.get_response_status();
  }

  /// What a register holds, without a side effect.
  std::uint32_t peek(std::uint32_t address) {
    Payload payload;
    std::uint32_t value = 0;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    registers_->transport_dbg(payload);
    return value;
  }

 private:
  tlm::tlm_sync_enum pieceDone(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    payload.release();
    phase = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  }

  tlm::tlm_sync_enum command(Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    TriggerMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    listener_.twinIssued(message);
    return tlm::TLM_COMPLETED;
  }

  tlm::tlm_sync_enum release(Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    ReleaseMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    listener_.twinReleased(message.row);
    return tlm::TLM_COMPLETED;
  }

  PayloadPool pool_;
  ModelTracker model_;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<LockstepTwin>> lanes_;
  tlm_utils::simple_initiator_socket<LockstepTwin> registers_{"registers"};
  tlm_utils::simple_target_socket<LockstepTwin> commands_{"commands"};
  tlm_utils::simple_target_socket<LockstepTwin> releases_{"releases"};
  TwinListener& listener_;
};

/// The RTL drives the system. The behavioural twin sees the same lane updates and register writes.
/// All outputs of the two are compared. The first difference ends the run with an error report
/// "t3/lockstep": time, cycle, signal, the RTL's value, the twin's; below that when the two parted,
/// the last update and the last events of the slot that it is about, or the last updates of all.
/// A failed assertion of the RTL is told in the same way.
///
/// Compared
/// - Commands and rows, one by one. What the RTL sends must be complete by the updates that it has
///   taken: a command or row that is early, or comes twice, or is spoiled although the twin's is
///   not, is a difference at once, before the DMA engine gets it. What one side sends the other
///   must send within `windowCycles()`. So events further apart than two windows come in the same
///   order on both sides, and it is a difference at once if they do not; closer ones may swap. The
///   window of a side begins when it has taken all updates that the other side had taken then,
///   and, for the RTL, not before the DMA engine takes commands. A side that is behind by more
///   than its queue looks through its slots: then its window begins with its latest output.
/// - Pins of the RTL: a lane takes the update that waits there within `windowCycles()`, what
///   `done_*` and `rel_*` show stays until it is taken, `alert_o` stays low, and `busy_o` falls.
/// - Register writes, and reads of configuration: response and value. Status, counters and slots
///   differ in time and are left out.
/// - When both sides are idle, every `kCountsApart`, at `compare()` and before CTRL.clear:
///   counts of updates, untracked and dropped ones, of what was completed, triggered, taken and
///   released, DONE of all regions, and, but for the first, what is missing in every armed slot.
/// - Then, and when software reads one of them while both sides are idle: ERROR_COUNT, ERRORS,
///   IRQ_STATUS, REGION_DONE, ERROR_FIRST.valid; the rest of ERROR_FIRST and ERROR_INFO if there
///   was one error since ERROR_FIRST was free. Not the bits that software cleared while one side
///   was behind, until it clears them while both are idle; not causes that depend on when software
///   arms, after it armed under traffic, until the next clear.
///
/// Not compared, because both sides may be right
/// - DONE of a region that software wrote under traffic, until the next clear.
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
  /// Counts are compared so often: it takes the RTL some 200 clocks of its own.
  static constexpr Picoseconds kCountsApart = 10'000'000;

  LockstepTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
                  const RtlOptions& options = {});
  ~LockstepTracker() override;

  void compare() override;
  bool idle() const override;
  std::string waiting() override;
  void publish(ValueList& list) const override;

  /// For a run that something else ends: in what the two sides are apart, with the same lines as a
  /// difference, although it need not be one yet. It is announced as the difference of this
  /// tracker.
  struct Apart {
    Picoseconds since = 0;
    std::string text;
  };
  std::optional<Apart> apart() const;
  /// Announces a difference of that time, for waveforms.
  void announceApart(Picoseconds since) const;

 protected:
  Picoseconds cycle(Picoseconds edge) override;
  void accessRegister(Payload& payload, sc_core::sc_time& delay) override;

  void laneTakes(std::uint32_t lane, const LaneUpdate& update) override;
  void fail(const std::string& text) override;

  /// What the twin sees of a piece. A test overrides it to make the two sides differ.
  virtual LanePiece seenByTwin(const LanePiece& piece) { return piece; }
  /// What the twin sees of a register write. A test overrides it for the same reason.
  virtual std::uint32_t shownToTwin(std::uint32_t /*offset*/, std::uint32_t value) { return value; }

 private:
  enum class Kind : std::size_t { Command, Release };
  static constexpr std::size_t kKinds = 2;
  using Side = LockstepUpdates::Side;
  struct Event {
    std::uint32_t number;  ///< slot, or row slot
    Picoseconds time;
    LockstepUpdates::Counts taken;  ///< by the side that sent it
    Picoseconds since;              ///< the other side had not taken all of these before
  };
  /// What one side has sent and the other has not, of one kind.
  struct Pending {
    std::deque<Event> events;  ///< oldest first
    bool many = false;         ///< there were more of them than the other side's queue holds
  };

  /// What a stream of the RTL showed, and nobody took, after the latest edge.
  struct Shown {
    bool valid = false;
    std::uint32_t number = 0;
  };
  /// What a difference is about, beside its signal and the two values.
  struct About {
    std::optional<std::uint32_t> slot = std::nullopt;  ///< empty: no slot in particular
    Picoseconds since = kNever;                        ///< when the two parted, if it was before
    std::optional<Picoseconds> agreed = std::nullopt;  ///< counts: when they were equal
  };

  void pieceTaken(std::uint32_t lane, const LanePiece& piece) override;
  void commandIssued(const TriggerMessage& message) override;
  void released(const ReleaseMessage& message) override;

  void twinIssued(const TriggerMessage& message) override;
  void twinReleased(std::uint32_t row) override;
  void served(std::uint32_t lane, const LaneUpdate& update,
              std::optional<std::uint32_t> slot) override;
  void counted(std::uint32_t slot, std::uint32_t bytes, SlotWords::Outcome outcome,
               std::optional<std::uint32_t> row) override;
  void cycled() override { sample(Side::Twin); }

  std::map<std::uint32_t, std::uint32_t> bytesAhead() const;
  bool twinHasSaid(Kind kind, std::uint32_t number) const;
  void judgeCommand(const TriggerMessage& message);
  void judgeRow(const ReleaseMessage& message);
  void judgeOrder(Kind kind, const Event& twin);
  void said(Side side, Kind kind, std::uint32_t number);
  bool surplus(Kind kind, std::uint32_t number) const;
  bool quiet() const;
  bool disturbs(std::uint32_t offset, std::uint32_t value);
  void loosen();
  void written(std::uint32_t offset, std::uint32_t value, bool quiet);
  void cleared(std::uint32_t offset, std::uint32_t bits, bool quiet);
  void arm(std::uint32_t slot);
  void forget(Kind kind, std::uint32_t number);
  bool compareAccess(const Payload& payload, tlm::tlm_response_status twin, std::uint32_t value);

  void sample(Side side);
  void checkPins();
  void checkShown(Kind kind, bool valid, std::uint32_t number);
  void armWindow(Picoseconds from);
  void checkWindow();
  Picoseconds checkLanes();
  void comparePending();
  Picoseconds windowStart(const Event& event, Side late, Kind kind) const;
  std::string seen(Kind kind, const Event& event) const;
  void compareCounts();
  void compareErrors();
  std::uint32_t twinErrors();
  void compareSlots();
  std::string place() const;
  std::string context(const About& about) const;
  void differ(const std::string& signal, const std::string& rtl, const std::string& twin,
              const About& about);
  void differ(const std::string& signal, const std::string& rtl, const std::string& twin) {
    differ(signal, rtl, twin, About{});
  }
  void differ(Side side, Kind kind, const Event& event, const std::string& nothing);

  Picoseconds window_, sweep_;
  LockstepUpdates updates_;
  std::unique_ptr<LockstepTwin> twin_;
  Pending pending_[2][kKinds];         ///< [side][kind]
  Picoseconds lastSaid_[2][kKinds]{};  ///< [side][kind]
  /// The last time at which the RTL's outputs were refused, and whether they were at the last look.
  Picoseconds lastRefused_ = 0;
  bool wasRefused_ = false;
  Shown shown_[kKinds];           ///< by kind
  Picoseconds lastWalk_ = 0;      ///< the last time at which the twin walked through its memories
  Picoseconds busySince_ = 0;     ///< the RTL is busy, and the twin idle
  Picoseconds checkedAt_ = 0;     ///< the last clock in which its pins were looked at
  Picoseconds countsAgreed_ = 0;  ///< when counts were last compared
  /// For waveforms: what the twin counted last, and what each side has sent.
  std::uint32_t twinSlot_ = 0, twinMissing_ = 0;
  std::uint32_t lastSlot_[2]{}, commandsOf_[2]{};  ///< by side
  Alarm windowAlarm_{Turn::Check, [this] { checkWindow(); }};
  bool loose_ = false;  ///< nothing is compared until both sides are idle
  /// What the RTL had taken when both were quiet and software wrote a register, since when nothing
  /// but that keeps it busy.
  std::optional<LockstepUpdates::Counts> settles_;
  bool countsDiffer_ = false;                      ///< until the next clear
  bool anySurplus_ = false;                        ///< since the last clear
  std::uint32_t unsureErrors_ = 0;                 ///< causes that may differ, since the last clear
  std::map<std::uint32_t, std::uint32_t> unsure_;  ///< bits that may differ, of what `reports`
  std::uint32_t errorsBefore_ = 0;                 ///< when ERROR_FIRST was last made free
  std::vector<bool> armed_, surplusSlots_;
  std::vector<bool> surplusRows_;
};

}  // namespace t3
