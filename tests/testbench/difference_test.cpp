// SPDX-License-Identifier: Apache-2.0
// What is remembered of the first difference of a lockstep pair, and what is said where it cannot
// be drawn. Whole drawings are in tests/system/difference_test.cpp. Method: models that announce
// what the test tells them to; places, times and options are written down by hand.
#include <gtest/gtest.h>

#include <stdexcept>
#include <systemc>

#include "testbench/probe/listeners.h"
#include "testbench/wave/difference_wave.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::difference_test {
namespace {

struct Speaker : sc_core::sc_module, Publisher {
  explicit Speaker(const sc_core::sc_module_name& name) : sc_module(name) {}
  void say(EventKind kind) const { announce({.kind = kind}); }
};

TEST(FirstDifference, IsTheFirstOneOfATracker) {
  Speaker one("one_tracker"), two("two_tracker"), other("memory");
  Listeners listeners;
  FirstDifference difference;
  difference.listen(listeners);
  sc_core::sc_start(12, sc_core::SC_US);
  other.say(EventKind::Difference);
  two.say(EventKind::Stall);
  EXPECT_FALSE(difference.found()) << "no tracker, or no difference";
  two.say(EventKind::Difference);
  sc_core::sc_start(5, sc_core::SC_US);
  one.say(EventKind::Difference);
  ASSERT_TRUE(difference.found());
  EXPECT_EQ(difference.tracker(), "two_tracker");
  EXPECT_EQ(difference.from(), 2'000'000U) << "10 us before it";
  EXPECT_EQ(difference.options(),
            "--wave difference.fst --wave-scope two_tracker --wave-window 2000000ps:13000000ps");
}

/// A difference 9 us after the beginning.
struct EarlyDifference {
  EarlyDifference() {
    first.listen(listeners);
    sc_core::sc_start(9, sc_core::SC_US);
    tracker.say(EventKind::Difference);
  }

  Speaker tracker{"tracker"};
  Listeners listeners;
  FirstDifference first;
};

TEST(FirstDifference, EarlyInARunIsDrawnFromTheBeginning) {
  EXPECT_EQ(EarlyDifference().first.from(), 0U);
}

TEST(DifferenceWave, IsNotThereWhereTheSecondRunFails) {
  const test::TemporaryDirectory directory;
  DifferenceWave drawing(directory.path("difference.fst"),
                         [](Wave&) { throw std::runtime_error("the disk is full"); });
  EXPECT_EQ(drawing.draw(EarlyDifference().first), "it could not be drawn");
}

}  // namespace
}  // namespace t3::difference_test
