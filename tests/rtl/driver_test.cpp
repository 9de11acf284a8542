// SPDX-License-Identifier: Apache-2.0
// Method: the C driver of hw/driver against the RTL. Its two access functions are AXI4-Lite
// transfers of the bench, which must all be answered OKAY. The kernel is programmed by C code
// (driver_kernel.c); the bench sends the updates and sees what leaves the unit.
#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "tests/rtl/driver_kernel.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

constexpr std::uint64_t kBase = 0x2'0000'0000;
constexpr std::uint32_t kPolls = 20000;
enum Cause : std::uint32_t { kStray = 1, kBytes = 2, kDamaged = 12 };

/// A unit with its driver.
class Driven {
 public:
  TrackTriggerBench bench;
  t3_tracker unit{};
  std::uint32_t writes = 0;
  t3_kernel kernel{.base = kBase, .wavefronts = 0, .first_block = 5, .first_row = 9};

  explicit Driven(const Unit& size) : bench(size) {
    kernel.wavefronts = 1u << size.size.wfWidth;
    EXPECT_EQ(t3_tracker_init(&unit, read, write, this), T3_OK);
    EXPECT_EQ(writes, 0u);
    EXPECT_EQ(t3_tracker_wait_clear(&unit, kPolls), T3_OK);
  }
  Driven(const Driven&) = delete;
  Driven& operator=(const Driven&) = delete;

