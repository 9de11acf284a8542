// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim with codecs on every fabric and in every mode. Values go through the
// codec's bits, and the result of every GPU is compared with the coded reference; that one is held
// to an oracle in tests/tlm/node/coded_reference_test.cpp. Bytes on links are the format's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/system/symmetric.h"
#include "tests/testbench/refused.h"

namespace t3::codec_test {
namespace {

using test::number;
using test::Words;

constexpr std::uint64_t kOutput = 512 * 512 * 2;
const Words kModes = "--modes sequential,cu-split:8,t3,t3-mca,t3-ag,ideal-rs-nmc,ideal-ag";

Words coded(const std::string& format) {
  return Words{"--set gpu.dma.codec=" + format, "--set gpu.collective.codec=" + format};
}

double figure(const boost::json::object& run, const char* error, const char* key) {
  return run.at("verification").at(error).at(key).to_number<double>();
}

class CodecOn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, CodecOn,
                         testing::Values("ring", "bidirectional-ring", "fully-connected", "switch",
                                         "two-level"),
                         test::withoutDashes);

TEST_P(CodecOn, EveryFabricGivesTheCodedSumsInEveryMode) {
  const std::pair<const char*, std::uint64_t> formats[] = {
      {"block8", 33}, {"block6", 25}, {"block4", 17}};
  for (const auto& [format, bytes] : formats) {
    SCOPED_TRACE(format);
    const auto runs = test::exactRuns(
        "compare --preset tiny-tp4" + kModes + test::onFabric(GetParam()) + coded(format), 7);
    for (const auto& [mode, run] : runs) {
      SCOPED_TRACE(mode);
      EXPECT_EQ(number(run, "plain_link_bytes"), 6 * kOutput);
      EXPECT_EQ(number(run, "link_bytes"), 6 * kOutput * bytes / 64);
      for (const char* error : {"sums_error", "gathered_error"}) {
        EXPECT_GT(figure(run, error, "rms"), 0.0);
        EXPECT_LT(figure(run, error, "max"), figure(run, error, "bound"));
        EXPECT_EQ(figure(run, error, "above_bound"), 0.0);
      }
    }
  }
}

TEST_P(CodecOn, EveryFabricTakesFormatsWhoseSizeTheDataDecides) {
  const Words threshold = coded("threshold") + "--set gpu.dma.codec_threshold=3";
  for (const Words& format : {coded("lossless"), threshold}) {
    const auto runs = test::exactRuns(
        "compare --preset tiny-tp4" + kModes + test::onFabric(GetParam()) + format, 7);
    for (const auto& [mode, run] : runs) {
      SCOPED_TRACE(mode);
      EXPECT_EQ(figure(run, "gathered_error", "above_bound"), 0.0);
    }
  }
}

TEST_P(CodecOn, EveryFabricTakesChunksThatAreNotEqual) {
  test::exactRuns("compare --preset tiny-tp4" + kModes + test::onFabric(GetParam()) +
                      coded("block6") + "--set workload.rows=640 --set workload.columns=480" +
                      test::kShallow,
                  7);
}

TEST(Codec, CountsWhatEntersTheMemoryAsWithoutIt) {
  const auto plain = test::exactRuns("compare --preset tiny-tp4 --modes t3,t3-ag", 2);
  const auto runs =
      test::exactRuns("compare --preset tiny-tp4 --modes t3,t3-ag" + coded("block4"), 2);
  for (const auto& [mode, run] : runs) {
    SCOPED_TRACE(mode);
    EXPECT_EQ(run.at("dram_bytes"), plain.at(mode).at("dram_bytes"));
    EXPECT_EQ(test::tracker(run, "updates"), test::tracker(plain.at(mode), "updates"));
    EXPECT_EQ(test::tracker(run, "triggers"), test::tracker(plain.at(mode), "triggers"));
    EXPECT_LT(number(run, "time_ps"), number(plain.at(mode), "time_ps"));
  }
}

TEST(Codec, OfTheDmaEngineLeavesKernelsAlone) {
  const Words scenario = "compare --preset tiny-tp4 --modes sequential,t3";
  const auto plain = test::exactRuns(scenario, 2);
  const auto runs = test::exactRuns(scenario + "--set gpu.dma.codec=block8", 2);
  EXPECT_EQ(number(runs.at("sequential"), "time_ps"), number(plain.at("sequential"), "time_ps"));
  EXPECT_EQ(number(runs.at("t3"), "link_bytes"), 3 * kOutput + 3 * kOutput * 33 / 64);
}

TEST(Codec, ThatIsSlowIsWhatTheRunWaitsFor) {
  // Each GPU codes three chunks of a quarter, at 2 bytes a cycle of 714 ps.
  const auto run = test::exactRun(
      "run --preset tiny-tp4 --mode t3 --set gpu.dma.codec=block4 --set "
      "gpu.dma.codec_bytes_per_cycle=2");
  EXPECT_GT(number(run, "time_ps"), kOutput * 3 / 4 / 2 * 714);
}

TEST(Codec, OfKernelsTakesTimeOfTheirComputeUnits) {
  const Words scenario =
      "run --preset tiny-tp4 --mode sequential --set gpu.collective.codec=block4";
  const auto run = test::exactRun(scenario + "--set gpu.collective.codec_bytes_per_cu_cycle=0.05");
  const auto config = test::reportOf(scenario).at("scenario").at("gpu");
  const auto units = config.at("compute_units").to_number<double>();
  // All bytes that a GPU sends are coded once there, and once where they come.
  const double cycles = 2.0 * 2 * kOutput * 3 / 4 / (0.05 * units);
  EXPECT_GT(static_cast<double>(number(run, "time_ps")), cycles * 714);
}

TEST(Codec, TakesTheSameTimeWithSizesAlone) {
  const Words scenario = "compare --preset tiny-tp4 --modes sequential,t3,t3-ag" + coded("block6");
  const auto checked = test::runs(scenario);
  for (const auto& [mode, run] : test::runs(scenario + "--data elided")) {
    EXPECT_EQ(number(run, "time_ps"), number(checked.at(mode), "time_ps")) << mode;
  }
}

TEST(Codec, OfADirectRouteErsOnceAndOfARingAtEachHop) {
  // With eight GPUs seven times against once.
  const Words scenario =
      "run --preset tiny-tp4 --mode t3 --set gpus=8 --set gpu.dma.codec=block6" + test::kShallow;
  const auto ring = test::exactRun(scenario);
  const auto direct = test::exactRun(scenario + "--set fabric.topology=fully-connected");
  EXPECT_GT(figure(ring, "sums_error", "rms"), 1.5 * figure(direct, "sums_error", "rms"));
}

TEST(Codec, InRtlGivesTheReportOfTheModel) {
  constexpr std::array<const char*, 3> kRuns[] = {
      {"block8", "t3-ag", "rtl"}, {"block6", "t3", "lockstep"}, {"block4", "t3", "lockstep"}};
  for (const auto& [format, mode, unit] : kRuns) {
    SCOPED_TRACE(format);
    const Words scenario = "run --preset tiny-tp4 --mode " + std::string(mode) +
                           " --set gpu.dma.codec=" + format + test::kShallow;
    const auto model = test::exactRun(scenario);
    const auto run = test::exactRun(scenario + ("--set gpu.dma.codec_unit=" + std::string(unit)));
    for (const char* figure : {"time_ps", "link_bytes", "verification"}) {
      EXPECT_EQ(run.at(figure), model.at(figure)) << figure;
    }
  }
}

TEST(Codec, IsRefusedWhereNothingCouldDecodeOrJudgeIt) {
  const Words codec = "run --preset tiny-tp4 --mode t3 --set gpu.dma.codec=block4";
  test::expectRefused(codec + test::onFabric("merging-switch"),
                      {"gpu.dma.codec: expected off", "switch.merge", "decodes none"});
  test::expectRefused(codec + "--set workload.columns=272",
                      {"gpu.dma.codec: expected off", "workload.columns", "multiple of 32"});
  test::expectRefused(codec + "--set workload.data_type=fp32 --data elided",
                      {"gpu.dma.codec: expected off", "16 bits"});
  test::expectRefused(codec + "--set gpu.dma.read_bytes=96", {"gpu.dma.read_bytes"});
  test::expectRefused(codec + "--set gpu.dma.codec_unit=rtl --data elided",
                      {"gpu.dma.codec_unit: expected model with data = elided"});
  test::expectRefused(
      "run --preset tiny-tp4 --mode t3 --set gpu.dma.codec=lossless --set "
      "gpu.dma.codec_unit=lockstep",
      {"gpu.dma.codec_unit: expected model", "block8"});
  test::expectRefused("run --preset tiny-tp4 --mode sequential --set gpu.collective.codec=block4" +
                          Words{"--collective ring-all-reduce-4"},
                      {"gpu.collective.codec: expected off with data = checked"});
}

}  // namespace
}  // namespace t3::codec_test
