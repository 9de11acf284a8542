// SPDX-License-Identifier: Apache-2.0
// Method: errors of producers and software, to the RTL and to the twin at once. The same random
// steps to both, each of which ends before the next one begins; after each step both have reported
// the same errors with the same first place, hold the same slots, and have said the same.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "tests/support/seed.h"
#include "tests/tlm/tracker/tracker_bench.h"
#include "tlm/tracker/make_tracker.h"
#include "tlm/tracker/registers.h"

namespace t3::error_test {
namespace {

using namespace t3::test;

namespace r = registers;

constexpr std::uint64_t kBase = 0x1000'0000;
constexpr std::uint32_t kCauses = 11;
constexpr std::uint32_t kBytes = 100;
constexpr std::uint32_t kRegions = 3;
/// Workgroups of a region, and its slots and rows. The last workgroups have no slot.
constexpr std::uint32_t kWorkgroups = 12, kSlots = 10;

TrackerBench::Maker maker(TrackerKind kind) {
  return [kind](const TrackerConfig& config) { return makeTracker("tracker", kind, config); };
}

class ErrorsTest : public testing::Test {
 protected:
  /// Slots of two regions overlap, and so do rows; the rows of the last one end beyond the last
  /// row.
  static std::uint32_t firstSlot(std::uint32_t region) { return 40 + 6 * region; }
  static std::uint32_t firstRow(std::uint32_t region) { return region == 2 ? 250 : 30 + region; }

