// SPDX-License-Identifier: Apache-2.0
// Method: the register file by itself, with every event and every counter's value driven from
// here: meetings of software and hardware in one cycle, and counts that nobody waits for (the
// counts of DONE are loaded, poke.vlt makes them writable in this model).
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "Vregs.h"
#include "Vregs___024root.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"
#include "tests/rtl/track_trigger_bench.h"
#include "tlm/tracker/registers.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;

class RegisterFile : public testing::Test {
 public:
  void edge() { unit_.edge(); }
  /// Writes in one cycle, together with whatever events the test has raised.
  void write(std::uint32_t address, std::uint32_t data) {
    m.wr_valid_i = 1;
    m.wr_addr_i = static_cast<SData>(address);
    m.wr_data_i = data;
    m.eval();
    EXPECT_TRUE(m.wr_done_o);
    EXPECT_FALSE(m.wr_error_o);
    edge();
    m.wr_valid_i = 0;
    m.eval();
  }
  std::uint32_t read(std::uint32_t address) {
    m.rd_valid_i = 1;
    m.rd_addr_i = static_cast<SData>(address);
    m.eval();
    EXPECT_TRUE(m.rd_done_o);
    EXPECT_FALSE(m.rd_error_o);
    const std::uint32_t data = m.rd_data_o;
    edge();
    m.rd_valid_i = 0;
    m.eval();
    return data;
  }

 private:
  Clocked<Vregs> unit_;

 public:
  Vregs& m = unit_.model;
};

constexpr std::uint32_t kRegions = 8;

TEST_F(RegisterFile, BothWordsOfEveryCounterAreOfOneMoment) {
  Random random(testSeed(61));
  const std::vector<std::pair<std::uint32_t, QData*>> counters = {
      {r::kUpdates, &m.updates_i},
      {r::kUntracked, &m.untracked_i},
      {r::kCompleted, &m.completed_i},
      {r::kTriggers, &m.triggers_i},
      {r::kNotifications, &m.notifications_i},
      {r::kStalls, &m.stalls_i},
      {r::kEvictions, &m.evictions_i},
      {r::kFills, &m.fills_i},
      {r::kOverrun, &m.overrun_i},
      {r::kStray, &m.stray_i},
      {r::kTaken, &m.taken_i},
      {r::kReleases, &m.releases_i},
      {r::kCorrected, &m.corrected_i},
      {r::kStallsSpill, &m.stalls_spill_i},
      {r::kStallsClosed, &m.stalls_closed_i}};
  for (int round = 0; round < 20; ++round) {
    for (const auto& [address, input] : counters) {
      for (const auto& [other, value] : counters)
        *value = std::uint64_t{random.below(1ull << 32)} << 32 | random.below(1ull << 32);
      const std::uint64_t then = *input;
      EXPECT_EQ(read(address), static_cast<std::uint32_t>(then)) << std::hex << address;
      *input = ~then;  // it counts on
      EXPECT_EQ(read(address + 4), static_cast<std::uint32_t>(then >> 32)) << std::hex << address;
    }
  }
}

TEST_F(RegisterFile, LiveAndPeakAreReadWithAllTheirBits) {
  for (std::uint32_t bit = 0; bit < 19; ++bit) {
    m.live_i = 1u << bit;
    m.peak_i = 0x7ffff ^ 1u << bit;
    EXPECT_EQ(read(r::kLive), m.live_i);
    EXPECT_EQ(read(r::kPeak), m.peak_i);
    EXPECT_EQ(read(r::kStatus), r::kStatusLive);
    m.queued_i = static_cast<SData>(1u << bit % 13);
    m.waiting_i = static_cast<CData>(1u << bit % 8);
    EXPECT_EQ(read(r::kQueued), m.queued_i);
    EXPECT_EQ(read(r::kLanesWaiting), m.waiting_i);
    EXPECT_EQ(read(r::kStatus), r::kStatusLive | r::kStatusQueued | r::kStatusWaiting);
    m.queued_i = m.waiting_i = 0;
    m.releases_queued_i = static_cast<SData>(1u << bit % 9);
    EXPECT_EQ(read(r::kReleasesQueued), m.releases_queued_i);
    EXPECT_EQ(read(r::kStatus), r::kStatusLive | r::kStatusReleases);
    m.releases_queued_i = 0;
  }
  m.live_i = 0;
  EXPECT_EQ(read(r::kStatus), 0u);
  m.busy_i = 1;
  EXPECT_EQ(read(r::kStatus), r::kStatusBusy);
}

