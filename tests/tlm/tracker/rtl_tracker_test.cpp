// SPDX-License-Identifier: Apache-2.0
// What the face adds to the RTL: leaving out idle clocks changes nothing that anybody can see,
// failing assertions end the run as an error report, and sizes that were not Verilated are refused
// in one line.
#include "tlm/tracker/rtl_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/seed.h"
#include "tests/tlm/tracker/tracker_bench.h"
#include "tlm/tracker/make_tracker.h"
#include "tlm/tracker/registers.h"
#include "tlm/tracker/rtl_unit.h"

namespace t3::rtl_tracker_test {
namespace {

using namespace t3::test;
using testing::HasSubstr;

namespace r = registers;

constexpr std::uint64_t kBase = 0x1000'0000;

TrackerBench::Maker rtl(const RtlOptions& options = {}) {
  return [options](const TrackerConfig& config) {
    return std::make_unique<RtlTracker>("tracker", config, options);
  };
}

bool same(const std::vector<TrackerBench::Said>& a, const std::vector<TrackerBench::Said>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.time == y.time && x.message.command == y.message.command &&
           x.message.spoiled == y.message.spoiled;
  });
}

// Two units with the same bursts and pauses and a DMA engine that is often busy; one of them is
// clocked all the time. Every output must come at the same picosecond.
TEST(RtlTracker, LeavingOutIdleClocksChangesNothingObservable) {
  const std::uint64_t seed = test::seed(5);
  TrackerBench skipping("skipping", {}, rtl());
  TrackerBench always("always", {}, rtl({.skipIdleClocks = false}));
  const Tiling tiling({512, 200, 2}, {64, 64, 8}, 1);
  for (TrackerBench* b : {&skipping, &always}) {
    std::mt19937_64 random(seed);
    auto timing = std::make_shared<std::mt19937_64>(seed + 1);
    b->dmaBusy = [timing] { return (*timing)() % 2 == 0 ? 0 : (*timing)() % 100'000; };
    b->programAll(tiling, kBase, 2);
    Picoseconds when = 0;
    for (int update = 0; update < 2; ++update) {
      for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
        for (std::uint32_t wf = 0; wf < 8; ++wf) {
          when += random() % 3 == 0 ? random() % 200'000 : random() % 5'000;
          b->reportTile(tiling, kBase, wg, wf, when);
        }
      }
    }
  }
  sc_core::sc_start(fromPicoseconds(200'000'000));
  ASSERT_EQ(skipping.commands.size(), tiling.tiles());
  EXPECT_TRUE(same(skipping.commands, always.commands));
  for (std::uint32_t counter = r::kUpdates; counter <= r::kCorrected; counter += 8) {
    EXPECT_EQ(skipping.read64(counter), always.read64(counter)) << std::hex << counter;
  }
  const std::uint64_t clocked = skipping.tracker().statistics().rtl_cycles;
  const std::uint64_t all = always.tracker().statistics().rtl_cycles;
  EXPECT_GE(all, 200'000U);
  EXPECT_LT(clocked, all / 4);
}

TEST(RtlTracker, SleepsWhenNothingIsThere) {
  TrackerBench b("bench", {}, rtl());
  b.programAll(Tiling({128, 192, 2}, {64, 64, 8}, 1), kBase, 2);
  b.run();
  const std::uint64_t before = b.tracker().statistics().rtl_cycles;
  b.report({.workgroup = 1, .address = kBase, .bytes = 128, .when = b.in(1'000'000)});
  b.run();
  EXPECT_LE(b.tracker().statistics().rtl_cycles, before + 24);
}

/// An RTL tracker whose lane 7 is driven past the face.
class IllegalInput : public RtlTracker {
 public:
  using RtlTracker::RtlTracker;
  bool armed = false;

 private:
  Picoseconds cycle(Picoseconds edge) override {
    if (armed) {
      unit().pins.laneWeight = unit().pins.laneWeight & ~(std::uint64_t{0xff} << 56);  // no bytes
      unit().pins.laneValid = unit().pins.laneValid | 0x80;
    }
    return RtlTracker::cycle(edge);
  }
};

void expectAssertionReported(const RtlOptions& options) {
  IllegalInput* tracker = nullptr;
  TrackerBench b("bench", {}, [&](const TrackerConfig& config) {
    auto made = std::make_unique<IllegalInput>("tracker", config, options);
    tracker = made.get();
    return made;
  });
  TrackerBench healthy("healthy", {}, rtl(options));
  for (TrackerBench* bench : {&b, &healthy}) {
    bench->programAll(Tiling({128, 192, 2}, {64, 64, 8}, 1), kBase, 2);
    for (std::uint32_t i = 0; i < 100; ++i) {
      bench->report(
          {.lane = 7, .workgroup = 1, .address = kBase, .bytes = 3, .when = bench->in(10 + i)});
    }
  }
  b.run();  // no assertion so far
  EXPECT_EQ(b.read64(r::kUpdates), 100U);
  tracker->armed = true;
  for (TrackerBench* bench : {&b, &healthy}) {
    bench->report({.lane = 7, .workgroup = 1, .address = kBase, .bytes = 128, .when = b.in(10)});
  }
  try {
    b.run();
    FAIL() << "the assertion went unnoticed";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg_type(), "t3/rtl");
    EXPECT_THAT(report.get_msg(), HasSubstr("assertion of the RTL failed at"));
    EXPECT_THAT(report.get_msg(), HasSubstr("cycle"));
    EXPECT_THAT(report.get_msg(), HasSubstr("of bench.tracker"));
  }
}

