// SPDX-License-Identifier: Apache-2.0
// Method: a register file stands in for the tracker. It keeps what is written, fills slots, counts
// down nothing, and refuses what docs/tracker.md says is refused under traffic. What the driver
// leaves there is compared with what the tiles of a plan add up to.
#include "tlm/node/tracker_driver.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "tlm/tracker/registers.h"

namespace t3::tracker_driver_test {
namespace {

namespace r = registers;

class RegisterFile : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RegisterFile> socket{"socket"};
  std::map<std::uint64_t, std::uint32_t> values;
  std::vector<std::uint64_t> written;  ///< addresses, in order
  bool refuse = false;
  int busyReads = 0;  ///< so many reads of STATUS say busy
  int fillReads = 0;  ///< the next so many say filling
  int fillTakes = 0;  ///< reads of STATUS, for each fill
  std::function<void(std::uint64_t)> afterAccess;

  explicit RegisterFile(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &RegisterFile::access);
    parts(8, 4, 4096, 256);
  }

  void parts(std::uint32_t regions, std::uint32_t windows, std::uint32_t slots,
             std::uint32_t rows) {
    values[r::kConfig0] = regions << r::kConfig0RegionsShift | windows << r::kConfig0WindowsShift;
    values[r::kConfig1] = slots | rows << r::kConfig1RowsShift;
  }
  std::uint32_t at(std::uint32_t address) const {
    const auto found = values.find(address);
    return found == values.end() ? 0 : found->second;
  }
  void regionsDone(std::uint32_t bits) {
    values[r::kRegionDone] |= bits;
    values[r::kIrqStatus] |= r::kIrqStatusRegionDone;
  }
  bool interrupt() const { return (at(r::kIrqStatus) & at(r::kIrqEnable)) != 0; }

 private:
  std::uint32_t state(std::uint32_t region) const { return at(r::region(region) + r::kRegState); }

  bool refused(std::uint32_t address) const {
    if (refuse) return true;
    const bool arms = address >= r::row(0) || address == r::kFill;
    if (arms && fillReads != 0) return true;
    for (std::uint32_t region = 0; region < 8; ++region) {
      const std::uint32_t base = r::region(region);
      if (address < base || address >= r::region(region + 1)) continue;
      const std::uint32_t offset = address - base;
      const bool always =
          offset == r::kRegState || offset == r::kRegTarget || offset == r::kRegDone;
      if (!always && state(region) != 0) return true;
    }
    return false;
  }

  void write(std::uint32_t address, std::uint32_t word) {
    written.push_back(address);
    if (address == r::kRegionDone || address == r::kIrqStatus) {
      values[address] &= ~word;
      return;
    }
    values[address] = word;
    if (address != r::kFill) return;
    const std::uint32_t region = word >> r::kFillRegionShift;
    EXPECT_EQ(state(region), 2U) << "region " << region;
    const std::uint32_t base = r::region(region);
    for (std::uint32_t slot = at(base + r::kRegSlotFirst); slot <= at(base + r::kRegSlotLast);
         ++slot) {
      values[r::slot(slot)] = word & r::kFillBytes;
    }
    fillReads = fillTakes;
  }

  std::uint32_t read(std::uint32_t address) {
    if (address == r::kCtrl) return at(address) & ~r::kCtrlClear;
    if (address != r::kStatus) return at(address);
    if (busyReads > 0) {  // one reason at a time
      constexpr std::uint32_t kReasons[] = {r::kStatusBusy, r::kStatusCommands, r::kStatusRows};
      return kReasons[--busyReads % 3];
    }
    if (fillReads == 0) return 0;
    --fillReads;
    return r::kStatusFilling | r::kStatusBusy;
  }

  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(4, sc_core::SC_NS);
    const auto address = static_cast<std::uint32_t>(payload.get_address());
    std::uint32_t word = 0;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.is_write()) {
      std::memcpy(&word, payload.get_data_ptr(), sizeof word);
      if (refused(address)) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      } else {
        write(address, word);
      }
    } else {
      word = read(address);
      std::memcpy(payload.get_data_ptr(), &word, sizeof word);
    }
    if (afterAccess) afterAccess(address);
  }
};

class TrackerDriverTest : public testing::Test {
 protected:
  TrackerDriverTest() { driver_.registers.bind(file_.socket); }

  std::uint32_t region(std::uint32_t index, std::uint32_t offset) {
    return file_.values.at(r::region(index) + offset);
  }
  std::uint32_t window(std::uint32_t index, std::uint32_t offset) {
    return file_.values.at(r::window(index) + offset);
  }

