// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/testbench/program.h"

namespace t3::test {

/// Exit code 2, nothing on standard output, and one line that holds all of `parts`.
inline void expectRefused(const std::vector<std::string>& words,
                          const std::vector<std::string>& parts) {
  const Outcome outcome = t3sim(words);
  const std::string command = testing::PrintToString(words);
  EXPECT_EQ(outcome.code, 2) << command;
  EXPECT_EQ(outcome.output, "") << command;
  EXPECT_EQ(std::ranges::count(outcome.error, '\n'), 1) << command << outcome.error;
  EXPECT_THAT(outcome.error, testing::StartsWith("t3sim: ")) << command;
  for (const std::string& part : parts) {
    EXPECT_THAT(outcome.error, testing::HasSubstr(part)) << command;
  }
}

}  // namespace t3::test
