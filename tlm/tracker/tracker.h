// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <utility>
#include <vector>

#include "tlm/tracker/lane_queue.h"
#include "tlm/tracker/tracker_config.h"
#include "tlm/tracker/tracker_figures.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// On the payload of a register access: it is not a privileged one (bit 0 of `*prot` is low), and
/// does not change a LOCK that is for privileged ones only (docs/tracker.md, "LOCK").
struct UnprivilegedAccess : tlm::tlm_extension<UnprivilegedAccess> {
  tlm::tlm_extension_base* clone() const override { return new UnprivilegedAccess(*this); }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

inline bool isPrivileged(const tlm::tlm_generic_payload& payload) {
  return payload.get_extension<UnprivilegedAccess>() == nullptr;
}

/// Sees what crosses a tracker's sockets, in the order in which it crosses.
class TrackerObserver {
 public:
  virtual ~TrackerObserver() = default;
  virtual void pieceTaken(std::uint32_t lane, const LanePiece& piece) = 0;
  virtual void commandIssued(const TriggerMessage& message) = 0;
  /// A row of tiles is complete.
  virtual void released(const ReleaseMessage& message) = 0;
};

/// The track-and-trigger unit beside one GPU's memory, whichever implementation is behind it:
/// what docs/tracker.md calls the unit, plus a queue on the memory's side of each lane.
///
/// Sockets
/// - `lanes[l]`: a memory channel reports a tracked write that is about to enter its DRAM queue as
///   BEGIN_REQ of a write that covers just those bytes (1 byte … a page; workgroup and wavefront in
///   the TrafficExtension, data not looked at). TLM_COMPLETED: taken. TLM_ACCEPTED: the lane's
///   queue is full; BEGIN_RESP on the backward path says when the write was taken. Any number of
///   channels may wait at a lane; they are served in the order they came.
/// - `registers`: b_transport of one 32-bit word, address = register offset. Loosely timed: the
///   access happens within the call, and the delay grows by the cycles it took. SLVERR is
///   TLM_ADDRESS_ERROR_RESPONSE. It is privileged, unless the payload has the extension
///   UnprivilegedAccess. transport_dbg: see the implementations.
/// - `commands`: BEGIN_REQ of a write whose data is a TriggerMessage. TLM_COMPLETED: taken;
///   TLM_ACCEPTED: the target takes no more until it answers BEGIN_RESP.
/// - `releases`: BEGIN_REQ of a write whose data is a ReleaseMessage; answers as at `commands`.
///
/// An error that the target of `commands` or `releases` answers is an error report `t3/tracker`.
///
/// The interrupt is a level (`interrupt`); who handles it is called as software is (`onInterrupt`).
///
/// Timing: clock edges are at whole multiples of the period; an edge sees what arrived strictly
/// before it, so nothing depends on the order in which the simulator runs things at one time. The
/// clock runs only while it has work.
class Tracker : public sc_core::sc_module, public Publisher {
 public:
  sc_core::sc_vector<tlm_utils::simple_target_socket_tagged<Tracker>> lanes;
  tlm_utils::simple_target_socket<Tracker> registers;
  tlm_utils::simple_initiator_socket_tagged<Tracker> commands;
  tlm_utils::simple_initiator_socket_tagged<Tracker> releases;

  Tracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
          Turn turn = Turn::Clock);
  ~Tracker() override;

  const TrackerConfig& config() const { return config_; }

  /// Not const: the RTL is asked through its own registers.
  virtual TrackerStatistics statistics() = 0;

  /// Of a pair in lockstep that is idle: an error report if the two differ in any figure or slot.
  virtual void compare() {}

  /// Nothing is queued or under way. Slots may still count.
  virtual bool idle() const;

  /// The world outside may delay the unit's outputs: updates wait at a lane, or the target of
  /// `commands` or `releases` has not answered.
  bool held() const;
  /// Of these: a target has not answered.
  bool refused() const;

  /// Level of the interrupt: IRQ_STATUS & IRQ_ENABLE is not zero.
  virtual bool interrupt() const = 0;
  /// The same of each unit, where there are several: bit s is that of stack s.
  virtual std::uint32_t interrupts() const { return interrupt() ? 1 : 0; }
  /// Level of the alert: a memory had a word that could not be corrected.
  virtual bool alert() const = 0;

