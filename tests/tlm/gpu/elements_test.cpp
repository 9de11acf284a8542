// SPDX-License-Identifier: Apache-2.0
// Method: sums that lie between two values, rounded by hand.
#include "tlm/gpu/elements.h"

#include <Imath/half.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace t3::elements_test {
namespace {

TEST(AddElements, RoundsEachSumToTheElementType) {
  const auto add = [](DataType type, auto a, auto b) {
    decltype(a) sum;
    addElements(type, reinterpret_cast<unsigned char*>(&sum), reinterpret_cast<unsigned char*>(&a),
                reinterpret_cast<unsigned char*>(&b), sizeof a);
    return sum;
  };
  // 2048 + 1 lies half way between two fp16 values: to even. 2050 + 1 as well, upwards.
  EXPECT_EQ(static_cast<float>(add(DataType::Fp16, Imath::half(2048.F), Imath::half(1.F))), 2048.F);
  EXPECT_EQ(static_cast<float>(add(DataType::Fp16, Imath::half(2050.F), Imath::half(1.F))), 2052.F);
  // bf16: 0x4380 is 256, 0x3F80 is 1, next after 256 is 258 (0x4381).
  EXPECT_EQ(add(DataType::Bf16, std::uint16_t{0x4380}, std::uint16_t{0x3F80}), 0x4380);
  EXPECT_EQ(add(DataType::Bf16, std::uint16_t{0x4381}, std::uint16_t{0x3F80}), 0x4382);
  EXPECT_EQ(add(DataType::Bf16, std::uint16_t{0x7F80}, std::uint16_t{0xFF80}) & 0x7FC0, 0x7FC0);
  EXPECT_EQ(add(DataType::Fp32, 0.5F, 0.25F), 0.75F);
  EXPECT_EQ(add(DataType::Int32, std::int32_t{-5}, std::int32_t{7}), 2);
}

TEST(PartialProduct, Bf16RoundsToNearestEven) {
  // One element: 1 x 1 GEMM of depth 2, so that the exact fp32 sum is known.
  const auto product = [](std::uint16_t a0, std::uint16_t a1) {
    const std::vector<std::uint16_t> a{a0, a1}, b{0x3f80, 0x3f80};  // b = 1, 1
    const auto bytes = [](const std::vector<std::uint16_t>& values) {
      std::vector<unsigned char> result(values.size() * 2);
      std::memcpy(result.data(), values.data(), result.size());
      return result;
    };
    std::vector<unsigned char> c;
    partialProduct(DataType::Bf16, bytes(a), bytes(b), 1, 1, 2, c);
    std::uint16_t result = 0;
    std::memcpy(&result, c.data(), 2);
    return result;
  };
  EXPECT_EQ(product(0x3f80, 0x3f80), 0x4000);  // 1 + 1
  EXPECT_EQ(product(0x3f80, 0x3b80), 0x3f80);  // 1 + 2^-8: halfway, to even (down)
  EXPECT_EQ(product(0x3f81, 0x3b80), 0x3f82);  // 1 + 2^-7 + 2^-8: halfway, to even (up)
  EXPECT_EQ(product(0x3f80, 0x3b81), 0x3f81);  // just above halfway
}

}  // namespace
}  // namespace t3::elements_test
