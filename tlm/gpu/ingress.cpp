// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/ingress.h"

namespace t3 {

Ingress::Ingress(const sc_core::sc_module_name& name, std::uint32_t depth, Performed performed,
                 IngressCodecs codecs)
    : sc_module(name),
      memory("memory", *this),
      depth_(depth),
      performed_(std::move(performed)),
      codecs_(codecs) {
  if (codecs.engine != nullptr || codecs.ofKernels.on()) {
    decoding_ = std::make_unique<TimedQueue<Payload*>>("decoding", [this](Payload* write) {
      const bool byKernel = traffic(std::as_const(*write)).codedByKernel;
      byKernel ? decode(codecs_.ofKernels, *write) : codecs_.engine->decode(*write);
      memory.send(*write);
    });
  }
  link.register_nb_transport_fw(this, &Ingress::nb_transport_fw);
}

tlm::tlm_sync_enum Ingress::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP
  arrival_ = now() + toPicoseconds(delay);
  if (arrival_ > now()) {
    arriving_.set(arrival_);
  } else if (takes(payload)) {
    return tlm::TLM_COMPLETED;
  }
  refused_ = &payload;
  return tlm::TLM_ACCEPTED;
}

bool Ingress::takes(Payload& payload) {
  if (traffic(std::as_const(payload)).sumLoad != SumLoad::None) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    sumLoad_(payload);
    return true;
  }
  if (!gate_.passes(payload) || memory.waiting() >= depth_) return false;
  if (!decoderTakes(payload)) return false;
  take(payload);
  return true;
}

void Ingress::take(Payload& payload) {
  payload.acquire();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  payload.set_address(localAddress(payload.get_address()));
  bytes_ += payload.get_data_length();
  contributedBytes_ +=
      std::uint64_t{payload.get_data_length()} * traffic(std::as_const(payload)).contributions;
  const TrafficExtension& extension = traffic(std::as_const(payload));
  if (extension.coded == 0) return memory.send(payload);
  // Plain only when the link has counted it.
  decoding_->post(extension.codedByKernel ? now() : codecs_.engine->take(payload), &payload);
}

/// Else it asks again when the decoder is free.
bool Ingress::decoderTakes(const Payload& payload) {
  const TrafficExtension& extension = traffic(payload);
  if (extension.coded == 0 || extension.codedByKernel) return true;
  const Picoseconds free = codecs_.engine->takesAt();
  if (free <= now()) return true;
  arriving_.set(free);
  return false;
}

void Ingress::guardUpdates(Readiness& rule) {
  gate_.setRule(rule);
  rule.whenChanged([this] { takeRefused(); });
}

void Ingress::accepted(Payload& /*payload*/) { takeRefused(); }

void Ingress::takeRefused() {
  if (refused_ == nullptr || arrival_ > now() || !takes(*refused_)) return;
  Payload& payload = *std::exchange(refused_, nullptr);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  link->nb_transport_bw(payload, phase, delay);
}

void Ingress::publish(ValueList& list) const {
  list.flag("refuses", [this] { return refused_ != nullptr; });
  list.flag("waits_for_zeros", [this] { return gate_.waiting(); });
  list.counter("taken", "bytes", [this] { return bytes_; });
}

void Ingress::completed(Payload& payload, Picoseconds when) { performed_(payload, when); }

}  // namespace t3
