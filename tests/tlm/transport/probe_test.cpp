// SPDX-License-Identifier: Apache-2.0
// Method: two modules of which one publishes, one inside the other. What is found, read and heard
// must be what they say, and nothing once nobody listens.
#include "tlm/transport/probe.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <systemc>
#include <vector>

#include "tests/support/watched.h"

namespace t3::probe_test {
namespace {

class Inner : public sc_core::sc_module, public Publisher {
 public:
  explicit Inner(const sc_core::sc_module_name& name) : sc_module(name) {}

  void publish(ValueList& list) const override {
    static constexpr std::array<const char*, 3> kStates = {"idle", "read", "write"};
    list.level("queue", 12, "requests", [this] { return queue; });
    list.flag("full", [this] { return queue > 10; });
    list.choice("bus.state", kStates, [this] { return queue % 3; });
    list.counter("bytes", "bytes", [this] { return queue * 32; });
  }

  std::uint64_t queue = 0;
};

struct Outer : sc_core::sc_module {
  Inner inner{"inner"};
  explicit Outer(const sc_core::sc_module_name& name) : sc_module(name) {}
};

struct Recorder : EventSink, RequestSink {
  std::vector<Event> events;
  std::vector<std::string> phases;

  void happened(const Event& event) override { events.push_back(event); }
  void moved(const RequestStep& step) override {
    phases.push_back(std::to_string(static_cast<int>(step.phase)) + " of " +
                     std::to_string(step.payload.get_address()) + " from " +
                     std::to_string(step.address) + ", " + std::to_string(step.bytes) +
                     " bytes at " + std::to_string(step.when) + " by " +
                     std::to_string(step.source));
  }
};

TEST(Probe, FindsPublishersByTheirPlaceAndReadsTheirPresentValues) {
  Outer outer("outer");
  const auto models = publishedModels();
  ASSERT_EQ(models.size(), 1U);
  EXPECT_EQ(models[0].name, "outer.inner");

  ValueList list;
  models[0].model->publish(list);
  ASSERT_EQ(list.values().size(), 4U);
  const PublishedValue& state = list.values()[2];
  EXPECT_EQ(state.name, "bus.state");
  EXPECT_EQ(state.kind, PublishedValue::Kind::Choice);
  EXPECT_EQ(state.bits, 2U);
  EXPECT_STREQ(state.choices[2], "write");
  const auto values = [&] {
    std::vector<std::uint64_t> all;
    for (const PublishedValue& value : list.values()) all.push_back(value.read());
    return all;
  };
  EXPECT_EQ(values(), (std::vector<std::uint64_t>{0, 0, 0, 0}));
  outer.inner.queue = 11;
  EXPECT_EQ(values(), (std::vector<std::uint64_t>{11, 1, 2, 352}));
}

TEST(Probe, AValueSaysItsKindItsWidthAndItsUnit) {
  Outer outer("outer");
  outer.inner.queue = 11;
  EXPECT_EQ(test::published(outer.inner),
            (std::vector<std::string>{"queue: level of 12 bits, requests = 11",
                                      "full: flag of 1 bits = 1",
                                      "bus.state: choice of 2 bits idle read write = 2",
                                      "bytes: counter of 64 bits, bytes = 352"}));
}

TEST(Probe, SubscribersHearWhatIsAnnouncedWhileTheyListen) {
  Outer outer("outer");
  PayloadPool pool;
  Payload& payload = pool.allocate(tlm::TLM_WRITE_COMMAND, 4096, 64, false);
  Recorder recorder;
  const auto speak = [&] {
    outer.inner.announce({.kind = EventKind::Trigger, .number = 7, .workgroup = WorkgroupId{3}});
    outer.inner.announce(RequestPhase::Created, payload);
    outer.inner.announce(RequestPhase::Sent, payload, 700);
    outer.inner.announce(RequestPhase::Served, payload, 900, ChannelId{1}, 4128, 32, 850);
  };
  speak();
  outer.inner.subscribe(static_cast<EventSink*>(&recorder), 5);
  outer.inner.subscribe(static_cast<RequestSink*>(&recorder), 5);
  speak();
  outer.inner.subscribe(static_cast<EventSink*>(nullptr), 0);
  outer.inner.subscribe(static_cast<RequestSink*>(nullptr), 0);
  speak();
  payload.release();

  ASSERT_EQ(recorder.events.size(), 1U);
  EXPECT_EQ(recorder.events[0].kind, EventKind::Trigger);
  EXPECT_EQ(recorder.events[0].source, 5U);
  EXPECT_EQ(recorder.events[0].number, 7U);
  EXPECT_EQ(recorder.events[0].workgroup, WorkgroupId{3});
  EXPECT_EQ(recorder.phases,
            (std::vector<std::string>{"0 of 4096 from 4096, 64 bytes at 0 by 5",
                                      "4 of 4096 from 4096, 64 bytes at 700 by 5",
                                      "8 of 4096 from 4128, 32 bytes at 900 by 5"}));
}

}  // namespace
}  // namespace t3::probe_test
