// SPDX-License-Identifier: Apache-2.0
// Method: a target that only remembers register writes stands in for the tracker's register face;
// what the driver leaves there is compared with what docs/tracker-integration.md asks for.
#include "tlm/node/tracker_driver.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <map>

#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

namespace r = registers;

class RegisterFile : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RegisterFile> socket{"socket"};
  std::map<std::uint64_t, std::uint32_t> values;
  bool refuse = false;
  int busyReads = 0;  ///< so many reads of STATUS say busy

  explicit RegisterFile(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &RegisterFile::access);
  }

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(4, sc_core::SC_NS);
    payload.set_response_status(refuse ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    std::uint32_t word = 0;
    if (payload.is_write()) {
      std::memcpy(&word, payload.get_data_ptr(), sizeof word);
      values[payload.get_address()] = word;
    } else {
      // CTRL.clear reads back as done.
      const auto found = values.find(payload.get_address());
      word = found != values.end() ? found->second : 0;
      if (payload.get_address() == r::kCtrl) word &= ~r::kCtrlClear;
      if (payload.get_address() == r::kStatus) word = busyReads > 0 && busyReads-- > 0 ? 1 : 0;
      std::memcpy(payload.get_data_ptr(), &word, sizeof word);
    }
  }
};

class TrackerDriverTest : public testing::Test {
 protected:
  TrackerDriverTest() { driver_.registers.bind(file_.socket); }

  std::uint32_t geometry(std::uint32_t offset) { return file_.values.at(r::geometry(0) + offset); }
  std::uint32_t region(std::uint32_t index, std::uint32_t offset) {
    return file_.values.at(r::region(index) + offset);
  }

  RegisterFile file_{"file"};
  TrackerDriver driver_{"driver"};
};

TEST_F(TrackerDriverTest, DescribesInteriorEdgeAndEmptyWavefrontTiles) {
  // 200 x 72 fp16 in tiles of 64 x 64 with 4 wavefronts of 16 rows: the last row of tiles has 8
  // rows, so only wavefront 0 of it is not empty; the last column of tiles is 8 wide.
  const Tiling tiling(200, 72, 2, 64, 64, 4, 2);
  driver_.program(tiling, MemoryLayout{}, 0, 7, {});
  EXPECT_EQ(geometry(r::kGeoTilesAcross), 2U);
  EXPECT_EQ(geometry(r::kGeoTilesDown), 4U);
  EXPECT_EQ(geometry(r::kGeoEpoch), 7U);
  EXPECT_EQ(geometry(r::expected(0, 3)), 16U * 64 * 2);
  EXPECT_EQ(geometry(r::expected(1, 3)), 16U * 8 * 2);
  EXPECT_EQ(geometry(r::expected(2, 0)), 8U * 64 * 2);
  EXPECT_EQ(geometry(r::expected(2, 1)), 0U);
  EXPECT_EQ(geometry(r::expected(3, 0)), 8U * 8 * 2);
}

TEST_F(TrackerDriverTest, ReciprocalDividesEveryWorkgroupIdExactly) {
  for (const std::uint32_t across : {1U, 2U, 3U, 34U, 160U, 640U}) {
    driver_.program(Tiling(2, across, 2, 1, 1, 1, 2), MemoryLayout{}, 0, 0, {});
    const std::uint64_t reciprocal =
        std::uint64_t{geometry(r::kGeoReciprocalHi)} << 32 | geometry(r::kGeoReciprocalLo);
    for (std::uint64_t wg = 0; wg < 65536; ++wg) {
      ASSERT_EQ((wg * reciprocal) >> 32, wg / across) << "wg " << wg << ", across " << across;
    }
  }
}

