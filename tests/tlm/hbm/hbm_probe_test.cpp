// SPDX-License-Identifier: Apache-2.0
// Method: what a memory publishes is read each nanosecond while it does one request after another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/watched.h"
#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/test_initiator.h"

namespace t3::test::hbm_probe_test {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::Not;

/// The line of what `bench` publishes that begins with `name`, behind that.
std::string valueOf(const Bench& bench, const std::string& name) {
  for (const std::string& line : published(bench.hbm)) {
    if (line.starts_with(name + ": ")) return line.substr(name.size() + 2);
  }
  return "";
}

TEST(HbmProbe, TheBusIsIdleUntilACommandIsPlannedAndAfterTheLast) {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  Bench bench(config);
  const auto statesDuring = [&](const Access& access) {
    std::vector<std::string> states = {valueOf(bench, "ch0.bus")};
    bench.initiator.send(access);
    for (int ns = 0; ns < 200; ++ns) {
      sc_core::sc_start(1, sc_core::SC_NS);
      const std::string state = valueOf(bench, "ch0.bus");
      if (state != states.back()) states.push_back(state);
    }
    return states;
  };
  const std::string bus = "choice of 2 bits idle read write = ";
  for (const bool write : {false, true}) {
    const auto states = statesDuring(write ? writeOf(0, 256) : readOf(0, 256));
    EXPECT_EQ(states.front(), bus + "0");
    EXPECT_EQ(states.back(), bus + "0");
    EXPECT_THAT(states, Contains(bus + (write ? "2" : "1")));
    EXPECT_THAT(states, Not(Contains(bus + (write ? "1" : "2"))));
    EXPECT_THAT(valueOf(bench, "ch0.dram_queue"), EndsWith(" = 0"));
  }
  EXPECT_EQ(valueOf(bench, "ch0.bursts"), "counter of 64 bits, bursts = 16");
}

}  // namespace
}  // namespace t3::test::hbm_probe_test
