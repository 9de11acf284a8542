// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace t3::test {

/// Seed for a random test: `fallback`, or T3_TEST_SEED from the environment. Records it as a trace
/// that a failing assertion prints together with the command that repeats the run.
std::uint64_t seed(std::uint64_t fallback);

/// Rounds of a random test, the next one with the next seed: `fallback`, or T3_TEST_ROUNDS from the
/// environment.
std::uint64_t rounds(std::uint64_t fallback);

}  // namespace t3::test
