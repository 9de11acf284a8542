// SPDX-License-Identifier: Apache-2.0
// Method: two and four whole units with a join of slots and one of rows (hw/example/t3_stacks.sv),
// programmed as docs/stack-join.md says, in tiny sizes. Each kernel has blocks with random bytes in
// each stack, none in some of them; random updates bring these to the lanes. The model is a count
// of bytes for each block and stack: a block is said once, when the last byte of the last stack was
// taken, a row when its last block was. Kernels of two regions run beside each other; some are
// stopped and aborted half-way, and the same slots and rows are used again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <vector>

#include "Vstacks2.h"
#include "Vstacks4.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"
#include "tlm/tracker/registers.h"

namespace t3::rtl_test::stacks_test {
namespace {

namespace r = registers;

template <class M, std::uint32_t stacks>
struct Stacks {
  using Model = M;
  static constexpr std::uint32_t kStacks = stacks;
};

constexpr std::uint32_t kLanes = 2, kWgBits = 8, kAddrBits = 32, kWeightBits = 8;  // of each unit
constexpr std::uint32_t kRegions = 2, kBlocks = 8, kPerRow = 4, kRows = kBlocks / kPerRow;

struct Update {
  std::uint32_t wg = 0, weight = 0;
};

template <class S>
class Gpu {
  static constexpr std::uint32_t kStacks = S::kStacks, kAll = (1U << kStacks) - 1;
  using PerStack = std::function<std::uint32_t(std::uint32_t stack)>;
  struct Region {
    bool runs = false;
    std::array<std::array<std::uint32_t, kStacks>, kBlocks> missing{};  ///< bytes not taken yet
    std::array<std::uint32_t, kBlocks> bytes{};  ///< of the block, everywhere
    std::array<std::uint32_t, kBlocks> said{};
    std::array<std::uint32_t, kRows> released{};
  };
  Clocked<typename S::Model> clocked_;
  typename S::Model& m_ = clocked_.model;
  Random& random_;
  std::array<std::deque<Update>, kStacks * kLanes> lanes_;
  std::uint32_t readyPercent_, offerPercent_;
  std::uint32_t offering_ = 0;

 public:
  std::array<Region, kRegions> regions;
  std::uint64_t slots = 0, rows = 0, aborts = 0, empty = 0;

