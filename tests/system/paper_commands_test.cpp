// SPDX-License-Identifier: Apache-2.0
// Method: whole sublayers of the paper's evaluation on one GPU that stands for all; every DRAM
// command, some tens of millions, goes through the independent checker.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "testbench/config/mode_spelling.h"
#include "testbench/presets/presets.h"
#include "tests/system/checked_commands.h"
#include "tlm/node/system.h"

namespace t3::paper_commands_test {
namespace {

class PaperCommands : public testing::TestWithParam<std::tuple<const char*, Mode>> {};
INSTANTIATE_TEST_SUITE_P(Long, PaperCommands,
                         testing::Combine(testing::Values("t-nlg-fc2-tp8", "t-nlg-op-tp16"),
                                          testing::Values(Mode::Sequential, Mode::cuSplit(8),
                                                          Mode::T3, Mode::T3Mca)),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param) + std::string("_") +
                                              spelling(std::get<1>(test.param));
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == ':'; }, '_');
                           return name;
                         });

TEST_P(PaperCommands, KeepEveryRule) {
  const Preset* preset = findPreset(std::get<0>(GetParam()));
  ASSERT_NE(preset, nullptr);
  SystemConfig config = preset->config;
  config.simulated_gpus = GpuSimulation::Symmetric;
  System system(config, std::get<1>(GetParam()), TrackerKind::Model);
  const test::CheckedCommands commands(system);
  const RunResult result = system.run();
  ASSERT_EQ(result.error, "");
  commands.expectRulesKept(result);
}

}  // namespace
}  // namespace t3::paper_commands_test
