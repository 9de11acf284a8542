// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Imath/half.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/support/request.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"

namespace t3::test {

/// A memory (or a link's far end) with one server: requests are served in order of arrival, each
/// takes bytes / bandwidth, and answers `latency` later. It obeys the target rules of this project:
/// it never calls back from inside nb_transport_fw, takes a request at once (TLM_UPDATED, END_REQ)
/// while fewer than `queueDepth` are unserved, otherwise answers TLM_ACCEPTED and calls END_REQ
/// when a place is free, and completes by BEGIN_RESP with an annotated delay as soon as the time
/// is known. From `brokenFrom` on it answers with address errors. Writes with operation Add add
/// fp16 values. Addresses are used as they come, GPU bits included.
class TestMemory : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<TestMemory> target{"target"};
  std::uint64_t brokenFrom = ~std::uint64_t{0};

  TestMemory(const sc_core::sc_module_name& name, Picoseconds latency, double bytesPerNs,
             std::size_t queueDepth = ~std::size_t{0}, bool recording = true)
      : sc_module(name),
        recording_(recording),
        latency_(latency),
        bytesPerPs_(bytesPerNs / 1000.0),
        queueDepth_(queueDepth) {
    SC_HAS_PROCESS(TestMemory);
    target.register_nb_transport_fw(this, &TestMemory::forward);
    target.register_transport_dbg(this, &TestMemory::debug);
    SC_METHOD(serve);
    sensitive << event_;
    dont_initialize();
  }

  const std::vector<Request>& requests() const { return requests_; }
  std::uint64_t bytesRead() const { return bytesRead_; }
  std::uint64_t bytesWritten() const { return bytesWritten_; }
  bool idle() const { return refused_.empty() && taken_.empty(); }
  /// When the last byte taken so far leaves the server.
  Picoseconds busyUntil() const { return free_; }

  void write(std::uint64_t address, const void* data, std::size_t bytes) {
    const auto* from = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) byte(address + i) = from[i];
  }
  void read(std::uint64_t address, void* data, std::size_t bytes) {
    auto* to = static_cast<unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) to[i] = byte(address + i);
  }

 private:
  static constexpr std::uint64_t kPage = 4096;

  unsigned char& byte(std::uint64_t address) {
    return pages_[address / kPage][static_cast<std::size_t>(address % kPage)];
  }

  tlm::tlm_sync_enum forward(int id, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase != tlm::BEGIN_REQ) {
      SC_REPORT_ERROR("test/memory", "unexpected phase");
      return tlm::TLM_ACCEPTED;
    }
    expire();
    if (!refused_.empty() || unserved_.size() >= queueDepth_) {
      refused_.emplace_back(id, &payload);
      arm();
      return tlm::TLM_ACCEPTED;
    }
    take(id, payload);
    arm();
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  unsigned int debug(int, Payload& payload) {
    if (payload.is_write()) {
      write(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
    } else {
      read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return payload.get_data_length();
  }

  void take(int id, Payload& payload) {
    const std::uint32_t bytes = payload.get_data_length();
    free_ = std::max(free_, now()) +
            static_cast<Picoseconds>(std::llround(static_cast<double>(bytes) / bytesPerPs_));
    unserved_.push_back(free_);
    taken_.push_back({id, &payload, free_ + latency_});
    (payload.is_write() ? bytesWritten_ : bytesRead_) += bytes;
    if (recording_) requests_.emplace_back(payload);
    if (payload.get_address() + bytes > brokenFrom) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (values(payload) != nullptr) perform(payload, traffic(std::as_const(payload)).operation);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  void perform(Payload& payload, MemoryOperation operation) {
    unsigned char* data = payload.get_data_ptr();
    const std::uint32_t bytes = payload.get_data_length();
    if (payload.is_read()) {
      read(payload.get_address(), data, bytes);
    } else if (operation == MemoryOperation::Store) {
      write(payload.get_address(), data, bytes);
    } else {
      for (std::uint32_t i = 0; i < bytes; i += 2) {
        Imath::half stored, update;
        read(payload.get_address() + i, &stored, 2);
        std::memcpy(&update, data + i, 2);
        const Imath::half sum(static_cast<float>(stored) + static_cast<float>(update));
        write(payload.get_address() + i, &sum, 2);
      }
    }
  }

  void expire() {
    while (!unserved_.empty() && unserved_.front() <= now()) unserved_.pop_front();
  }

  void arm() {
    if (!taken_.empty()) {
      event_.notify(sc_core::SC_ZERO_TIME);
    } else if (!refused_.empty()) {
      event_.notify(fromPicoseconds(unserved_.front() - now()));
    }
  }

  void serve() {
    expire();
    while (!refused_.empty() && unserved_.size() < queueDepth_) {
      const auto [id, payload] = refused_.front();
      refused_.pop_front();
      take(id, *payload);
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      target[id]->nb_transport_bw(*payload, phase, delay);
    }
    while (!taken_.empty()) {
      const Taken item = taken_.front();
      taken_.pop_front();
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = fromPicoseconds(item.done - now());
      if (target[item.id]->nb_transport_bw(*item.payload, phase, delay) != tlm::TLM_COMPLETED) {
        SC_REPORT_ERROR("test/memory", "this memory needs TLM_COMPLETED in answer to BEGIN_RESP");
      }
    }
    arm();
  }

  struct Taken {
    int id = 0;
    Payload* payload = nullptr;
    Picoseconds done = 0;
  };

  bool recording_;
  Picoseconds latency_;
  double bytesPerPs_;
  std::size_t queueDepth_;
  Picoseconds free_ = 0;              ///< when the server has finished all it has taken
  std::deque<Picoseconds> unserved_;  ///< service end of each request that fills a place
  std::deque<Taken> taken_;           ///< response not yet sent
  std::deque<std::pair<int, Payload*>> refused_;
  sc_core::sc_event event_;
  std::vector<Request> requests_;
  std::uint64_t bytesRead_ = 0, bytesWritten_ = 0;
  std::unordered_map<std::uint64_t, std::array<unsigned char, kPage>> pages_;
};

}  // namespace t3::test