TEST(RtlTracker, AFailingAssertionEndsTheRunAsAnErrorReport) { expectAssertionReported({}); }

TEST(RtlTracker, AFailingAssertionIsReportedByItsOwnUnitInASharedContext) {
  expectAssertionReported({.tracing = {.context = makeRtlContext()}, .skipIdleClocks = true});
}

TEST(RtlTracker, IdsThatDoNotFitTheUnitAreAnErrorNotATruncation) {
  TrackerBench b("bench", {}, rtl());
  b.programAll(Tiling({128, 192, 2}, {64, 64, 8}, 1), kBase, 2);
  b.report({.workgroup = 65536, .address = kBase, .bytes = 128});
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(RtlTracker, SaysInOneLineWhatItWasNotBuiltFor) {
  const auto problem = [](auto change) {
    TrackerConfig config;
    change(config);
    return checkTracker(TrackerKind::Rtl, config).value_or("");
  };
  EXPECT_EQ(problem([](auto&) {}), "");
  const auto refused = [](const std::string& key, const std::string& legal,
                          const std::string& got) {
    return key + ": the RTL is built with " + legal + ", got " + got;
  };
  EXPECT_EQ(problem([](auto& c) { c.lanes = 4; }), refused("lanes", "8", "4"));
  EXPECT_EQ(problem([](auto& c) { c.banks = 4; }), refused("banks", "8", "4"));
  EXPECT_EQ(problem([](auto& c) { c.windows = 8; }), refused("windows", "4", "8"));
  EXPECT_EQ(problem([](auto& c) { c.regions = 16; }), refused("regions", "8", "16"));
  EXPECT_EQ(problem([](auto& c) { c.slots = 16; }), refused("slots", "4096", "16"));
  EXPECT_EQ(problem([](auto& c) { c.rows = 1024; }), refused("rows", "256", "1024"));
  EXPECT_EQ(problem([](auto& c) { c.queue = 16; }), refused("queue", "64", "16"));
  EXPECT_EQ(rtlLegal("lanes"), "8");
  EXPECT_EQ(rtlLegal("clock_mhz"), "");
  TrackerConfig config;
  config.slots = 100;
  EXPECT_EQ(config.check(), "slots: expected a power of two");
  EXPECT_THROW(makeTracker("tracker", TrackerKind::Model, config), std::invalid_argument);
  config.slots = 16;
  config.banks = 16;
  EXPECT_EQ(config.check(), "slots: expected at least 2 x banks");
  config = {};
  for (const std::uint32_t rows : {8U, 100U}) {
    config.rows = rows;
    EXPECT_EQ(config.check(), "rows: expected 0, or a power of two of at least 16");
  }
  config.rows = 0;
  EXPECT_EQ(config.check(), std::nullopt);
  config = {};
  config.queue = 100;
  EXPECT_EQ(config.check(), "queue: expected a power of two");
  config.queue = 128;
  EXPECT_THROW(makeTracker("tracker", TrackerKind::Lockstep, config), std::invalid_argument);
  EXPECT_EQ(checkTracker(TrackerKind::Model, config), std::nullopt);
}

}  // namespace
}  // namespace t3::rtl_tracker_test
