// SPDX-License-Identifier: Apache-2.0
#include "tlm/interconnect/link.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace t3 {
namespace {

constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

}  // namespace

LinkSender::LinkSender(const sc_core::sc_module_name& name, const LinkConfig& config,
                       const Publisher& events)
    : sc_module(name),
      config_(config),
      events_(events),
      latency_(picosecondsFromNs(config.latency_ns)),
      bufferBytes_(config.bufferBytes()) {
  const auto bytesPerSecond = static_cast<std::uint64_t>(std::llround(config.bandwidth_gb_s * 1e9));
  const std::uint64_t divisor = std::gcd(kPicosecondsPerSecond, bytesPerSecond);
  picosecondsNumerator_ = kPicosecondsPerSecond / divisor;
  picosecondsDenominator_ = bytesPerSecond / divisor;
  window_ = config_.input_buffer_bytes / 2 * picosecondsNumerator_ / picosecondsDenominator_;

  in.register_nb_transport_fw(this, &LinkSender::nbTransportForward);
  in.register_b_transport(this, &LinkSender::blockingTransport);
  in.register_transport_dbg(this, &LinkSender::debugTransport);
}

void LinkSender::end_of_elaboration() { inputs_.resize(in.size()); }

bool LinkSender::idle() const {
  return queued_ == 0 && std::ranges::none_of(inputs_, [](const Input& input) {
           return input.refused.payload != nullptr;
         });
}

std::string LinkSender::describeBuffers() const {
  std::string text =
      "buffer " + std::to_string(bufferUsed_) + " of " + std::to_string(bufferBytes_) + " bytes";
  for (std::size_t id = 0; id < inputs_.size(); ++id) {
    if (inputs_[id].refused.payload == nullptr) continue;
    text += ", initiator " + std::to_string(id) + " refused";
  }
  return text;
}

std::uint64_t LinkSender::bytesWithoutCredit() const {
  std::uint64_t bytes = bufferUsed_;
  for (const LinkCredit& credit : returning_) {
    if (credit.arrival <= now()) bytes -= credit.bytes;
  }
  return bytes;
}

