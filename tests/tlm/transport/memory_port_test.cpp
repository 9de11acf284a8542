// SPDX-License-Identifier: Apache-2.0
// Method: a MemoryPort and its client face a target whose every answer the test scripts. The
// recorder logs each call with its time; promises are about order, time, and the number of
// requests outstanding at any moment. Ends with the pool empty: no payload lost.
#include "tlm/transport/memory_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <random>

#include "tests/support/error_of.h"
#include "tests/support/plain_memory.h"
#include "tests/support/seed.h"
#include "tests/support/watched.h"
#include "tlm/transport/agenda.h"

namespace t3::memory_port_test {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;

struct Event {
  char kind;  ///< 'a'ccepted or 'c'ompleted
  Picoseconds called;
  std::uint64_t address;
  Picoseconds when;  ///< of a completion
};

class Recorder : public MemoryClient {
 public:
  std::vector<Event> events;
  bool keep = false;  ///< acquire each payload on completion
  std::vector<Payload*> kept;

  void accepted(Payload& payload) override {
    events.push_back({'a', now(), payload.get_address(), 0});
  }
  void completed(Payload& payload, Picoseconds when) override {
    events.push_back({'c', now(), payload.get_address(), when});
    if (keep) {
      payload.acquire();
      kept.push_back(&payload);
    }
  }
  std::size_t count(char kind) const {
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [kind](const Event& event) { return event.kind == kind; }));
  }
};

/// A target that answers BEGIN_REQ by the test's function and speaks backwards when told to.
class ScriptedTarget : public sc_core::sc_module {
 public:
  using Answer =
      std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay)>;

  tlm_utils::simple_target_socket<ScriptedTarget> socket{"socket"};
  std::vector<Payload*> requests;  ///< in order of arrival
  tlm::tlm_response_status response = tlm::TLM_OK_RESPONSE;

  ScriptedTarget(const sc_core::sc_module_name& name, Answer answer)
      : sc_module(name), answer_(std::move(answer)) {
    socket.register_nb_transport_fw(this, &ScriptedTarget::nb_transport_fw);
  }

  /// At `when`, say `phase` of the `request`-th request with an annotated `delay`.
  void say(Picoseconds when, std::size_t request, tlm::tlm_phase_enum phase,
           Picoseconds delay = 0) {
    speech_.post(when, [this, request, phase, delay] {
      tlm::tlm_phase said = phase;
      sc_core::sc_time annotated = fromPicoseconds(delay);
      if (phase == tlm::BEGIN_RESP) requests.at(request)->set_response_status(response);
      const auto status = socket->nb_transport_bw(*requests.at(request), said, annotated);
      EXPECT_EQ(status, phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED);
    });
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    EXPECT_EQ(phase, tlm::BEGIN_REQ);
    requests.push_back(&payload);
    return answer_(payload, phase, delay);
  }

  Answer answer_;
  TimedQueue<std::function<void()>> speech_{"speech", [](const std::function<void()>& f) { f(); }};
};