TEST_F(RegisterFile, ErrorsAreReadWithAllTheirBitsAndForgottenOneByOne) {
  Random random(testSeed(62));
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t region = random.below(8), wg = random.below(1u << 16), wf = random.below(8),
                        cause = random.below(16), errors = random.below(1u << kCauses);
    const std::uint64_t granule =
        std::uint64_t{random.below(1u << 22)} << 21 | random.below(1u << 21);
    setBits(m.error_tile_i, 0, 43, granule);
    setBits(m.error_tile_i, 43, 3, wf);
    setBits(m.error_tile_i, 46, 16, wg);
    setBits(m.error_tile_i, 62, 3, region);
    m.error_cause_i = static_cast<CData>(cause);
    m.errors_i = static_cast<SData>(errors);
    for (std::uint32_t c = 0; c < kCauses; ++c) setBits(m.error_counts_i, 8 * c, 8, wg ^ c << 5);
    m.error_first_i = 1;
    EXPECT_EQ(read(r::kErrors), errors);
    EXPECT_EQ(read(r::kErrorFirst), r::kErrorFirstValid | cause << r::kErrorFirstCauseShift |
                                        region << r::kErrorFirstRegionShift |
                                        wf << r::kErrorFirstWfShift | wg);
    EXPECT_EQ(read(r::kErrorAddressLo), static_cast<std::uint32_t>(granule * 32));
    EXPECT_EQ(read(r::kErrorAddressHi), granule * 32 >> 32);
    for (std::uint32_t c = 0; c < kCauses; ++c)
      EXPECT_EQ(read(errorCountOf(c)), (wg ^ c << 5) & 0xff);
    m.error_first_i = 0;
    EXPECT_EQ(read(r::kErrorFirst), 0u);
    EXPECT_EQ(read(r::kErrorAddressLo) | read(r::kErrorAddressHi), 0u);
  }
  const auto during = [this](std::uint32_t address, std::uint32_t data) {
    m.wr_valid_i = 1;
    m.wr_addr_i = static_cast<SData>(address);
    m.wr_data_i = data;
    m.eval();
    const std::pair<std::uint32_t, bool> said = {m.error_forget_o, m.error_rearm_o != 0};
    m.wr_valid_i = 0;
    m.eval();
    return said;
  };
  using Said = std::pair<std::uint32_t, bool>;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    EXPECT_EQ(during(r::kErrors, 1u << bit), Said(bit < kCauses ? 1u << bit : 0, false));
    EXPECT_EQ(during(r::kErrorFirst, 1u << bit), Said(0, bit == 31));
    EXPECT_EQ(during(r::kIrqStatus, 1u << bit), Said(0, false));
  }
}

TEST_F(RegisterFile, AnEventWinsOverItsClearInTheSameCycle) {
  for (std::uint32_t bit = 1; bit < 5; ++bit) {
    const std::uint32_t mask = 1u << bit;
    for (int again = 0; again < 2; ++again) {
      m.overrun_event_i = mask == r::kIrqStatusOverrun;
      m.stray_event_i = mask == r::kIrqStatusStray;
      m.spill_event_i = mask == r::kIrqStatusSpill;
      m.error_event_i = mask == r::kIrqStatusError;
      write(r::kIrqStatus, 0x1f);
      m.overrun_event_i = m.stray_event_i = m.spill_event_i = m.error_event_i = 0;
      EXPECT_EQ(read(r::kIrqStatus), mask);
    }
    write(r::kIrqStatus, ~mask);
    EXPECT_EQ(read(r::kIrqStatus), mask) << "other bits clear nothing";
    write(r::kIrqStatus, mask);
    EXPECT_EQ(read(r::kIrqStatus), 0u);
  }
}

