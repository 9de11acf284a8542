// SPDX-License-Identifier: Apache-2.0
// Method: the C driver of hw/driver against the RTL. Its two access functions are AXI4-Lite
// transfers of the bench, which must all be answered OKAY. The kernel is programmed by C code
// (driver_kernel.c); the bench sends the updates and sees what leaves the unit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "tests/rtl/driver_kernel.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::driver_test {
namespace {

constexpr std::uint64_t kKernelBase = 0x2'0000'0000;
constexpr std::uint32_t kPolls = 20000;

/// A unit with its driver.
class Driven {
 public:
  TrackTriggerBench bench;
  t3_tracker unit{};
  std::uint32_t writes = 0;
  t3_kernel kernel{.base = kKernelBase, .wavefronts = 0, .first_slot = 5, .first_row = 9};

  explicit Driven(const Unit& size) : bench(size) {
    EXPECT_EQ(t3_tracker_init(&unit, read, write, this), T3_OK);
    kernel.wavefronts = unit.size.wavefronts;
    EXPECT_EQ(writes, 0u);
    EXPECT_EQ(t3_tracker_wait_clear(&unit, kPolls), T3_OK);
  }
  Driven(const Driven&) = delete;
  Driven& operator=(const Driven&) = delete;

  /// A whole contribution to a wavefront tile.
  void contribute(std::uint32_t wg, std::uint32_t wf) {
    std::uint32_t left = t3_kernel_bytes(&kernel, wg, wf);
    for (std::uint32_t at = 0; left > 0;) {
      const std::uint32_t bytes = std::min(left, 128u);
      bench.lanes[wf % bench.size.lanes].push_back(
          {wg, wf, kKernelBase + wg * 4096ull + at, bytes});
      at += bytes;
      left -= bytes;
    }
  }
  void contribute() {
    for (std::uint32_t wg = 0; wg < 16; ++wg) {
      for (std::uint32_t wf = 0; wf < kernel.wavefronts; ++wf) contribute(wg, wf);
    }
  }

