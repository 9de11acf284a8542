// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/rtl/random.h"

namespace t3::rtl_test {

std::uint64_t testSeed(std::uint64_t fallback) {
  const char* given = std::getenv("T3_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : fallback;
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test->test_suite_name()) + "." + test->name();
  testing::Test::RecordProperty("seed", std::to_string(seed));
  std::cout << "seed " << seed << ", repeat with: T3_TEST_SEED=" << seed
            << " <executable> --gtest_filter=" << name << "\n";
  return seed;
}

std::uint64_t testRounds(std::uint64_t fallback) {
  const char* given = std::getenv("T3_TEST_ROUNDS");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : fallback;
}

}  // namespace t3::rtl_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
