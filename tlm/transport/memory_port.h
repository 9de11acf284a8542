// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <tlm_utils/simple_initiator_socket.h>

#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// Who sends through a `MemoryPort`. Calls come from the port, never from inside `send`.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// The target has taken the request (END_REQ); a posted write may be forgotten from here.
  virtual void accepted(Payload& payload) = 0;
  /// The response is due at `when` (absolute, ≥ now: targets annotate delays instead of waiting).
  /// The payload is released after this call unless the client acquires it.
  virtual void completed(Payload& payload, Picoseconds when) = 0;
  /// It looks at the status of a response itself. For all others an error is the port's error
  /// (SC_REPORT_ERROR "t3/memory_port"); if that does not end the run, `completed` follows.
  virtual bool hearsErrors() const { return false; }
};

/// Initiator side of one socket: base protocol, one BEGIN_REQ outstanding, any number of accepted
/// requests in flight. Requests leave in the order of `send`; what the target has not taken waits,
/// and `waiting()` is the back-pressure. An END_REQ counts when its delay has passed; an answer
/// without one, at once.
class MemoryPort : public sc_core::sc_module, public Publisher {
 public:
  tlm_utils::simple_initiator_socket<MemoryPort> socket{"socket"};

  MemoryPort(const sc_core::sc_module_name& name, MemoryClient& client);

  /// Takes over the caller's reference. The request leaves in this time step or waits its turn.
  void send(Payload& payload);

  /// Reads or writes behind the socket without timing; an error if not all of it exists.
  void debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                   std::uint32_t bytes);

  std::size_t waiting() const { return waiting_.size(); }
  std::uint64_t inFlight() const { return inFlight_; }
  bool idle() const { return waiting_.empty() && inFlight_ == 0; }

  void publish(ValueList& list) const override;

 private:
  void pump();
  /// An END_REQ that counts later, and the response, if it came meanwhile.
  struct Taking {
    Picoseconds when;
    std::optional<Picoseconds> answered = {};
  };

  void take(Payload& payload, const sc_core::sc_time& delay);
  void taken(Payload& payload);
  void finish(Payload& payload, Picoseconds when);
  void reportError(const Payload& payload) const;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);

  MemoryClient& client_;
  std::deque<Payload*> waiting_;
  Payload* requesting_ = nullptr;  ///< sent, END_REQ does not yet count
  std::optional<Taking> taking_;   ///< of `requesting_`
  std::uint64_t inFlight_ = 0;
  Alarm pumping_{Turn::Port, [this] { pump(); }};
};

}  // namespace t3
