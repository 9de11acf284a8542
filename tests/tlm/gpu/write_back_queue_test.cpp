// SPDX-License-Identifier: Apache-2.0
// Method: tiles of a small output are added by hand, and the rows that come out are compared with a
// list written down here.
#include "tlm/gpu/store_path.h"

#include <gtest/gtest.h>

#include <vector>

namespace t3::write_back_queue_test {
namespace {

constexpr std::uint64_t kOutput = 1 << 20;

/// 4 x 4 tiles of 2 x 8 elements of 2 bytes: a tile is two rows of 16 bytes, a row of the output
/// 64 bytes, a row of tiles 128 bytes.
struct WriteBackQueueTest : testing::Test {
  Tiling tiling{{8, 32, 2}, {2, 8, 1}, 1};
  GemmBlocks blocks{{tiling, 8, layout()}, DataType::Fp16, 16};
  WriteBackQueue queue;

  static MemoryLayout layout() {
    MemoryLayout layout;
    layout.operandB = 1 << 10;
    layout.output = kOutput;
    layout.operandPitchBytes = 16;
    return layout;
  }
  void add(std::uint32_t tile, std::uint32_t waiter = WriteBackQueue::kNobody) {
    queue.add(WorkgroupId{tile}, blocks.place(blocks.output(WorkgroupId{tile})), waiter);
  }
  /// Offsets in the output of the next `count` rows.
  std::vector<std::uint64_t> next(std::size_t count) {
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = 0; i < count; ++i) offsets.push_back(queue.next().address - kOutput);
    return offsets;
  }
  using Offsets = std::vector<std::uint64_t>;
};

TEST_F(WriteBackQueueTest, TilesSideBySideLeaveRowByRow) {
  add(1);
  add(0);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(next(4), (Offsets{0, 16, 64, 80}));
  EXPECT_TRUE(queue.empty());
}

TEST_F(WriteBackQueueTest, GoesOnFromTheLastAddressAndComesBackToTheLowest) {
  add(8);
  add(5);
  EXPECT_EQ(next(2), (Offsets{144, 208}));  // tile 5
  add(0);                                   // behind the last address: after all others
  add(12);
  EXPECT_EQ(next(6), (Offsets{256, 320, 384, 448, 0, 64}));
  EXPECT_TRUE(queue.empty());
}

TEST_F(WriteBackQueueTest, ARestartBeginsAtTheLowestAddress) {
  add(8);
  EXPECT_EQ(next(1), (Offsets{256}));
  add(0);
  queue.restart();
  EXPECT_EQ(next(3), (Offsets{0, 64, 320}));
}

TEST_F(WriteBackQueueTest, ARowCarriesItsTileItsWaiterAndItsBytes) {
  add(6, 3);
  queue.next();
  const WriteBackQueue::Row row = queue.next();
  EXPECT_EQ(row.address, kOutput + 128 + 64 + 2 * 16);  // second row of the tile
  EXPECT_EQ(row.bytes, 16U);
  EXPECT_EQ(row.tile, WorkgroupId{6});
  EXPECT_EQ(row.waiter, 3U);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace t3::write_back_queue_test
