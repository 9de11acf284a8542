// SPDX-License-Identifier: Apache-2.0
// Method: errors of producers, memory and software, to the RTL and to the twin at once. The same
// random steps to both, each of which ends before the next one begins; after each step both have
// reported the same errors with the same first place, and said the same.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/seed.h"
#include "tests/tlm/tracker/tracker_bench.h"
#include "tlm/tracker/make_tracker.h"
#include "tlm/tracker/registers.h"

namespace {

using namespace t3;
using namespace t3::test;

namespace r = registers;

constexpr std::uint64_t kBase = 0x1000'0000;
constexpr std::uint32_t kCauses = 12;
/// Records of workgroups from 64 on are beyond the end of the address space.
constexpr std::uint64_t kLastRecords = (std::uint64_t{1} << 48) - 64ULL * 8 * 32;
constexpr std::uint32_t kBytes = 100;

TrackerBench::Maker maker(TrackerKind kind) {
  return [kind](const TrackerConfig& config) { return makeTracker("tracker", kind, config); };
}

class ErrorsTest : public testing::Test {
 protected:
  static TrackerConfig smallTable() {
    TrackerConfig config;
    config.sets_per_bank = 2;
    config.ways = 1;
    return config;
  }

  void SetUp() override {
    const Tiling column(64 * 256, 64, 2, 64, 64, 1, 1);  // 256 tiles
    for (TrackerBench* b : both) {
      for (std::uint32_t g = 0; g < 2; ++g) {
        b->programGeometry(g, column, 7, g == 0 ? TrackerBench::kSpillBase : kLastRecords);
        for (std::uint32_t tileClass = 0; tileClass < 4; ++tileClass) {
          for (std::uint32_t wf = 0; wf < 8; ++wf)
            b->write(r::geometry(g) + r::expected(tileClass, wf), kBytes);
        }
      }
      for (std::uint32_t region = 0; region < 2; ++region) {
        b->programRegion(
            region,
            {.firstWorkgroup = 0,
             .lastWorkgroup = 255,
             .firstAddress = kBase + region * 0x100'0000,
             .lastAddress = kBase + region * 0x100'0000 + 0xff'ffff,
             .updates = 1,
             .notify = true,
             .geometry = region,
             .firstCommand = region * 256,
             // A row is a tile here. Tiles of both regions count for some of the slots.
             .firstRow = region == 0 ? 44U : 0U},
            column);
      }
      b->enable();
    }
  }

  void touch(std::uint32_t region, std::uint32_t wg, std::uint32_t bytes) {
    for (TrackerBench* b : both) {
      b->report({.lane = wg % 8,
                 .workgroup = wg,
                 .wavefront = 0,
                 .address = kBase + region * 0x100'0000 + wg * 0x1000,
                 .bytes = bytes,
                 .when = b->in(1)});
    }
    settle();
  }
  /// The same write to both, with the same response.
  bool write(std::uint32_t address, std::uint32_t value) {
    const bool ok = rtl.tryWrite(address, value);
    EXPECT_EQ(twin.tryWrite(address, value), ok) << std::hex << address;
    settle();
    return ok;
  }
  void settle() { rtl.run(400); }

  void expectSame() {
    const auto same = [this](std::uint32_t address) {
      ASSERT_EQ(rtl.read(address), twin.read(address)) << "register 0x" << std::hex << address;
    };
    for (const std::uint32_t address :
         {r::kErrors,    r::kErrorFirst, r::kErrorAddressLo, r::kErrorAddressHi,
          r::kIrqStatus, r::kLive,       r::kQueued,         r::kLock,
          r::kUpdates,   r::kUntracked,  r::kCompleted,      r::kTriggers,
          r::kTaken,     r::kReleases,   r::kReleasesQueued, r::kNotifications,
          r::kEvictions, r::kFills,      r::kOverrun,        r::kStray}) {
      same(address);
    }
    for (std::uint32_t cause = 0; cause < kCauses; ++cause) same(r::errorCount(cause));
    same(r::kDamaged);
    same(r::kCorrected);
    ASSERT_EQ(rtl.commands.size(), twin.commands.size());
    ASSERT_EQ(rtl.notifications.size(), twin.notifications.size());
    ASSERT_EQ(rtl.releases.size(), twin.releases.size());
    for (std::size_t i = 0; i < rtl.releases.size(); ++i)
      ASSERT_EQ(rtl.releases[i].slot, twin.releases[i].slot);
    for (std::size_t i = 0; i < rtl.commands.size(); ++i) {
      ASSERT_EQ(rtl.commands[i].message.command, twin.commands[i].message.command);
      ASSERT_EQ(rtl.commands[i].message.workgroup, twin.commands[i].message.workgroup);
    }
    for (std::size_t i = 0; i < rtl.notifications.size(); ++i) {
      ASSERT_EQ(rtl.notifications[i].message.command, twin.notifications[i].message.command);
      ASSERT_EQ(rtl.notifications[i].message.address, twin.notifications[i].message.address);
    }
  }

