// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <numeric>
#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "tlm/interconnect/link_config.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

struct LinkStatistics {
  std::array<std::uint64_t, kPhases> sentBytes{};  ///< payload bytes sent, by Phase
  std::uint64_t deliveredBytes = 0;                ///< payload bytes the destination has taken
  std::uint64_t payloads = 0;                      ///< requests sent
  std::uint64_t wireBytes = 0;                     ///< payload and headers
  Picoseconds busy = 0;                            ///< time the wire was sending
  std::uint64_t peakBufferBytes = 0;               ///< most bytes the sender had no credit back for

  std::uint64_t totalSentBytes() const {
    return std::accumulate(sentBytes.begin(), sentBytes.end(), std::uint64_t{0});
  }
};

/// One direction of a point-to-point link. Carries posted writes, in order.
///
///     in ─► queue per initiator ─► fair by byte ─► wire ─► latency ─► receive buffer ─► out
///             input_buffer_bytes                   └─ credits: buffer_bytes, back after ──┘
///                                                          credit_latency_ns
///
/// Sockets. `in`: any number of initiators, non-blocking base protocol. A write is taken with
/// TLM_COMPLETED, which means "on its way", not "performed"; a full queue answers TLM_ACCEPTED and
/// BEGIN_RESP once the write is taken. Reads end with an address error: nothing comes back over one
/// direction. `out`: one request at a time, at most one unanswered BEGIN_REQ; the same payload
/// object, with whatever extensions it carries.
///
/// Timing. A write of b bytes occupies the wire for (b + header x packets) / bandwidth and is
/// delivered `latency` after its last bit. Fractions of a picosecond carry over from write to
/// write, so n back-to-back writes take exactly the time of their sum. A write starts when the
/// receive buffer has room for it (or is empty) as far as the sender knows: the room comes back
/// `credit_latency_ns` after the destination has taken a write.
/// Initiators that wait share the wire equally by bytes, as when their packets took turns, whatever
/// the size of their requests; a request is not interrupted. (Start-time fair queueing: a request's
/// turn comes when all others have had as many bytes.) The turn is decided up to half an input
/// buffer ahead of the wire, so that a saturated link costs one event per delivery and a fraction
/// of one per turn.
class Link : public sc_core::sc_module, public Publisher {
 public:
  tlm_utils::multi_passthrough_target_socket<Link> in{"in"};
  tlm_utils::simple_initiator_socket<Link> out{"out"};

  Link(const sc_core::sc_module_name& name, const LinkConfig& config);

  const LinkStatistics& statistics() const { return statistics_; }
  std::uint64_t payloadBytes() const { return statistics_.totalSentBytes(); }
  bool idle() const;
  /// One line for a watchdog: what is where, and what it waits for.
  std::string describe() const;
  void publish(ValueList& list) const override;

 private:
  struct Waiting {
    Payload* payload = nullptr;
    Picoseconds ready = 0;  ///< not sent before: the initiator's annotated delay
  };
  struct Flying {
    Payload* payload = nullptr;
    Picoseconds arrival = 0;
    bool lost = false;
  };
  struct Credit {
    Picoseconds arrival = 0;
    std::uint64_t bytes = 0;
  };
  struct Input {
    std::deque<Waiting> queue;
    std::uint64_t bytes = 0;
    std::uint64_t turn = 0;  ///< of its next request, in bytes sent: the lowest goes first
    Waiting refused;         ///< BEGIN_RESP is owed when it fits
  };

  void end_of_elaboration() override;

  tlm::tlm_sync_enum nbTransportForward(int id, Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay);
  void blockingTransport(int id, Payload& payload, sc_core::sc_time& delay);
  unsigned debugTransport(int id, Payload& payload);
  tlm::tlm_sync_enum nbTransportBackward(Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay);

  bool fits(const Input& input, const Payload& payload) const;
  bool hasCredit(const Payload& payload);
  void enqueue(Input& input, Waiting item);
  std::size_t next() const;
  void admitRefused(std::size_t id);
  void arm();
  void pump();
  std::uint64_t wireBytes(std::uint64_t bytes) const;
  void transmit(Input& input, Waiting item);
  void armDelivery();
  void reclaimCredit();
  std::uint64_t bytesWithoutCredit() const;
  void awaitCredit();
  void creditReturned();
  void deliver();
  void returnCredit(const Payload& payload);
  void taken(Payload& payload);
  void answered(Payload& payload);

  // Picoseconds per byte on the wire as a reduced fraction.
  std::uint64_t picosecondsNumerator_, picosecondsDenominator_;
  Picoseconds latency_, creditLatency_, window_;
  std::uint32_t headerBytes_, packetBytes_, inputBufferBytes_, loseWrite_;
  std::uint64_t bufferBytes_;

  std::vector<Input> inputs_;
  std::uint64_t turn_ = 0;        ///< of the request sent last
  std::size_t last_ = 0;          ///< input that sent it
  std::size_t queued_ = 0;        ///< requests in all input queues
  Picoseconds freeAt_ = 0;        ///< the wire is free from here, plus
  std::uint64_t carry_ = 0;       ///< this fraction of a picosecond / picosecondsDenominator_
  std::uint64_t bufferUsed_ = 0;  ///< as the sender knows it
  std::deque<Credit> returning_;  ///< on their way back, in order; looked at when one is needed
  sc_core::sc_event pumpEvent_, deliverEvent_, creditEvent_;
  bool pumpArmed_ = false;
  bool pumping_ = false;
  bool creditBlocked_ = false;

  std::deque<Flying> flying_;     ///< sent, not offered to the destination; in order of arrival
  Payload* offered_ = nullptr;    ///< sent on `out`, END_REQ not yet seen
  std::uint64_t unanswered_ = 0;  ///< taken on `out`, BEGIN_RESP not yet seen
  LinkStatistics statistics_;
};

}  // namespace t3