TEST_F(RegisterFile, ARegionThatIsDoneWinsOverItsClearInTheSameCycle) {
  for (std::uint32_t region = 0; region < kRegions; ++region) {
    write(r::region(region) + r::kRegTarget, 1);
    m.issued_i = 1;
    m.issued_region_i = static_cast<CData>(region);
    write(r::kRegionDone, 0xff);
    m.issued_i = 0;
    EXPECT_EQ(read(r::kRegionDone), 1u << region);
    EXPECT_EQ(read(r::kIrqStatus), r::kIrqStatusRegionDone);
    // The other one of the pair: IRQ_STATUS is cleared in the cycle of the event.
    write(r::region(region) + r::kRegTarget, 2);
    m.issued_i = 1;
    write(r::kIrqStatus, 0x1f);
    m.issued_i = 0;
    EXPECT_EQ(read(r::kIrqStatus), r::kIrqStatusRegionDone);
    EXPECT_EQ(read(r::region(region) + r::kRegDone), 2u);
    write(r::kRegionDone, 1u << region);
    write(r::kIrqStatus, 0x1f);
    EXPECT_EQ(read(r::kRegionDone), 0u);
  }
}

TEST_F(RegisterFile, EventsOfOneCycleAreAllKept) {
  for (std::uint32_t events = 0; events < 32; ++events) {
    write(r::region(1) + r::kRegCtrl, 1);  // DONE starts again
    write(r::region(1) + r::kRegTarget, 1);
    m.issued_i = (events & r::kIrqStatusRegionDone) != 0;
    m.issued_region_i = 1;
    m.overrun_event_i = (events & r::kIrqStatusOverrun) != 0;
    m.stray_event_i = (events & r::kIrqStatusStray) != 0;
    m.spill_event_i = (events & r::kIrqStatusSpill) != 0;
    m.error_event_i = (events & r::kIrqStatusError) != 0;
    edge();
    m.issued_i = m.overrun_event_i = m.stray_event_i = m.spill_event_i = m.error_event_i = 0;
    EXPECT_EQ(read(r::kIrqStatus), events);
    write(r::kIrqStatus, 0x1f);
    EXPECT_EQ(read(r::kIrqStatus), 0u);
  }
}

TEST_F(RegisterFile, EveryBitOfIrqEnableLetsItsEventThrough) {
  for (std::uint32_t enable = 0; enable < 32; ++enable) {
    write(r::kIrqEnable, enable);
    for (std::uint32_t bit = 1; bit < 5; ++bit) {
      m.overrun_event_i = bit == 1;
      m.stray_event_i = bit == 2;
      m.spill_event_i = bit == 3;
      m.error_event_i = bit == 4;
      edge();
      m.overrun_event_i = m.stray_event_i = m.spill_event_i = m.error_event_i = 0;
      edge();
      EXPECT_EQ(m.irq_o != 0, (enable >> bit & 1) != 0);
      write(r::kIrqStatus, 0x1f);
      edge();
      EXPECT_FALSE(m.irq_o);
    }
  }
}

