// SPDX-License-Identifier: Apache-2.0
// Method: real rings of four GPUs in which one thing is broken on purpose, so that they come to a
// stop; the error must name the parts that wait, for whom, and the circle if there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <regex>
#include <stdexcept>
#include <string>
#include <systemc>

#include "tests/tlm/node/small_ring.h"
#include "tlm/collectives/ring_route.h"
#include "tlm/collectives/route.h"
#include "tlm/node/job.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"
#include "tlm/node/run_loop.h"

namespace t3::run_loop_test {
namespace {

SystemConfig small() {
  SystemConfig config = test::smallRing();
  config.link.buffer_bytes = 4096;
  return config;
}

struct Sublayers : Job {
  explicit Sublayers(const SystemConfig& config, Mode mode = Mode::T3)
      : Job(config, mode, TrackerKind::Model) {}
};

std::string errorOf(Sublayers& run, const RunWatch& watch = {}) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  try {
    runToEnd(run.executor(), watch);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// The error of t3 in such a system, whose GPU 2 takes nothing at its ingress if `closed`.
std::string standstillOf(const SystemConfig& config, bool closed) {
  Sublayers run(config);
  ZeroFrontier never;
  never.begin({{0, std::uint64_t{1} << 39}});
  if (closed) run.machine().node(2).gpu.ingress[0]->guardUpdates(never);
  return errorOf(run);
}

/// The number that stands between `before` and `after`; what is lost first depends on timing.
std::string numberAfter(const std::string& text, const std::string& before,
                        const std::string& after = "") {
  std::smatch match;
  EXPECT_TRUE(std::regex_search(text, match, std::regex(before + "([0-9]+)" + after))) << text;
  return match[1];
}

TEST(RunToEnd, EndsWithoutErrorWhenNothingIsBroken) {
  const SystemConfig config = small();
  Sublayers run(config);
  EXPECT_EQ(errorOf(run), "");
  EXPECT_TRUE(run.executor().finished());
  EXPECT_TRUE(run.executor().idle());
  EXPECT_DOUBLE_EQ(run.executor().fractionDone(), 1);
  EXPECT_EQ(deadlockReport(run.machine(), true), "");
}

TEST(RunToEnd, AGpuWhoseMemoryWorksIsNotIdle) {
  // The GEMM loads its operands before it sends anything: nothing is in the links yet.
  const SystemConfig config = small();
  Sublayers run(config);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  run.executor().start();
  const GpuNode& node = run.machine().node(0);
  for (int steps = 0; node.hbm.idle() && steps < 1000; ++steps) {
    sc_core::sc_start(10, sc_core::SC_NS);
  }
  ASSERT_FALSE(node.hbm.idle());
  ASSERT_TRUE(node.links[0]->idle());
  EXPECT_FALSE(node.idle());
  EXPECT_FALSE(run.executor().idle());
}

TEST(RunToEnd, AnIngressThatTakesNothingIsFoundAtTheEndOfTheChain) {
  const std::string error = standstillOf(small(), true);
  EXPECT_THAT(error, testing::StartsWith("deadlock at "));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu1.gemm waits for gpu1.link: "));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu1.link waits for gpu2.ingress: "));
  EXPECT_THAT(error, testing::HasSubstr("4096 of 4096 bytes"));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu2.ingress waits for gpu2.zeros: "));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu2.software waits for gpu2.tracker: "));
  EXPECT_THAT(error, testing::Not(testing::HasSubstr("circle")));
}

TEST(RunToEnd, ALostUpdateIsFoundAtTheTrackerThatMissesIt) {
  // GPU 1 sends a chunk of which GPU 2 is the first to add: 3 and 0 wait for what follows from it.
  SystemConfig config = small();
  config.link.buffer_bytes = 0;
  config.overrides.groups[1].link.lose_write = 300;
  const std::string error = standstillOf(config, false);
  EXPECT_THAT(error, testing::StartsWith("deadlock at "));
  const std::string workgroup = "workgroup " + numberAfter(error, "own chunk: workgroup ");
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu0.tracker waits for gpu3.tracker: updates are "
                                        "missing; in the own chunk: " +
                                        workgroup + "\n"));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu3.tracker waits for gpu2.tracker: updates are "
                                        "missing; DMA commands not issued: " +
                                        workgroup));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu2.tracker: updates are missing; DMA commands not "
                                        "issued: " +
                                        workgroup + "\n      slot "));
  EXPECT_THAT(error, testing::ContainsRegex("slot [0-9]+ misses 128 bytes\n      wavefront tile "
                                            "[0-7] of " +
                                            workgroup + " .region 0. still misses 128 bytes"));
  EXPECT_THAT(error, testing::Not(testing::HasSubstr("gpu1.tracker")));
}