  TrackerBench rtl{"rtl", smallTable(), maker(TrackerKind::Rtl)};
  TrackerBench twin{"twin", smallTable(), maker(TrackerKind::Model)};
  const std::array<TrackerBench*, 2> both{&rtl, &twin};
};

TEST_F(ErrorsTest, TheTwinReportsWhatTheRtlReports) {
  std::mt19937_64 random(seed(91));
  const auto below = [&random](std::uint64_t n) {
    return static_cast<std::uint32_t>(random() % n);
  };
  bool dmaBusy = false, releaseBusy = false;
  for (TrackerBench* b : both) {
    b->dmaBusy = [&dmaBusy] { return dmaBusy ? Picoseconds{150'000'000} : Picoseconds{0}; };
    b->releaseBusy = [&releaseBusy] {
      return releaseBusy ? Picoseconds{150'000'000} : Picoseconds{0};
    };
  }
  for (int step = 0; step < 6000; ++step) {
    // Sixteen tiles of two sets; in region 1 half of them without a place for a record.
    const std::uint32_t region = below(4) == 0 ? 1 : 0;
    const std::uint32_t wg = (region == 0 ? 0 : 32) + 8 * below(8) + below(2);
    switch (below(16)) {
      case 0:
      case 5:
      case 6: {
        const bool arm = below(4) != 0;
        write(r::command(region * 256 + wg), arm ? 1 + below(2) : 0);
        break;
      }
      case 1:
        dmaBusy = below(3) != 0;
        releaseBusy = below(3) != 0;
        break;
      case 7:
      case 8: {
        const std::uint32_t slot = (wg + (region == 0 ? 44 : 0)) % 256;
        write(r::row(slot), below(4) != 0 ? 1 + below(2) : 0);
        ASSERT_EQ(rtl.read(r::row(slot)), twin.read(r::row(slot)));
        break;
      }
      case 2: {
        // A bit of a record turns over.
        const std::uint64_t address = TrackerBench::kSpillBase + wg * 8 * 32;
        const std::uint32_t bit = 43 + below(85);
        for (TrackerBench* b : both)
          b->record(address)[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
        break;
      }
      case 3:
        write(r::kLock, below(6) == 0 ? 1 : 0);
        write(r::region(7) + r::kRegTarget, below(100));
        break;
      case 4:
        write(r::kErrors, below(1U << kCauses));
        if (below(2) == 0) write(r::kErrorFirst, r::kErrorFirstValid);
        write(r::kIrqStatus, below(32));
        break;
      default:
        if (below(8) == 0) write(r::kLock, 0);
        touch(region, wg, below(5) != 0 ? 50 : 1 + below(kBytes));
    }
    expectSame();
    if (HasFatalFailure()) FAIL() << "in step " << step;
  }
  dmaBusy = releaseBusy = false;
  rtl.run(400'000);
  expectSame();
  for (const std::uint32_t error :
       {r::kErrorsOverrun, r::kErrorsStray, r::kErrorsArmedEarly, r::kErrorsBadRecord,
        r::kErrorsWrapped, r::kErrorsLocked, r::kErrorsStrayRow, r::kErrorsRowArmedEarly}) {
    std::uint32_t cause = 0;
    while (1U << cause != error) ++cause;
    EXPECT_GT(rtl.read(r::errorCount(cause)), 5U) << "cause " << cause << " hardly occurred";
  }
}

TEST_F(ErrorsTest, ASlotCannotBeArmedWhileItsCommandWaits) {
  for (TrackerBench* b : both) {
    b->dmaBusy = [] { return Picoseconds{50'000'000}; };
    for (const std::uint32_t row : {45U, 46U}) b->write(r::row(row), 1);
  }
  for (std::uint32_t wg : {1U, 2U}) touch(0, wg, kBytes);
  EXPECT_EQ(rtl.read(r::kQueued), 1U) << "the DMA engine has the other one";
  EXPECT_EQ(rtl.read(r::command(2)), r::kCommandWaits);
  EXPECT_EQ(twin.read(r::command(2)), r::kCommandWaits);
  EXPECT_TRUE(write(r::command(1), 1));
  EXPECT_FALSE(write(r::command(2), 1));
  EXPECT_EQ(rtl.read(r::kErrors), r::kErrorsArmedEarly);
  EXPECT_EQ(rtl.read(r::kErrorAddressLo), 2U * 32);
  expectSame();
  rtl.run(200'000);
  EXPECT_TRUE(write(r::command(2), 1));
  EXPECT_EQ(rtl.read64(r::kTaken), 2U);
  expectSame();
}

}  // namespace
