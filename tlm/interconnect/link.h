// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "tlm/interconnect/link_config.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// One write on its way: all that the far end needs to make a request of its own. Its only pointer
/// is `values`, valid during `post`. So the two ends may be in different processes.
struct LinkMessage {
  std::uint64_t number = 0;  ///< of the messages of this link, from 1
  Picoseconds arrival = 0;   ///< of the last bit, absolute
  bool lost = false;         ///< a planted fault: the receiving end drops it

  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  Traffic traffic;
  std::span<const unsigned char> values;  ///< empty: sizes only; of what is coded, that
};

/// Room in the receive buffer that is free again.
struct LinkCredit {
  Picoseconds arrival = 0;  ///< when the sending end knows of it, absolute
  std::uint64_t bytes = 0;
};

/// What the sending end sees of the receiving one. Messages come in order of arrival, at least a
/// latency ahead.
class LinkMessages {
 public:
  virtual ~LinkMessages() = default;
  virtual void post(const LinkMessage& message) = 0;
};

/// What the receiving end sees of the sending one. Credits come in order of arrival, a credit
/// latency ahead.
class LinkCredits {
 public:
  virtual ~LinkCredits() = default;
  virtual void post(const LinkCredit& credit) = 0;
};

/// What the sending end of a link has done.
struct LinkStatistics {
  std::uint64_t sentBytes = 0;        ///< payload, as a codec has left it
  std::uint64_t plainBytes = 0;       ///< the same in front of the codec
  ByNode<std::uint64_t> nodeBytes;    ///< of `sentBytes`
  std::uint64_t payloads = 0;         ///< requests sent
  std::uint64_t wireBytes = 0;        ///< payload and headers
  Picoseconds busy = 0;               ///< time the wire was sending
  std::uint64_t peakBufferBytes = 0;  ///< most bytes the sender had no credit back for
};

/// The sending end: decides whose write is next and when it is on the wire, and posts it as a
/// message. It knows the receive buffer only by the credits that come back.
///
/// Socket `in`: any number of initiators, non-blocking base protocol. A write is taken with
/// TLM_COMPLETED, which means "on its way"; a full queue answers TLM_ACCEPTED, and BEGIN_RESP once
/// the write is taken. Reads end with an address error. A write is held until its message is
/// posted.
///
/// Timing. A write of b bytes (`bytesOnLinks`), flags of its protocol included, takes (b + header x
/// packets) / bandwidth on the wire and arrives `latency` after its last bit; what carries no data
/// (`carriesData`) is headers alone, as many bytes as its length says. Fractions of a picosecond
/// carry over, so n back-to-back writes take the time of their sum. A write starts when the receive
/// buffer has room for it (or is empty) by the credits. Initiators share the wire equally by bytes,
/// whatever the size of their requests, which are not interrupted (start-time fair queueing). With
/// `gather_last` a write of the all-gather goes when no other one is first in its queue. The turn
/// is decided up to half an input buffer ahead of the wire: a saturated link costs one event per
/// delivery and a fraction of one per turn.
class LinkSender : public sc_core::sc_module, public LinkCredits {
 public:
  tlm_utils::multi_passthrough_target_socket<LinkSender> in{"in"};

  LinkSender(const sc_core::sc_module_name& name, const LinkConfig& config,
             const Publisher& events);
  /// Where the messages go; before the simulation starts.
  void sendTo(LinkMessages& farEnd) { farEnd_ = &farEnd; }

  void post(const LinkCredit& credit) override;

  /// Where blocking and debug accesses go: to the far end's socket if it is in this process.
  /// Without it they are refused.
  using Blocking = std::function<void(Payload&, sc_core::sc_time&)>;
  using Debug = std::function<unsigned(Payload&)>;
  void passThrough(Blocking blocking, Debug debug);

  const LinkStatistics& statistics() const { return statistics_; }
  bool idle() const;
  std::size_t queued() const { return queued_; }  ///< requests
  /// Of what has been sent: the destination has not taken it, or its credit is still on the way.
  std::uint64_t bytesWithoutCredit() const;
  bool waitsForCredit() const { return creditBlocked_; }
  /// One that is about to follow counts: who reads just before it starts would see a gap.
  bool sending() const { return freeAt_ > now() || (queued_ != 0 && !creditBlocked_); }
  /// "buffer 200 of 1000 bytes, initiator 3 refused"
  std::string describeBuffers() const;

