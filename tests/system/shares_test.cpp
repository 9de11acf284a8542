// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim with one GPU of half the clock, and K cut among the GPUs equally, by
// numbers, and as measured. Data is checked against the reference in every mode.
#include <gtest/gtest.h>

#include <string>

#include "tests/system/runs.h"

namespace t3::shares_test {
namespace {

using test::number;
using test::Words;

Words oneSlowGpu(const std::string& shares) {
  return {
      "compare --preset tiny-tp4 --set gpu2.clock_mhz=700 --set workload.depth=512 --set "
      "gpu.compute_units=4 --set workload.shares=" +
      shares};
}

TEST(Shares, EveryModeAddsWhatAllGpusMakeOfTheirPartOfK) {
  const auto runs = test::runs(oneSlowGpu("1,2.5,0.5,1"));
  EXPECT_GE(runs.size(), 7U);
  for (const auto& [mode, run] : runs) {
    SCOPED_TRACE(mode);
    test::expectExact(run);
  }
}

TEST(Shares, AsMeasuredAreInProportionToTheClockAndFasterThanEqualOnes) {
  const Words modes = "--modes sequential,t3-mca,t3-ag";
  const auto measured = test::reportOf(oneSlowGpu("measured") + modes);
  const std::string shares(measured.at("scenario").at("workload").at("shares").as_string().c_str());
  double first = 0, second = 0, slow = 0, last = 0;
  ASSERT_EQ(std::sscanf(shares.c_str(), "%lf,%lf,%lf,%lf", &first, &second, &slow, &last), 4);
  EXPECT_EQ(first, 100);
  EXPECT_EQ(second, 100);
  EXPECT_EQ(last, 100);
  EXPECT_NEAR(slow, 50, 5);  // loads do not slow down with the clock
  const auto equal = test::runs(oneSlowGpu("equal") + modes);
  for (const auto& run : measured.at("runs").as_array()) {
    const std::string mode(run.at("mode").as_string());
    test::expectExact(run.as_object());
    EXPECT_LT(number(run.as_object(), "time_ps"), number(equal.at(mode), "time_ps")) << mode;
  }
}

TEST(Shares, AsTheReportSaysThemRepeatTheRun) {
  const auto measured = test::reportOf(oneSlowGpu("measured") + "--modes t3-mca");
  const std::string shares(measured.at("scenario").at("workload").at("shares").as_string().c_str());
  const auto again = test::runs(oneSlowGpu(shares) + "--modes t3-mca");
  EXPECT_EQ(number(again.at("t3-mca"), "time_ps"),
            number(measured.at("runs").at(0).as_object(), "time_ps"));
}

}  // namespace
}  // namespace t3::shares_test