TEST_F(RegisterFile, DoneCountsWithAllItsBitsAndRegionDoneComparesThemAll) {
  for (std::uint32_t region = 0; region < kRegions; ++region) {
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      const std::uint32_t target = 1u << bit;
      write(r::region(region) + r::kRegTarget, target);
      setBits(m.rootp->t3_regs__DOT__reg_done_q, region * 32, 32, target - 1);
      m.issued_i = 1;
      m.issued_region_i = static_cast<CData>(region);
      edge();
      m.issued_i = 0;
      ASSERT_EQ(read(r::region(region) + r::kRegDone), target);
      ASSERT_EQ(read(r::kRegionDone), 1u << region);
      write(r::kRegionDone, 0xff);
      // One bit beside the target is not the target.
      setBits(m.rootp->t3_regs__DOT__reg_done_q, region * 32, 32, (target ^ target << 1) - 1);
      if (bit == 31) continue;
      m.issued_i = 1;
      edge();
      m.issued_i = 0;
      ASSERT_EQ(read(r::kRegionDone), 0u);
    }
    for (std::uint32_t other = 0; other < kRegions; ++other) {
      if (other > region) {
        EXPECT_EQ(read(r::region(other) + r::kRegDone), 0u);
      }
    }
  }
}

/// A command of the region's life before: it is not counted, does not end the new one, and is
/// reported.
TEST_F(RegisterFile, ARestartInTheCycleOfAnIssueCountsNothingAndIsReported) {
  for (std::uint32_t region = 0; region < kRegions; ++region) {
    write(r::region(region) + r::kRegTarget, 1);
    m.issued_i = 1;
    m.issued_region_i = static_cast<CData>(region);
    m.wr_valid_i = 1;
    m.wr_data_i = 1;
    for (std::uint32_t other = 0; other < kRegions; ++other) {
      m.wr_addr_i = static_cast<SData>(r::region(other) + r::kRegCtrl);
      m.eval();
      EXPECT_EQ(m.restarted_o != 0, other == region);
      m.wr_addr_i = static_cast<SData>(r::region(other) + r::kRegCmdBase);
      m.eval();
      EXPECT_FALSE(m.restarted_o);
    }
    m.wr_valid_i = 0;
    m.eval();
    EXPECT_FALSE(m.restarted_o);
    write(r::region(region) + r::kRegCtrl, 1);
    m.issued_i = 0;
    EXPECT_EQ(read(r::region(region) + r::kRegDone), 0u);
    EXPECT_EQ(read(r::kRegionDone), 0u);
    EXPECT_EQ(read(r::kIrqStatus), 0u);
    m.wr_valid_i = 1;
    m.wr_addr_i = static_cast<SData>(r::region(region) + r::kRegCtrl);
    m.eval();
    EXPECT_FALSE(m.restarted_o) << "no command in this cycle";
    m.wr_valid_i = 0;
  }
}

TEST_F(RegisterFile, WhileItIsLockedConfigurationKeepsItsValuesAndEveryWriteToItIsReported) {
  write(r::geometry(1) + r::kGeoEpoch, 7);
  write(r::region(2) + r::kRegTarget, 9);
  write(r::kLock, r::kLockLocked);
  EXPECT_EQ(read(r::kLock), r::kLockLocked);
  const auto refused = [this](std::uint32_t address) {
    m.wr_valid_i = 1;
    m.wr_addr_i = static_cast<SData>(address);
    m.wr_data_i = 0x3;
    m.eval();
    const bool said = m.locked_o != 0;
    EXPECT_EQ(m.wr_error_o != 0, said);
    EXPECT_TRUE(m.wr_done_o) << "a refused write waits for nothing";
    EXPECT_FALSE(said && (m.sw_wr_valid_o || m.row_wr_valid_o || m.clear_start_o));
    edge();
    m.wr_valid_i = 0;
    m.eval();
    EXPECT_FALSE(m.locked_o);
    return said;
  };
  for (const std::uint32_t address :
       {r::kCtrl, r::geometry(0), r::geometry(1) + r::kGeoEpoch, r::region(0) + r::kRegCtrl,
        r::region(2) + r::kRegTarget, r::region(2) + r::kRegRelease, r::row(0), r::row(255),
        r::command(0), r::command(4095)}) {
    EXPECT_TRUE(refused(address)) << std::hex << address;
  }
  EXPECT_EQ(read(r::geometry(1) + r::kGeoEpoch), 7u);
  EXPECT_EQ(read(r::region(2) + r::kRegTarget), 9u);
  EXPECT_EQ(read(r::kCtrl), 0u);
  for (const std::uint32_t address :
       {r::kIrqStatus, r::kIrqEnable, r::kRegionDone, r::kErrors, r::kErrorFirst}) {
    EXPECT_FALSE(refused(address)) << std::hex << address;
  }
  EXPECT_EQ(read(r::kIrqEnable), 3u);
  write(r::kLock, 0);
  EXPECT_FALSE(refused(r::kCtrl));
  EXPECT_EQ(read(r::kCtrl), 1u);
}

