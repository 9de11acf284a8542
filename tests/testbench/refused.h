// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testbench/config/config_error.h"
#include "tests/testbench/program.h"

namespace t3::test {

/// Exit code 2, nothing on standard output, and one line that holds all of `parts`.
inline void expectRefused(const Words& words, const std::vector<std::string>& parts) {
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

/// Exit code 1, and on standard error all of `parts`.
inline Outcome expectFails(const Words& words, const std::vector<std::string>& parts) {
  Outcome outcome = t3sim(words);
  EXPECT_EQ(outcome.code, 1) << testing::PrintToString(words);
  for (const std::string& part : parts) EXPECT_THAT(outcome.error, testing::HasSubstr(part));
  return outcome;
}

/// What the ConfigError of `act` says, in one line; empty if it throws none.
template <typename Act>
std::string refusalOf(Act act) {
  try {
    act();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
    return error.what();
  }
  return "";
}

}  // namespace t3::test