  Gpu(Random& random, std::uint32_t ready, std::uint32_t offer)
      : random_(random), readyPercent_(ready), offerPercent_(offer) {
    while (!m_.cmd_ready_o) tick();
    waitFor(r::kCtrl, r::kCtrlClear);
    all(r::window(0) + r::kWindowPageFirst, 0);
    all(r::window(0) + r::kWindowPageLast, 0xf'ffff);
    all(r::kCtrl, r::kCtrlEnable);
  }

  /// One cycle. A slot that is said, or a row that is released, must be one that is due.
  void tick() {
    for (std::uint32_t lane = 0; lane < kStacks * kLanes; ++lane) {
      const auto& queue = lanes_[lane];
      const bool valid =
          !queue.empty() && ((offering_ >> lane & 1) != 0 || random_.chance(offerPercent_));
      const Update update = valid ? queue.front() : Update{};
      setBits(m_.lane_valid_i, lane, 1, valid);
      setBits(m_.lane_wg_i, lane * kWgBits, kWgBits, update.wg);
      setBits(m_.lane_addr_i, lane * kAddrBits, kAddrBits, 0x1000);
      setBits(m_.lane_weight_i, lane * kWeightBits, kWeightBits, update.weight);
      offering_ = (offering_ & ~(1U << lane)) | static_cast<std::uint32_t>(valid) << lane;
    }
    m_.done_ready_i = random_.chance(readyPercent_);
    m_.rel_ready_i = random_.chance(readyPercent_);
    m_.eval();
    if (m_.done_valid_o && m_.done_ready_i) say(m_.done_slot_o);
    if (m_.rel_valid_o && m_.rel_ready_i) release(m_.rel_row_o);
    EXPECT_FALSE(m_.done_valid_o && m_.done_spoiled_o);
    EXPECT_FALSE(m_.stray_o || m_.damaged_o);
    for (std::uint32_t lane = 0; lane < kStacks * kLanes; ++lane) {
      if ((offering_ >> lane & 1) == 0 || (m_.lane_ready_o >> lane & 1) == 0) continue;
      const Update update = lanes_[lane].front();
      lanes_[lane].pop_front();
      offering_ &= ~(1U << lane);
      regions[update.wg / kBlocks].missing[update.wg % kBlocks][lane / kLanes] -= update.weight;
    }
    clocked_.edge();
  }
  void ticks(std::uint32_t count) {
    while (count-- > 0) tick();
  }

  // ---- software
  // -----------------------------------------------------------------------------------
  /// Writes to all units at once, to each what it is to have.
  void all(std::uint32_t address, const PerStack& value) {
    std::uint32_t addressLeft = kAll, dataLeft = kAll, answerLeft = kAll;
    for (std::uint32_t s = 0; s < kStacks; ++s) {
      setBits(m_.s_axil_awaddr_i, s * 16, 16, address);
      setBits(m_.s_axil_wdata_i, s * 32, 32, value(s));
      setBits(m_.s_axil_wstrb_i, s * 4, 4, 0xf);
    }
    for (int i = 0; answerLeft != 0 && i < 100; ++i) {
      m_.s_axil_awvalid_i = static_cast<CData>(addressLeft);
      m_.s_axil_wvalid_i = static_cast<CData>(dataLeft);
      m_.s_axil_bready_i = kAll;
      m_.eval();
      addressLeft &= ~std::uint32_t{m_.s_axil_awready_o};
      dataLeft &= ~std::uint32_t{m_.s_axil_wready_o};
      for (std::uint32_t s = 0; s < kStacks; ++s) {
        ASSERT_TRUE((m_.s_axil_bvalid_o >> s & 1) == 0 || bitsOf(m_.s_axil_bresp_o, 2 * s, 2) == 0)
            << "SLVERR: " << std::hex << address;
      }
      answerLeft &= ~std::uint32_t{m_.s_axil_bvalid_o};
      tick();
    }
    m_.s_axil_awvalid_i = m_.s_axil_wvalid_i = 0;
    ASSERT_EQ(answerLeft, 0U);
  }
  void all(std::uint32_t address, std::uint32_t value) {
    all(address, [=](std::uint32_t) { return value; });
  }
  std::uint32_t read(std::uint32_t stack, std::uint32_t address) {
    setBits(m_.s_axil_araddr_i, stack * 16, 16, address);
    m_.s_axil_rready_i = kAll;
    m_.s_axil_arvalid_i = static_cast<CData>(1U << stack);
    for (int i = 0; i < 100; ++i) {
      m_.eval();
      const bool taken = (m_.s_axil_arready_o >> stack & 1) != 0;
      const bool valid = (m_.s_axil_rvalid_o >> stack & 1) != 0;
      const auto data = static_cast<std::uint32_t>(bitsOf(m_.s_axil_rdata_o, stack * 32, 32));
      tick();
      if (taken) m_.s_axil_arvalid_i = 0;
      if (valid) return data;
    }
    ADD_FAILURE() << "no answer";
    return 0;
  }
  /// Until these bits have been 0 in each unit.
  void waitFor(std::uint32_t address, std::uint32_t bits) {
    for (std::uint32_t s = 0; s < kStacks; ++s) {
      int left = 5000;
      while ((read(s, address) & bits) != 0 && --left > 0) {
      }
      ASSERT_GT(left, 0);
    }
  }
  void command(bool ofRows, std::uint32_t first, std::uint32_t last, std::uint32_t shares,
               bool force = false) {
    m_.cmd_rows_i = ofRows;
    m_.cmd_write_i = 1;
    m_.cmd_first_i = static_cast<CData>(first);
    m_.cmd_last_i = static_cast<CData>(last);
    m_.cmd_shares_i = static_cast<CData>(shares);
    m_.cmd_force_i = force;
    while (!m_.cmd_ready_o) tick();
    m_.cmd_valid_i = 1;
    tick();
    m_.cmd_valid_i = 0;
    while (!m_.cmd_ready_o) tick();
    m_.eval();
    ASSERT_FALSE(m_.cmd_refused_o);
  }

  /// A kernel whose blocks have random bytes in each stack.
  void start(std::uint32_t index) {
    Region& region = regions[index];
    const std::uint32_t base = r::region(index), first = index * kBlocks, firstRow = index * kRows;
    region = {};
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      for (std::uint32_t s = 0; s < kStacks; ++s) {
        const std::uint32_t bytes = random_.chance(25) ? 0 : random_.between(1, 600);
        region.missing[block][s] = bytes;
        region.bytes[block] += bytes;
      }
    }
    const auto initial = region.missing;
    all(base + r::kRegCtrl, r::kRegCtrlTrigger | r::kRegCtrlRows | 1U << r::kRegCtrlShiftShift);
    all(base + r::kRegWgFirst, first);
    all(base + r::kRegWgLast, first + kBlocks - 1);
    all(base + r::kRegSlotFirst, first);
    all(base + r::kRegSlotLast, first + kBlocks - 1);
    all(base + r::kRegRowFirst, firstRow);
    all(base + r::kRegRowReciprocal, ((1U << 26) + kPerRow - 1) / kPerRow);
    all(base + r::kRegState, 2);
    // In each unit the bytes that lie in its stack, and the rows' blocks that have some there.
    all(r::kFill, index << r::kFillRegionShift | 300U);
    waitFor(r::kStatus, r::kStatusFilling);
    command(false, first, first + kBlocks - 1, kAll);
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      std::uint32_t shares = 0;
      for (std::uint32_t s = 0; s < kStacks; ++s) shares |= (initial[block][s] != 0 ? 1U : 0U) << s;
      all(r::slot(first + block), [&](std::uint32_t s) { return initial[block][s]; });
      if (shares != kAll) command(false, first + block, first + block, shares, true);
      empty += shares != kAll;
    }
    for (std::uint32_t row = 0; row < kRows; ++row) {
      std::array<std::uint32_t, kStacks> blocks{};
      std::uint32_t shares = 0;
      for (std::uint32_t block = row * kPerRow; block < (row + 1) * kPerRow; ++block)
        for (std::uint32_t s = 0; s < kStacks; ++s) blocks[s] += initial[block][s] != 0;
      for (std::uint32_t s = 0; s < kStacks; ++s) shares |= (blocks[s] != 0 ? 1U : 0U) << s;
      all(r::row(firstRow + row), [&](std::uint32_t s) { return blocks[s]; });
      command(true, firstRow + row, firstRow + row, shares);
    }
    region.runs = true;
    all(base + r::kRegState, 1);
    // Now updates may come: of each block in each stack, in any order.
    std::array<std::vector<Update>, kStacks * kLanes> updates;
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      for (std::uint32_t s = 0; s < kStacks; ++s) {
        for (std::uint32_t left = initial[block][s]; left != 0;) {
          const std::uint32_t weight = std::min(left, random_.between(1, 128));
          updates[s * kLanes + random_.below(kLanes)].push_back({first + block, weight});
          left -= weight;
        }
      }
    }
    for (std::uint32_t lane = 0; lane < updates.size(); ++lane) {
      for (std::size_t i = updates[lane].size(); i > 1; --i)
        std::swap(updates[lane][i - 1], updates[lane][random_.below(i)]);
      lanes_[lane].insert(lanes_[lane].end(), updates[lane].begin(), updates[lane].end());
    }
  }