  RegisterFile file_{"file"};
  TrackerDriver driver_{"driver"};
};

/// 4 rows of 2 tiles of 64 x 64 halves: the last column is 8 wide, the last row has 8 rows.
Tiling edgeTiling() { return Tiling({200, 72, 2}, {64, 64, 4}, 2); }

constexpr std::uint32_t kWhole = 64 * 64 * 2, kRight = 64 * 8 * 2, kLow = 8 * 64 * 2,
                        kCorner = 8 * 8 * 2;

std::vector<TrackedRegion> sumsAndOwn() {
  return {{.tiles = TileRange{0, 4},
           .trigger = true,
           .firstCommand = CommandId{4},
           .buffer = OutputBuffer::Accumulation},
          {.tiles = TileRange{4, 4}, .updatesPerElement = 3, .firstCommand = CommandId{0}}};
}

TEST_F(TrackerDriverTest, ASlotWaitsForTheBytesOfItsBlockAsOftenAsTheyAreUpdated) {
  driver_.program({edgeTiling(), MemoryLayout{}, 0, sumsAndOwn()});
  EXPECT_EQ(file_.at(r::slot(4)), 2 * kWhole);
  EXPECT_EQ(file_.at(r::slot(5)), 2 * kRight);
  EXPECT_EQ(file_.at(r::slot(7)), 2 * kRight);
  EXPECT_EQ(file_.at(r::slot(0)), 3 * kWhole);
  EXPECT_EQ(file_.at(r::slot(1)), 3 * kRight);
  EXPECT_EQ(file_.at(r::slot(2)), 3 * kLow);
  EXPECT_EQ(file_.at(r::slot(3)), 3 * kCorner);
  driver_.program({edgeTiling(), MemoryLayout{}, 1, sumsAndOwn()});
  EXPECT_EQ(file_.at(r::slot(4)), 2 * (kWhole + kRight));
  EXPECT_EQ(file_.at(r::slot(0)), 3 * (kWhole + kRight));
  EXPECT_EQ(file_.at(r::slot(1)), 3 * (kLow + kCorner));
}

TEST_F(TrackerDriverTest, RegionsAndWindowsSayWhereTheTilesLie) {
  MemoryLayout layout;
  layout.output = std::uint64_t{3} << 32;
  layout.accumulation = std::uint64_t{5} << 44;
  driver_.program({edgeTiling(), layout, 1, sumsAndOwn()});
  EXPECT_EQ(region(0, r::kRegCtrl), r::kRegCtrlTrigger | 4U << r::kRegCtrlShiftShift);
  EXPECT_EQ(region(1, r::kRegCtrl), 4U << r::kRegCtrlShiftShift | 1U << r::kRegCtrlWindowShift);
  EXPECT_EQ(region(1, r::kRegWgFirst), 4U);
  EXPECT_EQ(region(1, r::kRegWgLast), 7U);
  EXPECT_EQ(region(0, r::kRegSlotFirst), 4U);
  EXPECT_EQ(region(0, r::kRegSlotLast), 5U);
  EXPECT_EQ(region(1, r::kRegSlotFirst), 0U);
  EXPECT_EQ(region(1, r::kRegTarget), 2U);
  for (const std::uint32_t number : {0U, 1U}) EXPECT_EQ(region(number, r::kRegState), 1U);
  EXPECT_EQ(region(2, r::kRegState), 0U);
  EXPECT_EQ(window(0, r::kWindowPageFirst), 0U);
  EXPECT_EQ(window(0, r::kWindowPageLast), 200U * 144 / 4096);
  EXPECT_EQ(window(0, r::kWindowPageHigh), 5U | 5U << r::kWindowPageHighLastShift);
  EXPECT_EQ(window(1, r::kWindowPageFirst), 3U << 20);
  EXPECT_EQ(window(1, r::kWindowPageLast), (3U << 20) + 200 * 144 / 4096);
  EXPECT_EQ(window(1, r::kWindowPageHigh), 0U);
  EXPECT_EQ(file_.at(r::kCtrl), r::kCtrlEnable);
}

TEST_F(TrackerDriverTest, AWindowEndsWithTheLastPageOfItsBuffer) {
  driver_.program(
      {Tiling({128, 64, 2}, {64, 64, 4}, 1), MemoryLayout{}, 0, {{.tiles = TileRange{0, 2}}}});
  EXPECT_EQ(window(0, r::kWindowPageLast) - window(0, r::kWindowPageFirst),
            128U * 64 * 2 / 4096 - 1);
}

