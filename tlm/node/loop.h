// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "tlm/collectives/gpus_alike.h"
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

/// Of an algorithm alone: a write goes to the chunk that is to GPU 0 what its own is to the GPU for
/// which it was meant. It lies in one chunk, and is counted by the same number or tile.
class AlgorithmLoop : public Loop {
 public:
  /// `alike` outlives the loop.
  AlgorithmLoop(const sc_core::sc_module_name& name, const GpusAlike& alike)
      : Loop(name), alike_(alike) {}

 protected:
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) override {
    if (phase == tlm::BEGIN_REQ) {
      const std::uint64_t address = payload.get_address();
      payload.set_address(alike_.asOfGpu0(gpuOf(address), localAddress(address)));
    }
    return Loop::forward(payload, phase, delay);
  }

 private:
  const GpusAlike& alike_;
};

}  // namespace t3
