// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

#include "tlm/interconnect/link_config.h"
#include "tlm/interconnect/link_events.h"
#include "tlm/interconnect/link_message.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// What the sending end of a link has done.
struct LinkStatistics {
  std::array<std::uint64_t, kPhases> sentBytes{};  ///< payload bytes sent, by Phase
  ByNode<std::uint64_t> nodeBytes;                 ///< the same
  std::uint64_t payloads = 0;                      ///< requests sent
  std::uint64_t wireBytes = 0;                     ///< payload and headers
  Picoseconds busy = 0;                            ///< time the wire was sending
  std::uint64_t peakBufferBytes = 0;               ///< most bytes the sender had no credit back for

  std::uint64_t totalSentBytes() const {
    return std::accumulate(sentBytes.begin(), sentBytes.end(), std::uint64_t{0});
  }
};

/// The sending end of a link: decides whose write is next and when it is on the wire, and posts it
/// as a message. What it knows of the receive buffer are the credits that come back.
///
/// Socket `in`: any number of initiators, non-blocking base protocol. A write is taken with
/// TLM_COMPLETED, which means "on its way", not "performed"; a full queue answers TLM_ACCEPTED and
/// BEGIN_RESP once the write is taken. Reads end with an address error: nothing comes back over one
/// direction. A write is held until its message is posted.
///
/// Timing. A write of b bytes, flags of its protocol included, occupies the wire for (b + header x
/// packets) / bandwidth and arrives `latency` after its last bit; what carries no data
/// (`carriesData`) is headers alone, and its length says how many bytes of them. Fractions of a
/// picosecond carry over from write to write, so n back-to-back writes take exactly the time of
/// their sum. A write starts when the receive buffer has room for it (or is empty) as far as the
/// credits say. Initiators that wait share the wire equally by bytes, as when their packets took
/// turns, whatever the size of their requests; a request is not interrupted. (Start-time fair
/// queueing: a request's turn comes when all others have had as many bytes.) With `gather_last`
/// this holds among writes of the all-gather and among all others; one of the former goes when none
/// of the latter is first in its queue. The turn is decided up to half an input buffer ahead of the
/// wire, so that a saturated link costs one event per delivery and a fraction of one per turn.
class LinkSender : public sc_core::sc_module, public LinkCredits {
 public:
  tlm_utils::multi_passthrough_target_socket<LinkSender> in{"in"};

  LinkSender(const sc_core::sc_module_name& name, const LinkConfig& config,
             const LinkEvents& events);
  /// Where the messages go; before the simulation starts.
  void sendTo(LinkMessages& farEnd) { farEnd_ = &farEnd; }

  void post(const LinkCredit& credit) override;

  /// Where blocking and debug accesses go, which are no messages: to the far end's socket if it is
  /// in this process. Without it they are refused.
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
  const LinkEvents& events_;
  LinkMessages* farEnd_ = nullptr;
  Blocking blocking_;
  Debug debug_;

  // Picoseconds per byte on the wire as a reduced fraction.
  std::uint64_t picosecondsNumerator_, picosecondsDenominator_;
  Picoseconds latency_, window_;
  std::uint32_t inputBufferBytes_, loseWrite_;
  std::uint64_t bufferBytes_;
  bool gatherLast_;

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

}  // namespace t3
