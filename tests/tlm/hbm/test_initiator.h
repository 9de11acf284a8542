// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tlm/hbm/hbm_stack.h"
#include "tlm/transport/memory_port.h"

namespace t3::test {

/// What a test asks for.
struct Access {
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  std::uint64_t address = 0;
  std::uint32_t bytes = 32;
  MemoryOperation operation = MemoryOperation::Store;
  Stream stream = Stream::Compute;
  Phase phase = Phase::Gemm;
  DataType dataType = DataType::Fp16;
  bool tracked = false;
  bool triggered = false;
  std::uint32_t tile = 0;             ///< workgroup
  std::vector<unsigned char> data{};  ///< of a write; empty: elided
  bool wantData = false;              ///< of a read
};

inline Access readOf(std::uint64_t address, std::uint32_t bytes = 32) {
  return {.address = address, .bytes = bytes};
}
inline Access writeOf(std::uint64_t address, std::uint32_t bytes = 32) {
  return {.command = tlm::TLM_WRITE_COMMAND, .address = address, .bytes = bytes};
}
inline Access updateOf(std::uint64_t address, std::uint32_t bytes = 32) {
  return {.command = tlm::TLM_WRITE_COMMAND,
          .address = address,
          .bytes = bytes,
          .operation = MemoryOperation::Add};
}

/// Sends accesses through a MemoryPort, keeping at most `window` of them in flight, and notes when
/// each is answered. Times are absolute.
class TestInitiator : public sc_core::sc_module, public MemoryClient {
 public:
  MemoryPort port;

  TestInitiator(const sc_core::sc_module_name& name, PayloadPool& pool)
      : sc_module(name), port("port", *this), pool_(pool) {}

  /// The next access to send, or none: called whenever the window has room.
  std::function<bool(Access&)> next;
  std::function<void(const Payload&, Picoseconds)> answered;
  std::uint32_t window = 1;

  void start() { fill(); }
  void send(const Access& access) {
    Payload& payload = pool_.allocate(access.command, access.address, access.bytes,
                                      access.wantData || !access.data.empty());
    TrafficExtension& extension = traffic(payload);
    extension.stream = access.stream;
    extension.phase = access.phase;
    extension.operation = access.operation;
    extension.dataType = access.dataType;
    extension.tracked = access.tracked;
    extension.triggered = access.triggered;
    extension.workgroup = WorkgroupId{access.tile};
    extension.context = sent_++;
    if (!access.data.empty()) {
      std::copy(access.data.begin(), access.data.end(), payload.get_data_ptr());
    }
    ++inFlight_;
    port.send(payload);
  }

  std::uint64_t sent() const { return sent_; }
  std::uint64_t answers() const { return times_.size(); }
  Picoseconds last() const { return last_; }
  /// In order of the answers.
  const std::vector<Picoseconds>& times() const { return times_; }
  std::uint64_t failures() const { return failures_; }

 private:
  void fill() {
    Access access;
    while (inFlight_ < window && next && next(access)) {
      send(access);
      access = Access{};
    }
  }
  void accepted(Payload&) override {}
  void completed(Payload& payload, Picoseconds when) override {
    --inFlight_;
    if (payload.get_response_status() != tlm::TLM_OK_RESPONSE) ++failures_;
    times_.push_back(when);
    last_ = std::max(last_, when);
    if (answered) answered(payload, when);
    fill();
  }

  PayloadPool& pool_;
  std::uint32_t inFlight_ = 0;
  std::uint64_t sent_ = 0, failures_ = 0;
  std::vector<Picoseconds> times_;
  Picoseconds last_ = 0;
};

/// One stack, one initiator.
struct Bench {
  HbmConfig config;
  PayloadPool pool;
  HbmStack hbm;
  TestInitiator initiator;

  explicit Bench(const HbmConfig& settings, std::uint32_t lanes = 1)
      : config(settings), hbm("hbm", settings, lanes), initiator("initiator", pool) {
    initiator.port.socket.bind(hbm.target);
  }

  /// Runs until nothing is left to do; every request must have been answered.
  void run() {
    initiator.start();
    sc_core::sc_start();
  }
  bool drained() const {
    return hbm.idle() && initiator.answers() == initiator.sent() && pool.inUse() == 0 &&
           initiator.failures() == 0;
  }
};

}  // namespace t3::test
