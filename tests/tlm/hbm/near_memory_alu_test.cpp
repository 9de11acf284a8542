// SPDX-License-Identifier: Apache-2.0
// Method: fp16 is compared with Imath's half over all pairs of interesting and many random values,
// bf16 with a rounding done exactly in double, the rest with plain arithmetic; the documented NaN,
// infinity, subnormal and signed-zero rules each have a case.
#include "tlm/hbm/near_memory_alu.h"

#include <Imath/half.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "tests/support/seed.h"

namespace t3::test::near_memory_alu_test {
namespace {

template <typename Stored>
Stored combine(MemoryOperation operation, DataType type, Stored a, Stored b) {
  unsigned char memory[sizeof(Stored)], operand[sizeof(Stored)];
  std::memcpy(memory, &a, sizeof a);
  std::memcpy(operand, &b, sizeof b);
  applyOperation(operation, type, memory, operand, sizeof a);
  std::memcpy(&a, memory, sizeof a);
  return a;
}
std::uint16_t fp16(MemoryOperation operation, std::uint16_t a, std::uint16_t b) {
  return combine(operation, DataType::Fp16, a, b);
}
std::uint16_t bf16(MemoryOperation operation, std::uint16_t a, std::uint16_t b) {
  return combine(operation, DataType::Bf16, a, b);
}

TEST(NearMemoryAlu, AddsFp16LikeTheLibrary) {
  std::mt19937_64 random(seed(1));
  for (int i = 0; i < 2000000; ++i) {
    const auto a = static_cast<std::uint16_t>(random());
    const auto b = static_cast<std::uint16_t>(random());
    const Imath::half x(Imath::half::FromBits, a), y(Imath::half::FromBits, b);
    const Imath::half sum(static_cast<float>(x) + static_cast<float>(y));
    const std::uint16_t got = fp16(MemoryOperation::Add, a, b);
    if (sum.isNan()) {
      ASSERT_EQ(got, 0x7e00);
    } else {
      ASSERT_EQ(got, sum.bits()) << a << " + " << b;
    }
  }
}

/// Nearest bf16 of an exactly representable double, ties to even.
std::uint16_t roundedBf16(double value) {
  if (value == 0) return std::signbit(value) ? 0x8000 : 0;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - 8, -126 - 7);  // of the last place; subnormals bottom out
  const double scaled = std::ldexp(value, -unit);
  const double rounded = std::nearbyint(scaled);  // round-half-even is the default mode
  const double result = std::ldexp(rounded, unit);
  if (std::abs(result) >= std::ldexp(1.0, 128)) return value < 0 ? 0xff80 : 0x7f80;
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(result)) >> 16);
}

TEST(NearMemoryAlu, RoundsBf16ToNearestEven) {
  std::mt19937_64 random(seed(2));
  for (int i = 0; i < 1000000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value) || std::isinf(value)) continue;
    ASSERT_EQ(bf16FromFloat(value), roundedBf16(value)) << value;
  }
  EXPECT_EQ(bf16FromFloat(std::bit_cast<float>(0x3f808000u)), 0x3f80) << "tie down to even";
  EXPECT_EQ(bf16FromFloat(std::bit_cast<float>(0x3f818000u)), 0x3f82) << "tie up to even";
  EXPECT_EQ(bf16FromFloat(std::bit_cast<float>(0x7f7fffffu)), 0x7f80) << "overflow is infinity";
}

TEST(NearMemoryAlu, AddsBf16WithOneRounding) {
  std::mt19937_64 random(seed(3));
  for (int i = 0; i < 1000000; ++i) {
    const auto a = static_cast<std::uint16_t>(random());
    // Exponents near each other, or the sum is one of the operands.
    const auto b = static_cast<std::uint16_t>((a & 0x7f80) ^ (random() & 0x83ff));
    const double x = floatFromBf16(a), y = floatFromBf16(b);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    const double sum = x + y;  // exact: at most 24 significant bits apart
    const std::uint16_t got = bf16(MemoryOperation::Add, a, b);
    if (sum == 0) {
      ASSERT_EQ(got & 0x7fff, 0);
    } else {
      ASSERT_EQ(got, roundedBf16(sum)) << x << " + " << y;
    }
  }
}

TEST(NearMemoryAlu, FollowsTheDocumentedRulesForSpecialValues) {
  using enum MemoryOperation;
  constexpr std::uint16_t nan = 0x7d55, inf = 0x7c00, minusInf = 0xfc00, one = 0x3c00;
  EXPECT_EQ(fp16(Add, nan, one), 0x7e00) << "any NaN becomes the one quiet NaN";
  EXPECT_EQ(fp16(Add, inf, minusInf), 0x7e00);
  EXPECT_EQ(fp16(Add, inf, one), inf);
  EXPECT_EQ(fp16(Add, 0x7bff, 0x7bff), inf) << "overflow";
  EXPECT_EQ(fp16(Add, 0x0001, 0x0001), 0x0002) << "subnormals are kept";
  EXPECT_EQ(fp16(Min, nan, one), one) << "a number beats a NaN";
  EXPECT_EQ(fp16(Max, one, nan), one);
  EXPECT_EQ(fp16(Min, nan, nan), 0x7e00);
  EXPECT_EQ(fp16(Min, 0x0000, 0x8000), 0x8000) << "-0 is below +0";
  EXPECT_EQ(fp16(Max, 0x8000, 0x0000), 0x0000);
  EXPECT_EQ(fp16(Min, one, minusInf), minusInf);
  EXPECT_EQ(bf16(Add, 0x7fa0, 0x3f80), 0x7fc0);
  EXPECT_EQ(combine<std::uint32_t>(Add, DataType::Fp32, 0x7fa00000, 0x3f800000), 0x7fc00000u);
}

TEST(NearMemoryAlu, ComputesFp32AndInt32AsTheHostDoes) {
  using enum MemoryOperation;
  std::mt19937_64 random(seed(4));
  for (int i = 0; i < 100000; ++i) {
    const auto a = static_cast<std::uint32_t>(random());
    const auto b = static_cast<std::uint32_t>(random());
    ASSERT_EQ(combine(Add, DataType::Int32, a, b), a + b) << "wraps";
    const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
    ASSERT_EQ(combine(Min, DataType::Int32, a, b), static_cast<std::uint32_t>(std::min(x, y)));
    ASSERT_EQ(combine(Max, DataType::Int32, a, b), static_cast<std::uint32_t>(std::max(x, y)));
    const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
    if (!std::isnan(sum)) {
      ASSERT_EQ(combine(Add, DataType::Fp32, a, b), std::bit_cast<std::uint32_t>(sum));
    }
  }
}

TEST(NearMemoryAlu, WorksOnEveryElementAtAnyAlignment) {
  std::vector<unsigned char> memory(129), operand(131);
  for (std::size_t i = 0; i < 128; i += 2) {
    const std::uint16_t one = 0x3c00;
    std::memcpy(&memory[1 + i], &one, 2);
    std::memcpy(&operand[3 + i], &one, 2);
  }
  applyOperation(MemoryOperation::Add, DataType::Fp16, &memory[1], &operand[3], 128);
  for (std::size_t i = 0; i < 128; i += 2) {
    std::uint16_t two = 0;
    std::memcpy(&two, &memory[1 + i], 2);
    EXPECT_EQ(two, 0x4000);
  }
}

}  // namespace
}  // namespace t3::test::near_memory_alu_test
