// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>

namespace t3::test {

/// Stock initiator: generic payloads of its own without memory manager or extension, four phases,
/// takes 10 ns to answer a response.
class StockInitiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<StockInitiator> socket{"socket"};

  SC_CTOR(StockInitiator) : queue_(this, &StockInitiator::later) {
    socket.register_nb_transport_bw(this, &StockInitiator::nbTransportBw);
    SC_THREAD(main);
  }

  std::function<void(StockInitiator&)> body;
  std::uint64_t responses = 0, endRequests = 0, protocolErrors = 0;

  /// Sends, `delay` ahead of its time, and waits for END_REQ.
  void send(tlm::tlm_generic_payload& payload, sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    const auto status = socket->nb_transport_fw(payload, phase, delay);
    if (status == tlm::TLM_COMPLETED) {
      ++responses;
      return;
    }
    requesting_ = &payload;
    if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
      requesting_ = nullptr;
      ++endRequests;
    } else {
      wait(accepted_);
    }
  }
  void awaitResponses(std::uint64_t count) {
    while (responses < count) wait(responded_);
  }

 private:
  void main() {
    if (body) body(*this);
  }
  tlm::tlm_sync_enum nbTransportBw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
      if (requesting_ != &payload) ++protocolErrors;
      requesting_ = nullptr;
      ++endRequests;
      accepted_.notify(sc_core::SC_ZERO_TIME);
    } else if (phase == tlm::BEGIN_RESP) {
      if (responding_) ++protocolErrors;  // the exclusion rule
      responding_ = true;
      queue_.notify(payload, phase, delay + sc_core::sc_time(10, sc_core::SC_NS));
    } else {
      ++protocolErrors;
    }
    return tlm::TLM_ACCEPTED;
  }
  void later(tlm::tlm_generic_payload& payload, const tlm::tlm_phase&) {
    responding_ = false;
    ++responses;
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(payload, phase, delay);
    responded_.notify();
  }

  tlm_utils::peq_with_cb_and_phase<StockInitiator> queue_;
  tlm::tlm_generic_payload* requesting_ = nullptr;
  bool responding_ = false;
  sc_core::sc_event accepted_, responded_;
};

inline tlm::tlm_generic_payload& prepare(tlm::tlm_generic_payload& payload,
                                         tlm::tlm_command command, std::uint64_t address,
                                         unsigned char* data, unsigned bytes) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(true);
  return payload;
}

}  // namespace t3::test
