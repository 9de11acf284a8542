// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace t3::rtl_test {

/// Seed of a random test: `fallback`, or T3_TEST_SEED from the environment. Printed together with
/// the command that repeats the run.
std::uint64_t testSeed(std::uint64_t fallback);

/// Rounds of a random test, each with a seed of its own: `fallback`, or T3_TEST_ROUNDS from the
/// environment.
std::uint64_t testRounds(std::uint64_t fallback);

/// Small random helper with integers only, the same on every host.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// 0 … bound - 1.
  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(engine_() % bound); }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + below(high - low + 1ull);
  }
  /// So many random bits, 1 to 64.
  std::uint64_t bits(std::uint32_t width) { return engine_() >> (64 - width); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace t3::rtl_test
