// SPDX-License-Identifier: Apache-2.0
// What a run tells of its memories. Method: the real t3sim runs a small scenario with every kind of
// traffic; its command trace goes through the independent checker, its report is compared with the
// trace and with itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/describe/enum_to_string.hpp>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testbench/presets/presets.h"
#include "tests/testbench/refused.h"
#include "tests/tlm/hbm/command_checker.h"

namespace t3::memory_test {
namespace {

namespace json = boost::json;
using test::Words;

class MemoryOfARun : public testing::TestWithParam<Words> {
 protected:
  void SetUp() override {
    test::mustRun(Words{"run --preset tiny-tp4 --mode t3-mca --tracker model --quiet",
                        "--command-trace", trace(), "--json", report(), "--data elided"} +
                  GetParam());
  }
  std::string trace() const { return directory_.path("trace.csv"); }
  std::string report() const { return directory_.path("report.json"); }

 private:
  test::TemporaryDirectory directory_;
};

TEST_P(MemoryOfARun, ItsTraceKeepsEveryRuleAndItsReportCountsTheSameCommands) {
  const json::value report = json::parse(test::readFile(this->report()));
  const json::value& memory = report.at("runs").at(0).at("memory");
  const json::value& settings = report.at("scenario").at("hbm");
  HbmConfig config = findPreset("tiny-tp4")->config.hbm;
  config.refresh =
      settings.at("refresh") == "per-bank" ? RefreshMode::PerBank : RefreshMode::AllBank;
  config.near_memory = settings.at("near_memory").as_bool();
  config.channels = settings.at("channels").to_number<std::uint32_t>();

  const auto commands = test::readCommandTrace(trace());
  ASSERT_EQ(commands.size(), 4U);
  std::map<std::string, std::vector<double>> figures;
  for (const json::value& figure : memory.at("figures").as_array()) {
    EXPECT_NE(figure.at("description").as_string(), "");
    EXPECT_TRUE(figure.at("unit").is_string());
    for (const json::value& value : figure.at("per_gpu").as_array()) {
      figures[std::string(figure.at("name").as_string())].push_back(value.to_number<double>());
    }
  }
  for (const auto& [gpu, list] : commands) {
    test::CommandChecker checker(config);
    std::map<DramCommandKind, double> counts;
    for (const DramCommand& command : list) {
      checker.command(command);
      ++counts[command.kind];
    }
    EXPECT_EQ(checker.violations(), Words{}) << "GPU " << gpu;
    for (std::size_t kind = 0; kind < kDramCommandKinds; ++kind) {
      const auto command = static_cast<DramCommandKind>(kind);
      const std::string name = boost::describe::enum_to_string(command, "");
      EXPECT_EQ(figures.at("commands_" + name).at(gpu), counts[command]) << name;
    }
    EXPECT_GT(counts[config.refresh == RefreshMode::PerBank ? DramCommandKind::Precharge
                                                            : DramCommandKind::PrechargeAll],
              0);
    const double opened = counts[DramCommandKind::Activate];
    EXPECT_EQ(figures.at("row_misses").at(gpu) + figures.at("row_conflicts").at(gpu), opened);
    EXPECT_EQ(figures.at("row_hits").at(gpu), figures.at("bursts").at(gpu) - opened);
    EXPECT_EQ(counts[DramCommandKind::Update] > 0, config.near_memory);
    EXPECT_EQ(counts[DramCommandKind::ReadClear] > 0, config.near_memory);
    EXPECT_EQ(counts[DramCommandKind::RowClear] > 0, config.near_memory);
    EXPECT_GT(figures.at("energy_Read").at(gpu), 0);
    EXPECT_GT(figures.at("latency_communication_p99").at(gpu),
              figures.at("latency_communication_p50").at(gpu));
  }
}

TEST_P(MemoryOfARun, ItsBytesOverTimeAddUpToItsBytes) {
  const json::value report = json::parse(test::readFile(this->report()));
  const json::value& run = report.at("runs").at(0);
  const auto& windows = run.at("memory").at("bytes_over_time").as_array();
  EXPECT_GT(windows.size(), 1U);
  for (const auto& [kind, total] : run.at("dram_bytes").as_object()) {
    double sum = 0;
    for (const json::value& window : windows) sum += window.at(kind).to_number<double>();
    // Each window is a mean over the GPUs, rounded down to bytes.
    EXPECT_NEAR(sum, total.to_number<double>(), static_cast<double>(windows.size())) << kind;
  }
  double pieces = 0, entered = 0;
  for (const json::value& figure : run.at("memory").at("figures").as_array()) {
    if (figure.at("name") != "pieces") continue;
    for (const json::value& value : figure.at("per_gpu").as_array()) {
      pieces += value.to_number<double>();
    }
  }
  for (const json::value& count : run.at("memory").at("queue_occupancy").as_array()) {
    entered += count.to_number<double>();
  }
  EXPECT_EQ(entered, pieces) << "each piece entered a DRAM queue once";
}

std::string nameOf(const testing::TestParamInfo<Words>& settings) {
  const Words names{"Default", "PerBankRefresh", "WithoutNearMemory", "TwelveChannels"};
  return names[settings.index];
}

INSTANTIATE_TEST_SUITE_P(Settings, MemoryOfARun,
                         testing::Values(Words{}, Words{"--set hbm.refresh=per-bank"},
                                         Words{"--set hbm.near_memory=false"},
                                         Words{"--set hbm.channels=12"}),
                         nameOf);

TEST(AnyNumberOfChannels, GivesRightSumsWithTheTrackersRtl) {
  // Fewer than lanes, as many for each lane, and not as many.
  for (const char* channels : {"3", "80", "96", "100"}) {
    const test::Outcome outcome =
        test::t3sim({std::string("run --preset tiny-tp4 --mode t3-mca --tracker rtl --data "
                                 "checked --quiet --set hbm.channels=") +
                     channels});
    EXPECT_EQ(outcome.code, 0) << channels << ": " << outcome.error;
  }
}

TEST(CommandTraceOption, OfAComparisonWritesOneFileForEachSimulatedMode) {
  const test::TemporaryDirectory directory;
  test::mustRun(
      {"compare --preset tiny-tp4 --tracker model --data elided --quiet --modes "
       "sequential,cu-split:4,t3,ideal-overlap --command-trace",
       directory.path("commands.csv")});
  // ideal-overlap is computed from sequential.
  EXPECT_THAT(directory.names(),
              testing::UnorderedElementsAre("commands.sequential.csv", "commands.cu-split-4.csv",
                                            "commands.t3.csv"));
  const auto updates = [&](const std::string& mode) {
    std::size_t count = 0;
    for (const auto& [gpu, list] :
         test::readCommandTrace(directory.path("commands." + mode + ".csv"))) {
      count += static_cast<std::size_t>(
          std::ranges::count(list, DramCommandKind::Update, &DramCommand::kind));
    }
    return count;
  };
  EXPECT_EQ(updates("sequential"), 0U);
  EXPECT_GT(updates("t3"), 0U);
}

TEST(CommandTraceOption, IsRefusedBeforeTheSimulationIfItCannotBeWritten) {
  for (const char* command : {"run", "compare"}) {
    test::expectRefused(
        {command, "--preset t-nlg-fc2-tp8 --command-trace /nowhere/trace.csv --quiet"},
        {"--command-trace"});
  }
}

}  // namespace
}  // namespace t3::memory_test
