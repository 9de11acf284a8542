// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

#include "tlm/transport/clock.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/timed_queue.h"

namespace t3::test {

/// Sends writes, and reads, which a link refuses.
class Source : public sc_core::sc_module, public MemoryClient {
 public:
  MemoryPort port{"port", *this};
  std::vector<Picoseconds> acceptedAt;
  std::vector<tlm::tlm_response_status> status;

  Source(const sc_core::sc_module_name& name, PayloadPool& pool) : sc_module(name), pool_(pool) {}

  void write(std::uint64_t address, std::uint32_t bytes, Phase phase = Phase::Gemm,
             Protocol protocol = Protocol::Simple) {
    Payload& payload = pool_.allocate(tlm::TLM_WRITE_COMMAND, address, bytes, false);
    traffic(payload).phase = phase;
    traffic(payload).protocol = protocol;
    port.send(payload);
  }
  void read(std::uint64_t address, std::uint32_t bytes) {
    port.send(pool_.allocate(tlm::TLM_READ_COMMAND, address, bytes, false));
  }

 private:
  void accepted(Payload&) override { acceptedAt.push_back(now()); }
  void completed(Payload& payload, Picoseconds) override {
    status.push_back(payload.get_response_status());
  }

  PayloadPool& pool_;
};

/// Takes a write `service` after it was offered (0: at once), by END_REQ and later BEGIN_RESP or by
/// BEGIN_RESP alone.
class Sink : public sc_core::sc_module {
 public:
  struct Arrival {
    std::uint64_t address;
    Picoseconds time;
    bool operator==(const Arrival&) const = default;
  };
  tlm_utils::simple_target_socket<Sink> target{"target"};
  std::vector<Arrival> arrivals;
  Picoseconds service = 0;
  bool endRequestFirst = false;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  unsigned blocking = 0;
  unsigned offered = 0;  ///< offered and not yet taken
  std::function<void(std::uint64_t address)> onArrival;

  explicit Sink(const sc_core::sc_module_name& name)
      : sc_module(name), queue_("queue", [this](Payload* payload) { take(*payload); }) {
    target.register_nb_transport_fw(this, &Sink::forward);
    target.register_b_transport(this, &Sink::blockingTransport);
    target.register_transport_dbg(this, &Sink::debug);
  }

 private:
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    EXPECT_EQ(phase, tlm::BEGIN_REQ);
    EXPECT_EQ(offered, 0u) << "a second request while one is not taken";
    arrivals.push_back({payload.get_address(), now()});
    if (onArrival) onArrival(payload.get_address());
    if (service == 0) {
      payload.set_response_status(status);
      return tlm::TLM_COMPLETED;
    }
    ++offered;
    queue_.post(now() + service, &payload);
    return tlm::TLM_ACCEPTED;
  }
  void take(Payload& payload) {
    --offered;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (endRequestFirst) {
      tlm::tlm_phase phase = tlm::END_REQ;
      target->nb_transport_bw(payload, phase, delay);
    }
    payload.set_response_status(status);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    EXPECT_EQ(target->nb_transport_bw(payload, phase, delay), tlm::TLM_COMPLETED);
  }
  void blockingTransport(Payload&, sc_core::sc_time&) { ++blocking; }
  unsigned debug(Payload& payload) { return payload.get_data_length(); }

  TimedQueue<Payload*> queue_;
};

}  // namespace t3::test