  /// A whole contribution to a tile.
  void contribute(std::uint32_t wg, std::uint32_t wf) {
    std::uint32_t left = t3_kernel_bytes(&kernel, wg, wf);
    for (std::uint32_t at = 0; left > 0;) {
      const std::uint32_t bytes = std::min(left, 128u);
      bench.lanes[wf % bench.size.lanes].push_back({wg, wf, kBase + wg * 4096ull + at, bytes});
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

/// The kernel's commands and rows have come, each once.
void expectKernel(Driven& driven) {
  std::set<std::uint32_t> commands, notified, rows;
  for (const Command& command : driven.bench.commands) {
    EXPECT_EQ(command.wg, (command.cmd - 5) * 2);
    commands.insert(command.cmd);
  }
  for (const Notification& notification : driven.bench.notifications)
    notified.insert(notification.cmd);
  for (const Release& release : driven.bench.releases) rows.insert(release.row);
  EXPECT_EQ(commands, (std::set<std::uint32_t>{5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(driven.bench.commands.size(), 8u);
  EXPECT_EQ(notified, commands);
  EXPECT_EQ(driven.bench.notifications.size(), 8u);
  EXPECT_EQ(rows, (std::set<std::uint32_t>{9, 10, 11, 12}));
  EXPECT_EQ(driven.bench.releases.size(), 4u);
}

void runsTwoKernels(const Unit& size) {
  Driven driven(size);
  const t3_tracker* unit = &driven.unit;
  ASSERT_EQ(t3_kernel_first(unit, &driven.kernel), T3_OK);
  std::uint64_t tiles = 0;
  for (std::uint16_t epoch = 1; epoch <= 2; ++epoch) {
    SCOPED_TRACE(epoch);
    driven.contribute();
    ASSERT_TRUE(driven.bench.drain());
    EXPECT_TRUE(driven.bench.commands.empty()) << "another contribution is missing";
    EXPECT_EQ(t3_tracker_regions_done(unit), 0u);
    driven.contribute();
    ASSERT_TRUE(driven.bench.drain());
    expectKernel(driven);
    EXPECT_EQ(t3_tracker_wait_quiet(unit, kPolls), T3_OK);
    EXPECT_EQ(t3_tracker_status(unit), 0u);
    tiles += 16 * driven.kernel.wavefronts - 4;  // the last row's last wavefront is empty
    EXPECT_EQ(t3_tracker_counter(unit, T3_COMPLETED), tiles);
    EXPECT_EQ(t3_tracker_counter(unit, T3_TRIGGERS), 8u * epoch);
    EXPECT_EQ(t3_tracker_counter(unit, T3_TAKEN), 8u * epoch);
    EXPECT_EQ(t3_tracker_counter(unit, T3_RELEASES), 4u * epoch);
    EXPECT_EQ(t3_tracker_errors(unit), 0u);
    driven.bench.commands.clear();
    driven.bench.notifications.clear();
    driven.bench.releases.clear();
    if (epoch == 1) {
      EXPECT_EQ(driven.bench.read(T3_REGION_DONE), 1u);
      ASSERT_EQ(t3_kernel_again(unit, &driven.kernel, 2), T3_OK);
      EXPECT_EQ(driven.bench.read(T3_GEO(0u) + T3_GEO_EPOCH), 2u);
    }
  }
  EXPECT_EQ(t3_tracker_regions_done(unit), 1u);
  EXPECT_EQ(t3_tracker_regions_done(unit), 0u);
  driven.contribute(3, 0);  // to slots that wait for nothing
  ASSERT_TRUE(driven.bench.drain());
  EXPECT_EQ(t3_tracker_stop(unit), T3_OK);
  driven.contribute(3, 0);
  ASSERT_TRUE(driven.bench.drain());
  EXPECT_TRUE(driven.bench.commands.empty());
  EXPECT_GT(t3_tracker_counter(unit, T3_UNTRACKED), 0u);
}

TEST(Driver, ProgramsAKernelAndOneMoreOfTheSameShape) { runsTwoKernels(kDefaultUnit); }

TEST(Driver, ProgramsASmallUnitWhoseTilesSpill) { runsTwoKernels(kTinyUnit); }

TEST(Driver, FindsOutHowLargeTheUnitIs) {
  const Driven whole(kDefaultUnit);
  const t3_size& size = whole.unit.size;
  EXPECT_EQ(size.lanes, 8u);
  EXPECT_EQ(size.banks, 8u);
  EXPECT_EQ(size.sets_per_bank, 64u);
  EXPECT_EQ(size.ways, 4u);
  EXPECT_EQ(size.command_slots, 4096u);
  EXPECT_EQ(size.row_slots, 256u);
  EXPECT_EQ(size.regions, 8u);
  EXPECT_EQ(size.geometries, 2u);
  EXPECT_EQ(size.parked_most, 3u);
  EXPECT_EQ(size.parked_workgroups, 4096u);
  EXPECT_EQ(size.protection, 0u);
  const Driven odd(kNarrowUnit);
  EXPECT_EQ(odd.unit.size.lanes, 1u);
  EXPECT_EQ(odd.unit.size.banks, 16u);
  EXPECT_EQ(odd.unit.size.regions, 3u);
  EXPECT_EQ(odd.unit.size.parked_most, 7u);
  EXPECT_EQ(Driven(kSecdedUnit).unit.size.protection, 2u);
}

TEST(Driver, AnotherDeviceIsRefused) {
  std::array<std::uint32_t, 4> words{T3_ID_VALUE, T3_VERSION_VALUE, 0, 0};
  t3_tracker unit{};
  const auto read = [](void* at, std::uint32_t offset) {
    return offset < 16 ? t3_mmio_read(at, offset) : 0;
  };
  EXPECT_EQ(t3_tracker_init(&unit, read, t3_mmio_write, words.data()), T3_OK);
  words[1] += 1;  // more registers than this driver knows
  EXPECT_EQ(t3_tracker_init(&unit, read, t3_mmio_write, words.data()), T3_OK);
  words[1] += 0x10000;
  EXPECT_EQ(t3_tracker_init(&unit, read, t3_mmio_write, words.data()), T3_WRONG_DEVICE);
  words = {T3_ID_VALUE ^ 1, T3_VERSION_VALUE, 0, 0};
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
  t3_geometry geometry{};
  geometry.tiles_across = geometry.tiles_down = 1;
  geometry.wavefronts = 8;
  t3_region region{};
  region.address_last = 4095;
  region.updates = 1;
  ASSERT_EQ(t3_tracker_set_geometry(unit, 2, &geometry), T3_OK);
  ASSERT_EQ(t3_tracker_set_region(unit, 2, &region), T3_OK);
  ASSERT_EQ(t3_tracker_arm_command(unit, 255, 0xffff), T3_OK);
  ASSERT_EQ(t3_tracker_arm_row(unit, 63, 0xffff), T3_OK);
  driven.writes = 0;

  EXPECT_EQ(t3_tracker_set_geometry(unit, 3, &geometry), T3_INVALID);
  const auto badGeometry = [&](auto change) {
    t3_geometry other = geometry;
    change(other);
    EXPECT_EQ(t3_tracker_set_geometry(unit, 0, &other), T3_INVALID);
  };
  badGeometry([](t3_geometry& g) { g.tiles_across = 0; });
  badGeometry([](t3_geometry& g) { g.tiles_across = 0x10000; });
  badGeometry([](t3_geometry& g) { g.tiles_down = 0; });
  badGeometry([](t3_geometry& g) { g.tiles_down = 0x10000; });
  badGeometry([](t3_geometry& g) { g.wavefronts = 0; });
  badGeometry([](t3_geometry& g) { g.wavefronts = 9; });
  badGeometry([](t3_geometry& g) { g.spill_base = 32; });
  badGeometry([](t3_geometry& g) { g.spill_base = std::uint64_t{1} << 48; });

  EXPECT_EQ(t3_tracker_set_region(unit, 3, &region), T3_INVALID);
  const auto badRegion = [&](auto change) {
    t3_region other = region;
    change(other);
    EXPECT_EQ(t3_tracker_set_region(unit, 0, &other), T3_INVALID);
  };
  badRegion([](t3_region& r) { r.geometry = 3; });
  badRegion([](t3_region& r) { r.workgroup_first = 1; });
  badRegion([](t3_region& r) { r.workgroup_last = 0x10000; });
  badRegion([](t3_region& r) { r.address_first = 32; });
  badRegion([](t3_region& r) { r.address_last = 4096; });
  badRegion([](t3_region& r) { r.address_first = 8192; });
  badRegion([](t3_region& r) { r.address_last |= std::uint64_t{1} << 48; });
  badRegion([](t3_region& r) { r.updates = 0; });
  badRegion([](t3_region& r) { r.updates = 128; });
  badRegion([](t3_region& r) { r.block_log2 = 16; });
  badRegion([](t3_region& r) { r.first_command = 256; });
  badRegion([](t3_region& r) {
    r.release = true;
    r.first_row = 64;
  });

  EXPECT_EQ(t3_tracker_set_epoch(unit, 3, 1), T3_INVALID);
  EXPECT_EQ(t3_tracker_restart_region(unit, 3), T3_INVALID);
  EXPECT_EQ(t3_tracker_disable_region(unit, 3), T3_INVALID);
  EXPECT_EQ(t3_tracker_arm_command(unit, 256, 1), T3_INVALID);
  EXPECT_EQ(t3_tracker_arm_command(unit, 0, 0x10000), T3_INVALID);
  EXPECT_EQ(t3_tracker_arm_row(unit, 64, 1), T3_INVALID);
  EXPECT_EQ(driven.writes, 0u);
}

TEST(Driver, EveryFieldOfARegionArrives) {
  Driven driven(kDefaultUnit);
  const t3_region region{.geometry = 1,
                         .workgroup_first = 0x1234,
                         .workgroup_last = 0xfedc,
                         .address_first = 0x5432'1000'0000,
                         .address_last = 0xabcd'ef01'2fff,
                         .updates = 0x55,
                         .block_log2 = 10,
                         .first_command = 0xabc,
                         .target = 0x321,
                         .trigger = true,
                         .notify = false,
                         .park = true,
                         .release = true,
                         .first_row = 0x7b};
  ASSERT_EQ(t3_tracker_set_region(&driven.unit, 6, &region), T3_OK);
  const std::uint32_t base = T3_REG(6u);
  const auto read = [&](std::uint32_t offset) { return driven.bench.read(base + offset); };
  EXPECT_EQ(read(T3_REG_WG_FIRST), 0x1234u);
  EXPECT_EQ(read(T3_REG_WG_LAST), 0xfedcu);
  EXPECT_EQ(read(T3_REG_PAGE_FIRST), 0x4321'0000u);
  EXPECT_EQ(read(T3_REG_PAGE_LAST), 0xbcde'f012u);
  EXPECT_EQ(read(T3_REG_PAGE_HIGH), 0x000a'0005u);
  EXPECT_EQ(read(T3_REG_CMD_BASE), 0xabcu);
  EXPECT_EQ(read(T3_REG_TARGET), 0x321u);
  EXPECT_EQ(read(T3_REG_RELEASE), 0x8000'007bu);
  EXPECT_EQ(read(T3_REG_CTRL), 0x000a'551bu);
  EXPECT_EQ(t3_tracker_disable_region(&driven.unit, 6), T3_OK);
  EXPECT_EQ(read(T3_REG_CTRL), 0x000a'551au);
}

TEST(Driver, ASlotThatWaitsIsNotArmed) {
  Driven driven(kTinyUnit);
  const t3_tracker* unit = &driven.unit;
  bool ready = false;
  driven.bench.dmaReady = driven.bench.releaseReady = [&ready] { return ready; };
  ASSERT_EQ(t3_kernel_first(unit, &driven.kernel), T3_OK);
  driven.contribute();
  driven.contribute();
  driven.bench.ticks(8000);
  ASSERT_TRUE(driven.bench.lanesEmpty());
  EXPECT_EQ(t3_tracker_status(unit), T3_STATUS_QUEUED_MASK | T3_STATUS_RELEASES_MASK);
  EXPECT_EQ(t3_tracker_wait_quiet(unit, 20), T3_TIMEOUT);
  EXPECT_EQ(t3_tracker_arm_command(unit, 5, 1), T3_WAITS);
  EXPECT_EQ(t3_tracker_arm_row(unit, 9, 1), T3_WAITS);
  EXPECT_EQ(t3_tracker_arm_command(unit, 5, 0), T3_OK) << "zero arms nothing";
  EXPECT_EQ(t3_kernel_again(unit, &driven.kernel, 2), T3_TIMEOUT);
  ready = true;
  ASSERT_TRUE(driven.bench.drain());
  expectKernel(driven);
  EXPECT_EQ(t3_tracker_arm_command(unit, 5, 1), T3_OK);
  EXPECT_EQ(t3_tracker_arm_row(unit, 9, 1), T3_OK);
  EXPECT_EQ(t3_tracker_errors(unit), 0u) << "nothing was armed early";
}

TEST(Driver, AClearThatLastsTooLongIsATimeout) {
  Driven driven(kDefaultUnit);
  EXPECT_EQ(t3_tracker_clear(&driven.unit, 2), T3_TIMEOUT);
  EXPECT_EQ(t3_tracker_wait_clear(&driven.unit, kPolls), T3_OK);
}

TEST(Driver, ALockedUnitIsLeftAlone) {
  Driven driven(kTinyUnit);
  const t3_tracker* unit = &driven.unit;
  t3_geometry geometry{};
  geometry.tiles_across = geometry.tiles_down = geometry.wavefronts = 1;
  t3_region region{};
  region.address_last = 4095;
  region.updates = 1;
  t3_tracker_lock(unit, true);
  EXPECT_TRUE(t3_tracker_locked(unit));
  driven.writes = 0;
  EXPECT_EQ(t3_tracker_clear(unit, kPolls), T3_LOCKED);
  EXPECT_EQ(t3_tracker_start(unit), T3_LOCKED);
  EXPECT_EQ(t3_tracker_stop(unit), T3_LOCKED);
  EXPECT_EQ(t3_tracker_set_epoch(unit, 0, 1), T3_LOCKED);
  EXPECT_EQ(t3_tracker_set_geometry(unit, 0, &geometry), T3_LOCKED);
  EXPECT_EQ(t3_tracker_set_region(unit, 0, &region), T3_LOCKED);
  EXPECT_EQ(t3_tracker_restart_region(unit, 0), T3_LOCKED);
  EXPECT_EQ(t3_tracker_disable_region(unit, 0), T3_LOCKED);
  EXPECT_EQ(t3_tracker_arm_command(unit, 0, 1), T3_LOCKED);
  EXPECT_EQ(t3_tracker_arm_row(unit, 0, 1), T3_LOCKED);
  EXPECT_EQ(driven.writes, 0u);
  t3_tracker_lock(unit, false);
  EXPECT_EQ(t3_tracker_start(unit), T3_OK);
}

TEST(Driver, ErrorsAndInterruptsAreToldAndForgotten) {
  Driven driven(kDefaultUnit);
  const t3_tracker* unit = &driven.unit;
  ASSERT_EQ(t3_kernel_first(unit, &driven.kernel), T3_OK);
  t3_error error{};
  EXPECT_FALSE(t3_tracker_first_error(unit, &error));
  t3_tracker_enable_interrupts(unit, T3_IRQ_STATUS_ERROR_MASK);
  EXPECT_EQ(t3_tracker_take_interrupts(unit), 0u);
  driven.bench.lanes[0].push_back({13, 5, kBase + 0x1'3640, 0});
  driven.bench.lanes[0].push_back({14, 6, kBase - 4096, 200});
  ASSERT_TRUE(driven.bench.drain());
  EXPECT_EQ(t3_tracker_errors(unit), 0u) << "outside the region nobody cares";
  driven.bench.lanes[0].push_back({13, 5, kBase + 0x3640, 0});
  driven.bench.lanes[0].push_back({14, 6, kBase, 200});
  ASSERT_TRUE(driven.bench.drain());
  EXPECT_TRUE(driven.bench.model->irq_o);
  EXPECT_EQ(t3_tracker_errors(unit), T3_ERRORS_BYTES_MASK);
  EXPECT_EQ(t3_tracker_error_count(unit, kBytes), 2u);
  EXPECT_EQ(t3_tracker_error_count(unit, kStray), 0u);
  EXPECT_EQ(t3_tracker_error_count(unit, kDamaged), 0u);
  EXPECT_EQ(t3_tracker_error_count(unit, kDamaged + 1), 0u);
  ASSERT_TRUE(t3_tracker_first_error(unit, &error));
  EXPECT_EQ(error.cause, kBytes);
  EXPECT_EQ(error.region, 0u);
  EXPECT_EQ(error.workgroup, 13u);
  EXPECT_EQ(error.wavefront, 5u);
  EXPECT_EQ(error.address, kBase + 0x3640);
  t3_tracker_forget_errors(unit);
  EXPECT_EQ(t3_tracker_errors(unit), 0u);
  EXPECT_FALSE(t3_tracker_first_error(unit, &error));
  EXPECT_EQ(t3_tracker_take_interrupts(unit), T3_IRQ_STATUS_ERROR_MASK);
  EXPECT_EQ(t3_tracker_take_interrupts(unit), 0u);
  EXPECT_FALSE(driven.bench.model->irq_o);
}

}  // namespace
}  // namespace t3::rtl_test