tlm::tlm_sync_enum holdRequest(Payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  return tlm::TLM_ACCEPTED;
}
tlm::tlm_sync_enum takeRequest(Payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

class MemoryPortTest : public testing::Test {
 protected:
  void build(ScriptedTarget::Answer answer) {
    target_ = std::make_unique<ScriptedTarget>("target", std::move(answer));
    port_.socket.bind(target_->socket);
  }
  void send(std::uint64_t address) {
    port_.send(pool_.allocate(tlm::TLM_READ_COMMAND, address, 64, false));
  }
  void run(Picoseconds until) { sc_core::sc_start(fromPicoseconds(until - now())); }

  PayloadPool pool_;
  Recorder client_;
  MemoryPort port_{"port", client_};
  std::unique_ptr<ScriptedTarget> target_;
};

TEST_F(MemoryPortTest, NeverCallsTheTargetOrTheClientFromInsideSend) {
  build(takeRequest);
  run(5);
  send(0x100);
  EXPECT_TRUE(target_->requests.empty());
  EXPECT_TRUE(client_.events.empty());
  EXPECT_EQ(port_.waiting(), 1U);
  target_->say(10, 0, tlm::BEGIN_RESP);
  run(20);
  EXPECT_THAT(client_.events,
              ElementsAre(FieldsAre('a', 5, 0x100, 0), FieldsAre('c', 10, 0x100, 10)));
  EXPECT_TRUE(port_.idle());
  EXPECT_EQ(pool_.inUse(), 0U);
}

TEST_F(MemoryPortTest, ATargetThatTakesAtOnceGetsEverythingInOneInstantInOrder) {
  build(takeRequest);
  for (std::uint64_t address = 0; address < 10; ++address) send(address);
  run(1);
  ASSERT_EQ(target_->requests.size(), 10U);
  for (std::uint64_t address = 0; address < 10; ++address) {
    EXPECT_THAT(client_.events.at(address), FieldsAre('a', 0, address, 0));
  }
  EXPECT_EQ(port_.waiting(), 0U);
  EXPECT_EQ(port_.inFlight(), 10U);
  EXPECT_FALSE(port_.idle());
  for (std::size_t request = 10; request-- > 0;)
    target_->say(20 - request, request, tlm::BEGIN_RESP);
  run(100);
  EXPECT_EQ(client_.count('c'), 10U);
  EXPECT_TRUE(port_.idle());
  EXPECT_EQ(pool_.inUse(), 0U);
}

TEST_F(MemoryPortTest, HoldsTheNextRequestUntilEndReq) {
  build(holdRequest);
  send(1);
  send(2);
  send(3);
  run(50);
  EXPECT_EQ(target_->requests.size(), 1U);
  EXPECT_EQ(client_.count('a'), 0U);
  EXPECT_EQ(port_.waiting(), 2U);
  EXPECT_EQ(port_.inFlight(), 1U);
  target_->say(60, 0, tlm::END_REQ);
  run(70);
  EXPECT_EQ(target_->requests.size(), 2U);
  EXPECT_EQ(port_.waiting(), 1U);
  target_->say(80, 1, tlm::END_REQ);
  target_->say(85, 1, tlm::BEGIN_RESP);  // a later request may complete first
  target_->say(90, 0, tlm::BEGIN_RESP);
  target_->say(95, 2, tlm::END_REQ);
  target_->say(99, 2, tlm::BEGIN_RESP);
  run(100);
  EXPECT_THAT(client_.events, ElementsAre(FieldsAre('a', 60, 1, 0), FieldsAre('a', 80, 2, 0),
                                          FieldsAre('c', 85, 2, 85), FieldsAre('c', 90, 1, 90),
                                          FieldsAre('a', 95, 3, 0), FieldsAre('c', 99, 3, 99)));
  EXPECT_EQ(pool_.inUse(), 0U);
}

TEST_F(MemoryPortTest, AResponseToAHeldRequestImpliesItsAcceptance) {
  build(holdRequest);
  send(1);
  send(2);
  target_->say(10, 0, tlm::BEGIN_RESP);
  target_->say(20, 1, tlm::BEGIN_RESP);
  run(30);
  EXPECT_THAT(client_.events, ElementsAre(FieldsAre('a', 10, 1, 0), FieldsAre('c', 10, 1, 10),
                                          FieldsAre('a', 20, 2, 0), FieldsAre('c', 20, 2, 20)));
  EXPECT_TRUE(port_.idle());
  EXPECT_EQ(pool_.inUse(), 0U);
}

TEST_F(MemoryPortTest, AnnotatedDelaysAreAddedAndReportedAtOnce) {
  build(takeRequest);
  send(1);
  target_->say(10, 0, tlm::BEGIN_RESP, 250);
  run(11);
  EXPECT_THAT(client_.events, ElementsAre(FieldsAre('a', 0, 1, 0), FieldsAre('c', 10, 1, 260)));
  EXPECT_EQ(pool_.inUse(), 0U);
}

TEST_F(MemoryPortTest, TakesACompletionInTheForwardCall) {
  build([](Payload& payload, tlm::tlm_phase&, sc_core::sc_time& delay) {
    delay += fromPicoseconds(40);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
  });
  send(1);
  send(2);
  run(1);
  EXPECT_THAT(client_.events, ElementsAre(FieldsAre('a', 0, 1, 0), FieldsAre('c', 0, 1, 40),
                                          FieldsAre('a', 0, 2, 0), FieldsAre('c', 0, 2, 40)));
  EXPECT_TRUE(port_.idle());
  EXPECT_EQ(pool_.inUse(), 0U);
}

TEST_F(MemoryPortTest, TakesABeginRespInTheForwardCall) {
  build([](Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    phase = tlm::BEGIN_RESP;
    delay += fromPicoseconds(40);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_UPDATED;
  });
  send(1);
  run(1);
  EXPECT_THAT(client_.events, ElementsAre(FieldsAre('a', 0, 1, 0), FieldsAre('c', 0, 1, 40)));
  EXPECT_TRUE(port_.idle());
  EXPECT_EQ(pool_.inUse(), 0U);
}

TEST_F(MemoryPortTest, ARequestIsTakenWhenTheDelayOfItsEndReqHasPassed) {
  build(holdRequest);
  send(1);
  send(2);
  target_->say(10, 0, tlm::END_REQ, 30);
  target_->say(25, 0, tlm::BEGIN_RESP, 55);
  run(39);
  EXPECT_TRUE(client_.events.empty());
  EXPECT_EQ(target_->requests.size(), 1U) << "no second request while one is not taken";
  target_->say(45, 1, tlm::BEGIN_RESP);
  run(100);
  EXPECT_THAT(client_.events, ElementsAre(FieldsAre('a', 40, 1, 0), FieldsAre('c', 40, 1, 80),
                                          FieldsAre('a', 45, 2, 0), FieldsAre('c', 45, 2, 45)));
  EXPECT_EQ(pool_.inUse(), 0U);
}

TEST_F(MemoryPortTest, TakesTheDelayOfAnEndReqInTheForwardCall) {
  build([](Payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    phase = tlm::END_REQ;
    delay += fromPicoseconds(40);
    return tlm::TLM_UPDATED;
  });
  send(1);
  send(2);
  run(100);
  EXPECT_THAT(client_.events, ElementsAre(FieldsAre('a', 40, 1, 0), FieldsAre('a', 80, 2, 0)));
  target_->say(200, 0, tlm::BEGIN_RESP);
  target_->say(210, 1, tlm::BEGIN_RESP);
  run(300);
  EXPECT_EQ(pool_.inUse(), 0U);
}

/// The message where the target's answer is an error, or nobody has said what it is.
class MemoryPortErrors : public MemoryPortTest {
 protected:
  std::string error(ScriptedTarget::Answer answer) {
    build(std::move(answer));
    port_.send(pool_.allocate(tlm::TLM_WRITE_COMMAND, 0x12c0, 64, false));
    return test::errorOf([this] { run(20); });
  }
};

TEST_F(MemoryPortErrors, EndTheRunWhenTheyComeInTheForwardCall) {
  EXPECT_EQ(error([](Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
              payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
              return tlm::TLM_COMPLETED;
            }),
            "port: a write of 64 bytes at 0x12c0 was answered with TLM_GENERIC_ERROR_RESPONSE");
}

TEST_F(MemoryPortErrors, EndTheRunWhenTheyComeAsABeginRespInTheForwardCall) {
  EXPECT_EQ(error([](Payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
              phase = tlm::BEGIN_RESP;
              return tlm::TLM_UPDATED;
            }),
            "port: a write of 64 bytes at 0x12c0 was answered with TLM_INCOMPLETE_RESPONSE");
}

TEST_F(MemoryPortErrors, EndTheRunWhenTheyComeLater) {
  EXPECT_EQ(error([this](Payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
              target_->response = tlm::TLM_ADDRESS_ERROR_RESPONSE;
              target_->say(10, 0, tlm::BEGIN_RESP);
              phase = tlm::END_REQ;
              return tlm::TLM_UPDATED;
            }),
            "port: a write of 64 bytes at 0x12c0 was answered with TLM_ADDRESS_ERROR_RESPONSE");
}

TEST_F(MemoryPortTest, AnnouncesEachStepOfARequestAndItsQueue) {
  build(holdRequest);
  test::Watch watch;
  watch.watch(port_);
  send(0x40);
  send(0x80);
  run(10);
  EXPECT_THAT(test::published(port_), ElementsAre("waiting: level of 16 bits, requests = 1",
                                                  "in_flight: level of 16 bits, requests = 1"));
  target_->say(20, 0, tlm::END_REQ);
  target_->say(30, 0, tlm::BEGIN_RESP, 5);
  target_->say(40, 1, tlm::BEGIN_RESP);
  run(50);
  EXPECT_THAT(watch.steps,
              ElementsAre("Created 64, 64 bytes at 0", "Created 128, 64 bytes at 0",
                          "BeginRequest 64, 64 bytes at 0", "EndRequest 64, 64 bytes at 20",
                          "BeginRequest 128, 64 bytes at 20", "BeginResponse 64, 64 bytes at 35",
                          "EndRequest 128, 64 bytes at 40", "BeginResponse 128, 64 bytes at 40"));
  EXPECT_THAT(test::published(port_), ElementsAre("waiting: level of 16 bits, requests = 0",
                                                  "in_flight: level of 16 bits, requests = 0"));
}

TEST_F(MemoryPortTest, APayloadTheClientAcquiresOutlivesItsCompletion) {
  build(takeRequest);
  client_.keep = true;
  send(0x40);
  target_->say(10, 0, tlm::BEGIN_RESP);
  run(20);
  EXPECT_TRUE(port_.idle());
  ASSERT_EQ(client_.kept.size(), 1U);
  EXPECT_EQ(pool_.inUse(), 1U);
  EXPECT_EQ(client_.kept[0]->get_address(), 0x40U);
  client_.kept[0]->release();
  EXPECT_EQ(pool_.inUse(), 0U);
}

TEST_F(MemoryPortTest, LosesNothingUnderRandomBackPressure) {
  std::mt19937_64 random(test::seed(1));
  ScriptedTarget* target = nullptr;
  std::size_t held = 0;
  std::size_t mostHeld = 0;
  std::size_t arrivals = 0;
  build([&](Payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
    EXPECT_EQ(held, 0U) << "a request arrived before the END_REQ of the last one";
    const std::size_t request = arrivals++;
    if (random() % 2 == 0) {
      phase = tlm::END_REQ;
      target->say(now() + 1 + random() % 100, request, tlm::BEGIN_RESP, random() % 20);
      return tlm::TLM_UPDATED;
    }
    ++held;
    mostHeld = std::max(mostHeld, held);
    return tlm::TLM_ACCEPTED;
  });
  target = target_.get();
  constexpr std::size_t kRequests = 2000;
  for (std::size_t address = 0; address < kRequests; ++address) send(address);
  while (!port_.idle() && now() < 1'000'000) {
    run(now() + 1 + random() % 10);
    if (held == 0) continue;
    --held;
    const std::size_t request = target->requests.size() - 1;
    if (random() % 2 == 0) {
      target->say(now(), request, tlm::BEGIN_RESP);  // implies END_REQ
    } else {
      target->say(now(), request, tlm::END_REQ);
      target->say(now() + 1 + random() % 100, request, tlm::BEGIN_RESP);
    }
  }
  EXPECT_EQ(mostHeld, 1U);
  EXPECT_EQ(client_.count('a'), kRequests);
  EXPECT_EQ(client_.count('c'), kRequests);
  std::uint64_t next = 0;
  for (const Event& event : client_.events) {
    if (event.kind == 'a') {
      EXPECT_EQ(event.address, next++);
    } else {
      EXPECT_GE(event.when, event.called);
    }
  }
  EXPECT_EQ(pool_.inUse(), 0U);
}

TEST(MemoryPort, WorksWithAStockBlockingMemory) {
  PayloadPool pool;
  Recorder client;
  client.keep = true;
  MemoryPort port("port", client);
  test::BlockingMemory memory("memory");
  port.socket.bind(memory.socket);
  Payload& write = pool.allocate(tlm::TLM_WRITE_COMMAND, 0x10, 4, true);
  for (unsigned char byte = 0; byte < 4; ++byte) {
    write.get_data_ptr()[byte] = static_cast<unsigned char>(byte + 1);
  }
  port.send(write);
  port.send(pool.allocate(tlm::TLM_READ_COMMAND, 0x10, 4, true));
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  ASSERT_EQ(client.kept.size(), 2U);
  EXPECT_EQ(client.events.back().when, 200'000U);  // one after the other, 100 ns each
  const Payload& read = *client.kept[1];
  EXPECT_TRUE(read.is_response_ok());
  EXPECT_THAT(std::vector<int>(read.get_data_ptr(), read.get_data_ptr() + 4),
              ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(port.idle());
  for (Payload* payload : client.kept) payload->release();
  EXPECT_EQ(pool.inUse(), 0U);
}

}  // namespace
}  // namespace t3::memory_port_test
