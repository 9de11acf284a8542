// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/request_placement.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// Shows tracked writes to the tracker, one socket for each of its lanes. Channel c belongs to lane
/// c * lanes / channels, rounded down.
///
/// A write is shown when it is about to enter its channel's DRAM queue: BEGIN_REQ with the bytes on
/// that channel and the Traffic of its request. A response counts it, in the call (TLM_COMPLETED)
/// or later, when its delay has passed; until then the lane is held. END_REQ alone does not: all
/// updates of a lane share one payload. Lanes that are not bound count everything at once. An error
/// of the tracker is an error report `t3/hbm`.
class TrackerTaps {
 public:
  using Socket = tlm_utils::simple_initiator_socket_tagged_optional<TrackerTaps>;
  /// The tracker has counted this piece.
  using Counted = std::function<void(ChannelId, const Piece&)>;

  /// `timer` wakes the channels of a lane that becomes free. Sockets and timer outlive this object.
  TrackerTaps(sc_core::sc_vector<Socket>& sockets, std::uint32_t channels, ServiceTimer& timer,
              Counted counted);
  ~TrackerTaps();
  TrackerTaps(const TrackerTaps&) = delete;
  TrackerTaps& operator=(const TrackerTaps&) = delete;

  /// False: not counted yet. The channel is woken when it has been (`Piece::counted`) or when the
  /// piece may be shown again.
  bool show(ChannelId channel, Piece& piece);

 private:
  struct Lane {
    Payload* shown = nullptr;  ///< the payload of all that this lane shows
    Piece* waiting = nullptr;  ///< shown, and not counted
    ChannelId waitingChannel;
    std::vector<ChannelId> next;  ///< channels that found the lane busy
  };

  void count(ChannelId channel, const Piece& piece, const Lane& lane);
  void countWaiting(std::uint32_t lane);
  tlm::tlm_sync_enum backward(int lane, Payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);

  sc_core::sc_vector<Socket>& sockets_;
  std::vector<std::uint32_t> laneOf_;  ///< by channel
  ServiceTimer& timer_;
  Counted counted_;
  PayloadPool pool_;
  std::vector<Lane> lanes_;
  TimedQueue<std::uint32_t> answered_;  ///< lanes whose response has a delay left
};

}  // namespace t3
