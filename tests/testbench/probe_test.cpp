// SPDX-License-Identifier: Apache-2.0
// What people say about where and when they want to look. Method: texts at the limits of what is
// allowed, with exact results, and one beyond each limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/probe/request_numbers.h"
#include "testbench/probe/scope.h"

namespace t3::probe_test {
namespace {

using testing::ElementsAre;

TEST(Time, IsNanosecondsOrHasAUnitAndIsRoundedToWholePicoseconds) {
  EXPECT_EQ(timeOf("714ps", "x"), 714U);
  EXPECT_EQ(timeOf("10ns", "x"), 10'000U);
  EXPECT_EQ(timeOf("50us", "x"), 50'000'000U);
  EXPECT_EQ(timeOf("1.2ms", "x"), 1'200'000'000U);
  EXPECT_EQ(timeOf("3s", "x"), 3'000'000'000'000U);
  EXPECT_EQ(timeOf("0.4ps", "x"), 0U);
  EXPECT_EQ(timeOf("0.5ps", "x"), 1U);
  EXPECT_EQ(timeOf("0.0004ns", "x"), 0U);
  EXPECT_EQ(timeOf("0s", "x"), 0U);
  EXPECT_EQ(timeOf("8999999s", "x"), 8'999'999'000'000'000'000U);
  EXPECT_EQ(timeOf("10", "x"), 10'000U) << "a number alone is ns";
  EXPECT_EQ(timeOf("1 us", "x"), 1'000'000U);
  for (const char* word : {"9000000s", "-1ns", "ns", "1ns ", "1min", "1GB", "1e400ns", ""}) {
    EXPECT_THROW(timeOf(word, "x"), ConfigError) << word;
  }
  EXPECT_EQ(durationOf("1ps", "x"), 1U);
  EXPECT_THROW(durationOf("0ns", "x"), ConfigError);
  EXPECT_THROW(durationOf("0.4ps", "x"), ConfigError);
}

TEST(Window, ContainsItsBeginningAndNotItsEnd) {
  const TimeWindow window = windowOf("1ns:2ns", "x");
  EXPECT_FALSE(window.contains(999));
  EXPECT_TRUE(window.contains(1000));
  EXPECT_TRUE(window.contains(1999));
  EXPECT_FALSE(window.contains(2000));
  EXPECT_EQ(windowOf("1:2", "x").last, 2000U);
  EXPECT_EQ(windowOf(":1ms", "x").first, 0U);
  EXPECT_EQ(windowOf("1ms:", "x").last, std::numeric_limits<Picoseconds>::max());
  EXPECT_TRUE(TimeWindow{}.contains(0));
  for (const char* word : {":", "1ns", "1ns:1ns", "2ns:1ns", "1ns:2ns:3ns", "1:2B", ""}) {
    EXPECT_THROW(windowOf(word, "x"), ConfigError) << word;
  }
}

TEST(List, HasNoEmptyParts) {
  EXPECT_THAT(listOf("a,b", "x"), ElementsAre("a", "b"));
  EXPECT_THAT(split("a..b", '.'), ElementsAre("a", "", "b"));
  for (const char* text : {"", ",", "a,", ",a", "a,,b"}) {
    EXPECT_THROW(listOf(text, "x"), ConfigError) << text;
  }
}

TEST(CommandBlock, IsTheRunOfTilesThatTheWorkgroupLiesIn) {
  EXPECT_EQ(commandBlock(WorkgroupId{7}, 0).first, 7U);
  EXPECT_EQ(commandBlock(WorkgroupId{7}, 0).count, 1U);
  EXPECT_EQ(commandBlock(WorkgroupId{7}, 2).first, 4U);
  EXPECT_EQ(commandBlock(WorkgroupId{8}, 2).first, 8U);
  EXPECT_EQ(commandBlock(WorkgroupId{8}, 2).end(), 12U);
}

TEST(ModelName, SaysItsGpu) {
  EXPECT_EQ(gpuOfModel("gpu0"), 0);
  EXPECT_EQ(gpuOfModel("gpu63.hbm"), 63);
  EXPECT_EQ(gpuOfModel("switch.link0"), -1);
}

}  // namespace
}  // namespace t3::probe_test
