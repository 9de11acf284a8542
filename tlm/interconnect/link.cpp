// SPDX-License-Identifier: Apache-2.0
#include "tlm/interconnect/link.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

namespace t3 {

LinkReceiver::LinkReceiver(const sc_core::sc_module_name& name, const LinkConfig& config,
                           const Publisher& events)
    : sc_module(name),
      events_(events),
      creditLatency_(std::max<Picoseconds>(1, picosecondsFromNs(config.creditLatencyNs()))) {
  out.register_nb_transport_bw(this, &LinkReceiver::nbTransportBackward);
}

void LinkReceiver::post(const LinkMessage& message) {
  const bool checked = !message.values.empty();
  Payload& payload =
      pool_.allocate(tlm::TLM_WRITE_COMMAND, message.address, message.bytes, checked);
  static_cast<Traffic&>(traffic(payload)) = message.traffic;
  if (checked) std::ranges::copy(message.values, payload.get_data_ptr());
  flying_.push_back({&payload, message.number, message.arrival, message.lost});
  if (flying_.size() == 1 && offered_ == nullptr) arm();
}

void LinkReceiver::arm() { arrival_.set(std::max({flying_.front().arrival, freeAt_, now()})); }

void LinkReceiver::deliver() {
  while (!flying_.empty() && flying_.front().arrival <= now() && freeAt_ <= now()) {
    const Flying item = flying_.front();
    flying_.pop_front();
    Payload& payload = *item.payload;
    if (item.lost) {
      returnCredit(payload, now());
      payload.release();
      continue;
    }
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    offered_ = &payload;
    events_.announce(RequestPhase::Delivered, payload, now(), item.number);
    switch (out->nb_transport_fw(payload, phase, delay)) {
      case tlm::TLM_ACCEPTED:
        return;
      case tlm::TLM_UPDATED:
        taken(payload, delay);
        if (phase == tlm::BEGIN_RESP) answered(payload);
        break;
      case tlm::TLM_COMPLETED:
        taken(payload, delay);
        answered(payload);
        break;
    }
  }
  if (!flying_.empty()) arm();
}

void LinkReceiver::taken(Payload& payload, const sc_core::sc_time& delay) {
  offered_ = nullptr;
  freeAt_ = now() + toPicoseconds(delay);
  ++unanswered_;
  if (carriesData(traffic(std::as_const(payload)).sumLoad)) {
    deliveredBytes_ += bytesOnLinks(payload);
  }
  returnCredit(payload, freeAt_);
}

void LinkReceiver::returnCredit(const Payload& payload, Picoseconds when) {
  nearEnd_->post(LinkCredit{when + creditLatency_, bytesOnLinks(payload)});
}

void LinkReceiver::answered(Payload& payload) {
  --unanswered_;
  if (hasFailed(payload)) {
    SC_REPORT_ERROR("t3/link", (std::string(name()) + ": the destination answered " +
                                payload.get_response_string())
                                   .c_str());
  }
  payload.release();
}

void LinkReceiver::blockingTransport(Payload& payload, sc_core::sc_time& delay) {
  deliveredBytes_ += bytesOnLinks(payload);
  out->b_transport(payload, delay);
}

tlm::tlm_sync_enum LinkReceiver::nbTransportBackward(Payload& payload, tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
  if (offered_ == &payload) {  // END_REQ, or BEGIN_RESP which implies it
    taken(payload, delay);
    if (!flying_.empty()) arm();
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  answered(payload);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

std::size_t LinkReceiver::arrived() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(flying_, [](const Flying& item) { return item.arrival <= now(); }));
}

std::size_t LinkReceiver::inFlight() const { return flying_.size() - arrived(); }

std::size_t LinkReceiver::undelivered() const { return arrived() + (refused() ? 1 : 0); }

Link::Link(const sc_core::sc_module_name& name, const LinkConfig& config)
    : sc_module(name), sender_("sender", config, *this), receiver_("receiver", config, *this) {
  sender_.sendTo(receiver_);
  receiver_.creditTo(sender_);
  sender_.passThrough(
      [this](Payload& payload, sc_core::sc_time& delay) {
        receiver_.blockingTransport(payload, delay);
      },
      [this](Payload& payload) { return receiver_.debugTransport(payload); });
}

std::string Link::describe() const {
  std::ostringstream text;
  text << name() << ": ";
  if (idle()) {
    text << "idle";
    return text.str();
  }
  text << sender_.queued() << " queued, " << receiver_.inFlight() << " in flight, "
       << receiver_.undelivered() << " undelivered, " << receiver_.unanswered() << " unanswered, "
       << sender_.describeBuffers();
  if (receiver_.refused()) {
    text << "; waits for the destination to take a request";
  } else if (sender_.waitsForCredit()) {
    text << "; waits for credit";
  }
  return text.str();
}

void Link::publish(ValueList& list) const {
  list.level("queued", 16, "requests", [this] { return sender_.queued(); });
  list.level("in_flight", 16, "requests", [this] { return receiver_.inFlight(); });
  list.level("undelivered", 16, "requests", [this] { return receiver_.undelivered(); });
  list.level("without_credit", 32, "bytes", [this] { return sender_.bytesWithoutCredit(); });
  list.flag("waits_for_credit", [this] { return sender_.waitsForCredit(); });
  list.flag("destination_refuses", [this] { return receiver_.refused(); });
  list.flag("sending", [this] { return sender_.sending(); });
  list.counter("sent", "bytes", [this] { return payloadBytes(); });
  list.counter("on_wire", "bytes", [this] { return sender_.statistics().wireBytes; });
}

}  // namespace t3
