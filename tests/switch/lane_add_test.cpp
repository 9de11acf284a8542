// SPDX-License-Identifier: Apache-2.0
// Method: the adder of a lane against the home's near-memory ALU, bit by bit: all pairs of the
// numbers at which formats change their rules, in all formats, and random pairs whose exponents are
// near each other, where rounding and cancellation are. For long: every pair of fp16 and of bf16.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "Vlane_add.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"
#include "tlm/hbm/near_memory_alu.h"
#include "tlm/switch/merge_unit.h"

namespace t3::switch_test::lane_add_test {
namespace {

using rtl_test::Random;
using rtl_test::testRounds;
using rtl_test::testSeed;

struct Format {
  DataType type;
  std::uint32_t exponentBits, fractionBits;
};
constexpr std::array kFormats = {Format{DataType::Fp16, 5, 10}, Format{DataType::Bf16, 8, 7},
                                 Format{DataType::Fp32, 8, 23}};

struct LaneAdder : rtl_test::Simulated<Vlane_add> {
  std::uint32_t add(DataType type, std::uint32_t a, std::uint32_t b) {
    model.format_i = static_cast<CData>(mergeFormat(MemoryOperation::Add, type));
    model.a_i = a;
    model.b_i = b;
    model.eval();
    return model.sum_o;
  }
};

std::uint32_t expected(DataType type, std::uint32_t a, std::uint32_t b) {
  unsigned char sum[4], other[4];
  std::memcpy(sum, &a, sizeof a);
  std::memcpy(other, &b, sizeof b);
  applyOperation(MemoryOperation::Add, type, sum, other, sizeof sum);
  std::uint32_t result = 0;
  std::memcpy(&result, sum, sizeof result);
  return result;
}

/// One number of a format at every exponent, and fractions at which something changes.
std::vector<std::uint32_t> edges(const Format& format) {
  const std::uint32_t top = 1u << format.fractionBits;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t sign = 0; sign < 2; ++sign) {
    for (std::uint32_t exponent = 0; exponent < 1u << format.exponentBits; ++exponent) {
      // Not every exponent in the middle.
      if (format.exponentBits == 8 && exponent > 30 && exponent < 225 && exponent % 16 != 0)
        continue;
      for (const std::uint32_t fraction :
           {0u, 1u, 2u, 3u, top / 2, top / 2 + 1, top - 2, top - 1}) {
        numbers.push_back((sign << format.exponentBits | exponent) << format.fractionBits |
                          fraction);
      }
    }
  }
  return numbers;
}

TEST(LaneAdd, AddsEveryPairOfEdgesLikeTheNearMemoryAlu) {
  LaneAdder adder;
  std::uint64_t checks = 0;
  for (const Format& format : kFormats) {
    const std::vector<std::uint32_t> numbers = edges(format);
    const bool half = format.fractionBits < 16;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (std::size_t j = 0; j < numbers.size(); ++j) {
        std::uint32_t a = numbers[i];
        std::uint32_t b = numbers[j];
        if (half) {  // two pairs at once: the lower one the other way round
          a = a << 16 | numbers[numbers.size() - 1 - j];
          b = b << 16 | numbers[i];
        }
        ASSERT_EQ(adder.add(format.type, a, b), expected(format.type, a, b))
            << std::hex << "type " << static_cast<int>(format.type) << ", " << a << " + " << b;
        ++checks;
      }
    }
  }
  EXPECT_GT(checks, 1000000u);
}

TEST(LaneAdd, AddsRandomNumbersLikeTheNearMemoryAlu) {
  LaneAdder adder;
  Random random(testSeed(71));
  const std::uint64_t rounds = testRounds(4);
  for (std::uint64_t i = 0; i < 500000 * rounds; ++i) {
    const Format& format = kFormats[random.below(kFormats.size())];
    auto number = [&](std::uint32_t near, std::uint32_t spread) {
      const std::uint32_t last = (1u << format.exponentBits) - 1;
      const std::uint32_t exponent = std::min(last, near + random.below(spread));
      return (random.below(2) << format.exponentBits | exponent) << format.fractionBits |
             random.below(1u << format.fractionBits);
    };
    auto pair = [&] {
      const std::uint32_t near = random.below(1u << format.exponentBits);
      const std::uint32_t spread = random.below(4) == 0 ? 30 : 3;
      return std::pair{number(near, spread), number(near, spread)};
    };
    auto [a, b] = pair();
    if (format.fractionBits < 16) {
      const auto [c, d] = pair();
      a = a << 16 | c;
      b = b << 16 | d;
    }
    ASSERT_EQ(adder.add(format.type, a, b), expected(format.type, a, b))
        << std::hex << "type " << static_cast<int>(format.type) << ", " << a << " + " << b;
  }
}

// Minutes: each pair once, in one of the two lanes one way round and in the other the other way.
class LaneAddLong : public testing::TestWithParam<DataType> {};

TEST_P(LaneAddLong, AddsEveryPairLikeTheNearMemoryAlu) {
  LaneAdder adder;
  constexpr std::uint32_t kNumbers = 1u << 16;
  for (std::uint32_t a = 0; a < kNumbers; ++a) {
    for (std::uint32_t b = 0; b <= a; ++b) {
      const bool other = ((a ^ b) & 1) != 0;
      const std::uint32_t x = other ? a << 16 | b : b << 16 | a;
      const std::uint32_t y = x << 16 | x >> 16;
      const std::uint32_t sum = adder.add(GetParam(), x, y);
      ASSERT_EQ(sum, expected(GetParam(), x, y)) << std::hex << x << " + " << y;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, LaneAddLong, testing::Values(DataType::Fp16, DataType::Bf16),
                         [](const auto& format) {
                           return format.param == DataType::Fp16 ? "Fp16" : "Bf16";
                         });

}  // namespace
}  // namespace t3::switch_test::lane_add_test
