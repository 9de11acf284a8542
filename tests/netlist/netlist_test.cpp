// SPDX-License-Identifier: Apache-2.0
// The synthesized netlist in the loop. Method: t3sim_netlist runs a scenario with the netlist,
// which compares every output pin with the RTL's in every clock and fails at the first difference,
// and once more with the RTL alone; both reports must be the same in every figure.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "tests/system/runs.h"

namespace t3 {
namespace {

namespace json = boost::json;
using test::runs;
using test::tracker;
using test::Words;

class Netlist : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Long, Netlist, testing::Values("t3-mca", "t3-ag"), [](const auto& mode) {
  return mode.param == std::string("t3-ag") ? "T3Ag" : "T3Mca";
});

TEST_P(Netlist, DrivesTheSystemLikeTheRtlInEveryFigure) {
  const Words words = {"run --preset tiny-tp4 --mode", GetParam()};
  auto netlist = runs(words + "--tracker netlist");
  auto rtl = runs(words + "--tracker rtl");
  ASSERT_EQ(netlist.size(), 1U);
  ASSERT_EQ(rtl.size(), 1U);
  EXPECT_GT(tracker(netlist.begin()->second, "triggers"), 0U);
  for (auto* report : {&netlist, &rtl}) {
    report->begin()->second.erase("host");
    report->begin()->second.erase("tracker");
  }
  EXPECT_EQ(json::serialize(netlist.begin()->second), json::serialize(rtl.begin()->second));
}

}  // namespace
}  // namespace t3
