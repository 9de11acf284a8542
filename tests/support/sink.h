// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <systemc>
#include <utility>
#include <vector>

#include "tests/support/request.h"
#include "tlm/transport/agenda.h"

namespace t3::test {

/// A target that records what comes, and takes it when the test says: a link's far end, a DMA
/// engine's command input, a tracker's lane. An initiator that does not wait for its last request
/// to be taken fails the test.
class Sink : public sc_core::sc_module {
 public:
  struct Arrival : Request {
    using Request::Request;
    std::vector<std::uint16_t> numbers{};  ///< the data, if there is any
    bool operator==(const Arrival&) const = default;
  };
  using Time = std::function<Picoseconds(const Payload&)>;
  static Time after(Picoseconds time) {
    return [time](const Payload&) { return time; };
  }

  tlm_utils::multi_passthrough_target_socket<Sink> target{"target"};
  std::vector<Arrival> arrivals;
  /// From the offer until it is taken. 0: at once (TLM_COMPLETED); kNoTime: never.
  Time service = after(0);
  Time delay = after(0);  ///< annotated to the answer
  /// How it says later that it has taken a request.
  enum class Says { Response, Both } says = Says::Response;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  unsigned blocking = 0;  ///< calls of b_transport

  explicit Sink(const sc_core::sc_module_name& name)
      : sc_module(name), queue_("queue", [this](const Offer& offer) { take(offer); }) {
    target.register_nb_transport_fw(this, &Sink::forward);
    target.register_b_transport(this, &Sink::blockingTransport);
    target.register_transport_dbg(this, &Sink::debug);
  }

  /// Address and time of each arrival.
  std::vector<std::pair<std::uint64_t, Picoseconds>> times() const {
    std::vector<std::pair<std::uint64_t, Picoseconds>> result;
    for (const Arrival& arrival : arrivals) result.emplace_back(arrival.address, arrival.time);
    return result;
  }

 private:
  using Offer = std::pair<int, Payload*>;  ///< the initiator's socket

  tlm::tlm_sync_enum forward(int id, Payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& annotated) {
    EXPECT_EQ(phase, tlm::BEGIN_REQ);
    EXPECT_EQ(offered_.count(id), 0U) << "a second request while one is not taken";
    Arrival& arrival = arrivals.emplace_back(payload);
    if (arrival.hasData) {
      arrival.numbers.resize((arrival.bytes + 1) / 2);
      std::memcpy(arrival.numbers.data(), payload.get_data_ptr(), arrival.bytes);
    }
    const Picoseconds time = service(payload);
    if (time == 0) {
      annotated += fromPicoseconds(delay(payload));
      payload.set_response_status(status);
      return tlm::TLM_COMPLETED;
    }
    offered_.insert(id);
    if (time != kNoTime) queue_.post(now() + time, {id, &payload});
    return tlm::TLM_ACCEPTED;
  }
  void take(const Offer& offer) {
    const auto [id, payload] = offer;
    offered_.erase(id);
    if (says == Says::Both) say(id, *payload, tlm::END_REQ);
    payload->set_response_status(status);
    EXPECT_EQ(say(id, *payload, tlm::BEGIN_RESP), tlm::TLM_COMPLETED);
  }
  tlm::tlm_sync_enum say(int id, Payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time annotated = fromPicoseconds(delay(payload));
    return target[id]->nb_transport_bw(payload, phase, annotated);
  }
  void blockingTransport(int, Payload&, sc_core::sc_time&) { ++blocking; }
  unsigned debug(int, Payload& payload) { return payload.get_data_length(); }

  std::set<int> offered_;  ///< by whom, and not yet taken
  TimedQueue<Offer> queue_;
};

}  // namespace t3::test
