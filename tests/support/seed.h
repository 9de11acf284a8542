// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace t3::test {

/// Seed for a random test: `fallback`, or T3_TEST_SEED from the environment. Records it as a trace
/// that a failing assertion prints together with the command that repeats the run.
std::uint64_t seed(std::uint64_t fallback);

/// Rounds of a random test, the next one with the next seed: `fallback`, or T3_TEST_ROUNDS from the
/// environment.
std::uint64_t rounds(std::uint64_t fallback);

/// Runs `round(seed)` for each round of a random test whose fallbacks are given. One that fails is
/// the last, and its trace says how it is repeated alone.
template <typename Round>
void forSeeds(std::uint64_t firstSeed, std::uint64_t fewRounds, Round round) {
  const std::uint64_t first = seed(firstSeed), count = rounds(fewRounds);
  for (std::uint64_t i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("alone: T3_TEST_ROUNDS=1 T3_TEST_SEED=" + std::to_string(first + i));
    round(first + i);
  }
}

}  // namespace t3::test