 private:
  static std::uint32_t read(void* context, std::uint32_t offset) {
    return static_cast<Driven*>(context)->bench.read(offset);
  }
  static void write(void* context, std::uint32_t offset, std::uint32_t value) {
    auto* driven = static_cast<Driven*>(context);
    ++driven->writes;
    driven->bench.set(offset, value);
  }
};

/// The kernel's slots and rows have come, each once.
void expectKernel(Driven& driven) {
  std::set<std::uint32_t> slots, rows;
  for (const Done& done : driven.bench.done) slots.insert(done.slot);
  for (const Release& release : driven.bench.releases) rows.insert(release.row);
  EXPECT_EQ(slots, (std::set<std::uint32_t>{5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(driven.bench.done.size(), 8u);
  EXPECT_EQ(rows, (std::set<std::uint32_t>{9, 10, 11, 12}));
  EXPECT_EQ(driven.bench.releases.size(), 4u);
  driven.bench.done.clear();
  driven.bench.releases.clear();
}

void runsTwoKernels(const Unit& size) {
  Driven driven(size);
  const t3_tracker* unit = &driven.unit;
  ASSERT_EQ(t3_kernel_first(unit, &driven.kernel), T3_OK);
  for (std::uint32_t kernel = 1; kernel <= 2; ++kernel) {
    SCOPED_TRACE(kernel);
    EXPECT_EQ(t3_tracker_region_state(unit, 0), T3_REGION_ON);
    driven.contribute();
    ASSERT_TRUE(driven.bench.drain());
    EXPECT_TRUE(driven.bench.done.empty()) << "another contribution is missing";
    EXPECT_EQ(t3_tracker_regions_done(unit), 0u);
    driven.contribute();
    ASSERT_TRUE(driven.bench.drain());
    expectKernel(driven);
    EXPECT_EQ(t3_tracker_wait_quiet(unit, kPolls), T3_OK);
    EXPECT_EQ(t3_tracker_status(unit), 0u);
    EXPECT_EQ(t3_tracker_region_done(unit, 0), 8u);
    EXPECT_EQ(t3_tracker_counter(unit, T3_COMPLETED), 8u * kernel);
    EXPECT_EQ(t3_tracker_counter(unit, T3_TRIGGERS), 8u * kernel);
    EXPECT_EQ(t3_tracker_counter(unit, T3_TAKEN), 8u * kernel);
    EXPECT_EQ(t3_tracker_counter(unit, T3_RELEASED), 4u * kernel);
    EXPECT_EQ(t3_tracker_errors(unit), 0u);
    if (kernel == 1) {
      EXPECT_EQ(driven.bench.read(T3_REGION_DONE), 1u);
      ASSERT_EQ(t3_kernel_again(unit, &driven.kernel), T3_OK);
      EXPECT_EQ(t3_tracker_region_done(unit, 0), 0u);
      EXPECT_EQ(driven.bench.read(T3_REGION_DONE), 0u);
    }
  }
  EXPECT_EQ(t3_tracker_regions_done(unit), 1u);
  EXPECT_EQ(t3_tracker_regions_done(unit), 0u);
  EXPECT_EQ(t3_tracker_stop(unit), T3_OK);
  driven.contribute(3, 0);
  ASSERT_TRUE(driven.bench.drain());
  EXPECT_GT(t3_tracker_counter(unit, T3_UNTRACKED), 0u);
  EXPECT_EQ(t3_tracker_errors(unit), 0u);
}

TEST(Driver, ProgramsAKernelAndOneMoreOfTheSameShape) { runsTwoKernels(kDefaultUnit); }
TEST(Driver, ProgramsASmallUnit) { runsTwoKernels(kTinyUnit); }

TEST(Driver, AnAbortedKernelLeavesNothingBehind) {
  Driven driven(kTinyUnit);
  const t3_tracker* unit = &driven.unit;
  driven.bench.takesDone = driven.bench.takesRows = false;
  ASSERT_EQ(t3_kernel_first(unit, &driven.kernel), T3_OK);
  for (int i = 0; i < 2; ++i) {
    // The first two rows of tiles, and a part of the third.
    for (std::uint32_t wg = 0; wg < 9; ++wg) {
      for (std::uint32_t wf = 0; wf < driven.kernel.wavefronts; ++wf) driven.contribute(wg, wf);
    }
  }
  ASSERT_TRUE(driven.bench.settle());
  EXPECT_EQ(t3_tracker_slot(unit, 6), T3_SLOT_WAITS_MASK);
  EXPECT_EQ(t3_tracker_row(unit, 10), T3_ROW_WAITS_MASK);
  EXPECT_NE(t3_tracker_slot(unit, 9), 0u);
  ASSERT_EQ(t3_kernel_abort(unit, &driven.kernel), T3_OK);
  for (std::uint32_t slot = 0; slot < 64; ++slot) EXPECT_EQ(t3_tracker_slot(unit, slot), 0u);
  for (std::uint32_t row = 0; row < 32; ++row) EXPECT_EQ(t3_tracker_row(unit, row), 0u);
  EXPECT_EQ(t3_tracker_errors(unit), 0u);
  driven.bench.takesDone = driven.bench.takesRows = true;
  ASSERT_TRUE(driven.bench.drain());
  EXPECT_EQ(driven.bench.done.size(), 1u) << "what stood at the port";
  EXPECT_EQ(driven.bench.releases.size(), 1u);
  EXPECT_EQ(t3_tracker_disable_region(unit, 0), T3_OK);
}

TEST(Driver, FindsOutHowLargeTheUnitIs) {
  const Driven whole(kDefaultUnit);
  const t3_size& size = whole.unit.size;
  EXPECT_EQ(size.lanes, 8u);
  EXPECT_EQ(size.banks, 8u);
  EXPECT_EQ(size.regions, 8u);
  EXPECT_EQ(size.windows, 4u);
  EXPECT_EQ(size.slots, 4096u);
  EXPECT_EQ(size.rows, 256u);
  EXPECT_EQ(size.most_bytes, 1u << 22);
  EXPECT_EQ(size.most_weight, 128u);
  EXPECT_EQ(size.wavefronts, 8u);
  EXPECT_EQ(size.protection, 0u);
  const Driven odd(kNarrowUnit);
  EXPECT_EQ(odd.unit.size.lanes, 1u);
  EXPECT_EQ(odd.unit.size.banks, 16u);
  EXPECT_EQ(odd.unit.size.regions, 3u);
  EXPECT_EQ(odd.unit.size.windows, 3u);
  EXPECT_EQ(odd.unit.size.most_bytes, 1u << 26);
  EXPECT_EQ(odd.unit.size.most_weight, 1u << 13);
  EXPECT_EQ(Driven(kSmallestUnit).unit.size.wavefronts, 2u);
  EXPECT_EQ(Driven(kSecdedUnit).unit.size.protection, 2u);
}

TEST(Driver, AnotherDeviceIsRefused) {
  std::array<std::uint32_t, 5> words{T3_ID_VALUE, T3_VERSION_VALUE, 0, 0, 0x0317};
  t3_tracker unit{};
  const auto read = [](void* at, std::uint32_t offset) {
    return offset < 20 ? t3_mmio_read(at, offset) : 0;
  };
  EXPECT_EQ(t3_tracker_init(&unit, read, t3_mmio_write, words.data()), T3_OK);
  words[1] += 1;  // more registers than this driver knows
  EXPECT_EQ(t3_tracker_init(&unit, read, t3_mmio_write, words.data()), T3_OK);
  words[1] += 0x10000;
  EXPECT_EQ(t3_tracker_init(&unit, read, t3_mmio_write, words.data()), T3_WRONG_DEVICE);
  words[1] = T3_VERSION_VALUE - 0x10000;
  EXPECT_EQ(t3_tracker_init(&unit, read, t3_mmio_write, words.data()), T3_WRONG_DEVICE);
  words = {T3_ID_VALUE ^ 1, T3_VERSION_VALUE, 0, 0, 0};
  EXPECT_EQ(t3_tracker_init(&unit, read, t3_mmio_write, words.data()), T3_WRONG_DEVICE);
}

TEST(Driver, MappedRegistersAreReadAndWrittenAtTheirOffset) {
  std::array<std::uint32_t, 8> words{};
  t3_mmio_write(words.data(), 12, 0x12345678);
  EXPECT_EQ(words, (std::array<std::uint32_t, 8>{0, 0, 0, 0x12345678}));
  EXPECT_EQ(t3_mmio_read(words.data(), 12), 0x12345678u);
}

TEST(Driver, WhatTheUnitHasNoPlaceForIsRefusedBeforeAnythingIsWritten) {
  Driven driven(kNarrowUnit);
  const t3_tracker* unit = &driven.unit;
  const t3_window window{.first = 0, .last = 4095};
  t3_region region{};
  region.rows = true;
  region.blocks_per_row = 1;
  ASSERT_EQ(t3_tracker_set_window(unit, 2, &window), T3_OK);
  ASSERT_EQ(t3_tracker_set_region(unit, 2, &region), T3_OK);
  ASSERT_EQ(t3_tracker_arm_slot(unit, 255, 1u << 26), T3_OK);
  ASSERT_EQ(t3_tracker_arm_row(unit, 63, 8192), T3_OK);
  ASSERT_EQ(t3_tracker_fill(unit, 2, 1u << 26, kPolls), T3_OK);
  driven.writes = 0;

  EXPECT_EQ(t3_tracker_set_window(unit, 3, &window), T3_INVALID);
  const auto badWindow = [&](std::uint64_t first, std::uint64_t last) {
    const t3_window other{.first = first, .last = last};
    EXPECT_EQ(t3_tracker_set_window(unit, 0, &other), T3_INVALID);
  };
  badWindow(32, 4095);
  badWindow(0, 4096);
  badWindow(8192, 4095);
  badWindow(0, (std::uint64_t{1} << 48) + 4095);

  EXPECT_EQ(t3_tracker_set_region(unit, 3, &region), T3_INVALID);
  const auto badRegion = [&](auto change) {
    t3_region other = region;
    change(other);
    EXPECT_EQ(t3_tracker_set_region(unit, 0, &other), T3_INVALID);
  };
  badRegion([](t3_region& r) { r.window = 3; });
  badRegion([](t3_region& r) { r.workgroup_first = 1; });
  badRegion([](t3_region& r) { r.workgroup_last = 0x10000; });
  badRegion([](t3_region& r) { r.shift = 16; });
  badRegion([](t3_region& r) { r.first_slot = 1; });
  badRegion([](t3_region& r) { r.last_slot = 256; });
  badRegion([](t3_region& r) { r.target = 0x10000; });
  badRegion([](t3_region& r) { r.first_row = 64; });
  badRegion([](t3_region& r) { r.row_phase = 1; });
  badRegion([](t3_region& r) { r.blocks_per_row = 0; });
  badRegion([](t3_region& r) { r.blocks_per_row = 8193; });
  badRegion([](t3_region& r) {
    r.blocks_per_row = 8192;
    r.row_phase = 256;
  });

  EXPECT_EQ(t3_tracker_start_region(unit, 3), T3_INVALID);
  EXPECT_EQ(t3_tracker_stop_region(unit, 3), T3_INVALID);
  EXPECT_EQ(t3_tracker_restart_region(unit, 3), T3_INVALID);
  EXPECT_EQ(t3_tracker_disable_region(unit, 3), T3_INVALID);
  EXPECT_EQ(t3_tracker_fill(unit, 3, 1, kPolls), T3_INVALID);
  EXPECT_EQ(t3_tracker_fill(unit, 0, (1u << 26) + 1, kPolls), T3_INVALID);
  EXPECT_EQ(t3_tracker_arm_slot(unit, 256, 1), T3_INVALID);
  EXPECT_EQ(t3_tracker_arm_slot(unit, 0, (1u << 26) + 1), T3_INVALID);
  EXPECT_EQ(t3_tracker_arm_row(unit, 64, 1), T3_INVALID);
  EXPECT_EQ(t3_tracker_arm_row(unit, 0, 8193), T3_INVALID);
  EXPECT_EQ(driven.writes, 0u);
}

/// CONFIG1 says that it has none; its regions work as others.
TEST(Driver, RowsAreRefusedByAUnitWithoutThem) {
  Driven driven(kRowlessUnit);
  const t3_tracker* unit = &driven.unit;
  EXPECT_EQ(unit->size.rows, 0u);
  t3_region region{};
  region.rows = true;
  region.blocks_per_row = 1;
  EXPECT_EQ(t3_tracker_set_region(unit, 0, &region), T3_INVALID);
  EXPECT_EQ(t3_tracker_arm_row(unit, 0, 1), T3_INVALID);
  EXPECT_EQ(driven.writes, 0u);
  region.rows = false;
  EXPECT_EQ(t3_tracker_set_region(unit, 0, &region), T3_OK);
  EXPECT_EQ(t3_tracker_errors(unit), 0u);
}

TEST(Driver, EveryFieldOfAWindowAndARegionArrives) {
  Driven driven(kDefaultUnit);
  const t3_window window{.first = 0x5432'1000'0000, .last = 0xabcd'ef01'2fff};
  ASSERT_EQ(t3_tracker_set_window(&driven.unit, 3, &window), T3_OK);
  EXPECT_EQ(driven.bench.read(T3_WINDOW(3u) + T3_WINDOW_PAGE_FIRST), 0x4321'0000u);
  EXPECT_EQ(driven.bench.read(T3_WINDOW(3u) + T3_WINDOW_PAGE_LAST), 0xbcde'f012u);
  EXPECT_EQ(driven.bench.read(T3_WINDOW(3u) + T3_WINDOW_PAGE_HIGH), 0x000a'0005u);
  const t3_region region{.window = 3,
                         .workgroup_first = 0x1234,
                         .workgroup_last = 0xfedc,
                         .shift = 10,
                         .first_slot = 0xabc,
                         .last_slot = 0xdef,
                         .target = 0x8321,
                         .trigger = false,
                         .rows = true,
                         .first_row = 0x7b,
                         .row_phase = 4,
                         .blocks_per_row = 5};
  ASSERT_EQ(t3_tracker_start_region(&driven.unit, 6), T3_OK);
  ASSERT_EQ(t3_tracker_set_region(&driven.unit, 6, &region), T3_OK);
  const std::uint32_t base = T3_REG(6u);
  const auto read = [&](std::uint32_t offset) { return driven.bench.read(base + offset); };
  EXPECT_EQ(read(T3_REG_STATE), 0u);
  EXPECT_EQ(read(T3_REG_CTRL), 0x3a2u);
  EXPECT_EQ(read(T3_REG_WG_FIRST), 0x1234u);
  EXPECT_EQ(read(T3_REG_WG_LAST), 0xfedcu);
  EXPECT_EQ(read(T3_REG_SLOT_FIRST), 0xabcu);
  EXPECT_EQ(read(T3_REG_SLOT_LAST), 0xdefu);
  EXPECT_EQ(read(T3_REG_ROW_FIRST), 0x7bu);
  EXPECT_EQ(read(T3_REG_ROW_PHASE), 4u);
  EXPECT_EQ(read(T3_REG_ROW_RECIPROCAL), (1u << 26) / 5 + 1);
  EXPECT_EQ(read(T3_REG_TARGET), 0x8321u);
  EXPECT_EQ(t3_tracker_stop_region(&driven.unit, 6), T3_OK);
  EXPECT_EQ(t3_tracker_region_state(&driven.unit, 6), T3_REGION_STOPPED);
  EXPECT_EQ(t3_tracker_disable_region(&driven.unit, 6), T3_OK);
  EXPECT_EQ(read(T3_REG_STATE), 0u);
}

TEST(Driver, AWorkgroupOrAnAddressOfMoreBitsThanTheUnitHasIsRefused) {
  const auto setsWindow = [](Driven& driven, std::uint64_t first, std::uint64_t last) {
    const t3_window window{.first = first, .last = last};
    return t3_tracker_set_window(&driven.unit, 0, &window);
  };
  const auto setsRegion = [](Driven& driven, std::uint32_t first, std::uint32_t last) {
    t3_region region{};
    region.workgroup_first = first;
    region.workgroup_last = last;
    return t3_tracker_set_region(&driven.unit, 0, &region);
  };
  Driven narrow(kNarrowUnit);  // 12 and 40 bits
  EXPECT_EQ(setsRegion(narrow, 0, 0xfff), T3_OK);
  ASSERT_EQ(t3_tracker_start_region(&narrow.unit, 0), T3_OK);
  EXPECT_EQ(setsRegion(narrow, 0, 0x1000), T3_INVALID);
  EXPECT_EQ(t3_tracker_region_state(&narrow.unit, 0), T3_REGION_ON) << "nothing was written";
  EXPECT_EQ(setsRegion(narrow, 0x1000, 0x1000), T3_INVALID);
  ASSERT_EQ(t3_tracker_disable_region(&narrow.unit, 0), T3_OK);
  EXPECT_EQ(setsWindow(narrow, 0, 0xff'ffff'ffff), T3_OK);
  EXPECT_EQ(setsWindow(narrow, 0, 0x100'0000'0fff), T3_INVALID);
  EXPECT_EQ(setsWindow(narrow, 0x100'0000'0000, 0x100'0000'0fff), T3_INVALID);
  Driven wide(kWideUnit);  // 44 bits: no page has more than the low word
  EXPECT_EQ(setsWindow(wide, 0, 0xfff'ffff'ffff), T3_OK);
  EXPECT_EQ(setsWindow(wide, 0, 0x1000'0000'0fff), T3_INVALID);
  EXPECT_EQ(wide.bench.read(T3_ERRORS) | narrow.bench.read(T3_ERRORS), 0u);
}

TEST(Driver, ARegionThatIsSetHasReachedNothing) {
  Driven driven(kTinyUnit);
  const t3_tracker* unit = &driven.unit;
  ASSERT_EQ(t3_kernel_first(unit, &driven.kernel), T3_OK);
  driven.contribute();
  driven.contribute();
  ASSERT_TRUE(driven.bench.drain());
  ASSERT_EQ(driven.bench.read(T3_REGION_DONE), 1u);
  const t3_region region{};
  EXPECT_EQ(t3_tracker_set_region(unit, 1, &region), T3_OK);
  EXPECT_EQ(driven.bench.read(T3_REGION_DONE), 1u) << "that is another one";
  EXPECT_EQ(t3_tracker_set_region(unit, 0, &region), T3_OK);
  EXPECT_EQ(driven.bench.read(T3_REGION_DONE), 0u);
}

TEST(Driver, ARowThatCountsIsArmedWhileARegionWithRowsIsStopped) {
  Driven driven(kTinyUnit);
  const t3_tracker* unit = &driven.unit;
  ASSERT_EQ(t3_kernel_first(unit, &driven.kernel), T3_OK);
  ASSERT_EQ(t3_tracker_stop_region(unit, 1), T3_OK);
  EXPECT_EQ(t3_tracker_arm_row(unit, 9, 7), T3_WAITS) << "region 1 has no rows";
  ASSERT_EQ(t3_tracker_stop_region(unit, 0), T3_OK);
  EXPECT_EQ(t3_tracker_arm_row(unit, 9, 7), T3_OK);
  EXPECT_EQ(t3_tracker_row(unit, 9), 7u);
  EXPECT_EQ(t3_tracker_arm_row(unit, 13, 7), T3_OK);
  EXPECT_EQ(t3_tracker_arm_row(unit, 13, 6), T3_WAITS) << "none of region 0";
  EXPECT_EQ(t3_tracker_arm_row(unit, 12, 6), T3_OK) << "its last one";
  EXPECT_EQ(t3_tracker_errors(unit), 0u);
}

TEST(Driver, WhatIsInUseIsLeftAlone) {
  Driven driven(kTinyUnit);
  const t3_tracker* unit = &driven.unit;
  ASSERT_EQ(t3_kernel_first(unit, &driven.kernel), T3_OK);
  driven.writes = 0;
  const t3_window window{.first = 0, .last = 4095};
  EXPECT_EQ(t3_tracker_set_window(unit, 1, &window), T3_BUSY);
  EXPECT_EQ(t3_tracker_fill(unit, 0, 1, kPolls), T3_BUSY);
  EXPECT_EQ(t3_tracker_arm_slot(unit, 5, 1), T3_WAITS) << "it counts";
  EXPECT_EQ(t3_tracker_arm_row(unit, 9, 1), T3_WAITS);
  EXPECT_EQ(driven.writes, 0u);
  EXPECT_EQ(t3_tracker_set_window(unit, 0, &window), T3_OK);
  EXPECT_EQ(t3_tracker_arm_slot(unit, 4, 1), T3_OK);
  EXPECT_EQ(t3_tracker_arm_row(unit, 8, 1), T3_OK);
  // A stopped region that shares a slot with it opens none of its slots.
  t3_region shares{};
  shares.first_slot = 4;
  shares.last_slot = 5;
  EXPECT_EQ(t3_tracker_set_region(unit, 2, &shares), T3_OK);
  EXPECT_EQ(t3_tracker_stop_region(unit, 2), T3_OK);
  EXPECT_EQ(t3_tracker_fill(unit, 2, 1, kPolls), T3_BUSY);
  EXPECT_EQ(t3_tracker_arm_slot(unit, 5, 1), T3_WAITS);
  EXPECT_EQ(t3_tracker_arm_slot(unit, 4, 2), T3_OK);
  EXPECT_EQ(t3_tracker_look(unit), T3_OK);
  EXPECT_EQ(t3_tracker_errors(unit), 0u);
}

TEST(Driver, ASlotThatWaitsIsNotArmed) {
  Driven driven(kTinyUnit);
  const t3_tracker* unit = &driven.unit;
  driven.bench.takesDone = driven.bench.takesRows = false;
  ASSERT_EQ(t3_kernel_first(unit, &driven.kernel), T3_OK);
  driven.contribute();
  driven.contribute();
  ASSERT_TRUE(driven.bench.settle());
  EXPECT_EQ(t3_tracker_status(unit), T3_STATUS_COMMANDS_MASK | T3_STATUS_ROWS_MASK);
  EXPECT_EQ(t3_tracker_wait_quiet(unit, 20), T3_TIMEOUT);
  EXPECT_EQ(t3_tracker_arm_slot(unit, driven.bench.model->done_slot_o == 12 ? 11 : 12, 1),
            T3_WAITS);
  EXPECT_EQ(t3_tracker_arm_row(unit, driven.bench.model->rel_row_o == 12 ? 11 : 12, 1), T3_WAITS);
  EXPECT_EQ(t3_kernel_again(unit, &driven.kernel), T3_TIMEOUT);
  driven.bench.takesDone = driven.bench.takesRows = true;
  ASSERT_TRUE(driven.bench.drain());
  expectKernel(driven);
  EXPECT_EQ(t3_tracker_arm_slot(unit, 12, 1), T3_OK);
  EXPECT_EQ(t3_tracker_arm_row(unit, 12, 1), T3_OK);
  EXPECT_EQ(t3_tracker_errors(unit), 0u) << "nothing was armed early";
}

TEST(Driver, AWalkThatLastsTooLongIsATimeoutAndNothingIsArmedMeanwhile) {
  Driven driven(kDefaultUnit);
  const t3_tracker* unit = &driven.unit;
  EXPECT_EQ(t3_tracker_clear(unit, 2), T3_TIMEOUT);
  EXPECT_EQ(t3_tracker_arm_slot(unit, 0, 1), T3_BUSY);
  EXPECT_EQ(t3_tracker_arm_row(unit, 0, 1), T3_BUSY);
  EXPECT_EQ(t3_tracker_fill(unit, 0, 1, kPolls), T3_BUSY);
  EXPECT_EQ(t3_tracker_wait_clear(unit, kPolls), T3_OK);
  t3_region region{};
  region.last_slot = 4095;
  ASSERT_EQ(t3_tracker_set_region(unit, 0, &region), T3_OK);
  EXPECT_EQ(t3_tracker_fill(unit, 0, 1, 2), T3_TIMEOUT);
  EXPECT_EQ(t3_tracker_start_region(unit, 0), T3_BUSY) << "its slots are being filled";
  EXPECT_EQ(t3_tracker_fill(unit, 0, 1, kPolls), T3_BUSY);
  driven.bench.ticks(1200);
  EXPECT_EQ(t3_tracker_fill(unit, 0, 0, kPolls), T3_OK);
  EXPECT_EQ(driven.bench.read(T3_ERRORS), T3_ERRORS_ARMED_EARLY_MASK) << "the region is off";
}

TEST(Driver, ALockedUnitIsLeftAlone) {
  Driven driven(kTinyUnit);
  const t3_tracker* unit = &driven.unit;
  const t3_window window{.first = 0, .last = 4095};
  const t3_region region{};
  t3_tracker_lock(unit, T3_LOCK_LOCKED_MASK);
  EXPECT_TRUE(t3_tracker_locked(unit));
  driven.writes = 0;
  EXPECT_EQ(t3_tracker_clear(unit, kPolls), T3_LOCKED);
  EXPECT_EQ(t3_tracker_start(unit), T3_LOCKED);
  EXPECT_EQ(t3_tracker_stop(unit), T3_LOCKED);
  EXPECT_EQ(t3_tracker_set_window(unit, 0, &window), T3_LOCKED);
  EXPECT_EQ(t3_tracker_set_region(unit, 0, &region), T3_LOCKED);
  EXPECT_EQ(t3_tracker_start_region(unit, 0), T3_LOCKED);
  EXPECT_EQ(t3_tracker_restart_region(unit, 0), T3_LOCKED);
  EXPECT_EQ(t3_tracker_fill(unit, 0, 1, kPolls), T3_LOCKED);
  EXPECT_EQ(t3_tracker_arm_slot(unit, 0, 1), T3_LOCKED);
  EXPECT_EQ(t3_tracker_arm_row(unit, 0, 1), T3_LOCKED);
  EXPECT_EQ(driven.writes, 0u);
  t3_tracker_lock(unit, 0);
  EXPECT_EQ(t3_tracker_start(unit), T3_OK);
}

TEST(Driver, ErrorsAndInterruptsAreToldAndForgotten) {
  Driven driven(kDefaultUnit);
  const t3_tracker* unit = &driven.unit;
  ASSERT_EQ(t3_kernel_first(unit, &driven.kernel), T3_OK);
  t3_error error{};
  EXPECT_FALSE(t3_tracker_take_first_error(unit, &error));
  t3_tracker_enable_interrupts(unit, T3_IRQ_STATUS_ERROR_MASK);
  EXPECT_EQ(t3_tracker_take_interrupts(unit), 0u);
  driven.bench.lanes[0].push_back({13, 5, kKernelBase + 0x1'3640, 0});
  driven.bench.lanes[0].push_back({14, 6, kKernelBase - 4096, 200});
  ASSERT_TRUE(driven.bench.drain());
  EXPECT_EQ(t3_tracker_errors(unit), 0u) << "outside the region nobody cares";
  driven.bench.lanes[0].push_back({13, 5, kKernelBase + 0x3640, 0});
  driven.bench.lanes[0].push_back({14, 6, kKernelBase, 200});
  ASSERT_TRUE(driven.bench.drain());
  driven.bench.ticks(2);
  EXPECT_TRUE(driven.bench.model->irq_o);
  EXPECT_EQ(t3_tracker_errors(unit), T3_ERRORS_WEIGHT_MASK);
  EXPECT_EQ(t3_tracker_error_count(unit, T3_ERRORS_WEIGHT_SHIFT), 2u);
  EXPECT_EQ(t3_tracker_error_count(unit, T3_ERRORS_STRAY_SHIFT), 0u);
  EXPECT_EQ(t3_tracker_error_count(unit, T3_ERRORS_DAMAGED_SHIFT), 0u);
  EXPECT_EQ(t3_tracker_error_count(unit, T3_ERRORS_DAMAGED_SHIFT + 1), 0u);
  EXPECT_EQ(t3_tracker_take_errors(unit), T3_ERRORS_WEIGHT_MASK);
  EXPECT_EQ(t3_tracker_take_errors(unit), 0u);
  ASSERT_TRUE(t3_tracker_take_first_error(unit, &error)) << "nobody has read it";
  EXPECT_EQ(error.cause, std::uint32_t{T3_ERRORS_WEIGHT_SHIFT});
  EXPECT_EQ(error.region, 0u);
  EXPECT_EQ(error.info, 5u << 16 | 13u);
  EXPECT_FALSE(t3_tracker_take_first_error(unit, &error));
  EXPECT_EQ(t3_tracker_take_interrupts(unit), T3_IRQ_STATUS_ERROR_MASK);
  EXPECT_EQ(t3_tracker_take_interrupts(unit), 0u);
  EXPECT_FALSE(driven.bench.model->irq_o);
  t3_tracker_test_interrupts(unit, T3_IRQ_STATUS_REGION_DONE_MASK | T3_IRQ_STATUS_ERROR_MASK);
  driven.bench.ticks(2);
  EXPECT_TRUE(driven.bench.model->irq_o);
  EXPECT_EQ(t3_tracker_take_interrupts(unit),
            T3_IRQ_STATUS_REGION_DONE_MASK | T3_IRQ_STATUS_ERROR_MASK);
}

}  // namespace
}  // namespace t3::rtl_test::driver_test