TEST_F(TrackerDriverTest, RegionsOfOneBufferShareAWindow) {
  file_.parts(3, 1, 64, 16);
  driver_.program({edgeTiling(),
                   MemoryLayout{},
                   0,
                   {{.tiles = TileRange{0, 2}, .firstCommand = CommandId{0}},
                    {.tiles = TileRange{2, 2}, .firstCommand = CommandId{2}},
                    {.tiles = TileRange{4, 4}, .firstCommand = CommandId{4}}}});
  for (std::uint32_t number = 0; number < 3; ++number) {
    EXPECT_EQ(region(number, r::kRegCtrl) & r::kRegCtrlWindow, 0U);
  }
}

TEST_F(TrackerDriverTest, ARegionThatLiesOverAnotherHasTheBlocksThatAreLeft) {
  file_.fillTakes = 5;
  driver_.program({edgeTiling(),
                   MemoryLayout{},
                   0,
                   {{.tiles = TileRange{2, 3}, .firstCommand = CommandId{2}},
                    {.tiles = TileRange{0, 8}, .updatesPerElement = 1, .trigger = true}}});
  EXPECT_EQ(region(0, r::kRegTarget), 3U);
  EXPECT_EQ(region(1, r::kRegTarget), 5U);
  const std::vector<std::uint32_t> expected = {kWhole,     kRight, 2 * kWhole, 2 * kRight,
                                               2 * kWhole, kRight, kLow,       kCorner};
  for (std::uint32_t slot = 0; slot < 8; ++slot) {
    EXPECT_EQ(file_.at(r::slot(slot)), expected[slot]) << slot;
  }
}

TEST_F(TrackerDriverTest, ARegionIsDoneWithoutTheBlocksOfWhichNothingIsWritten) {
  driver_.program(
      {edgeTiling(),
       MemoryLayout{},
       0,
       {{.tiles = TileRange{0, 8}, .updatesPerElement = 1, .unwritten = {TileRange{5, 3}}}}});
  EXPECT_EQ(region(0, r::kRegTarget), 5U);
}

TEST_F(TrackerDriverTest, AlikeBlocksAreArmedByOneFill) {
  const Tiling tiling({64 * 64, 64 * 64, 2}, {64, 64, 4}, 1);  // 4096 tiles
  driver_.program({tiling, MemoryLayout{}, 0, {{.tiles = TileRange{0, 4096}, .trigger = true}}});
  EXPECT_LT(driver_.setup().accesses, 40U);
  for (const std::uint32_t slot : {0U, 1U, 4095U}) EXPECT_EQ(file_.at(r::slot(slot)), 2 * kWhole);
}

TEST_F(TrackerDriverTest, ARowSlotWaitsForTheBlocksOfItsRowInAllRegions) {
  const Tiling tiling({200, 264, 2}, {64, 64, 4}, 1);  // 4 rows of 5 tiles
  driver_.program({tiling,
                   MemoryLayout{},
                   0,
                   {// A partial sum of every tile, elsewhere: it shadows nothing of the output.
                    {.tiles = TileRange{0, 20},
                     .trigger = true,
                     .firstCommand = CommandId{0},
                     .buffer = OutputBuffer::Accumulation},
                    // From the middle of a row to the middle of another.
                    {.tiles = TileRange{7, 5}, .firstCommand = CommandId{40}, .firstRow = 14},
                    // The others, and those once more.
                    {.tiles = TileRange{0, 20},
                     .updatesPerElement = 1,
                     .firstCommand = CommandId{60},
                     .firstRow = 14}}});
  EXPECT_EQ(region(0, r::kRegCtrl) & r::kRegCtrlRows, 0U);
  EXPECT_FALSE(file_.values.contains(r::region(0) + r::kRegRowFirst));
  EXPECT_EQ(region(1, r::kRegCtrl) & r::kRegCtrlRows, r::kRegCtrlRows);
  EXPECT_EQ(region(1, r::kRegRowFirst), 15U);
  EXPECT_EQ(region(1, r::kRegRowPhase), 2U);
  EXPECT_EQ(region(2, r::kRegRowFirst), 14U);
  EXPECT_EQ(region(2, r::kRegRowPhase), 0U);
  for (std::uint32_t row = 14; row < 18; ++row) EXPECT_EQ(file_.at(r::row(row)), 5U) << row;
  EXPECT_EQ(
      std::distance(file_.values.lower_bound(r::row(0)), file_.values.lower_bound(r::row(256))), 4);
}

