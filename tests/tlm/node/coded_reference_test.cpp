// SPDX-License-Identifier: Apache-2.0
// Method: by this reference every checked run with a codec is judged. It is held to the same sums
// in whole numbers (tests/support/coded_oracle.h), hop by hop as the routes are defined.
#include "tlm/node/coded_reference.h"

#include <Imath/half.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/coded_oracle.h"
#include "tests/support/seed.h"
#include "tlm/collectives/direct_route.h"
#include "tlm/collectives/ring_route.h"

namespace t3::coded_reference_test {
namespace {

/// Parts as a GEMM of random operands has them, or whole numbers that many GPUs add exactly.
Parts randomParts(std::uint32_t gpus, std::size_t elements, bool whole) {
  std::mt19937_64 random(test::seed(gpus));
  std::normal_distribution<float> normal(0, 4);
  const int most = static_cast<int>(2048 / gpus);
  Parts parts(gpus);
  for (auto& part : parts) {
    for (std::size_t i = 0; i < elements; ++i) {
      const auto drawn = static_cast<int>(random() % (2 * most + 1)) - most;
      part.push_back(imath_float_to_half(whole ? static_cast<float>(drawn) : normal(random)));
    }
  }
  return parts;
}

/// One tile of 32 columns to a chunk, so that block b of a row is of chunk b.
Tiling tiles(std::uint32_t gpus) { return {{4, 32 * gpus, 2}, {4, 32, 1}, gpus}; }

using Units = std::vector<std::int64_t>;
Units unitsOfBlock(const std::vector<std::uint16_t>& matrix, std::size_t block) {
  Units units;
  for (std::size_t i = 0; i < 32; ++i) units.push_back(test::unitsOf(matrix[block * 32 + i]));
  return units;
}

void add(Units& sum, const Units& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = test::asFp16(sum[i] + other[i]);
}

class CodedReference : public testing::TestWithParam<std::tuple<std::uint32_t, CodecFormat>> {
 protected:
  std::uint32_t gpus() const { return std::get<0>(GetParam()); }
  Codec codec() const { return {std::get<1>(GetParam())}; }
  int bits() const { return static_cast<int>(codec().bits()); }
};
INSTANTIATE_TEST_SUITE_P(GpusAndFormats, CodedReference,
                         testing::Combine(testing::Values(2U, 3U, 4U, 8U),
                                          testing::Values(CodecFormat::Block8, CodecFormat::Block6,
                                                          CodecFormat::Block4)));

TEST_P(CodedReference, CodesEachHopOfARing) {
  const RingRoute ring(gpus());
  const Parts parts = randomParts(gpus(), std::size_t{4} * 32 * gpus(), false);
  const CodedSums coded = codedReference(parts, tiles(gpus()), ring, codec(), DataType::Fp16);
  for (std::size_t block = 0; block < 4 * gpus(); ++block) {
    const std::size_t chunk = block % gpus();
    Units sum = unitsOfBlock(parts[(chunk + 1) % gpus()], block);
    for (std::size_t hop = 2; hop <= gpus(); ++hop) {
      test::passBlock(sum, bits());
      add(sum, unitsOfBlock(parts[(chunk + hop) % gpus()], block));
    }
    EXPECT_EQ(unitsOfBlock(coded.sums, block), sum) << block;
  }
  EXPECT_EQ(coded.error.above_bound, 0U);
  EXPECT_LT(coded.error.max, coded.error.bound);
}

TEST_P(CodedReference, CodesEachPartThatGoesStraightToItsOwnerOnce) {
  const DirectRoute direct(gpus());
  const Parts parts = randomParts(gpus(), std::size_t{4} * 32 * gpus(), true);
  const CodedSums coded = codedReference(parts, tiles(gpus()), direct, codec(), DataType::Fp16);
  for (std::size_t block = 0; block < 4 * gpus(); ++block) {
    const std::size_t owner = block % gpus();
    Units sum(32);
    for (std::size_t gpu = 0; gpu < gpus(); ++gpu) {
      Units part = unitsOfBlock(parts[gpu], block);
      if (gpu != owner) test::passBlock(part, bits());
      add(sum, part);
    }
    EXPECT_EQ(unitsOfBlock(coded.sums, block), sum) << block;
  }
  EXPECT_EQ(coded.error.above_bound, 0U);
}

TEST_P(CodedReference, GathersTheChunksOfOthersCodedOnceAndLeavesTheOwn) {
  const RingRoute ring(gpus());
  const auto all = randomParts(gpus(), std::size_t{4} * 32 * gpus(), false).front();
  for (std::uint32_t gpu = 0; gpu < gpus(); ++gpu) {
    const auto has =
        gatheredReference(all, tiles(gpus()), ring, GpuId{gpu}, codec(), DataType::Fp16);
    for (std::size_t block = 0; block < 4 * gpus(); ++block) {
      Units expected = unitsOfBlock(all, block);
      if (block % gpus() != gpu) test::passBlock(expected, bits());
      EXPECT_EQ(unitsOfBlock(has, block), expected) << "GPU " << gpu << ", block " << block;
    }
  }
}

}  // namespace
}  // namespace t3::coded_reference_test
