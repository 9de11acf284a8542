// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "tlm/transport/payload.h"

namespace t3 {

/// Stands for all other GPUs where one GPU is simulated for all: what that one sends on a link
/// comes back at that time as what another one would send to it. Who derives from this says what
/// that is.
///
///     link.out ─► in, out ─► ingress.link
///
/// Sockets: base protocol, no time of its own. Here a write is passed through as the object it is.
class Loop : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Loop> in{"in"};
  tlm_utils::simple_initiator_socket<Loop> out{"out"};

  virtual bool idle() const { return true; }

 protected:
  explicit Loop(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_nb_transport_fw(this, &Loop::forward);
    out.register_nb_transport_bw(this, &Loop::backward);
  }

  virtual tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    return out->nb_transport_fw(payload, phase, delay);
  }
  virtual tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay) {
    return in->nb_transport_bw(payload, phase, delay);
  }
};

}  // namespace t3
