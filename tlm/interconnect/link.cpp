// SPDX-License-Identifier: Apache-2.0
#include "tlm/interconnect/link.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

namespace t3 {
namespace {

constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

}  // namespace

Link::Link(const sc_core::sc_module_name& name, const LinkConfig& config)
    : sc_module(name),
      latency_(picosecondsFromNs(config.latency_ns)),
      creditLatency_(picosecondsFromNs(config.creditLatencyNs())),
      headerBytes_(config.header_bytes),
      packetBytes_(config.packet_bytes),
      inputBufferBytes_(config.input_buffer_bytes),
      loseWrite_(config.lose_write),
      bufferBytes_(config.bufferBytes()) {
  const auto bytesPerSecond = static_cast<std::uint64_t>(std::llround(config.bandwidth_gb_s * 1e9));
  const std::uint64_t divisor = std::gcd(kPicosecondsPerSecond, bytesPerSecond);
  picosecondsNumerator_ = kPicosecondsPerSecond / divisor;
  picosecondsDenominator_ = bytesPerSecond / divisor;
  window_ = inputBufferBytes_ / 2 * picosecondsNumerator_ / picosecondsDenominator_;

  in.register_nb_transport_fw(this, &Link::nbTransportForward);
  in.register_b_transport(this, &Link::blockingTransport);
  in.register_transport_dbg(this, &Link::debugTransport);
  out.register_nb_transport_bw(this, &Link::nbTransportBackward);

  SC_HAS_PROCESS(Link);
  SC_METHOD(pump);
  sensitive << pumpEvent_;
  dont_initialize();
  SC_METHOD(deliver);
  sensitive << deliverEvent_;
  dont_initialize();
  SC_METHOD(creditReturned);
  sensitive << creditEvent_;
  dont_initialize();
}

void Link::end_of_elaboration() { inputs_.resize(in.size()); }

bool Link::idle() const {
  const bool refused = std::any_of(inputs_.begin(), inputs_.end(), [](const Input& input) {
    return input.refused.payload != nullptr;
  });
  return queued_ == 0 && !refused && flying_.empty() && offered_ == nullptr && unanswered_ == 0;
}

std::string Link::describe() const {
  std::ostringstream text;
  text << name() << ": ";
  if (idle()) {
    text << "idle";
    return text.str();
  }
  const auto arrived = std::count_if(flying_.begin(), flying_.end(),
                                     [](const Flying& f) { return f.arrival <= now(); });
  text << queued_ << " queued, " << static_cast<std::ptrdiff_t>(flying_.size()) - arrived
       << " in flight, " << arrived + (offered_ != nullptr ? 1 : 0) << " undelivered, "
       << unanswered_ << " unanswered, buffer " << bufferUsed_ << " of " << bufferBytes_
       << " bytes";
  for (std::size_t id = 0; id < inputs_.size(); ++id) {
    if (inputs_[id].refused.payload != nullptr) text << ", initiator " << id << " refused";
  }
  if (offered_ != nullptr) {
    text << "; waits for the destination to take a request";
  } else if (creditBlocked_) {
    text << "; waits for credit";
  }
  return text.str();
}

void Link::publish(ValueList& list) const {
  list.level("queued", 16, "requests", [this] { return queued_; });
  list.level("in_flight", 16, "requests", [this] {
    return static_cast<std::uint64_t>(std::count_if(
        flying_.begin(), flying_.end(), [](const Flying& f) { return f.arrival > now(); }));
  });
  list.level("undelivered", 16, "requests", [this] {
    const auto arrived = std::count_if(flying_.begin(), flying_.end(),
                                       [](const Flying& f) { return f.arrival <= now(); });
    return static_cast<std::uint64_t>(arrived) + (offered_ != nullptr ? 1 : 0);
  });
  list.level("without_credit", 32, "bytes", [this] { return bytesWithoutCredit(); });
  list.flag("waits_for_credit", [this] { return creditBlocked_; });
  list.flag("destination_refuses", [this] { return offered_ != nullptr; });
  // One that is about to follow counts: who reads just before it starts would see a gap.
  list.flag("sending", [this] { return freeAt_ > now() || (queued_ != 0 && !creditBlocked_); });
  list.counter("sent", "bytes", [this] { return statistics_.totalSentBytes(); });
}

/// Of what has been sent: the destination has not taken it, or its credit is still on the way.
std::uint64_t Link::bytesWithoutCredit() const {
  std::uint64_t bytes = bufferUsed_;
  for (const Credit& credit : returning_) {
    if (credit.arrival <= now()) bytes -= credit.bytes;
  }
  return bytes;
}

tlm::tlm_sync_enum Link::nbTransportForward(int id, Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP
  if (!payload.is_write()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  if (!payload.has_mm()) {
    SC_REPORT_ERROR("t3/link", "a non-blocking write without a memory manager");
    return tlm::TLM_COMPLETED;
  }
  Input& input = inputs_[static_cast<std::size_t>(id)];
  if (input.refused.payload != nullptr) {
    SC_REPORT_ERROR("t3/link", "BEGIN_REQ before the previous request of this initiator was taken");
    return tlm::TLM_COMPLETED;
  }
  payload.acquire();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  const Waiting item{&payload, now() + toPicoseconds(delay)};
  if (!fits(input, payload)) {
    input.refused = item;
    return tlm::TLM_ACCEPTED;
  }
  enqueue(input, item);
  return tlm::TLM_COMPLETED;
}

bool Link::fits(const Input& input, const Payload& payload) const {
  return input.queue.empty() || input.bytes + payload.get_data_length() <= inputBufferBytes_;
}

bool Link::hasCredit(const Payload& payload) {
  reclaimCredit();
  return bufferUsed_ == 0 || bufferUsed_ + payload.get_data_length() <= bufferBytes_;
}

void Link::enqueue(Input& input, Waiting item) {
  // The usual case on a link that is not saturated, without an event of its own.
  if (input.queue.empty()) input.turn = std::max(input.turn, turn_);
  if (queued_ == 0 && !pumping_ && freeAt_ <= now() + window_ && hasCredit(*item.payload)) {
    transmit(input, item);
    return;
  }
  input.queue.push_back(item);
  input.bytes += item.payload->get_data_length();
  ++queued_;
  arm();
}

void Link::arm() {
  if (pumpArmed_ || pumping_ || creditBlocked_) return;
  pumpArmed_ = true;
  pumpEvent_.notify(fromPicoseconds(freeAt_ > now() ? freeAt_ - now() : 0));
}

void Link::pump() {
  pumpArmed_ = false;
  pumping_ = true;
  while (queued_ > 0 && freeAt_ <= now() + window_) {
    const std::size_t id = next();
    Input& input = inputs_[id];
    const Waiting item = input.queue.front();
    if (!hasCredit(*item.payload)) {
      creditBlocked_ = true;
      announce({.kind = EventKind::CreditWaitBegin});
      awaitCredit();
      break;
    }
    last_ = id;
    input.queue.pop_front();
    input.bytes -= item.payload->get_data_length();
    --queued_;
    transmit(input, item);
    admitRefused(id);
  }
  pumping_ = false;
  if (queued_ > 0) arm();
}

/// Of the initiators that wait, the one whose turn is due first; of equals, the next in a circle.
std::size_t Link::next() const {
  std::size_t best = inputs_.size();
  for (std::size_t step = 1; step <= inputs_.size(); ++step) {
    const std::size_t id = (last_ + step) % inputs_.size();
    if (inputs_[id].queue.empty()) continue;
    if (best == inputs_.size() || inputs_[id].turn < inputs_[best].turn) best = id;
  }
  return best;
}

void Link::admitRefused(std::size_t id) {
  Input& input = inputs_[id];
  if (input.refused.payload == nullptr || !fits(input, *input.refused.payload)) return;
  const Waiting item = std::exchange(input.refused, {});
  enqueue(input, item);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  in[static_cast<int>(id)]->nb_transport_bw(*item.payload, phase, delay);
}

std::uint64_t Link::wireBytes(std::uint64_t bytes) const {
  return bytes + (bytes + packetBytes_ - 1) / packetBytes_ * headerBytes_;
}

void Link::transmit(Input& input, Waiting item) {
  Payload& payload = *item.payload;
  const std::uint64_t bytes = payload.get_data_length();
  const std::uint64_t onWire = wireBytes(bytes);
  turn_ = input.turn;
  input.turn += onWire;
  const Picoseconds start = std::max({now(), item.ready, freeAt_});
  if (start > freeAt_) carry_ = 0;
  const std::uint64_t total = onWire * picosecondsNumerator_ + carry_;
  freeAt_ = start + total / picosecondsDenominator_;
  carry_ = total % picosecondsDenominator_;

  bufferUsed_ += bytes;
  statistics_.sentBytes[static_cast<std::size_t>(traffic(std::as_const(payload)).phase)] += bytes;
  statistics_.wireBytes += onWire;
  statistics_.busy += freeAt_ - start;
  statistics_.peakBufferBytes = std::max(statistics_.peakBufferBytes, bufferUsed_);
  ++statistics_.payloads;
  const Picoseconds lastBit = freeAt_ + (carry_ != 0 ? 1 : 0);
  const bool lost = loseWrite_ != 0 && statistics_.payloads == loseWrite_;
  flying_.push_back({&payload, lastBit + latency_, lost});
  announce(RequestPhase::Sent, payload, lastBit);
  if (flying_.size() == 1 && offered_ == nullptr) armDelivery();
}

void Link::armDelivery() {
  const Picoseconds arrival = flying_.front().arrival;
  deliverEvent_.notify(fromPicoseconds(arrival > now() ? arrival - now() : 0));
}

void Link::deliver() {
  while (!flying_.empty() && flying_.front().arrival <= now()) {
    Payload& payload = *flying_.front().payload;
    const bool lost = flying_.front().lost;
    flying_.pop_front();
    if (lost) {
      returnCredit(payload);
      payload.release();
      continue;
    }
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    offered_ = &payload;
    announce(RequestPhase::Delivered, payload);
    switch (out->nb_transport_fw(payload, phase, delay)) {
      case tlm::TLM_ACCEPTED:
        return;
      case tlm::TLM_UPDATED:
        taken(payload);
        if (phase == tlm::BEGIN_RESP) answered(payload);
        break;
      case tlm::TLM_COMPLETED:
        taken(payload);
        answered(payload);
        break;
    }
  }
  if (!flying_.empty()) armDelivery();
}

void Link::taken(Payload& payload) {
  offered_ = nullptr;
  ++unanswered_;
  statistics_.deliveredBytes += payload.get_data_length();
  returnCredit(payload);
}

void Link::returnCredit(const Payload& payload) {
  returning_.push_back({now() + creditLatency_, payload.get_data_length()});
  if (creditBlocked_ && returning_.size() == 1) awaitCredit();
}

void Link::reclaimCredit() {
  while (!returning_.empty() && returning_.front().arrival <= now()) {
    bufferUsed_ -= returning_.front().bytes;
    returning_.pop_front();
  }
}

void Link::awaitCredit() {
  if (!returning_.empty()) {
    creditEvent_.notify(fromPicoseconds(returning_.front().arrival - now()));
  }
}

void Link::creditReturned() {
  creditBlocked_ = false;
  announce({.kind = EventKind::CreditWaitEnd});
  arm();
}

void Link::answered(Payload& payload) {
  --unanswered_;
  // Posted writes need no status; only a real error code is one.
  if (payload.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE) {
    SC_REPORT_ERROR("t3/link", (std::string(name()) + ": the destination answered " +
                                payload.get_response_string())
                                   .c_str());
  }
  payload.release();
}

tlm::tlm_sync_enum Link::nbTransportBackward(Payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& /*delay*/) {
  if (offered_ == &payload) {  // END_REQ, or BEGIN_RESP which implies it
    taken(payload);
    if (!flying_.empty()) armDelivery();
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  answered(payload);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void Link::blockingTransport(int /*id*/, Payload& payload, sc_core::sc_time& delay) {
  if (!payload.is_write()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t bytes = payload.get_data_length();
  const std::uint64_t onWire = wireBytes(bytes);
  const Picoseconds sending = onWire * picosecondsNumerator_ / picosecondsDenominator_;
  statistics_.sentBytes[static_cast<std::size_t>(traffic(std::as_const(payload)).phase)] += bytes;
  statistics_.deliveredBytes += bytes;
  statistics_.wireBytes += onWire;
  statistics_.busy += sending;
  ++statistics_.payloads;
  delay += fromPicoseconds(sending + latency_);
  out->b_transport(payload, delay);
}

unsigned Link::debugTransport(int /*id*/, Payload& payload) { return out->transport_dbg(payload); }

}  // namespace t3