  /// docs/stack-join.md, "Aborting a region".
  void abort(std::uint32_t index) {
    const std::uint32_t first = index * kBlocks, firstRow = index * kRows;
    all(r::region(index) + r::kRegState, 2);
    for (auto& lane : lanes_)
      std::erase_if(lane, [&](const Update& update) { return update.wg / kBlocks == index; });
    offering_ = 0;
    all(r::kFill, index << r::kFillRegionShift);
    waitFor(r::kStatus, r::kStatusFilling);
    for (std::uint32_t row = 0; row < kRows; ++row) all(r::row(firstRow + row), 0);
    waitFor(r::kStatus, r::kStatusCommands | r::kStatusRows);
    command(false, first, first + kBlocks - 1, 0, true);
    command(true, firstRow, firstRow + kRows - 1, 0, true);
    // What stands at the ports is dropped.
    ticks(2);
    const std::uint32_t before = readyPercent_;
    readyPercent_ = 100;
    ticks(4);
    readyPercent_ = before;
    regions[index].runs = false;
    all(r::region(index) + r::kRegState, 0);
    ++aborts;
  }
  bool ended(std::uint32_t index) const {
    const Region& region = regions[index];
    for (std::uint32_t block = 0; block < kBlocks; ++block)
      if (region.bytes[block] != 0 && region.said[block] == 0) return false;
    for (std::uint32_t row = 0; row < kRows; ++row)
      if (rowBytes(region, row) != 0 && region.released[row] == 0) return false;
    return true;
  }
  void stop(std::uint32_t index) {
    all(r::region(index) + r::kRegState, 0);
    regions[index].runs = false;
  }

