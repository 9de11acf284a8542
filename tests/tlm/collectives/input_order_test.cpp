// SPDX-License-Identifier: Apache-2.0
// Method: orders of a ring and of all pairs, as the routes of a sublayer have them.
#include "tlm/collectives/input_order.h"

#include <gtest/gtest.h>

#include "tests/tlm/collectives/algorithms.h"
#include "tlm/gpu/tiling.h"

namespace t3 {
namespace {

std::vector<InputOrder> ordersOf(const Algorithm& algorithm) {
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  return inputOrders(meaning);
}

TEST(InputOrder, OfARingIsThatOfTheRingRoute) {
  const auto orders = ordersOf(test::ring(kReduceScatterPromise, 5));
  for (std::uint32_t g = 0; g < 5; ++g) {
    std::vector<std::uint32_t> expected;
    for (const ChunkId chunk : ringChunkOrder(GpuId{g}, 5)) expected.push_back(chunk.value);
    EXPECT_EQ(orders[g].chunks, expected);
    EXPECT_EQ(orders[g].groups, std::vector<std::uint32_t>(5, 1)) << "one after another";
  }
}

TEST(InputOrder, ChunksForAllLinksAreMadeSideBySideWithWhatIsDueNext) {
  const auto orders = ordersOf(test::direct(4));
  for (std::uint32_t g = 0; g < 4; ++g) {
    EXPECT_EQ(orders[g].chunks,
              (std::vector<std::uint32_t>{(g + 1) % 4, (g + 2) % 4, (g + 3) % 4, g}));
    EXPECT_EQ(orders[g].groups, std::vector<std::uint32_t>{4});
  }
}

}  // namespace
}  // namespace t3
