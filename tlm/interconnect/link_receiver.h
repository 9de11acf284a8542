// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>

#include "tlm/interconnect/link_config.h"
#include "tlm/interconnect/link_events.h"
#include "tlm/interconnect/link_message.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// The receiving end of a link: makes a write of its own of each message, offers it to the
/// destination when it arrives, and returns its credit when the destination has taken it.
///
/// Socket `out`: one request at a time, at most one unanswered BEGIN_REQ. The requests come from a
/// pool, with the TrafficExtension of the sender's; other extensions stay behind. An error of the
/// destination ends the run: writes are posted, so there is nobody to tell.
///
/// Timing. A write that has arrived is offered at once if the destination has taken the one before
/// it; its room in the receive buffer is the sender's again `credit_latency_ns` after it was taken,
/// at least a picosecond: neither end sees what the other does at the same time. A write is taken
/// when the delay that is annotated to END_REQ, or to an answer without one, has passed.
class LinkReceiver : public sc_core::sc_module, public LinkMessages {
 public:
  tlm_utils::simple_initiator_socket<LinkReceiver> out{"out"};

  LinkReceiver(const sc_core::sc_module_name& name, const LinkConfig& config,
               const LinkEvents& events);
  /// Where the credits go; before the simulation starts.
  void creditTo(LinkCredits& nearEnd) { nearEnd_ = &nearEnd; }
  /// The link ends at this port of `module`; before the simulation starts. What arrives there at
  /// the same time is delivered in the order of the ports.
  void endsAt(const sc_core::sc_object& module, std::uint32_t port) {
    arrival_.place(module, port);
  }

  void post(const LinkMessage& message) override;

  /// As b_transport and transport_dbg of `out`.
  void blockingTransport(Payload& payload, sc_core::sc_time& delay);
  unsigned debugTransport(Payload& payload) { return out->transport_dbg(payload); }

  bool idle() const { return flying_.empty() && offered_ == nullptr && unanswered_ == 0; }
  std::size_t inFlight() const;     ///< messages that have not arrived
  std::size_t undelivered() const;  ///< that have, and the destination has not taken
  std::uint64_t unanswered() const { return unanswered_; }  ///< taken, and not answered
  bool refused() const { return offered_ != nullptr; }      ///< the destination does not take one
  std::uint64_t deliveredBytes() const { return deliveredBytes_; }  ///< the destination has taken
  /// Requests handed on that somebody still holds.
  std::size_t requestsInUse() const { return pool_.inUse(); }

 private:
  struct Flying {
    Payload* payload = nullptr;
    std::uint64_t number = 0;
    Picoseconds arrival = 0;
    bool lost = false;
  };

  tlm::tlm_sync_enum nbTransportBackward(Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay);
  std::size_t arrived() const;
  void arm();
  void deliver();
  void returnCredit(const Payload& payload, Picoseconds when);
  void taken(Payload& payload, const sc_core::sc_time& delay);
  void answered(Payload& payload);

  const LinkEvents& events_;
  LinkCredits* nearEnd_ = nullptr;
  Picoseconds creditLatency_;
  PayloadPool pool_;
  std::deque<Flying> flying_;     ///< not offered to the destination; in order of arrival
  Payload* offered_ = nullptr;    ///< sent on `out`, END_REQ not yet seen
  Picoseconds freeAt_ = 0;        ///< the destination has taken what was offered before
  std::uint64_t unanswered_ = 0;  ///< taken on `out`, BEGIN_RESP not yet seen
  std::uint64_t deliveredBytes_ = 0;
  Alarm arrival_{Turn::Arrival, [this] { deliver(); }};
};

}  // namespace t3