  void SetUp() override {
    for (TrackerBench* b : both) {
      for (std::uint32_t region = 0; region < kRegions; ++region) {
        const std::uint64_t first = kBase + region * 0x100'0000;
        b->setWindow(region, first, first + 0xff'ffff);
        b->program(region, {.lastWorkgroup = kWorkgroups - 1,
                            .window = region,
                            .firstSlot = firstSlot(region),
                            .trigger = region != 1,
                            .target = 5,
                            .firstRow = firstRow(region)});
        b->write(r::region(region) + r::kRegSlotLast, firstSlot(region) + kSlots - 1);
        b->setState(region, TrackerBench::kOn);
      }
      b->enable();
    }
  }

  void touch(std::uint32_t region, std::uint32_t wg, std::uint32_t bytes) {
    for (TrackerBench* b : both) {
      b->report({.lane = wg % 8,
                 .workgroup = wg,
                 .wavefront = wg % 3,
                 .address = kBase + region * 0x100'0000,
                 .bytes = bytes,
                 .when = b->in(1)});
    }
    settle();
  }
  /// The same write to both, with the same response.
  bool write(std::uint32_t address, std::uint32_t value, bool privileged = true) {
    const bool ok = rtl.tryWrite(address, value, 0xf, privileged);
    EXPECT_EQ(twin.tryWrite(address, value, 0xf, privileged), ok)
        << std::hex << address << " = " << value;
    settle();
    return ok;
  }
  void settle() { rtl.run(100); }

  void expectSame() {
    const auto same = [this](std::uint32_t address) {
      ASSERT_EQ(rtl.read(address), twin.read(address)) << "register 0x" << std::hex << address;
    };
    for (const std::uint32_t address :
         {r::kErrors, r::kErrorFirst, r::kErrorInfo, r::kIrqStatus, r::kRegionDone, r::kLock,
          r::kUpdates, r::kUntracked, r::kDropped, r::kCompleted, r::kTriggers, r::kTaken,
          r::kReleased, r::kCorrected, r::kStatus}) {
      same(address);
    }
    for (std::uint32_t cause = 0; cause < kCauses; ++cause) same(r::errorCount(cause));
    for (std::uint32_t region = 0; region < kRegions; ++region) {
      same(r::region(region) + r::kRegState);
      same(r::region(region) + r::kRegDone);
      same(r::row(firstRow(region) + 2));
    }
    for (std::uint32_t slot = firstSlot(0); slot < firstSlot(2) + kSlots; ++slot) {
      same(r::slot(slot));
    }
    ASSERT_EQ(rtl.commands.size(), twin.commands.size());
    ASSERT_EQ(rtl.releases.size(), twin.releases.size());
    for (std::size_t i = 0; i < rtl.releases.size(); ++i)
      ASSERT_EQ(rtl.releases[i].slot, twin.releases[i].slot);
    for (std::size_t i = 0; i < rtl.commands.size(); ++i) {
      ASSERT_EQ(rtl.commands[i].message.command, twin.commands[i].message.command);
      ASSERT_EQ(rtl.commands[i].message.spoiled, twin.commands[i].message.spoiled);
    }
  }

  TrackerBench rtl{"rtl", {}, maker(TrackerKind::Rtl)};
  TrackerBench twin{"twin", {}, maker(TrackerKind::Model)};
  const std::array<TrackerBench*, 2> both{&rtl, &twin};
};

TEST_F(ErrorsTest, TheTwinReportsWhatTheRtlReports) {
  std::mt19937_64 random(seed(91));
  const auto below = [&random](std::uint64_t n) {
    return static_cast<std::uint32_t>(random() % n);
  };
  bool dmaBusy = false, releaseBusy = false;
  for (TrackerBench* b : both) {
    b->dmaBusy = [&dmaBusy] { return dmaBusy ? Picoseconds{15'000'000} : Picoseconds{0}; };
    b->releaseBusy = [&releaseBusy] {
      return releaseBusy ? Picoseconds{15'000'000} : Picoseconds{0};
    };
  }
  for (int step = 0; step < 6000; ++step) {
    const std::uint32_t region = below(kRegions);
    const std::uint32_t wg = below(kWorkgroups);
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
        write(r::slot(firstSlot(region) + below(kSlots)), below(4) != 0 ? kBytes : 0);
        break;
      case 3:
        write(r::row(firstRow(region) + below(6)), below(4) != 0 ? 1 + below(2) : 0);
        break;
      case 4:
        dmaBusy = below(3) != 0;
        releaseBusy = below(3) != 0;
        break;
      case 5:
        write(r::kLock, below(6) == 0 ? below(4) : 0, below(2) == 0);
        write(r::region(7) + r::kRegTarget, below(100));
        break;
      case 6:
        write(r::kErrors, below(1U << kCauses));
        if (below(2) == 0) write(r::kErrorFirst, r::kErrorFirstValid);
        write(r::kIrqStatus, below(4));
        write(r::kRegionDone, below(8));
        if (below(2) == 0) write(r::region(region) + r::kRegDone, 0);
        break;
      case 7:
        write(r::region(region) + r::kRegState, below(3) == 0 ? below(4) : 1);
        break;
      case 8:
        write(r::kFill, region << r::kFillRegionShift | (below(2) == 0 ? kBytes : 0));
        break;
      case 9:
        write(r::window(region) + r::kWindowPageHigh, 0);  // as it is
        write(r::region(region) + r::kRegRowPhase, 0);     // as it is
        break;
      default:
        if (below(8) == 0) write(r::kLock, 0);
        if (below(20) == 0) write(r::region(region) + r::kRegState, 1);
        touch(region, wg, below(5) != 0 ? kBytes / 2 : 1 + below(kBytes));
    }
    expectSame();
    if (HasFatalFailure()) FAIL() << "in step " << step;
  }
  dmaBusy = releaseBusy = false;
  rtl.run(40'000);
  expectSame();
  for (const std::uint32_t error : {r::kErrorsOverrun, r::kErrorsStray, r::kErrorsOutside,
                                    r::kErrorsRowStray, r::kErrorsRowOutside, r::kErrorsArmedEarly,
                                    r::kErrorsRowArmedEarly, r::kErrorsInUse, r::kErrorsLocked}) {
    std::uint32_t cause = 0;
    while (1U << cause != error) ++cause;
    EXPECT_GT(rtl.read(r::errorCount(cause)), 5U) << "cause " << cause << " hardly occurred";
  }
}

}  // namespace
}  // namespace t3::error_test