TEST_F(RegisterFile, ARestartWinsOverACommandOfItsRegionAndNotOverAnothers) {
  m.issued_i = 1;
  m.issued_region_i = 2;
  edge();
  EXPECT_EQ(read(r::region(2) + r::kRegDone), 1u);  // counts the cycle of the read, too
  m.issued_region_i = 5;
  write(r::region(2) + r::kRegCtrl, 1);
  m.issued_i = 0;
  EXPECT_EQ(read(r::region(2) + r::kRegDone), 0u);
  EXPECT_EQ(read(r::region(5) + r::kRegDone), 1u);
  m.issued_i = 1;
  write(r::region(5) + r::kRegCtrl, 1);
  m.issued_i = 0;
  EXPECT_EQ(read(r::region(5) + r::kRegDone), 0u);
  // Other registers of the region leave the count alone.
  m.issued_i = 1;
  edge();
  m.issued_i = 0;
  write(r::region(5) + r::kRegCmdBase, 7);
  EXPECT_EQ(read(r::region(5) + r::kRegDone), 1u);
}

TEST_F(RegisterFile, AClearEndsWithZeroesButKeepsWhatSoftwareSets) {
  write(r::kIrqEnable, 0x1f);
  write(r::region(3) + r::kRegTarget, 1);
  m.issued_i = 1;
  m.issued_region_i = 3;
  edge();
  m.issued_i = 0;
  edge();
  EXPECT_TRUE(m.irq_o);
  // An event in the last cycle of the clear is of what was cleared.
  m.overrun_event_i = 1;
  m.issued_i = 1;
  m.cleared_i = 1;
  write(r::kCtrl, r::kCtrlEnable);
  m.cleared_i = m.overrun_event_i = m.issued_i = 0;
  EXPECT_TRUE(m.enable_o);
  EXPECT_EQ(read(r::kIrqStatus), 0u);
  EXPECT_EQ(read(r::kRegionDone), 0u);
  EXPECT_EQ(read(r::region(3) + r::kRegDone), 0u);
  EXPECT_EQ(read(r::region(3) + r::kRegTarget), 1u);
  EXPECT_EQ(read(r::kIrqEnable), 0x1fu);
  EXPECT_FALSE(m.irq_o);
}

TEST_F(RegisterFile, OnlyAWriteOfTheClearBitStartsAClear) {
  m.wr_valid_i = 1;
  m.wr_addr_i = r::kCtrl;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    m.wr_data_i = 1u << bit;
    m.eval();
    EXPECT_EQ(m.clear_start_o != 0, m.wr_data_i == r::kCtrlClear);
  }
  m.wr_data_i = ~0u;
  m.wr_addr_i = r::kIrqEnable;
  m.eval();
  EXPECT_FALSE(m.clear_start_o);
  m.wr_valid_i = 0;
  m.wr_addr_i = r::kCtrl;
  m.eval();
  EXPECT_FALSE(m.clear_start_o);
}

