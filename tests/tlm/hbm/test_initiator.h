// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "tests/support/source.h"
#include "tlm/hbm/hbm_stack.h"

namespace t3::test {

/// What a test asks for.
struct Access : Traffic {
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  std::uint64_t address = 0;
  std::uint32_t bytes = 32;
  std::vector<unsigned char> data{};  ///< of a write; empty: elided
  bool wantData = false;              ///< of a read
};

inline Access readOf(std::uint64_t address, std::uint32_t bytes = 32) {
  return {{}, tlm::TLM_READ_COMMAND, address, bytes};
}
inline Access writeOf(std::uint64_t address, std::uint32_t bytes = 32) {
  return {{}, tlm::TLM_WRITE_COMMAND, address, bytes};
}
inline Access updateOf(std::uint64_t address, std::uint32_t bytes = 32) {
  return {{.operation = MemoryOperation::Add}, tlm::TLM_WRITE_COMMAND, address, bytes};
}

/// Sends accesses, keeping at most `window` of them in flight. The context of a payload is its
/// number.
class TestInitiator : public Source {
 public:
  using Source::Source;

  /// The next access to send, or none: called whenever the window has room.
  std::function<bool(Access&)> next;
  std::uint32_t window = 1;

  void start() { fill(); }
  void send(const Access& access) {
    Payload& payload = make(access.command, access.address, access.bytes, access,
                            access.wantData || !access.data.empty());
    traffic(payload).context = sent_++;
    std::ranges::copy(access.data, payload.get_data_ptr());
    port.send(payload);
  }

  std::uint64_t sent() const { return sent_; }
  Picoseconds last() const { return answeredAt.empty() ? 0 : std::ranges::max(answeredAt); }
  auto failures() const {
    return std::ranges::count_if(status, [](auto each) { return each != tlm::TLM_OK_RESPONSE; });
  }

 private:
  void fill() {
    Access access;
    while (sent_ - answeredAt.size() < window && next && next(access)) {
      send(access);
      access = Access{};
    }
  }
  void completed(Payload& payload, Picoseconds when) override {
    Source::completed(payload, when);
    fill();
  }

  std::uint64_t sent_ = 0;
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
    return hbm.idle() && initiator.answeredAt.size() == initiator.sent() && pool.inUse() == 0 &&
           initiator.failures() == 0;
  }
};

}  // namespace t3::test