TEST_F(TrackerDriverTest, CommandsWaitForTheLiveWavefrontTilesOfTheirBlock) {
  const Tiling tiling(200, 72, 2, 64, 64, 4, 2);  // 8 tiles; 6 and 7 have one live wavefront
  MemoryLayout layout;
  layout.output = std::uint64_t{3} << 32;
  layout.accumulation = std::uint64_t{5} << 32;
  driver_.program(
      tiling, layout, 1, 0,
      {{TileRange{0, 4}, 2, true, false, CommandId{0}, true, OutputBuffer::Accumulation},
       {TileRange{4, 4}, 2, false, true, CommandId{2}}});
  EXPECT_EQ(file_.values.at(r::command(0)), 8U);
  EXPECT_EQ(file_.values.at(r::command(1)), 8U);
  EXPECT_EQ(file_.values.at(r::command(2)), 8U);
  EXPECT_EQ(file_.values.at(r::command(3)), 2U);
  EXPECT_EQ(region(0, r::kRegCtrl), r::kRegCtrlEnable | r::kRegCtrlTrigger | r::kRegCtrlPark |
                                        2U << r::kRegCtrlUpdatesShift |
                                        1U << r::kRegCtrlBlockLog2Shift);
  EXPECT_EQ(region(1, r::kRegCtrl) & (r::kRegCtrlTrigger | r::kRegCtrlNotify | r::kRegCtrlPark),
            r::kRegCtrlNotify);
  EXPECT_EQ(region(1, r::kRegWgFirst), 4U);
  EXPECT_EQ(region(1, r::kRegWgLast), 7U);
  EXPECT_EQ(region(1, r::kRegCmdBase), 2U);
  EXPECT_EQ(region(1, r::kRegTarget), 2U);
  EXPECT_EQ(region(0, r::kRegPageFirst), 5U << 20);
  EXPECT_EQ(region(0, r::kRegPageLast), (5U << 20) + 200 * 144 / 4096);
  EXPECT_EQ(region(1, r::kRegPageFirst), 3U << 20);
  EXPECT_EQ(region(1, r::kRegPageLast), (3U << 20) + 200 * 144 / 4096);
  EXPECT_EQ(file_.values.at(r::kCtrl), r::kCtrlEnable);
}

TEST_F(TrackerDriverTest, CountsManyUpdatesInGroupsAfterEachOfWhichATileCanBeParked) {
  file_.values[r::kConfig2] = 3;                  // up to three groups can be parked
  const Tiling tiling(256, 64, 2, 64, 64, 4, 2);  // wavefront tiles of 2 KiB
  const std::map<std::uint32_t, std::uint32_t> groups = {
      {1, 1},  {2, 2}, {3, 3},  {4, 4},   {6, 3},  {7, 7}, {8, 4},
      {10, 2}, {9, 3}, {16, 4}, {11, 11}, {63, 3}, {64, 4}};
  for (const auto& [updates, expected] : groups) {
    driver_.program(tiling, MemoryLayout{}, 0, 0,
                    {{TileRange{0, 2}, updates, false, true, CommandId{0}}});
    const std::uint32_t inRegister =
        (region(0, r::kRegCtrl) & r::kRegCtrlUpdates) >> r::kRegCtrlUpdatesShift;
    EXPECT_EQ(inRegister, expected) << updates << " updates";
    EXPECT_EQ(inRegister * geometry(r::expected(0, 1)), updates * 2048) << updates << " updates";
  }
}