TEST_F(TrackerDriverTest, TheReciprocalDividesEveryBlockNumberExactly) {
  for (const std::uint32_t across : {1U, 2U, 3U, 34U, 160U, 4096U}) {
    driver_.program({Tiling({1, across, 2}, {1, 1, 1}, 1),
                     MemoryLayout{},
                     0,
                     {{.tiles = TileRange{0, across}, .firstRow = 0}}});
    const std::uint64_t reciprocal = region(0, r::kRegRowReciprocal);
    for (std::uint64_t n = 0; n < (1U << 13); ++n) {
      ASSERT_EQ((n * reciprocal) >> 26, n / across) << "block " << n << ", across " << across;
    }
  }
}

TEST_F(TrackerDriverTest, ReportsAPlanThatTheTrackerCannotHold) {
  const Tiling tiling = edgeTiling();
  const auto throws = [&](std::uint32_t blockLog2, const std::vector<TrackedRegion>& regions) {
    EXPECT_THROW(driver_.program({tiling, MemoryLayout{}, blockLog2, regions}), sc_core::sc_report);
  };
  file_.parts(1, 4, 4096, 256);
  throws(0, sumsAndOwn());
  file_.parts(8, 1, 4096, 256);
  MemoryLayout layout;
  layout.accumulation = 1 << 20;
  EXPECT_THROW(driver_.program({tiling, layout, 0, sumsAndOwn()}), sc_core::sc_report);
  file_.parts(8, 4, 7, 256);
  throws(0, sumsAndOwn());
  file_.parts(8, 4, 16, 16);
  const auto rows = [](std::uint32_t first) {
    return std::vector<TrackedRegion>{{.tiles = TileRange{0, 8}, .firstRow = first}};
  };
  throws(0, rows(13));
  driver_.program({tiling, MemoryLayout{}, 0, rows(12)});
  throws(2, rows(0));  // blocks of four tiles in rows of two
  throws(0, {{.tiles = TileRange{0, 8}, .updatesPerElement = (1U << 22) / kWhole + 1}});
}

// ---- one more kernel --------------------------------------------------------------------------