 private:
  static std::uint32_t rowBytes(const Region& region, std::uint32_t row) {
    std::uint32_t bytes = 0;
    for (std::uint32_t block = row * kPerRow; block < (row + 1) * kPerRow; ++block)
      bytes += region.bytes[block];
    return bytes;
  }
  static bool allCame(const Region& region, std::uint32_t block) {
    return std::ranges::all_of(region.missing[block], [](std::uint32_t left) { return left == 0; });
  }
  void say(std::uint32_t slot) {
    ASSERT_LT(slot, kRegions * kBlocks);
    Region& region = regions[slot / kBlocks];
    ASSERT_TRUE(region.runs) << "slot " << slot << " is of a region that was given up";
    ASSERT_TRUE(allCame(region, slot % kBlocks)) << "slot " << slot << " still misses bytes";
    ASSERT_GT(region.bytes[slot % kBlocks], 0U);
    ASSERT_EQ(++region.said[slot % kBlocks], 1U) << "slot " << slot;
    ++slots;
  }
  void release(std::uint32_t row) {
    ASSERT_LT(row, kRegions * kRows);
    Region& region = regions[row / kRows];
    ASSERT_TRUE(region.runs) << "row " << row;
    for (std::uint32_t block = 0; block < kPerRow; ++block)
      ASSERT_TRUE(allCame(region, row % kRows * kPerRow + block)) << "row " << row;
    ASSERT_EQ(++region.released[row % kRows], 1U) << "row " << row;
    ++rows;
  }
};

template <class S>
class StacksOfUnits : public testing::Test {};
using Sizes = testing::Types<Stacks<Vstacks2, 2>, Stacks<Vstacks4, 4>>;
TYPED_TEST_SUITE(StacksOfUnits, Sizes);

TYPED_TEST(StacksOfUnits, SayEachBlockAndRowOnceWhenItsLastByteCameInAnyStack) {
  const std::uint64_t seed = testSeed(621);
  std::uint64_t slots = 0, rows = 0, aborts = 0, empty = 0;
  for (std::uint64_t round = 0; round < testRounds(8); ++round) {
    Random random(seed + round);
    Gpu<TypeParam> gpu(random, std::array{100U, 30U}[round % 2],
                       std::array{100U, 25U}[round / 2 % 2]);
    for (int kernels = 0; kernels < 30 && !this->HasFailure();) {
      const std::uint32_t index = random.below(kRegions);
      if (!gpu.regions[index].runs) {
        gpu.start(index);
        ++kernels;
      } else if (gpu.ended(index)) {
        gpu.stop(index);
      } else if (random.chance(25)) {
        gpu.abort(index);
      }
      gpu.ticks(random.below(100));
    }
    for (std::uint32_t index = 0; index < kRegions; ++index) {
      for (int left = 50; gpu.regions[index].runs && !gpu.ended(index) && left > 0; --left)
        gpu.ticks(100);
      EXPECT_TRUE(!gpu.regions[index].runs || gpu.ended(index)) << "region " << index;
    }
    gpu.ticks(100);  // and nothing twice
    ASSERT_FALSE(this->HasFailure()) << "round " << round << ", T3_TEST_SEED=" << seed;
    slots += gpu.slots;
    rows += gpu.rows;
    aborts += gpu.aborts;
    empty += gpu.empty;
  }
  EXPECT_GT(slots, 200U);
  EXPECT_GT(rows, 50U);
  EXPECT_GT(aborts, 3U);
  EXPECT_GT(empty, 50U);
  std::cout << slots << " slots, " << rows << " rows, " << aborts << " aborts, " << empty
            << " blocks without a byte in some stack\n";
}

}  // namespace
}  // namespace t3::rtl_test::stacks_test
