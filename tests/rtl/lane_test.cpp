// SPDX-License-Identifier: Apache-2.0
// Method: the front end of one lane by itself. Division by reciprocal is compared with integer
// division for every workgroup of many grids, the extreme ones included.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "Vlane.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test {
namespace {

class Lane {
 public:
  Lane() {
    m.open_i = 1;
    m.enable_i = 1;
    m.bytes_i = 128;
    m.eval();
  }
  void edge() { unit_.edge(); }
  void grid(std::uint32_t geometry, std::uint32_t across, std::uint32_t down) {
    const std::uint64_t reciprocal = ((1ull << 32) + across - 1) / across;
    setBits(m.geo_reciprocal_i, geometry * 33, 33, reciprocal);
    setBits(m.geo_tiles_down_i, geometry * 16, 16, down);
  }
  void region(std::uint32_t r, std::uint32_t first, std::uint32_t last, std::uint64_t pageFirst,
              std::uint64_t pageLast, std::uint32_t geometry) {
    setBits(m.reg_enable_i, r, 1, 1);
    setBits(m.reg_wg_first_i, r * 16, 16, first);
    setBits(m.reg_wg_last_i, r * 16, 16, last);
    setBits(m.reg_page_first_i, r * 36, 36, pageFirst);
    setBits(m.reg_page_last_i, r * 36, 36, pageLast);
    setBits(m.reg_geo_i, r, 1, geometry);
  }
  // The head's key is {region, class, wg, wf}.
  std::uint32_t wf() const { return m.key_o & 7; }
  std::uint32_t wg() const { return m.key_o >> 3 & 0xffff; }
  std::uint32_t tileClass() const { return m.key_o >> 19 & 3; }
  std::uint32_t region() const { return m.key_o >> 21; }
  /// Of the tile of an event, which is {region, wg, wf, granule}.
  std::uint64_t eventBits(std::uint32_t lsb, std::uint32_t width) const {
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < width; ++i) {
      value |= std::uint64_t{m.event_tile_o[(lsb + i) / 32] >> ((lsb + i) % 32) & 1u} << i;
    }
    return value;
  }

 private:
  Clocked<Vlane> unit_;

 public:
  Vlane& m = unit_.model;
};

TEST(Lane, EveryWorkgroupOfEveryGridGetsItsClass) {
  Lane lane;
  lane.region(0, 0, 0xffff, 0, 0xf'ffff'ffff, 1);
  for (std::uint32_t across : {1u, 2u, 3u, 7u, 34u, 64u, 255u, 256u, 257u, 1000u, 4095u, 21845u,
                               32767u, 32768u, 32769u, 65534u, 65535u}) {
    const std::uint32_t down = std::min((0x10000 + across - 1) / across, 0xffffu);
    for (std::uint32_t height : {down, down / 2 + 1}) {
      lane.grid(1, across, height);
      std::deque<std::uint32_t> expected;
      for (std::uint32_t wg = 0; wg < 0x10000 + 8; ++wg) {
        lane.m.valid_i = wg < 0x10000;
        lane.m.wg_i = static_cast<SData>(wg);
        ASSERT_TRUE(lane.m.ready_o);
        lane.m.pop_i = lane.m.valid_o;
        if (lane.m.valid_o) {
          const std::uint32_t want = expected.front();
          expected.pop_front();
          ASSERT_EQ(lane.wg(), want);
          const std::uint32_t tileClass =
              (want / across == height - 1 ? 2u : 0u) | (want % across == across - 1 ? 1u : 0u);
          ASSERT_EQ(lane.tileClass(), tileClass)
              << want << " across " << across << " down " << height;
          ASSERT_EQ(lane.m.bank_o, want % 8);
        }
        if (lane.m.valid_i) expected.push_back(wg);
        lane.edge();
      }
      ASSERT_TRUE(expected.empty());
    }
  }
}

TEST(Lane, AnUpdateIsAtTheHeadFourCyclesAfterItWasTaken) {
  Lane lane;
  lane.grid(0, 10, 10);
  lane.region(0, 0, 0xffff, 0, 0xf'ffff'ffff, 0);
  lane.m.valid_i = 1;
  lane.edge();
  lane.m.valid_i = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(lane.m.valid_o);
    EXPECT_TRUE(lane.m.active_o);
    lane.edge();
  }
  EXPECT_TRUE(lane.m.valid_o);
  EXPECT_FALSE(lane.m.active_o);
}

