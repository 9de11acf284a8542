// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim with a GPU that is late, and sums of K of N contributions. Data is checked
// against the sums of the contributions that the owners say they have added; what is dropped and
// what reaches the memories is known in bytes, whoever came first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/system/symmetric.h"

namespace t3::contributions_test {
namespace {

namespace json = boost::json;
using test::number;
using test::Words;

constexpr std::uint32_t kGpus = 4;
constexpr std::uint64_t kOutput = 512 * 512 * 2;

Words scenario(const char* topology, std::uint64_t contributions) {
  return {std::string("--preset tiny-tp4 --set fabric.topology=") + topology,
          "--set workload.contributions=" + std::to_string(contributions),
          "--set gpu3.launch_delay_us=40"};
}

/// Of a statistic of the memories, by GPU; empty if there is none such.
std::vector<std::uint64_t> figure(const json::object& run, const char* name) {
  std::vector<std::uint64_t> values;
  for (const json::value& one : run.at("memory").at("figures").as_array()) {
    if (one.at("name").as_string() != name) continue;
    for (const json::value& value : one.at("per_gpu").as_array()) {
      values.push_back(static_cast<std::uint64_t>(value.to_number<double>()));
    }
  }
  return values;
}

class Contributions : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, Contributions, testing::Values("fully-connected", "switch"),
                         test::withoutDashes);

TEST_P(Contributions, SumsAreThoseOfTheFirstKAndTheRestIsDroppedByteByByte) {
  for (std::uint32_t k = 1; k <= kGpus; ++k) {
    SCOPED_TRACE(k);
    const auto runs = test::exactRuns(
        "compare --tracker lockstep --modes sequential,t3,t3-mca,t3-ag" + scenario(GetParam(), k),
        4U);
    for (const auto& [mode, run] : runs) {
      SCOPED_TRACE(mode);
      EXPECT_EQ(number(run, "link_bytes"), 2 * (kGpus - 1) * kOutput);
      const json::value& error = run.at("verification").at("left_out_error");
      const auto dropped = figure(run, "dropped_bytes");
      if (k == kGpus || mode == "sequential") {
        EXPECT_TRUE(error.is_null());
        EXPECT_TRUE(dropped.empty());
        continue;
      }
      EXPECT_EQ(dropped, std::vector<std::uint64_t>(kGpus, (kGpus - k) * kOutput / kGpus));
      // Parts that have nothing to do with each other: (N - K) are missing, K are N / K as large.
      EXPECT_NEAR(error.to_number<double>(), std::sqrt(kGpus / static_cast<double>(k) - 1), 0.02);
      const std::uint64_t gemm = figure(run, "gemm_write_bytes").front();
      const std::uint64_t reduced = figure(run, "rs_write_bytes").front();
      EXPECT_EQ(gemm + reduced, k * kOutput / kGpus);
    }
  }
}

TEST_P(Contributions, OfAllGpusAreTheRunAsItWas) {
  const auto times = [](std::uint64_t contributions) {
    std::map<std::string, std::uint64_t> result;
    for (const auto& [mode, run] : test::runs("compare --tracker model --modes t3,t3-mca,t3-ag" +
                                              scenario(GetParam(), contributions))) {
      result[mode] = number(run, "time_ps");
    }
    return result;
  };
  EXPECT_EQ(times(0), times(kGpus));
}

/// When the last of the GPUs that are on time has the whole result.
std::uint64_t onTime(const char* mode, std::uint64_t contributions) {
  const auto run = test::runOf(Words{"run --tracker model --mode", mode} +
                               scenario("fully-connected", contributions));
  std::uint64_t last = 0;
  for (const json::value& gpu : run.at("per_gpu").as_array()) {
    if (gpu.at("gpu").to_number<int>() == 3) continue;
    for (const char* end : {"reduce_scatter_end_ps", "all_gather_end_ps"}) {
      last = std::max(last, gpu.at(end).to_number<std::uint64_t>());
    }
  }
  return last;
}

TEST(ContributionsOfOthers, AreEnoughForThoseThatAreOnTimeWhereTrackersGather) {
  constexpr std::uint64_t kLaunch = 40'000'000;  // when GPU 3 clears its chunk and begins its GEMM
  const std::uint64_t others = onTime("t3-ag", kGpus - 1);
  EXPECT_GT(others, kLaunch);
  EXPECT_LT(others, onTime("t3-ag", kGpus)) << "its GEMM is not waited for";
  EXPECT_LT(others, onTime("t3-mca", kGpus - 1)) << "its kernels send its chunk";
}

TEST(ContributionsOfOthers, FeedANormAndAConsumer) {
  const auto runs = test::exactRuns(
      "compare --modes t3,t3-mca,t3-ag --set workload.between=norm --set "
      "workload.consumer.columns=256" +
          scenario("fully-connected", 3),
      3U);
  for (const auto& [mode, run] : runs) {
    SCOPED_TRACE(mode);
    EXPECT_FALSE(run.at("verification").at("left_out_error").is_null());
  }
}

TEST(ContributionsOfOthers, AreDroppedTheSameWhetherOrNotDataIsCarriedAndRunsAreRecorded) {
  const Words words = "run --mode t3-ag" + scenario("fully-connected", 2);
  test::expectRecordingsChangeNothing(words);
  EXPECT_EQ(number(test::runOf(words), "time_ps"),
            number(test::runOf(words + "--data elided"), "time_ps"));
}

TEST(ContributionsOfOthers, EndTheStoryOfATileWhenTheyAreEnough) {
  const auto follow = [](const char* gpu) {
    return test::t3sim(Words{"follow --mode t3 --wg 0 --gpu", gpu} +
                       scenario("fully-connected", 3));
  };
  const test::Outcome late = follow("3");
  EXPECT_EQ(late.code, 0) << late.error;
  EXPECT_THAT(late.output, testing::HasSubstr("the GEMM of gpu3 has not begun"));
  const test::Outcome first = follow("1");
  EXPECT_EQ(first.code, 0) << first.error;
  EXPECT_THAT(first.output, testing::HasSubstr("the part of gpu3 has not been stored"));
  EXPECT_THAT(first.output, testing::HasSubstr("the sum is final"));
}

TEST(ContributionsOfOthers, AreLeftOutOnlyWhereEachComesByItself) {
  const auto expectRefused = [](const Words& words, const std::string& about) {
    test::expectRefused("run --preset tiny-tp4 --set workload.contributions=3" + words, {about});
  };
  const Words direct = "--set fabric.topology=fully-connected";
  expectRefused({},
                "workload.contributions: expected 0, all, because a part that passes other GPUs");
  expectRefused("--set fabric.topology=two-level --set fabric.gpus_per_node=2",
                "a part that passes other GPUs");
  expectRefused("--set fabric.topology=switch --set fabric.collective=ring",
                "a part that passes other GPUs");
  expectRefused("--set fabric.topology=switch --set switch.merge=model", "switch.merge adds parts");
  expectRefused(direct + "--set workload.repeat=2", "workload.repeat");
  expectRefused(direct + "--data elided --gpus symmetric", "symmetric");
  expectRefused(direct + "--set workload.collective=direct-all-reduce-4",
                "workload.collective says what is added");
  expectRefused(direct + "--set workload.contributions=5",
                "workload.contributions: expected at most gpus = 4, got 5");
  expectRefused(direct + "--mode ideal-rs-nmc", "expected a mode that is no bound");
  expectRefused(direct + "--mode ideal-ag", "expected a mode that is no bound");
}

}  // namespace
}  // namespace t3::contributions_test