tlm::tlm_sync_enum LinkSender::nbTransportForward(int id, Payload& payload, tlm::tlm_phase& phase,
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

bool LinkSender::fits(const Input& input, const Payload& payload) const {
  return input.queue.empty() || input.bytes + bytesOnLinks(payload) <= config_.input_buffer_bytes;
}

bool LinkSender::hasCredit(const Payload& payload) {
  reclaimCredit();
  return bufferUsed_ == 0 || bufferUsed_ + bytesOnLinks(payload) <= bufferBytes_;
}

void LinkSender::enqueue(Input& input, Waiting item) {
  // The usual case on a link that is not saturated, without an event of its own.
  if (input.queue.empty()) input.turn = std::max(input.turn, turn_);
  if (queued_ == 0 && !pumping_ && freeAt_ <= now() + window_ && hasCredit(*item.payload)) {
    transmit(input, item);
    return;
  }
  input.queue.push_back(item);
  input.bytes += bytesOnLinks(*item.payload);
  ++queued_;
  arm();
}

void LinkSender::arm() {
  if (pumpAlarm_.isSet() || pumping_ || creditBlocked_) return;
  pumpAlarm_.set(std::max(freeAt_, now()));
}

void LinkSender::pump() {
  pumping_ = true;
  while (queued_ > 0 && freeAt_ <= now() + window_) {
    const std::size_t id = next();
    Input& input = inputs_[id];
    const Waiting item = input.queue.front();
    if (!hasCredit(*item.payload)) {
      creditBlocked_ = true;
      events_.announce({.kind = EventKind::CreditWaitBegin});
      awaitCredit();
      break;
    }
    last_ = id;
    input.queue.pop_front();
    input.bytes -= bytesOnLinks(*item.payload);
    --queued_;
    transmit(input, item);
    admitRefused(id);
  }
  pumping_ = false;
  if (queued_ > 0) arm();
}

/// Whether the first write of a queue goes after those of other phases.
bool LinkSender::canWait(const Input& input) const {
  return config_.gather_last &&
         traffic(std::as_const(*input.queue.front().payload)).phase == Phase::AllGather;
}

/// Of the initiators that wait, the one whose turn is due first; of equals, the next in a circle.
std::size_t LinkSender::next() const {
  std::size_t best = inputs_.size();
  const auto before = [this](const Input& one, const Input& other) {
    if (canWait(one) != canWait(other)) return canWait(other);
    return one.turn < other.turn;
  };
  for (std::size_t step = 1; step <= inputs_.size(); ++step) {
    const std::size_t id = (last_ + step) % inputs_.size();
    if (inputs_[id].queue.empty()) continue;
    if (best == inputs_.size() || before(inputs_[id], inputs_[best])) best = id;
  }
  return best;
}

void LinkSender::admitRefused(std::size_t id) {
  Input& input = inputs_[id];
  if (input.refused.payload == nullptr || !fits(input, *input.refused.payload)) return;
  const Waiting item = std::exchange(input.refused, {});
  enqueue(input, item);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  in[static_cast<int>(id)]->nb_transport_bw(*item.payload, phase, delay);
}

std::uint64_t LinkSender::wireBytes(const Payload& payload) const {
  const TrafficExtension& extension = traffic(payload);
  if (!carriesData(extension.sumLoad)) return payload.get_data_length();
  return config_.wireBytes(extension.protocol, bytesOnLinks(payload));
}

void LinkSender::countSent(const Payload& payload) {
  const TrafficExtension& extension = traffic(payload);
  const std::uint32_t bytes = bytesOnLinks(payload);
  statistics_.sentBytes += bytes;
  statistics_.plainBytes += payload.get_data_length();
  statistics_.nodeBytes[extension.node] += bytes;
}

void LinkSender::transmit(Input& input, Waiting item) {
  Payload& payload = *item.payload;
  const std::uint64_t bytes = bytesOnLinks(payload);
  const std::uint64_t onWire = wireBytes(payload);
  turn_ = input.turn;
  input.turn += onWire;
  const Picoseconds start = std::max({now(), item.ready, freeAt_});
  if (start > freeAt_) carry_ = 0;
  const std::uint64_t total = onWire * picosecondsNumerator_ + carry_;
  freeAt_ = start + total / picosecondsDenominator_;
  carry_ = total % picosecondsDenominator_;

  bufferUsed_ += bytes;
  const TrafficExtension& extension = traffic(std::as_const(payload));
  if (carriesData(extension.sumLoad)) countSent(payload);
  statistics_.wireBytes += onWire;
  statistics_.busy += freeAt_ - start;
  statistics_.peakBufferBytes = std::max(statistics_.peakBufferBytes, bufferUsed_);
  ++statistics_.payloads;
  const Picoseconds lastBit = freeAt_ + (carry_ != 0 ? 1 : 0);
  LinkMessage message{.number = statistics_.payloads,
                      .arrival = lastBit + latency_,
                      .lost = statistics_.payloads == config_.lose_write,
                      .address = payload.get_address(),
                      .bytes = payload.get_data_length(),
                      .traffic = extension,
                      .values = {}};
  if (const unsigned char* data = values(payload); data != nullptr) {
    message.values = {data, bytes};
  }
  events_.announce(RequestPhase::Sent, payload, lastBit, message.number);
  farEnd_->post(message);
  payload.release();
}

void LinkSender::post(const LinkCredit& credit) {
  returning_.push_back(credit);
  if (creditBlocked_ && returning_.size() == 1) awaitCredit();
}

void LinkSender::reclaimCredit() {
  while (!returning_.empty() && returning_.front().arrival <= now()) {
    bufferUsed_ -= returning_.front().bytes;
    returning_.pop_front();
  }
}

void LinkSender::awaitCredit() {
  if (!returning_.empty()) creditAlarm_.set(returning_.front().arrival);
}

void LinkSender::creditReturned() {
  creditBlocked_ = false;
  events_.announce({.kind = EventKind::CreditWaitEnd});
  arm();
}

void LinkSender::passThrough(Blocking blocking, Debug debug) {
  blocking_ = std::move(blocking);
  debug_ = std::move(debug);
}

void LinkSender::blockingTransport(int /*id*/, Payload& payload, sc_core::sc_time& delay) {
  if (!payload.is_write() || !blocking_) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t onWire = wireBytes(payload);
  const Picoseconds sending = onWire * picosecondsNumerator_ / picosecondsDenominator_;
  countSent(payload);
  statistics_.wireBytes += onWire;
  statistics_.busy += sending;
  ++statistics_.payloads;
  delay += fromPicoseconds(sending + latency_);
  blocking_(payload, delay);
}

unsigned LinkSender::debugTransport(int /*id*/, Payload& payload) {
  return debug_ ? debug_(payload) : 0;
}

}  // namespace t3