TEST(Lane, KeepsOrderAndLosesNothingUnderBackPressureAndReportsWrongUpdates) {
  Lane lane;
  struct Wrong {
    bool bytes;
    std::uint64_t granule;
    std::uint32_t wg, wf, region;
  };
  std::deque<Wrong> wrong;
  std::uint32_t bytesSeen = 0;
  std::uint32_t bordersSeen = 0;
  Random random(testSeed(41));
  lane.grid(0, 10, 10);
  // One ends with a page of its own, the other one with the address space.
  constexpr std::uint64_t kLastPage = 0x3'1234'5678;
  lane.region(2, 0, 99, 0, kLastPage, 0);
  lane.region(5, 50, 199, 0, 0xf'ffff'ffff, 0);
  struct Want {
    std::uint32_t wg, wf, bytes, region;
    std::uint64_t granule;
  };
  std::deque<Want> expected;
  std::uint32_t tracked = 0;
  std::uint32_t untracked = 0;
  std::uint32_t trackedSeen = 0;
  std::uint32_t untrackedSeen = 0;
  std::uint32_t refused = 0;
  bool offering = false;
  std::uint64_t granule = 0;
  for (int i = 0; i < 40000; ++i) {
    if (!offering && random.chance(80) && i < 39900) {
      offering = true;
      lane.m.wg_i = static_cast<SData>(random.below(250));
      lane.m.wf_i = static_cast<CData>(random.below(8));
      std::uint64_t address = (random.below(1ull << 32) * 2048ull + random.below(2048)) * 32;
      if (lane.m.wg_i < 50) address %= (kLastPage + 1) * 4096;
      if (lane.m.wg_i < 50 && random.chance(30))
        address = kLastPage * 4096 + 4096 - random.below(160);
      if (lane.m.wg_i < 50 && random.chance(10)) address -= 4096;
      granule = address / 32;
      lane.m.addr_i = address;
      lane.m.bytes_i = static_cast<CData>(random.between(1, 128));
      if (random.chance(5))
        lane.m.bytes_i = static_cast<CData>(random.chance(50) ? 0 : random.between(129, 255));
    }
    lane.m.valid_i = offering;
    lane.m.pop_i = lane.m.valid_o && random.chance(i / 1000 % 2 == 0 ? 30 : 100);
    lane.m.eval();
    if (lane.m.pop_i) {
      ASSERT_FALSE(expected.empty());
      const Want want = expected.front();
      expected.pop_front();
      ASSERT_EQ(lane.wg(), want.wg);
      ASSERT_EQ(lane.wf(), want.wf);
      ASSERT_EQ(lane.m.gran_o, want.granule);
      ASSERT_EQ(lane.m.bytes_o, want.bytes);
      ASSERT_EQ(lane.region(), want.region);
      ASSERT_EQ(lane.m.bank_o, (want.wg ^ want.wf) % 8);
    }
    if (offering && lane.m.ready_o) {
      offering = false;
      if (lane.m.wg_i < 200) {
        ++tracked;
        const std::uint64_t page = granule / 128;
        const std::uint32_t region = lane.m.wg_i < 100 && page <= kLastPage ? 2u : 5u;
        if (region == 5 && lane.m.wg_i < 50) {
          --tracked;
          ++untracked;
        } else if (lane.m.bytes_i == 0 || lane.m.bytes_i > 128) {
          wrong.push_back({true, granule, lane.m.wg_i, lane.m.wf_i, region});
        } else {
          const std::uint64_t last = region == 2 ? kLastPage : 0xf'ffff'ffff;
          if ((lane.m.addr_i + lane.m.bytes_i - 1) / 4096 > last)
            wrong.push_back({false, granule, lane.m.wg_i, lane.m.wf_i, region});
          expected.push_back({lane.m.wg_i, lane.m.wf_i, lane.m.bytes_i, region, granule});
        }
      } else {
        ++untracked;
      }
    } else {
      refused += offering;
    }
    ASSERT_FALSE(lane.m.bytes_event_o && lane.m.border_event_o);
    if (lane.m.bytes_event_o || lane.m.border_event_o) {
      ASSERT_FALSE(wrong.empty());
      const Wrong want = wrong.front();
      wrong.pop_front();
      ASSERT_EQ(lane.m.bytes_event_o != 0, want.bytes);
      ASSERT_EQ(lane.eventBits(0, 43), want.granule);
      ASSERT_EQ(lane.eventBits(43, 3), want.wf);
      ASSERT_EQ(lane.eventBits(46, 16), want.wg);
      ASSERT_EQ(lane.eventBits(62, 3), want.region);
      ++(want.bytes ? bytesSeen : bordersSeen);
    }
    trackedSeen += lane.m.tracked_o;
    untrackedSeen += lane.m.untracked_o;
    lane.edge();
  }
  EXPECT_TRUE(expected.empty());
  EXPECT_TRUE(wrong.empty());
  EXPECT_GT(bytesSeen, 500u);
  EXPECT_GT(bordersSeen, 200u);
  EXPECT_EQ(trackedSeen, tracked);
  EXPECT_EQ(untrackedSeen, untracked);
  EXPECT_GT(tracked, 10000u);
  EXPECT_GT(refused, 1000u);
  EXPECT_FALSE(lane.m.work_o);
}

TEST(Lane, TakesNothingWhileClosed) {
  Lane lane;
  lane.m.open_i = 0;
  lane.m.valid_i = 1;
  for (int i = 0; i < 10; ++i) {
    lane.m.eval();
    EXPECT_FALSE(lane.m.ready_o);
    lane.edge();
  }
  EXPECT_FALSE(lane.m.work_o);
}

}  // namespace
}  // namespace t3::rtl_test