  /// `handler` is called at each clock edge at which `interrupt()` has risen, when the outputs of
  /// that edge are sent. It may access registers. If the interrupt is still high when IRQ_STATUS
  /// has been written, it is called again at the next edge: something rose while it looked.
  virtual void onInterrupt(std::function<void()> handler) { handler_ = std::move(handler); }

  /// What is waiting and for what, a few lines for a person who looks at a hung simulation.
  virtual std::string waiting();

  void publish(ValueList& list) const override;

  /// One more observer, which outlives the simulation.
  void observe(TrackerObserver& observer) { observers_.push_back(&observer); }

 protected:
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  /// One clock edge, at `edge`. Returns the time of the next edge that has work, kNever to sleep
  /// until something arrives.
  virtual Picoseconds cycle(Picoseconds edge) = 0;

  /// A register access of one aligned word; sets the response status and adds to `delay`.
  virtual void accessRegister(Payload& payload, sc_core::sc_time& delay) = 0;
  /// The same for transport_dbg; bytes served.
  virtual unsigned int debugRegister(Payload& payload) = 0;

  Picoseconds period() const { return clock_.period(); }
  /// First clock edge that sees something arriving at `time`.
  Picoseconds edgeAfter(Picoseconds time) const { return clock_.edgeAtOrAfter(time + 1); }
  /// Runs `cycle` at `edge` unless an earlier one is planned.
  void scheduleEdge(Picoseconds edge) { clockAlarm_.set(edge); }

  /// Bit l: the queue of lane l is not empty.
  std::uint32_t waitingLanes() const { return waitingLanes_; }
  /// Removes the oldest update of a lane.
  void popLane(std::uint32_t lane) {
    queues_[lane].pop();
    if (queues_[lane].empty()) waitingLanes_ &= ~(1U << lane);
  }
  const std::vector<LaneQueue>& queues() const { return queues_; }

  /// First edge at which the target of `commands` can take one; kNever while it has not said so.
  Picoseconds commandReadyEdge() const { return senders_[kCommands].readyEdge(); }
  void issueCommand(const TriggerMessage& message);
  /// The same for `releases`.
  Picoseconds releaseReadyEdge() const { return senders_[kReleases].readyEdge(); }
  void releaseRow(const ReleaseMessage& message);
  const std::vector<TrackerObserver*>& observers() const { return observers_; }

  /// The figures that this class counts itself: stall_cycles.
  TrackerStatistics portStatistics() const;

 private:
  /// A channel that waits, with what it wants to report.
  struct Held {
    Payload* payload;
    LanePiece piece;
  };

  virtual tlm::tlm_sync_enum laneRequest(int lane, Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay);
  void registerRequest(Payload& payload, sc_core::sc_time& delay);
  unsigned int registerDebug(Payload& payload);
  template <typename Message>
  void send(int which, std::uint32_t number, const Message& message);
  tlm::tlm_sync_enum response(int which, Payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void answered(int which, Payload& payload);
  void clockEdge();
  void admitHeld();
  void take(std::uint32_t lane, const LanePiece& piece);
  void watchInterrupt();

  TrackerConfig config_;
  Clock clock_;
  PayloadPool pool_;
  std::vector<LaneQueue> queues_;
  std::uint32_t waitingLanes_ = 0;
  std::vector<std::deque<Held>> held_;  ///< per lane: channels that wait, oldest first
  std::uint32_t heldTotal_ = 0;
  std::vector<TrackerObserver*> observers_;

  Alarm clockAlarm_;

  enum : int { kCommands, kReleases };
  struct Sender {
    Payload* payload = nullptr;    ///< the target has not yet answered
    Picoseconds answeredEdge = 0;  ///< the first that sees the latest answer
    Picoseconds readyEdge() const { return payload == nullptr ? answeredEdge : kNever; }
  };
  std::array<Sender, 2> senders_;

  std::function<void()> handler_;
  bool wasHigh_ = false;  ///< the interrupt was high, and the handler knows

  std::uint64_t stallCycles_ = 0;
};

}  // namespace t3