TEST_F(RegisterFile, ASlotsAccessLastsUntilItsTurn) {
  m.wr_valid_i = m.rd_valid_i = 1;
  m.wr_addr_i = static_cast<SData>(r::command(0xabc));
  m.rd_addr_i = static_cast<SData>(r::command(0x543));
  m.wr_data_i = 0xffff'1234;
  m.sw_rd_data_i = 0x5678;
  for (int i = 0; i < 5; ++i) {
    m.eval();
    EXPECT_FALSE(m.wr_done_o || m.rd_done_o);
    EXPECT_TRUE(m.sw_wr_valid_o && m.sw_rd_valid_o);
    EXPECT_EQ(m.sw_wr_cmd_o, 0xabcu);
    EXPECT_EQ(m.sw_rd_cmd_o, 0x543u);
    EXPECT_EQ(m.sw_wr_data_o, 0x1234u);
    edge();
  }
  m.sw_wr_done_i = 1;
  m.eval();
  EXPECT_TRUE(m.wr_done_o && !m.rd_done_o);
  m.sw_wr_done_i = 0;
  m.sw_rd_done_i = 1;
  m.eval();
  EXPECT_TRUE(!m.wr_done_o && m.rd_done_o);
  EXPECT_EQ(m.rd_data_o, 0x5678u);
  EXPECT_FALSE(m.wr_error_o || m.rd_error_o);
}

TEST_F(RegisterFile, ARowSlotsAccessLastsUntilItsTurn) {
  m.wr_valid_i = m.rd_valid_i = 1;
  m.wr_addr_i = static_cast<SData>(r::row(0xbc));
  m.rd_addr_i = static_cast<SData>(r::row(0x43));
  m.wr_data_i = 0xffff'1234;
  m.row_rd_data_i = 0x5678;
  for (int i = 0; i < 5; ++i) {
    m.eval();
    EXPECT_FALSE(m.wr_done_o || m.rd_done_o);
    EXPECT_TRUE(m.row_wr_valid_o && m.row_rd_valid_o);
    EXPECT_FALSE(m.sw_wr_valid_o || m.sw_rd_valid_o) << "no command slot";
    EXPECT_EQ(m.row_wr_row_o, 0xbcu);
    EXPECT_EQ(m.row_rd_row_o, 0x43u);
    EXPECT_EQ(m.row_wr_data_o, 0x1234u);
    edge();
  }
  m.sw_wr_done_i = m.sw_rd_done_i = 1;
  m.eval();
  EXPECT_FALSE(m.wr_done_o || m.rd_done_o) << "those are of command slots";
  m.sw_wr_done_i = m.sw_rd_done_i = 0;
  m.row_wr_done_i = 1;
  m.eval();
  EXPECT_TRUE(m.wr_done_o && !m.rd_done_o);
  EXPECT_FALSE(m.wr_error_o);
  m.row_wr_refused_i = 1;
  m.eval();
  EXPECT_TRUE(m.wr_error_o);
  m.row_wr_done_i = m.row_wr_refused_i = 0;
  m.row_rd_done_i = 1;
  m.eval();
  EXPECT_TRUE(!m.wr_done_o && m.rd_done_o);
  EXPECT_EQ(m.rd_data_o, 0x5678u);
  m.row_rd_waits_i = 1;
  m.eval();
  EXPECT_EQ(m.rd_data_o, 0x1'5678u);
  EXPECT_FALSE(m.wr_error_o || m.rd_error_o);
}

TEST_F(RegisterFile, AReleaseRegisterSaysWhetherAndWhere) {
  for (std::uint32_t region = 0; region < kRegions; ++region) {
    write(r::region(region) + r::kRegRelease, r::kRegReleaseEnable | (0xa5 ^ region));
    EXPECT_EQ(m.reg_release_o, 1u << region);
    for (std::uint32_t bit = 0; bit < 8; ++bit) {
      const std::uint32_t at = region * 8 + bit;
      EXPECT_EQ(m.reg_row_base_o >> at & 1, (0xa5 ^ region) >> bit & 1);
    }
    write(r::region(region) + r::kRegRelease, 0x7fff'ff00);
    EXPECT_EQ(m.reg_release_o, 0u);
    EXPECT_EQ(read(r::region(region) + r::kRegRelease), 0u);
  }
}

}  // namespace
}  // namespace t3::rtl_test
