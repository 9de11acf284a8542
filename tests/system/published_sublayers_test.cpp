// SPDX-License-Identifier: Apache-2.0
// Method: the GEMMs of published models behind which tensor-parallel GPUs reduce: of attention's
// output and of the feed-forward layer's, for 1 to 8,192 tokens, on 2 to 16 GPUs. All are accepted;
// some that are drawn, and quick, are simulated with checked data.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "testbench/commands/scenario_options.h"
#include "testbench/presets/scenario.h"
#include "tests/support/seed.h"
#include "tests/system/runs.h"

namespace t3::published_sublayers_test {
namespace {

using test::Words;

/// A matrix of weights [hidden][depth] of a model's config.json.
struct Matrix {
  const char* name;
  std::uint32_t hidden, depth;
};

constexpr std::array kMatrices = {
    Matrix{"gemma-2-2b o", 2304, 2048},       Matrix{"gemma-2-2b down", 2304, 9216},
    Matrix{"gpt-oss-20b o", 2880, 4096},      Matrix{"gpt-oss-20b down", 2880, 2880},
    Matrix{"qwen2.5-7b o", 3584, 3584},       Matrix{"qwen2.5-7b down", 3584, 18944},
    Matrix{"llama-3-8b o", 4096, 4096},       Matrix{"llama-3-8b down", 4096, 14336},
    Matrix{"qwen2.5-32b o", 5120, 5120},      Matrix{"qwen2.5-32b down", 5120, 27648},
    Matrix{"llama-3-70b o", 8192, 8192},      Matrix{"llama-3-70b down", 8192, 28672},
    Matrix{"llama-3.1-405b o", 16384, 16384}, Matrix{"llama-3.1-405b down", 16384, 53248}};
constexpr std::array kTokens = {1U, 16U, 128U, 2048U, 8192U};
constexpr std::array kGpus = {2U, 3U, 4U, 6U, 8U, 12U, 16U};

std::array<std::string, 4> settingsOf(const Matrix& matrix, std::uint32_t tokens,
                                      std::uint32_t gpus) {
  return {"gpus=" + std::to_string(gpus), "workload.rows=" + std::to_string(tokens),
          "workload.columns=" + std::to_string(matrix.hidden),
          "workload.depth=" + std::to_string((matrix.depth + gpus - 1) / gpus)};
}

TEST(PublishedSublayers, AreAcceptedInEveryModeOfT3OnAnyNumberOfGpus) {
  for (const Matrix& matrix : kMatrices) {
    for (const std::uint32_t tokens : kTokens) {
      for (const std::uint32_t gpus : kGpus) {
        SCOPED_TRACE(testing::Message() << matrix.name << ", " << tokens << " tokens, " << gpus);
        ScenarioSource source;
        for (const std::string& setting : settingsOf(matrix, tokens, gpus)) {
          source.assignments.push_back({"--set", setting});
        }
        SystemConfig scenario;
        ASSERT_NO_THROW(scenario = loadScenario(source));
        for (const Mode mode : {Mode::Sequential, Mode::T3, Mode::T3Mca}) {
          EXPECT_NO_THROW(checkMode(mode, scenario, TrackerKind::Rtl, "--mode"));
        }
      }
    }
  }
}

/// With T3_TEST_ROUNDS more of them.
TEST(PublishedSublayers, AreFasterInT3WithExactSums) {
  std::mt19937_64 random(test::seed(20261128));
  const auto any = [&random](const auto& list) { return list[random() % list.size()]; };
  for (std::uint64_t left = test::rounds(3); left > 0;) {
    const Matrix& matrix = any(kMatrices);
    const std::uint32_t tokens = any(kTokens), gpus = any(kGpus);
    if (std::uint64_t{tokens} * matrix.hidden * matrix.depth > 1'000'000'000) continue;
    --left;
    SCOPED_TRACE(testing::Message() << matrix.name << ", " << tokens << " tokens, " << gpus);
    Words words = "compare --data checked --tracker model --modes sequential,t3,t3-mca";
    for (const std::string& setting : settingsOf(matrix, tokens, gpus)) {
      words.insert(words.end(), {"--set", setting});
    }
    const auto runs = test::exactRuns(words, 3U);
    for (const char* mode : {"t3", "t3-mca"}) {
      EXPECT_LT(test::number(runs.at(mode), "time_ps"),
                test::number(runs.at("sequential"), "time_ps"))
          << mode;
    }
  }
}

}  // namespace
}  // namespace t3::published_sublayers_test
