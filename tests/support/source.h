// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <systemc>
#include <vector>

#include "tlm/transport/memory_port.h"

namespace t3::test {

/// Sends requests through a `MemoryPort` and records when each is taken and answered.
class Source : public sc_core::sc_module, public MemoryClient {
 public:
  MemoryPort port{"port", *this};
  std::vector<Picoseconds> acceptedAt;
  /// Of the answers, in their order.
  std::vector<Picoseconds> answeredAt;
  std::vector<tlm::tlm_response_status> status;
  std::function<void(const Payload&, Picoseconds)> answered = [](const Payload&, Picoseconds) {};

  Source(const sc_core::sc_module_name& name, PayloadPool& pool) : sc_module(name), pool_(pool) {}

  /// What the caller may still change, and then sends.
  Payload& make(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes,
                const Traffic& what = {}, bool withData = false) {
    Payload& payload = pool_.allocate(command, address, bytes, withData);
    static_cast<Traffic&>(traffic(payload)) = what;
    return payload;
  }
  /// A write that carries these bytes.
  Payload& make(std::uint64_t address, std::span<const std::byte> data, const Traffic& what = {}) {
    Payload& payload =
        make(tlm::TLM_WRITE_COMMAND, address, static_cast<std::uint32_t>(data.size()), what, true);
    std::memcpy(payload.get_data_ptr(), data.data(), data.size());
    return payload;
  }
  void write(std::uint64_t address, std::uint32_t bytes, const Traffic& what = {}) {
    port.send(make(tlm::TLM_WRITE_COMMAND, address, bytes, what));
  }
  void write(std::uint64_t address, std::span<const std::byte> data, const Traffic& what = {}) {
    port.send(make(address, data, what));
  }
  void read(std::uint64_t address, std::uint32_t bytes) {
    port.send(make(tlm::TLM_READ_COMMAND, address, bytes));
  }

 protected:
  void accepted(Payload&) override { acceptedAt.push_back(now()); }
  bool hearsErrors() const override { return true; }
  void completed(Payload& payload, Picoseconds when) override {
    answeredAt.push_back(when);
    status.push_back(payload.get_response_status());
    answered(payload, when);
  }

 private:
  PayloadPool& pool_;
};

}  // namespace t3::test
