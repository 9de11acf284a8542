// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <systemc>
#include <vector>

namespace t3::test {

/// The bytes of a plain TLM-2.0 memory: generic payloads, nothing of this project.
class PlainBytes {
 public:
  std::vector<tlm::tlm_command> commands;        ///< in the order in which they were done
  std::uint64_t brokenFrom = ~std::uint64_t{0};  ///< address errors from here on

  void perform(tlm::tlm_generic_payload& payload) {
    commands.push_back(payload.get_command());
    payload.set_response_status(move(payload) ? tlm::TLM_OK_RESPONSE
                                              : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    return move(payload) ? payload.get_data_length() : 0;
  }

 private:
  bool move(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address(), bytes = payload.get_data_length();
    if (address + bytes > std::min<std::uint64_t>(bytes_.size(), brokenFrom)) return false;
    unsigned char* stored = bytes_.data() + address;
    if (payload.is_read()) std::copy_n(stored, bytes, payload.get_data_ptr());
    if (payload.is_write()) std::copy_n(payload.get_data_ptr(), bytes, stored);
    return true;
  }

  std::vector<unsigned char> bytes_ = std::vector<unsigned char>(1 << 20);
};

/// Loosely timed: b_transport alone, each access 100 ns.
class BlockingMemory : public sc_core::sc_module, public PlainBytes {
 public:
  tlm_utils::simple_target_socket<BlockingMemory> socket{"socket"};

  explicit BlockingMemory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &BlockingMemory::bTransport);
    socket.register_transport_dbg(this, &BlockingMemory::transportDbg);
  }

 private:
  void bTransport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    perform(payload);
    delay += sc_core::sc_time(100, sc_core::SC_NS);
  }
  unsigned transportDbg(tlm::tlm_generic_payload& payload) { return debug(payload); }
};

/// Approximately timed, four phases. Takes a request each 2 ns and answers it 100 ns later. If it
/// is `shuffled` it answers after a random time and moves the data only then, so requests overtake
/// one another.
class PipelinedMemory : public sc_core::sc_module, public PlainBytes {
 public:
  tlm_utils::simple_target_socket<PipelinedMemory> socket{"socket"};
  bool shuffled = false;
  std::uint64_t inFlight = 0, mostInFlight = 0;

  explicit PipelinedMemory(const sc_core::sc_module_name& name, std::uint64_t seed = 1)
      : sc_module(name), random_(seed), queue_(this, &PipelinedMemory::later) {
    socket.register_nb_transport_fw(this, &PipelinedMemory::nbTransportFw);
    socket.register_transport_dbg(this, &PipelinedMemory::transportDbg);
  }

 private:
  tlm::tlm_sync_enum nbTransportFw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    payload.acquire();
    mostInFlight = std::max(mostInFlight, ++inFlight);
    queue_.notify(payload, tlm::END_REQ, delay + sc_core::sc_time(2, sc_core::SC_NS));
    const double latency = shuffled ? 3.0 + static_cast<double>(random_() % 400) : 100.0;
    queue_.notify(payload, tlm::BEGIN_RESP, delay + sc_core::sc_time(latency, sc_core::SC_NS));
    return tlm::TLM_ACCEPTED;
  }
  void later(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& at) {
    tlm::tlm_phase phase = at;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (at == tlm::BEGIN_RESP) {
      --inFlight;
      perform(payload);
    }
    socket->nb_transport_bw(payload, phase, delay);
    if (at == tlm::BEGIN_RESP) payload.release();
  }
  unsigned transportDbg(tlm::tlm_generic_payload& payload) { return debug(payload); }

  std::mt19937_64 random_;
  tlm_utils::peq_with_cb_and_phase<PipelinedMemory> queue_;
};

}  // namespace t3::test
