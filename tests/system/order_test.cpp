// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim with the order of GPUs drawn at random (order_seed), against the canonical
// order: every topology, every mode, links without latency, GPUs that differ. Where links have a
// latency, GPUs take turns in windows of time, and a recorder has them all in one order of time.
// All that the report says of the simulation must be the same to the last digit.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <sstream>
#include <string>

#include "tests/system/runs.h"

namespace t3::order_test {
namespace {

using test::Words;

/// The runs of a report without what depends on this machine.
std::string simulated(const Words& words) {
  boost::json::object report = test::reportOf(words);
  if (report.empty()) return "failed";
  for (boost::json::value& run : report.at("runs").as_array()) run.as_object().erase("host");
  return boost::json::serialize(report.at("runs"));
}

void expectNoOrderMatters(const Words& words) {
  const std::string canonical = simulated(words);
  ASSERT_NE(canonical, "failed");
  for (const char* seed : {"order_seed=1", "order_seed=2"}) {
    EXPECT_EQ(simulated(words + "--set" + seed), canonical) << seed;
  }
}

class EqualTimes : public testing::TestWithParam<const char*> {
 protected:
  /// The modes, and where the switch adds its kernel too.
  std::string withNvls(const char* modes) const {
    return modes + std::string(GetParam() == std::string("merging-switch") ? ",nvls" : "");
  }
  Words compare(const Words& more) const {
    return Words{"compare --preset tiny-tp4 --modes",
                 withNvls("sequential,cu-split:4,t3,t3-mca,ideal-rs-nmc")} +
           test::onFabric(GetParam()) + more;
  }
};

TEST_P(EqualTimes, AreOrderedByPlaceAndPortAlone) {
  expectNoOrderMatters(compare("--tracker lockstep" + test::kShallow));
}

TEST_P(EqualTimes, AreOrderedByPlaceAndPortAlsoWithSeveralStacks) {
  expectNoOrderMatters(compare("--tracker lockstep --set hbm.stacks=4" + test::kShallow));
}

TEST_P(EqualTimes, AreTheSameGpuByGpuInWindowsOfTime) {
  // Whoever records a timeline needs the common order of time.
  const test::TemporaryDirectory directory;
  std::istringstream modes(withNvls("sequential,cu-split:4,t3-mca"));
  for (std::string mode; std::getline(modes, mode, ',');) {
    const Words words =
        Words{"run --preset tiny-tp4 --mode", mode, "--tracker rtl --set gpu2.clock_mhz=1300"} +
        test::onFabric(GetParam()) + test::kShallow;
    const std::string inWindows = simulated(words);
    ASSERT_NE(inWindows, "failed") << mode;
    EXPECT_EQ(simulated(words + "--timeline" + directory.path("timeline.json")), inWindows) << mode;
  }
}

TEST_P(EqualTimes, AreOrderedWithoutLatencyToo) {
  expectNoOrderMatters(
      compare("--tracker model --data elided --set link.latency_ns=0 --set "
              "link.bandwidth_gb_s=1000 --set gpu.kernel_launch_us=0"));
}

TEST_P(EqualTimes, AreOrderedUnderBackPressure) {
  expectNoOrderMatters(
      compare("--tracker model --data elided --set link.buffer_bytes=8192 --set hbm.channels=8 "
              "--set gpu1.launch_delay_us=2 --set gpu2.clock_mhz=700"));
}

TEST_P(EqualTimes, AreOrderedOverSeveralSublayersToo) {
  expectNoOrderMatters(Words{"compare --preset tiny-tp4 --modes", withNvls("sequential,t3-mca"),
                             "--tracker model --data elided --set workload.repeat=3 --set "
                             "link.latency_ns=0 --set gpu.kernel_launch_us=0"} +
                       test::onFabric(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, EqualTimes,
                         testing::Values("ring", "bidirectional-ring", "fully-connected", "switch",
                                         "merging-switch", "two-level"),
                         test::withoutDashes);

}  // namespace
}  // namespace t3::order_test
