// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "tlm/switch/merge_table.h"
#include "tlm/switch/switch_config.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// The merge unit in front of a link that leaves a switch, as a model without cycles: its twin's
/// table (MergeTable) decides what is added and what leaves.
///
///     in ─┬─► updates, queue per input ─► in turn ─► table, 128 bytes a cycle ─► sums ──┐
///         │                                            ▲ rounds of the sweep            ├─► link
///         └─► plain writes ─────────────────────────────────────────────────► writes ───┘
///
/// Sockets, base protocol. `in`: the ports of the switch. An update is taken (TLM_COMPLETED) when
/// the queue of its input has room, `queueBytes` of them or one that is alone; so are plain writes,
/// which have as much for themselves. What finds none is taken later (TLM_ACCEPTED, BEGIN_RESP).
/// `sums`, `writes`: to the link. Neither waits for the other.
///
/// An update is cut into lines of 128 bytes from its first byte on, whether or not that is a
/// multiple of 128: all GPUs cut the same rows of the same tiles in the same places, so lines of
/// one address have the same bytes. A line's number in the table is the local address of its first
/// byte. What leaves is a write for each line, with the ids of the first update of it and the
/// number of its contributions.
///
/// Timing. The table takes a line in each cycle, from the inputs in turn, request by request, as
/// long as the link takes what leaves. What an update puts out is at the link `latency` after the
/// cycle in which it was taken. A round of the sweep takes no time.
class MergePort : public sc_core::sc_module, public Publisher {
 public:
  static constexpr std::uint32_t kLineBytes = 128;

  /// Bytes of what has passed; MergeTable::Statistics has the numbers of updates.
  struct Bytes {
    std::uint64_t updates = 0;  ///< taken
    std::uint64_t joined = 0;   ///< of them, added to a sum in the table
    std::uint64_t sums = 0;     ///< given to the link
    std::uint64_t writes = 0;   ///< the same of plain writes
  };

  tlm_utils::multi_passthrough_target_socket<MergePort> in{"in"};
  tlm_utils::simple_initiator_socket_tagged<MergePort> sums{"sums"};
  tlm_utils::simple_initiator_socket_tagged<MergePort> writes{"writes"};

  /// `expected`: contributions of a complete sum.
  MergePort(const sc_core::sc_module_name& name, const SwitchConfig& config, std::uint32_t expected,
            std::uint32_t queueBytes);

  bool idle() const;
  std::size_t requestsInUse() const { return pool_.inUse(); }
  const MergeTable& table() const { return table_; }
  const Bytes& bytes() const { return bytes_; }
  void publish(ValueList& list) const override;

 private:
  enum Class : std::size_t { kSums, kWrites };
  /// What waits in front of the table, or of the link.
  struct Input {
    std::deque<Payload*> updates;
    std::array<std::uint64_t, 2> bytes{};  ///< taken and waiting, by class
    Payload* refused = nullptr;            ///< BEGIN_RESP is owed when it fits
  };
  struct Outlet {
    std::deque<Payload*> waiting;
    Payload* offered = nullptr;
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
  void offer(int which);
  Outlet& outlet(int which) { return outlets_[static_cast<std::size_t>(which)]; }

  void add();
  Input* nextInput();
  void addLines(const Payload& update);
  void leaves(const MergeFlit& sum, Picoseconds when);
  void sweep();
  Picoseconds period() const { return clock_.period(); }

  const std::uint32_t expected_, queueBytes_;
  const Clock clock_;
  const Picoseconds latency_, age_;
  MergeTable table_;
  PayloadPool pool_;
  std::vector<Input> inputs_;
  std::size_t turn_ = 0;    ///< input that is asked first
  std::size_t queued_ = 0;  ///< updates
  Picoseconds freeAt_ = 0;  ///< the table is, from here on
  std::array<Outlet, 2> outlets_;
  Bytes bytes_;
  Alarm adding_{Turn::Wire, [this] { add(); }};
  Alarm sweeping_{Turn::Wire, [this] { sweep(); }};
  TimedQueue<Payload*> leaving_{"leaving", [this](Payload* sum) {
                                  outlet(kSums).waiting.push_back(sum);
                                  offer(kSums);
                                }};
};

}  // namespace t3
