// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <unordered_map>
#include <vector>

#include "tlm/rtl/rtl_block.h"
#include "tlm/switch/merge_engine.h"
#include "tlm/switch/switch_config.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// The merge unit in front of a link that leaves a switch, with queues for the inputs, turns, and
/// the link's credits. MergeEngine decides what is added and what leaves.
///
///     in ─┬─► updates, queue per input ─► in turn ─► merge unit, 128 bytes a cycle ─► sums ──┬─►
///     link
///         └─► plain writes ──────────────────────────────────────────────────────► writes ───┘
///
/// Sockets, base protocol. `in`: the ports of the switch. An update is taken (TLM_COMPLETED) when
/// the queue of its input has room, `queueBytes` of them or one that is alone; plain writes have as
/// much for themselves. Others are taken later (TLM_ACCEPTED, BEGIN_RESP). `sums`, `writes`: to the
/// link; neither waits for the other.
///
/// An update is cut into lines of 128 bytes from its first byte on: all GPUs cut the same rows in
/// the same places. A line's number is the local address of its first byte. What leaves is a write
/// for each line, with the ids of its first update and the number of contributions: the port keeps
/// the updates that are inside, and what leaves must be the oldest of its line.
///
/// Timing. There are clock edges, at whole periods, while something is inside or waits. At an edge
/// the unit takes a line, from the inputs in turn, request by request; a sum is at the link in the
/// fourth cycle after its last update. The link has places for SwitchConfig::merge_credits sums;
/// each gives its credit back when the link has taken the sum.
class MergePort : public sc_core::sc_module, public Publisher {
 public:
  static constexpr std::uint32_t kLineBytes = 128;

  tlm_utils::multi_passthrough_target_socket<MergePort> in{"in"};
  tlm_utils::simple_initiator_socket_tagged<MergePort> sums{"sums"};
  tlm_utils::simple_initiator_socket_tagged<MergePort> writes{"writes"};

  /// `expected`: contributions of a complete sum. `tracing`: of the unit's RTL, if it has one.
  MergePort(const sc_core::sc_module_name& name, const SwitchConfig& config, std::uint32_t expected,
            std::uint32_t queueBytes, const RtlTracingOf& tracing = {});

  bool idle() const;
  std::size_t requestsInUse() const { return pool_.inUse(); }
  MergeFigures figures() const {
    MergeFigures all = engine_->figures();
    addFigures(all, bytes_);
    return all;
  }
  /// Bytes of updates in sums that have left.
  std::uint64_t addedBytes() const { return added_; }
  void publish(ValueList& list) const override;

 private:
  enum Class : std::size_t { kSums, kWrites };
  /// What waits in front of the table, or of the link.
  struct Input {
    std::deque<Payload*> updates;
    std::array<std::uint64_t, 2> bytes{};  ///< taken and waiting, by class
    Payload* refused = nullptr;            ///< BEGIN_RESP is owed when it has come and fits
    Picoseconds arrival = 0;               ///< of `refused`
  };
  struct Outlet {
    std::deque<Payload*> waiting;
    Payload* offered = nullptr;
    bool answered = false;  ///< the answer has a delay left
  };
  /// A line of an update that is inside the unit.
  struct Part {
    Payload* update;
    std::uint64_t address;
    std::uint32_t bytes;
    Picoseconds taken;
  };

  void end_of_elaboration() override;
  tlm::tlm_sync_enum forward(int input, Payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(int which, Payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  static Class classOf(const Payload& payload);
  bool fits(const Input& input, const Payload& payload) const;
  void take(std::uint32_t input, Payload& payload);
  void taken(int which, Payload& payload);
  void free(Input& input, int which, const Payload& payload);
  void admit(std::uint32_t number);
  bool answer(int which, const sc_core::sc_time& delay);
  void offer(int which);
  Outlet& outlet(int which) { return outlets_[static_cast<std::size_t>(which)]; }

  void edge();
  MergeFlit nextLine();
  Input& nextInput();
  void leaves(const MergeFlit& sum);
  void clockAgain();

  const std::uint32_t queueBytes_;
  const Clock clock_;
  const std::unique_ptr<MergeEngine> engine_;
  PayloadPool pool_;
  std::vector<Input> inputs_;
  std::size_t turn_ = 0;      ///< input that is asked first
  std::size_t queued_ = 0;    ///< updates, with the one that is cut
  Input* cutting_ = nullptr;  ///< whose first update is cut
  std::uint32_t cut_ = 0;     ///< so many bytes of it have been
  std::unordered_map<std::uint64_t, std::vector<Part>> inside_;  ///< by line, oldest first
  std::array<Outlet, 2> outlets_;
  TimedQueue<std::uint32_t> arriving_{"arriving", [this](std::uint32_t input) { admit(input); }};
  TimedQueue<int> answered_{"answered", [this](int which) {
                              taken(which, *outlet(which).offered);
                              offer(which);
                            }};
  std::uint32_t credits_ = 0;  ///< that the unit is to get back
  MergeFigures bytes_;         ///< of updates that the engine does not see: no numbers
  std::uint64_t added_ = 0;
  Picoseconds following_ = 0;  ///< the edge after the last one that there was
  bool clocked_ = false;       ///< something is inside or waits: edges that are left out count
  Alarm clocking_{Turn::Clock, [this] { edge(); }};
};

}  // namespace t3
