// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tests/tlm/hbm/command_checker.h"
#include "tlm/node/system.h"

namespace t3::test {

/// Expects that the commands of one memory keep every rule; returns how many carry a burst.
inline std::uint64_t burstsOfChecked(const CommandChecker& checker, const std::string& where) {
  EXPECT_EQ(checker.violations(), std::vector<std::string>{}) << where;
  return static_cast<std::uint64_t>(std::ranges::count_if(
      checker.trace(), [](const DramCommand& command) { return isColumn(command.kind); }));
}

/// Puts the memories of a system in this process under the checker. Before it runs.
class CheckedCommands {
 public:
  explicit CheckedCommands(System& system) {
    system.observeMemory([&](std::uint32_t, const HbmConfig& memory) -> CommandObserver& {
      return checkers_.emplace_back(memory);
    });
  }

  /// After it has run.
  void expectRulesKept(const RunResult& result) const {
    std::uint64_t bursts = 0;
    for (std::size_t gpu = 0; gpu < checkers_.size(); ++gpu) {
      bursts += burstsOfChecked(checkers_[gpu], "GPU " + std::to_string(gpu));
    }
    EXPECT_GT(bursts, 0U);
    EXPECT_EQ(bursts, result.dram_bursts) << "every burst has its command";
  }

 private:
  std::deque<CommandChecker> checkers_;
};

}  // namespace t3::test