 private:
  struct Waiting {
    Payload* payload = nullptr;
    Picoseconds ready = 0;  ///< not sent before: the initiator's annotated delay
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
  bool fits(const Input& input, const Payload& payload) const;
  bool hasCredit(const Payload& payload);
  void enqueue(Input& input, Waiting item);
  std::size_t next() const;
  bool canWait(const Input& input) const;
  void admitRefused(std::size_t id);
  void arm();
  void pump();
  std::uint64_t wireBytes(const Payload& payload) const;
  void transmit(Input& input, Waiting item);
  void countSent(const Payload& payload);
  void reclaimCredit();
  void awaitCredit();
  void creditReturned();

  const LinkConfig config_;
  const Publisher& events_;
  LinkMessages* farEnd_ = nullptr;
  Blocking blocking_;
  Debug debug_;

  // Picoseconds per byte on the wire as a reduced fraction.
  std::uint64_t picosecondsNumerator_, picosecondsDenominator_;
  Picoseconds latency_, window_;
  std::uint64_t bufferBytes_;

  std::vector<Input> inputs_;
  std::uint64_t turn_ = 0;            ///< of the request sent last
  std::size_t last_ = 0;              ///< input that sent it
  std::size_t queued_ = 0;            ///< requests in all input queues
  Picoseconds freeAt_ = 0;            ///< the wire is free from here, plus
  std::uint64_t carry_ = 0;           ///< this fraction of a picosecond / picosecondsDenominator_
  std::uint64_t bufferUsed_ = 0;      ///< as the credits say
  std::deque<LinkCredit> returning_;  ///< on their way back, in order; looked at when one is needed
  Alarm pumpAlarm_{Turn::Wire, [this] { pump(); }};
  Alarm creditAlarm_{Turn::Wire, [this] { creditReturned(); }};
  bool pumping_ = false;
  bool creditBlocked_ = false;
  LinkStatistics statistics_;
};

/// The receiving end: makes a write of each message, offers it to the destination when it arrives,
/// and returns its credit when the destination has taken it.
///
/// Socket `out`: at most one unanswered BEGIN_REQ. The requests come from a pool, with the sender's
/// Traffic; other extensions stay behind. An error of the destination ends the run: writes are
/// posted.
///
/// Timing. A write that has arrived is offered at once if the one before is taken. Its room is the
/// sender's again `credit_latency_ns` after it was taken, at least a picosecond: neither end sees
/// what the other does at the same time. It is taken when the delay of END_REQ, or of an answer
/// without one, has passed.
class LinkReceiver : public sc_core::sc_module, public LinkMessages {
 public:
  tlm_utils::simple_initiator_socket<LinkReceiver> out{"out"};

  LinkReceiver(const sc_core::sc_module_name& name, const LinkConfig& config,
               const Publisher& events);
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

  const Publisher& events_;
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

/// One direction of a point-to-point link. Carries posted writes, in order. Both ends are in this
/// process unless the link is cut.
///
///     in ─► queue per initiator ─► fair by byte ─► messages ─► receive buffer ─► out
///           └──────────── LinkSender ─────────┘               └─ LinkReceiver ─┘
///                                         ▲                        │
///                                         └──────── credits ───────┘
///
/// Sockets and timing are those of the ends. Blocking and debug accesses pass through both at once.
class Link : public sc_core::sc_module, public Publisher {
 private:
  LinkSender sender_;
  LinkReceiver receiver_;

 public:
  decltype(LinkSender::in)& in = sender_.in;
  decltype(LinkReceiver::out)& out = receiver_.out;

  Link(const sc_core::sc_module_name& name, const LinkConfig& config);

  // For a link that is cut (cut_links.h): the end of this process, and what stands for the other.
  LinkMessages& farEnd() { return receiver_; }
  LinkCredits& nearEnd() { return sender_; }
  void farEndIs(LinkMessages& end) { sender_.sendTo(end); }
  void nearEndIs(LinkCredits& end) { receiver_.creditTo(end); }

  /// As in LinkReceiver.
  void endsAt(const sc_core::sc_object& module, std::uint32_t port) {
    receiver_.endsAt(module, port);
  }

  const LinkStatistics& statistics() const { return sender_.statistics(); }
  std::uint64_t payloadBytes() const { return statistics().sentBytes; }
  std::uint64_t deliveredBytes() const { return receiver_.deliveredBytes(); }
  std::size_t requestsInUse() const { return receiver_.requestsInUse(); }
  bool idle() const { return sender_.idle() && receiver_.idle(); }
  /// One line for a watchdog: what is where, and what it waits for.
  std::string describe() const;
  void publish(ValueList& list) const override;
};

}  // namespace t3