TEST_F(TrackerDriverTest, ProgramsOneMoreKernelInSimulatedTimeAndWithoutAClear) {
  const Tiling tiling(200, 72, 2, 64, 64, 4, 2);  // 8 tiles; 6 and 7 have one live wavefront
  const std::vector<TrackedRegion> regions = {
      {TileRange{0, 4}, 2, true, false, CommandId{0}, true, OutputBuffer::Accumulation},
      {TileRange{4, 4}, 2, false, true, CommandId{2}}};
  driver_.program(tiling, MemoryLayout{}, 1, 1, regions);
  EXPECT_EQ(now(), 0U) << "before the first kernel nothing takes simulated time";
  const auto programmed = file_.values;
  // What a kernel leaves behind, and something that must not be touched.
  for (const std::uint32_t slot : {0U, 1U, 2U, 3U}) file_.values[r::command(slot)] = 0;
  file_.values[r::kRegionDone] = 3;
  file_.values.erase(r::kCtrl);
  file_.busyReads = 2;

  Picoseconds end = 0;
  driver_.programAgain(tiling, 1, 2, regions, [&] { end = now(); });
  sc_core::sc_start();
  auto expected = programmed;
  expected[r::geometry(0) + r::kGeoEpoch] = 2;
  expected[r::kRegionDone] = 3;  // written with ones: the bits are cleared
  expected.erase(r::kCtrl);
  EXPECT_EQ(file_.values, expected);
  // STATUS until it is not busy, REGION_DONE, the epoch, four slots, CTRL of two regions; 4 ns
  // each.
  EXPECT_EQ(driver_.setup().accesses, 3 + 8U);
  EXPECT_EQ(end, (3 + 8) * 4'000U);
  EXPECT_EQ(driver_.setup().again, end);
  EXPECT_TRUE(driver_.idle());
}

TEST_F(TrackerDriverTest, RegionsOfOneGeometryMayCountDifferentNumbersOfUpdates) {
  const Tiling tiling(200, 72, 2, 64, 64, 4, 2);
  file_.values[r::kConfig2] = 3;  // up to three groups can be parked
  const auto bytesFor = [&](std::uint32_t updates, std::uint32_t others) {
    driver_.program(tiling, {}, 0, 1,
                    {{TileRange{0, 4}, updates, false, true, CommandId{0}, true},
                     {TileRange{4, 4}, others, false, true, CommandId{4}, true}});
    const auto region = [&](std::uint32_t index) {
      return (file_.values.at(r::region(index) + r::kRegCtrl) & r::kRegCtrlUpdates) >>
             r::kRegCtrlUpdatesShift;
    };
    return std::array{file_.values.at(r::geometry(0) + r::expected(0, 3)) / (16 * 64 * 2),
                      region(0), region(1)};
  };
  EXPECT_EQ(bytesFor(8, 2), (std::array{2U, 4U, 1U})) << "groups of two";
  EXPECT_EQ(bytesFor(8, 4), (std::array{2U, 4U, 2U}));
  EXPECT_EQ(bytesFor(3, 2), (std::array{1U, 3U, 2U}));
  EXPECT_EQ(bytesFor(8, 3), (std::array{1U, 8U, 3U})) << "nothing divides both";
}

TEST_F(TrackerDriverTest, ProgramsTheGeometryOfTilesThatArriveCompleteBesideThatOfSums) {
  const Tiling tiling(200, 72, 2, 64, 64, 4, 2);
  MemoryLayout layout;
  layout.spill = std::uint64_t{7} << 32;
  layout.arrivalSpill = (std::uint64_t{9} << 32) + 4096;
  file_.values[r::kConfig2] = 3;  // up to three groups can be parked
  driver_.program(tiling, layout, 0, 5,
                  {{TileRange{0, 4}, 8, false, true, CommandId{0}, true},
                   {.tiles = TileRange{0, 8},
                    .updatesPerElement = 1,
                    .trigger = true,
                    .firstCommand = CommandId{0},
                    .geometry = 1}});
  const auto first = [&](std::uint32_t offset) { return file_.values.at(r::geometry(0) + offset); };
  const auto second = [&](std::uint32_t offset) {
    return file_.values.at(r::geometry(1) + offset);
  };
  EXPECT_EQ(first(r::expected(0, 3)), 2U * 16 * 64 * 2) << "two updates form a group";
  EXPECT_EQ(second(r::expected(0, 3)), 16U * 64 * 2);
  EXPECT_EQ(second(r::kGeoTilesAcross), 2U);
  EXPECT_EQ(second(r::kGeoEpoch), 5U);
  EXPECT_EQ(first(r::kGeoSpillBaseHi), 7U);
  EXPECT_EQ(second(r::kGeoSpillBaseHi), 9U);
  EXPECT_EQ(second(r::kGeoSpillBaseLo), 4096U);
  EXPECT_EQ(region(0, r::kRegCtrl) & r::kRegCtrlGeometry, 0U);
  EXPECT_EQ(region(1, r::kRegCtrl) & r::kRegCtrlGeometry, 1U << r::kRegCtrlGeometryShift);
  EXPECT_EQ(region(1, r::kRegCtrl) & r::kRegCtrlUpdates, 1U << r::kRegCtrlUpdatesShift);
}

TEST_F(TrackerDriverTest, ARegionThatLiesOverAnotherHasTheBlocksThatAreLeft) {
  const Tiling tiling(200, 72, 2, 64, 64, 4, 2);  // 8 tiles
  driver_.program(tiling, MemoryLayout{}, 0, 0,
                  {{TileRange{2, 3}, 2, false, true, CommandId{2}},
                   {TileRange{0, 8}, 2, true, true, CommandId{0}}});
  EXPECT_EQ(region(0, r::kRegTarget), 3U);
  EXPECT_EQ(region(1, r::kRegTarget), 5U);
  for (std::uint32_t slot = 0; slot < 8; ++slot) {
    EXPECT_EQ(file_.values.at(r::command(slot)), slot < 6 ? 4U : 1U) << slot;
  }
}

TEST_F(TrackerDriverTest, RowSlotsWaitForTheLiveWavefrontTilesOfTheirRowInAllRegions) {
  file_.values[r::kConfig3] = 16;
  const Tiling tiling(200, 136, 2, 64, 64, 4,
                      4);  // 4 rows of 3 tiles; the last row has 1 wavefront
  driver_.program(
      tiling, MemoryLayout{}, 1, 0,
      {// A partial sum of every tile, elsewhere: it shadows nothing of the output.
       {.tiles = TileRange{0, 12},
        .trigger = true,
        .firstCommand = CommandId{0},
        .buffer = OutputBuffer::Accumulation},
       // From the middle of a row to the middle of another.
       {.tiles = TileRange{4, 3}, .notify = true, .firstCommand = CommandId{10}, .firstRow = 14},
       // The others, and those once more.
       {.tiles = TileRange{0, 12},
        .updatesPerElement = 1,
        .notify = true,
        .firstCommand = CommandId{20},
        .geometry = 1,
        .firstRow = 14}});
  EXPECT_FALSE(file_.values.contains(r::region(0) + r::kRegRelease));
  EXPECT_EQ(region(1, r::kRegRelease), r::kRegReleaseEnable | 14);
  EXPECT_EQ(region(2, r::kRegRelease), r::kRegReleaseEnable | 14);
  EXPECT_EQ(file_.values.at(r::row(14)), 12U);
  EXPECT_EQ(file_.values.at(r::row(15)), 12U) << "parts in two regions";
  EXPECT_EQ(file_.values.at(r::row(0)), 12U) << "modulo the row slots";
  EXPECT_EQ(file_.values.at(r::row(1)), 3U) << "empty wavefronts are not waited for";
  EXPECT_EQ(
      std::distance(file_.values.lower_bound(r::row(0)), file_.values.lower_bound(r::row(16))), 4);
}

TEST_F(TrackerDriverTest, ProgramsOtherRowsForOneMoreKernelAndNoneIfNoneReleases) {
  file_.values[r::kConfig3] = 16;
  const Tiling tiling(200, 72, 2, 64, 64, 4, 2);  // 4 rows of 2 tiles
  std::vector<TrackedRegion> regions(1);
  regions[0].tiles = TileRange{0, 8};
  regions[0].notify = true;
  const auto again = [&](std::uint32_t epoch) {
    driver_.programAgain(tiling, 3, epoch, regions, [] {});
    sc_core::sc_start();
    return driver_.setup().accesses;
  };
  driver_.program(tiling, MemoryLayout{}, 3, 1, regions);
  const std::uint64_t first = driver_.setup().accesses;
  const std::uint64_t plain = again(2);
  EXPECT_FALSE(file_.values.contains(r::region(0) + r::kRegRelease));
  EXPECT_FALSE(file_.values.contains(r::row(0)));

  regions[0].firstRow = 6;
  EXPECT_EQ(again(3), plain + 1 + 1 + 4) << "how many slots there are, the register, four rows";
  EXPECT_EQ(region(0, r::kRegRelease), r::kRegReleaseEnable | 6);
  EXPECT_EQ(file_.values.at(r::row(8)), 8U);
  regions[0].firstRow = 10;
  EXPECT_EQ(again(4), plain + 1 + 4);
  EXPECT_EQ(region(0, r::kRegRelease), r::kRegReleaseEnable | 10);
  EXPECT_EQ(file_.values.at(r::row(13)), 2U);
  regions[0].firstRow.reset();
  EXPECT_EQ(again(5), plain + 1);
  EXPECT_EQ(region(0, r::kRegRelease), 0U);
  EXPECT_EQ(again(6), plain);
  driver_.program(tiling, MemoryLayout{}, 3, 7, regions);
  EXPECT_EQ(driver_.setup().accesses, first);
}

TEST_F(TrackerDriverTest, TwoRowsOfAGridCannotHaveOneSlot) {
  file_.values[r::kConfig3] = 16;
  const Tiling tiling(17 * 64, 64, 2, 64, 64, 4, 1);  // 17 rows
  const std::vector<TrackedRegion> regions = {
      {.tiles = TileRange{0, 17}, .firstCommand = CommandId{0}, .firstRow = 3}};
  EXPECT_THROW(driver_.program(tiling, MemoryLayout{}, 0, 0, regions), sc_core::sc_report);
}

TEST_F(TrackerDriverTest, CountsTheTimeOfItsAccessesAndReportsARefusedOne) {
  driver_.program(Tiling(2, 2, 2, 1, 1, 1, 2), MemoryLayout{}, 0, 0, {});
  EXPECT_EQ(driver_.setup().first, driver_.setup().accesses * 4'000);
  EXPECT_GT(driver_.setup().accesses, 10U);
  file_.refuse = true;
  EXPECT_THROW(driver_.program(Tiling(2, 2, 2, 1, 1, 1, 2), MemoryLayout{}, 0, 0, {}),
               sc_core::sc_report);
}

}  // namespace
}  // namespace t3
