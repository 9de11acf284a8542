// SPDX-License-Identifier: Apache-2.0
// Method: the programs of these tests run as CI runs them, one of them with a test that fails: its
// waveform, its seed and the command that repeats it must be left behind, complete.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/testbench/temporary_directory.h"

namespace t3::rtl_test::artifacts_test {
namespace {

int run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Last time of a complete FST file: its first block is the header (type 0), and the time in it is
/// set when the file is closed.
std::uint64_t endOfWave(const std::string& path) {
  const std::string file = contents(path);
  if (file.size() < 25 || file[0] != 0) return 0;
  std::uint64_t time = 0;
  for (std::size_t i = 17; i < 25; ++i) time = time << 8 | static_cast<std::uint8_t>(file[i]);
  return time;
}

TEST(Artifacts, AFailingTestLeavesItsWaveItsSeedAndTheCommandThatRepeatsIt) {
  const test::TemporaryDirectory folder;
  EXPECT_EQ(run("T3_ARTIFACTS=" + folder.path("kept") + " " T3_FAILING_TEST " >" +
                folder.path("log") + " 2>&1"),
            1);
  const std::string base = folder.path("kept/Planted.Fault");
  EXPECT_GT(endOfWave(base + ".fst"), 100'000U) << contents(folder.path("log"));
  const std::string told = contents(base + ".txt");
  EXPECT_NE(told.find("repeat with: '" T3_FAILING_TEST "' '--gtest_filter=Planted.Fault' '--wave="),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("seed 71, repeat with: T3_TEST_SEED=71 "), std::string::npos) << told;
  EXPECT_GT(endOfWave(folder.path("kept/Planted.Assertion.fst")), 15'000U);
  EXPECT_NE(contents(folder.path("kept/Planted.Assertion.txt")).find("never_overflows"),
            std::string::npos);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("kept")), {}), 6)
      << "a test that passes leaves nothing";
  // The view opens at the failure, in the 100th clock, with the module's signals.
  const std::string view = contents(base + ".gtkw");
  EXPECT_NE(view.find("[dumpfile] \"" + base + ".fst\""), std::string::npos) << view;
  EXPECT_NE(view.find(" 100500 -1 "), std::string::npos) << view;
  EXPECT_NE(view.find("[markername] Afailure"), std::string::npos) << view;
  EXPECT_NE(view.find("t3_arb_rr.grant_o[4:0]"), std::string::npos) << view;
}

TEST(Artifacts, EveryModelOfATestIsDrawn) {
  const test::TemporaryDirectory folder;
  EXPECT_EQ(run(T3_FAILING_TEST " --gtest_filter=Planted.Sound --wave " + folder.path("two.fst") +
                " >/dev/null"),
            0);
  EXPECT_EQ(endOfWave(folder.path("two.fst")), 1'000U);
  EXPECT_EQ(endOfWave(folder.path("two-2.fst")), 2'000U);
}

TEST(Artifacts, AWaveOfAnotherKindIsRefused) {
  EXPECT_EQ(run(T3_FAILING_TEST " --wave x.vcd 2>/dev/null"), 2);
  EXPECT_EQ(run(T3_FAILING_TEST " --wave 2>/dev/null"), 2);
}

}  // namespace
}  // namespace t3::rtl_test::artifacts_test