TEST(RunToEnd, AnIngressBehindASwitchThatTakesNothingIsFoundAtTheEndOfTheChain) {
  SystemConfig config = small();
  config.fabric.topology = Topology::Switch;
  const std::string error = standstillOf(config, true);
  EXPECT_THAT(error, testing::StartsWith("deadlock at "));
  EXPECT_THAT(error, testing::ContainsRegex("\n  gpu1\\.link waits for switch: "));
  EXPECT_THAT(error,
              testing::HasSubstr("\n  switch waits for gpu2.ingress: something in 1 of its"));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu2.ingress waits for gpu2.zeros: "));
  EXPECT_THAT(error, testing::Not(testing::HasSubstr("circle")));
}

TEST(RunToEnd, AGemmWaitsOnlyForTheLinksThatHoldWrites) {
  // A link for each pair of GPUs, and one of those to GPU 2 is stuck.
  SystemConfig config = small();
  config.fabric.topology = Topology::FullyConnected;
  const std::string error = standstillOf(config, true);
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu1.gemm waits for gpu1.link: "));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu1.link waits for gpu2.ingress: "));
}

TEST(RunToEnd, KernelsThatHaveSentAllAreNotWaitedFor) {
  // GPU 1's link loses an update of one chunk: the three GPUs that own the others have sent each
  // other their sums, and wait for the fourth, which has not begun to. Which it is depends on
  // times.
  SystemConfig config = small();
  config.fabric.topology = Topology::Switch;
  config.link.buffer_bytes = 0;
  config.overrides.groups[1].link.lose_write = 100;
  const std::string error = standstillOf(config, false);
  EXPECT_THAT(error, testing::StartsWith("deadlock at "));
  const std::string late =
      "gpu" + numberAfter(error, "not ended: reduce_scatter, all_gather\n  gpu", ".tracker: ");
  for (int g = 0; g < 4; ++g) {
    const std::string gpu = "gpu" + std::to_string(g);
    if (gpu == late) continue;
    EXPECT_THAT(error,
                testing::HasSubstr("\n  " + gpu + ".all_gather waits for " + late + ".software: "));
  }
  EXPECT_THAT(error,
              testing::HasSubstr("\n  " + late + ".software waits for " + late + ".tracker: "));
  EXPECT_THAT(
      error, testing::HasSubstr("\n  " + late + ".tracker: updates are missing; in the own chunk"));
  EXPECT_THAT(error, testing::Not(testing::HasSubstr("circle")));
}

TEST(RunToEnd, ARunThatIsStoppedShowsWhoWaitsButNoCircle) {
  // On the way every tracker waits for what the one before it will send.
  SystemConfig config = small();
  config.workload.depth = 8192;
  Sublayers run(config);
  RunWatch watch;
  watch.stop = [] { return true; };
  const std::string error = errorOf(run, watch);
  EXPECT_THAT(error, testing::StartsWith("stopped at "));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu0.tracker waits for "));
  EXPECT_THAT(error, testing::Not(testing::HasSubstr("circle")));
  EXPECT_THAT(deadlockReport(run.machine(), true), testing::HasSubstr("circle"))
      << "or nothing was left out";
}

TEST(RunToEnd, AMemoryThatDoesNotDrainAtAFenceIsNoProgress) {
  SystemConfig config = small();
  config.workload.repeat = 2;
  config = Mode::T3Ag.configured(config);
  PayloadPool pool;
  Sublayers run(config, Mode::T3Ag);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  // A read that is on its way to the memory for ten seconds.
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay(10, sc_core::SC_SEC);
  run.machine().node(2).gpu.dma.memory.socket->nb_transport_fw(
      pool.allocate(tlm::TLM_READ_COMMAND, 0, 64, false), phase, delay);
  const std::string error = errorOf(run);
  EXPECT_THAT(error, testing::StartsWith("no progress since "));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu2.software waits for gpu2.memory: a fence"));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu2.memory: requests without answer"));
  EXPECT_LT(run.machine().node(2).host.posted(), 100U)
      << "software that looks at the fence does nothing";
}

/// A latency, as long as it may be.
struct Latency {
  const char* name;
  void (*lengthen)(SystemConfig&);
  Mode mode = Mode::T3;
};

class LongLatency : public testing::TestWithParam<Latency> {};

TEST_P(LongLatency, IsNoHangByDefault) {
  SystemConfig config = test::smallRing();
  GetParam().lengthen(config);
  config.workload.repeat = 2;
  config = GetParam().mode.configured(config);
  ASSERT_EQ(config.check(), std::nullopt);
  Sublayers run(config, GetParam().mode);
  EXPECT_EQ(errorOf(run), "");
  EXPECT_TRUE(run.executor().finished());
}

