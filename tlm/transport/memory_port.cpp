// SPDX-License-Identifier: Apache-2.0
#include "tlm/transport/memory_port.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace t3 {

MemoryPort::MemoryPort(const sc_core::sc_module_name& name, MemoryClient& client)
    : sc_module(name), client_(client) {
  socket.register_nb_transport_bw(this, &MemoryPort::nb_transport_bw);
}

void MemoryPort::send(Payload& payload) {
  announce(RequestPhase::Created, payload);
  waiting_.push_back(&payload);
  if (requesting_ == nullptr) pumping_.set(now());
}

void MemoryPort::debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                             std::uint32_t bytes) {
  Payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  if (socket->transport_dbg(payload) != bytes) {
    SC_REPORT_ERROR("t3/memory_port", "debug access outside the memory");
  }
}

void MemoryPort::pump() {
  if (taking_ && taking_->when <= now()) {
    const Taking taking = *std::exchange(taking_, std::nullopt);
    Payload& payload = *requesting_;
    taken(payload);
    if (taking.answered) finish(payload, *taking.answered);
  }
  while (requesting_ == nullptr && !waiting_.empty()) {
    Payload& payload = *waiting_.front();
    waiting_.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    ++inFlight_;
    requesting_ = &payload;
    announce(RequestPhase::BeginRequest, payload);
    switch (socket->nb_transport_fw(payload, phase, delay)) {
      case tlm::TLM_ACCEPTED:
        break;
      case tlm::TLM_UPDATED:
        if (phase == tlm::END_REQ) {
          take(payload, delay);
        } else {
          taken(payload);
          finish(payload, now() + toPicoseconds(delay));
        }
        break;
      case tlm::TLM_COMPLETED:
        taken(payload);
        finish(payload, now() + toPicoseconds(delay));
        break;
    }
  }
}

void MemoryPort::take(Payload& payload, const sc_core::sc_time& delay) {
  if (delay == sc_core::SC_ZERO_TIME) return taken(payload);
  taking_ = Taking{now() + toPicoseconds(delay)};
  pumping_.set(taking_->when);
}

void MemoryPort::taken(Payload& payload) {
  requesting_ = nullptr;
  announce(RequestPhase::EndRequest, payload);
  client_.accepted(payload);
}

void MemoryPort::finish(Payload& payload, Picoseconds when) {
  announce(RequestPhase::BeginResponse, payload, when);
  --inFlight_;
  if (payload.is_response_error() && !client_.hearsErrors()) reportError(payload);
  client_.completed(payload, when);
  payload.release();
}

tlm::tlm_sync_enum MemoryPort::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  // BEGIN_RESP on the outstanding request implies its END_REQ (base protocol rule 15.2.6.b).
  if (requesting_ == &payload) {
    if (taking_ && phase == tlm::BEGIN_RESP) {
      taking_->answered = std::max(taking_->when, now() + toPicoseconds(delay));
      phase = tlm::END_RESP;
      return tlm::TLM_COMPLETED;
    }
    if (phase == tlm::END_REQ) {
      take(payload, delay);
    } else {
      taken(payload);
    }
    if (requesting_ == nullptr && !waiting_.empty()) pumping_.set(now());
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  finish(payload, now() + toPicoseconds(delay));
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void MemoryPort::reportError(const Payload& payload) const {
  char request[64];
  std::snprintf(request, sizeof request, "%u bytes at 0x%llx", payload.get_data_length(),
                static_cast<unsigned long long>(payload.get_address()));
  SC_REPORT_ERROR("t3/memory_port",
                  (std::string(name()) + ": a " + (payload.is_read() ? "read" : "write") + " of " +
                   request + " was answered with " + payload.get_response_string())
                      .c_str());
}

void MemoryPort::publish(ValueList& list) const {
  list.level("waiting", 16, "requests", [this] { return waiting_.size(); });
  list.level("in_flight", 16, "requests", [this] { return inFlight_; });
}

}  // namespace t3
