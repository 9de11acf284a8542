// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/ingress.h"

#include <utility>

namespace t3 {

Ingress::Ingress(const sc_core::sc_module_name& name, std::uint32_t depth, Performed performed)
    : sc_module(name), memory("memory", *this), depth_(depth), performed_(std::move(performed)) {
  link.register_nb_transport_fw(this, &Ingress::nb_transport_fw);
}

tlm::tlm_sync_enum Ingress::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& /*delay*/) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP
  const bool zeros = zeroed(payload);
  if (!zeros || memory.waiting() >= depth_) {
    refused_ = &payload;
    if (!zeros) {
      zeroWaitFrom_ = now();
      announce({.kind = EventKind::ZeroWaitBegin,
                .workgroup = traffic(std::as_const(payload)).workgroup,
                .address = localAddress(payload.get_address())});
    }
    return tlm::TLM_ACCEPTED;
  }
  take(payload);
  return tlm::TLM_COMPLETED;
}

void Ingress::take(Payload& payload) {
  payload.acquire();
  payload.set_address(localAddress(payload.get_address()));
  bytes_ += payload.get_data_length();
  memory.send(payload);
}

void Ingress::guardUpdates(ZeroFrontier& zeros) {
  zeros_ = &zeros;
  zeros.wake([this] { takeRefused(); });
}

bool Ingress::zeroed(const Payload& payload) const {
  return zeros_ == nullptr || traffic(payload).operation == MemoryOperation::Store ||
         zeros_->passed(localAddress(payload.get_address()), payload.get_data_length());
}

void Ingress::accepted(Payload& /*payload*/) { takeRefused(); }

void Ingress::takeRefused() {
  if (refused_ == nullptr || !zeroed(*refused_)) return;
  if (zeroWaitFrom_) {
    zeroWait_ += now() - *std::exchange(zeroWaitFrom_, {});
    announce({.kind = EventKind::ZeroWaitEnd,
              .workgroup = traffic(std::as_const(*refused_)).workgroup,
              .address = localAddress(refused_->get_address())});
  }
  if (memory.waiting() >= depth_) return;
  Payload& payload = *std::exchange(refused_, nullptr);
  take(payload);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  link->nb_transport_bw(payload, phase, delay);
}

void Ingress::publish(ValueList& list) const {
  list.flag("refuses", [this] { return refused_ != nullptr; });
  list.flag("waits_for_zeros", [this] { return zeroWaitFrom_.has_value(); });
  list.counter("taken", "bytes", [this] { return bytes_; });
}

void Ingress::completed(Payload& payload, Picoseconds when) { performed_(payload, when); }

}  // namespace t3