INSTANTIATE_TEST_SUITE_P(
    RunToEnd, LongLatency,
    testing::Values(
        Latency{"Link", [](SystemConfig& c) { c.link.latency_ns = 1e6; }},
        Latency{"Credit", [](SystemConfig& c) { c.link.credit_latency_ns = 1e6; }},
        Latency{"Rail",
                [](SystemConfig& c) {
                  c.fabric.topology = Topology::TwoLevel;
                  c.fabric.gpus_per_node = 2;
                  c.fabric.rail_latency_ns = 1e6;
                }},
        Latency{"Launch", [](SystemConfig& c) { c.gpu.kernel_launch_us = 1000; }},
        Latency{"Command", [](SystemConfig& c) { c.gpu.dma.command_latency_ns = 1e6; }},
        Latency{"Overhead", [](SystemConfig& c) { c.gpu.dma.command_overhead_ns = 1e6; }},
        Latency{"Registers", [](SystemConfig& c) { c.tracker.register_access_ns = 1e6; }},
        Latency{"Response", [](SystemConfig& c) { c.hbm.response_latency_ns = 1e6; }},
        Latency{"SliceSync", [](SystemConfig& c) { c.gpu.collective.slice_sync_ns = 1e6; },
                Mode::Sequential},
        Latency{"SwitchAndAge",
                [](SystemConfig& c) {
                  c.fabric.topology = Topology::Switch;
                  c.switched.merge = SwitchMerge::Model;
                  c.switched.merge_age_us = 2000;
                  c.link.latency_ns = 1e6;
                }}),
    [](const auto& test) { return test.param.name; });

/// A ring whose trackers wait for one update more than there are.
class OneUpdateTooMany : public RingRoute {
 public:
  using RingRoute::RingRoute;

  std::uint32_t updatesPerElement(GpuId, ChunkId) const override { return 3; }
};

constexpr CollectiveRoute kOneUpdateTooMany{
    .name = "one-update-too-many",
    .needs = RouteNeeds::Ring,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      return std::make_unique<OneUpdateTooMany>(reach.gpus);
    }};

TEST(RunToEnd, TrackersThatWaitForOneAnotherAreShownAsACircle) {
  SystemConfig config = small();
  config.fabric.collective = kOneUpdateTooMany;
  Sublayers run(config);
  const std::string error = errorOf(run);
  EXPECT_THAT(error, testing::StartsWith("deadlock at "));
  EXPECT_THAT(error, testing::HasSubstr("\n  gpu0.tracker waits for gpu3.tracker: "));
  EXPECT_THAT(error, testing::HasSubstr("circle: gpu0.tracker -> gpu3.tracker -> gpu2.tracker -> "
                                        "gpu1.tracker -> gpu0.tracker"));
}

TEST(FailureText, IsTheTextOfOurOwnErrors) {
  EXPECT_EQ(failureText(std::runtime_error("stuck")), "stuck");
}

TEST(FailureText, OfASystemCReportIsOneLineWithTypeAndTime) {
  try {
    SC_REPORT_ERROR("t3/link", "not taken");
    FAIL() << "no exception";
  } catch (const std::exception& failure) {
    EXPECT_EQ(failureText(failure), "t3/link at 0 s: not taken");
  }
}

/// Throws what is no report, as an observer does whose disk is full.
class Thrower : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Thrower);
  explicit Thrower(const sc_core::sc_module_name& name) : sc_module(name) { SC_METHOD(run); }

 private:
  void run() { throw std::runtime_error("/dev/full: cannot be written"); }
};

TEST(FailureText, OfAnErrorInAProcessIsItsOwnText) {
  const Thrower thrower("thrower");
  try {
    sc_core::sc_start();
    FAIL() << "no exception";
  } catch (const std::exception& failure) {
    EXPECT_EQ(failureText(failure), "/dev/full: cannot be written");
  }
}

TEST(FailureText, SaysTheTimeOnce) {
  const auto textOf = [](const char* message) {
    try {
      SC_REPORT_ERROR("t3/rtl", message);
    } catch (const std::exception& failure) {
      return failureText(failure);
    }
    return std::string("no exception");
  };
  EXPECT_EQ(textOf("0 s, cycle 3 of gpu0.tracker"), "t3/rtl at 0 s, cycle 3 of gpu0.tracker");
  EXPECT_EQ(textOf("an assertion failed at 0 s"), "t3/rtl: an assertion failed at 0 s");
  EXPECT_EQ(textOf("another one failed at 10 s"), "t3/rtl at 0 s: another one failed at 10 s");
}

TEST(FailureText, OfMemoryThatRanOutSaysWhatNeedsLess) {
  const std::string text = failureText(std::bad_alloc());
  EXPECT_NE(text.find("memory is too small"), std::string::npos) << text;
  EXPECT_NE(text.find("data = elided"), std::string::npos) << text;
}

}  // namespace

}  // namespace t3::run_loop_test