TEST_F(TrackerDriverTest, ProgramsOneMoreKernelInSimulatedTimeAndWithoutAClear) {
  const std::vector<TrackedRegion> regions = sumsAndOwn();
  driver_.program({edgeTiling(), MemoryLayout{}, 1, regions});
  EXPECT_EQ(now(), 0U) << "before the first kernel nothing takes simulated time";
  const auto programmed = file_.values;
  // What a kernel leaves behind, and something that must not be touched.
  for (const std::uint32_t slot : {0U, 1U, 4U, 5U}) file_.values[r::slot(slot)] = 0;
  for (const std::uint32_t number : {0U, 1U}) file_.values[r::region(number) + r::kRegDone] = 2;
  file_.values.erase(r::kCtrl);
  file_.busyReads = 3;
  file_.fillTakes = 3;
  file_.written.clear();

  Picoseconds end = 0;
  driver_.programAgain({edgeTiling(), {}, 1, regions}, [&] { end = now(); });
  EXPECT_FALSE(driver_.idle());
  sc_core::sc_start();
  auto expected = programmed;
  for (const std::uint32_t number : {0U, 1U}) expected[r::region(number) + r::kRegDone] = 0;
  expected.erase(r::kCtrl);
  EXPECT_EQ(file_.values, expected);
  // STATUS until nothing is inside and nothing waits; DONE, stop, FILL, STATUS until it is over,
  // and on, of two regions; the slot of the lower edge.
  const std::uint64_t accesses = 4 + 2 * (4 + 4) + 1;
  EXPECT_EQ(driver_.setup().accesses, accesses);
  EXPECT_EQ(end, accesses * 4'000U);
  EXPECT_EQ(driver_.setup().again, end);
  EXPECT_TRUE(driver_.idle());
}

TEST_F(TrackerDriverTest, NothingIsArmedBeforeAllRegionsAreStoppedAndAllIsBeforeOneIsOn) {
  const std::vector<TrackedRegion> regions = sumsAndOwn();
  std::vector<std::uint32_t> states;  // at each write that arms
  file_.afterAccess = [&](std::uint64_t address) {
    if (address != r::kFill && address < r::row(0)) return;
    for (const std::uint32_t number : {0U, 1U}) states.push_back(region(number, r::kRegState));
  };
  driver_.program({edgeTiling(), MemoryLayout{}, 0, regions});
  driver_.programAgain({edgeTiling(), {}, 0, regions}, [] {});
  sc_core::sc_start();
  EXPECT_GT(states.size(), 8U);
  EXPECT_TRUE(std::ranges::all_of(states, [](std::uint32_t state) { return state == 2; }));
}

TEST_F(TrackerDriverTest, ProgramsOtherRowsForOneMoreKernel) {
  std::vector<TrackedRegion> regions = {{.tiles = TileRange{2, 6}, .firstRow = 6}};
  const auto again = [&] {
    driver_.programAgain({edgeTiling(), {}, 0, regions}, [] {});
    sc_core::sc_start();
    return driver_.setup().accesses;
  };
  driver_.program({edgeTiling(), MemoryLayout{}, 0, regions});
  const std::uint64_t first = driver_.setup().accesses;
  const std::uint64_t same = again();
  EXPECT_EQ(region(0, r::kRegRowFirst), 7U);
  regions[0].firstRow = 10;
  EXPECT_EQ(again(), same + 4) << "off, and three registers";
  EXPECT_EQ(region(0, r::kRegRowFirst), 11U);
  EXPECT_EQ(region(0, r::kRegState), 1U);
  EXPECT_EQ(file_.at(r::row(11)), 2U);
  EXPECT_EQ(file_.at(r::row(13)), 2U);
  EXPECT_EQ(again(), same);
  driver_.program({edgeTiling(), MemoryLayout{}, 0, regions});
  EXPECT_EQ(driver_.setup().accesses, first);
}

// ---- interrupts -------------------------------------------------------------------------------

class TrackerInterrupt : public TrackerDriverTest {
 protected:
  TrackerInterrupt() {
    driver_.seeInterrupts([this] { return file_.interrupt() ? 1U : 0U; });
    driver_.onRegionDone([this](std::uint32_t number) { told_.emplace_back(number, now()); });
    driver_.program({edgeTiling(), MemoryLayout{}, 0, sumsAndOwn()});
  }

  std::vector<std::pair<std::uint32_t, Picoseconds>> told_;
};

TEST_F(TrackerInterrupt, TellsTheRegionsThatAreDoneAndClearsThem) {
  EXPECT_EQ(file_.at(r::kIrqEnable), r::kIrqStatusRegionDone);
  const std::uint64_t accesses = driver_.setup().accesses;
  file_.regionsDone(0b11);
  driver_.interrupted();
  EXPECT_FALSE(driver_.idle());
  sc_core::sc_start();
  using Told = std::vector<std::pair<std::uint32_t, Picoseconds>>;
  EXPECT_EQ(told_, (Told{{0, 12'000}, {1, 12'000}})) << "three accesses of 4 ns";
  EXPECT_EQ(file_.at(r::kRegionDone), 0U);
  EXPECT_FALSE(file_.interrupt());
  EXPECT_TRUE(driver_.idle());
  EXPECT_EQ(driver_.setup().accesses, accesses) << "no part of setting up";
}

TEST_F(TrackerInterrupt, ARegionThatIsDoneWhileAnotherIsBeingToldIsNotLostAndNotToldTwice) {
  for (const std::uint32_t during : {r::kIrqStatus, r::kRegionDone}) {
    for (const bool raises : {false, true}) {
      SCOPED_TRACE(during);
      told_.clear();
      driver_.program({edgeTiling(), MemoryLayout{}, 0, sumsAndOwn()});  // a region is done once
      int left = during == r::kRegionDone && raises ? 2 : 1;             // it is read, then written
      file_.afterAccess = [&](std::uint64_t address) {
        if (address != during || left == 0 || --left != 0) return;
        file_.regionsDone(0b10);
        if (raises) driver_.interrupted();
      };
      file_.regionsDone(0b01);
      driver_.interrupted();
      sc_core::sc_start();
      ASSERT_EQ(told_.size(), 2U);
      EXPECT_EQ(told_[0].first, 0U);
      EXPECT_EQ(told_[1].first, 1U);
      EXPECT_FALSE(file_.interrupt());
      EXPECT_TRUE(driver_.idle());
    }
  }
}

TEST_F(TrackerDriverTest, NothingInterruptsWhereNobodyWaitsForRegions) {
  driver_.program({edgeTiling(), MemoryLayout{}, 0, sumsAndOwn()});
  EXPECT_EQ(file_.at(r::kIrqEnable), 0U);
}

TEST_F(TrackerDriverTest, CountsTheTimeOfItsAccessesAndReportsARefusedOne) {
  driver_.program({edgeTiling(), MemoryLayout{}, 0, sumsAndOwn()});
  EXPECT_EQ(driver_.setup().first, driver_.setup().accesses * 4'000);
  EXPECT_GT(driver_.setup().accesses, 10U);
  file_.refuse = true;
  EXPECT_THROW(driver_.program({edgeTiling(), MemoryLayout{}, 0, sumsAndOwn()}),
               sc_core::sc_report);
}

}  // namespace
}  // namespace t3::tracker_driver_test
