// SPDX-License-Identifier: Apache-2.0
// Method: the reference sum is what every checked run is judged by, so it is checked against values
// worked out by hand.
#include "tlm/node/reference.h"

#include <Imath/half.h>
#include <gtest/gtest.h>

#include <cmath>

namespace t3::reference_test {
namespace {

std::uint16_t fp16(float value) { return imath_float_to_half(value); }

/// One row, four tiles of one column, 4 chunks; depth 1, so partial products are a * b.
Tiling fourChunks() { return {{1, 4, 2}, {1, 1, 1}, 4}; }

std::vector<Operands> constantOperands(std::initializer_list<float> perGpu) {
  std::vector<Operands> all;
  for (const float value : perGpu) {
    all.push_back({{fp16(value)}, {fp16(1), fp16(1), fp16(1), fp16(1)}});
  }
  return all;
}

TEST(RingReference, AddsTheOthersInRingOrderStartingAfterTheOwner) {
  // fp16 has 11 significant bits: 2048 + 1 rounds to 2048 (ties to even), but 1 + 1 is exact. So
  // the result tells in which order the four were added.
  const auto all = constantOperands({2048, 1, 1, 0});
  const auto sum = ringReference(all, fourChunks(), DataType::Fp16);
  EXPECT_EQ(sum[0], fp16(2050));  // p1 + p2 + p3 + p0 = ((1 + 1) + 0) + 2048
  EXPECT_EQ(sum[1], fp16(2048));  // p2 + p3 + p0 + p1 = ((1 + 0) + 2048) + 1, twice rounded away
  EXPECT_EQ(sum[2], fp16(2048));  // p3 + p0 + p1 + p2 = ((0 + 2048) + 1) + 1
  EXPECT_EQ(sum[3], fp16(2048));  // p0 + p1 + p2 + p3 = ((2048 + 1) + 1) + 0
}

TEST(RingReference, AddsTheOtherWayRoundOnASecondRing) {
  // Eight tiles: chunks 2g and 2g+1 end at GPU g.
  std::vector<Operands> all;
  for (const float value : {2048.F, 1.F, 1.F, 0.F}) {
    all.push_back({{fp16(value)}, std::vector<std::uint16_t>(8, fp16(1))});
  }
  const auto sum = ringReference(all, Tiling({1, 8, 2}, {1, 1, 1}, 8), DataType::Fp16);
  EXPECT_EQ(sum[0], fp16(2050));  // as above: p1 + p2 + p3 + p0
  EXPECT_EQ(sum[1], fp16(2050));  // p3 + p2 + p1 + p0 = ((0 + 1) + 1) + 2048
  EXPECT_EQ(sum[3], fp16(2048));  // p0 + p3 + p2 + p1 = ((2048 + 0) + 1) + 1
  EXPECT_EQ(sum[5], fp16(2048));  // p1 + p0 + p3 + p2 = ((1 + 2048) + 0) + 1
  EXPECT_EQ(sum[7], fp16(2050));  // p2 + p1 + p0 + p3 = ((1 + 1) + 2048) + 0
}

TEST(RingReference, AddsThePartsOfATileThatItIsToldTo) {
  const auto all = constantOperands({1, 2, 4, 8});
  const auto sum = ringReference(all, fourChunks(), DataType::Fp16,
                                 [](GpuId gpu, auto tile) { return gpu.value > tile.value; });
  EXPECT_EQ(sum, (std::vector{fp16(14), fp16(12), fp16(8), fp16(0)}));
}

TEST(RelativeError, IsThatOfTheScaledSumsOverTheRootMeanSquare) {
  const std::vector exact{fp16(3), fp16(4)};
  const std::vector sums{fp16(1), fp16(2)};
  EXPECT_DOUBLE_EQ(relativeError(exact, 1, exact, DataType::Fp16), 0);
  EXPECT_DOUBLE_EQ(relativeError(sums, 1, exact, DataType::Fp16), std::sqrt(8.0) / 5);
  EXPECT_DOUBLE_EQ(relativeError(sums, 2, exact, DataType::Fp16), 1.0 / 5);
}

TEST(RingReference, AccumulatesAPartialProductInFloatAndRoundsItOnce) {
  // 2048 + 1 + 1 in float is 2050; rounding to fp16 after each step would give 2048.
  Operands one{{fp16(2048), fp16(1), fp16(1)}, std::vector(6, fp16(1))};
  Operands zero{{0, 0, 0}, {0, 0, 0, 0, 0, 0}};
  const auto sum = ringReference({one, zero}, Tiling({1, 2, 2}, {1, 1, 1}, 2), DataType::Fp16);
  EXPECT_EQ(sum[0], fp16(2050));
}

TEST(RingReference, MultipliesMatricesOfAnySize) {
  constexpr std::uint32_t kRows = 300, kColumns = 19, kDepth = 5;
  const auto a = [](std::size_t i) { return static_cast<int>(i * 7 % 5) - 2; };
  const auto b = [](std::size_t i) { return static_cast<int>(i * 11 % 7) - 3; };
  Operands one;
  for (std::size_t i = 0; i < kRows * kDepth; ++i) one.a.push_back(fp16(static_cast<float>(a(i))));
  for (std::size_t i = 0; i < kColumns * kDepth; ++i) {
    one.b.push_back(fp16(static_cast<float>(b(i))));
  }
  const auto sums =
      ringReference({one, one}, Tiling({kRows, kColumns, 2}, {4, 4, 1}, 2), DataType::Fp16);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      int sum = 0;
      for (std::size_t k = 0; k < kDepth; ++k) sum += a(row * kDepth + k) * b(column * kDepth + k);
      ASSERT_EQ(sums[row * kColumns + column], fp16(static_cast<float>(2 * sum)))
          << row << ", " << column;
    }
  }
}

TEST(RandomOperands, DependOnSeedAndGpuOnly) {
  const auto make = [](std::uint64_t seed, std::uint32_t gpu) {
    return randomOperands(seed, GpuId{gpu}, 8, 4, 16, DataType::Fp16).a;
  };
  EXPECT_EQ(make(1, 0), make(1, 0));
  EXPECT_NE(make(1, 0), make(1, 1));
  EXPECT_NE(make(1, 0), make(2, 0));
}

TEST(RandomOperands, ForExactSumsGiveTheSameSumInEveryOrder) {
  constexpr std::uint32_t kDepth = 600;
  for (const DataType type : {DataType::Fp16, DataType::Bf16}) {
    const float most = type == DataType::Fp16 ? 2048 : 256;
    for (const std::uint32_t gpus : {3U, 64U}) {
      float sum = 0;  // of the terms' sizes: what no sum in any order can exceed
      std::size_t terms = 0;
      for (std::uint32_t g = 0; g < gpus; ++g) {
        const Operands one = randomOperands(1, GpuId{g}, 1, 1, kDepth, type, gpus);
        for (std::uint32_t k = 0; k < kDepth; ++k) {
          if (one.a[k] == 0) continue;
          ++terms;
          const float a = type == DataType::Fp16
                              ? imath_half_to_float(one.a[k])
                              : static_cast<float>((one.a[k] & 0x7fff) == 0x3f80);
          EXPECT_EQ(std::abs(a), 1.0F);
          sum += std::abs(a);
        }
      }
      EXPECT_LE(sum, most);
      EXPECT_GE(terms, gpus) << "every GPU contributes";
    }
  }
}

}  // namespace
}  // namespace t3::reference_test
