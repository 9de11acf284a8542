// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/tracker_driver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>

#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint32_t kGeometries = 2;

/// How many updates form a group, in the regions of a geometry. The tracker is told the bytes of a
/// group as if they were those of one update. A tile can be parked when it has 1 to `parkable`
/// whole groups. So the result is the smallest size that divides the updates of each region into
/// groups, at most `parkable` + 1 and more than one of them where there are most; 1 if there is
/// none.
std::uint32_t updatesInGroup(const std::vector<TrackedRegion>& regions, std::uint32_t geometry,
                             std::uint32_t parkable) {
  std::uint32_t common = 0, most = 0;
  for (const TrackedRegion& region : regions) {
    if (region.geometry != geometry) continue;
    common = std::gcd(common, region.updatesPerElement);
    most = std::max(most, region.updatesPerElement);
  }
  for (std::uint32_t groups = std::min(most, parkable + 1); groups > 1; --groups) {
    if (most % groups == 0 && common % (most / groups) == 0) return most / groups;
  }
  return 1;
}

}  // namespace

void TrackerDriver::program(const Tiling& tiling, const MemoryLayout& layout,
                            std::uint32_t blockLog2, std::uint32_t epoch,
                            const std::vector<TrackedRegion>& regions) {
  namespace r = registers;
  if (judge_ != nullptr) judge_->program(tiling, layout, blockLog2, regions);
  elapsed_ = sc_core::SC_ZERO_TIME;
  setup_.accesses = 0;
  write(r::kCtrl, r::kCtrlClear);
  while ((read(r::kCtrl) & r::kCtrlClear) != 0) {
  }

  // By geometry; those that no region uses are not programmed.
  const std::uint32_t parkable = read(r::kConfig2) & r::kConfig2ParkedMax;
  writes_.clear();
  slots_.clear();
  groups_.clear();
  for (std::uint32_t number = 0; number < kGeometries; ++number) {
    const auto user = std::ranges::find(regions, number, &TrackedRegion::geometry);
    const bool used = user != regions.end();
    if (!used && number != 0) break;
    addGeometry(number, tiling, layout, epoch, updatesInGroup(regions, number, parkable));
  }
  for (std::uint32_t index = 0; index < regions.size(); ++index) {
    addRegion(layout, tiling, blockLog2, index, regions[index]);
  }
  addRows(tiling, regions);
  writes_.emplace_back(r::kCtrl, r::kCtrlEnable);
  for (const auto& [address, value] : writes_) write(address, value);
  setup_.first = toPicoseconds(elapsed_);
}

void TrackerDriver::addGeometry(std::uint32_t number, const Tiling& tiling,
                                const MemoryLayout& layout, std::uint32_t epoch,
                                std::uint32_t group) {
  namespace r = registers;
  const std::uint64_t spill = number == 0 ? layout.spill : layout.arrivalSpill;
  const std::uint32_t geometry = r::geometry(number);
  const std::uint64_t reciprocal =
      ((std::uint64_t{1} << 32) + tiling.tilesAcross() - 1) / tiling.tilesAcross();
  groups_.push_back(group);
  writes_.insert(writes_.end(),
                 {{geometry + r::kGeoTilesAcross, tiling.tilesAcross()},
                  {geometry + r::kGeoTilesDown, tiling.tilesDown()},
                  {geometry + r::kGeoReciprocalLo, static_cast<std::uint32_t>(reciprocal)},
                  {geometry + r::kGeoReciprocalHi, static_cast<std::uint32_t>(reciprocal >> 32)},
                  {geometry + r::kGeoSpillBaseLo, static_cast<std::uint32_t>(spill)},
                  {geometry + r::kGeoSpillBaseHi, static_cast<std::uint32_t>(spill >> 32)},
                  {geometry + r::kGeoEpoch, epoch}});
  for (std::uint32_t tileClass = 0; tileClass < 4; ++tileClass) {
    const bool lastRow = (tileClass & 2) != 0;
    const bool lastColumn = (tileClass & 1) != 0;
    // Some tile of the class; where the grid has none (one row of tiles has no interior), the
    // value is never looked up.
    const WorkgroupId wg{(lastRow ? tiling.tilesDown() - 1 : 0) * tiling.tilesAcross() +
                         (lastColumn ? tiling.tilesAcross() - 1 : 0)};
    for (std::uint32_t wf = 0; wf < tiling.wavefronts(); ++wf) {
      const auto bytes = group * tiling.bytes(tiling.wavefrontTile(wg, WavefrontId{wf}));
      writes_.emplace_back(geometry + r::expected(tileClass, wf),
                           static_cast<std::uint32_t>(bytes));
    }
  }
}

void TrackerDriver::programAgain(const Tiling& tiling, std::uint32_t blockLog2, std::uint32_t epoch,
                                 const std::vector<TrackedRegion>& regions, Done done) {
  namespace r = registers;
  if (!idle()) {
    SC_REPORT_ERROR("t3/driver", "programmed again while it is being programmed");
    return;
  }
  elapsed_ = sc_core::SC_ZERO_TIME;
  setup_.accesses = 0;
  done_ = std::move(done);
  tellAgain_ = [this, tiling, blockLog2, regions] {
    if (judge_ != nullptr) judge_->programAgain(tiling, blockLog2, regions);
  };
  quiet_ = false;
  slots_.clear();
  writes_ = {{r::kRegionDone, (1U << regions.size()) - 1}};
  for (std::uint32_t number = 0; number < groups_.size(); ++number) {
    writes_.emplace_back(r::geometry(number) + r::kGeoEpoch, epoch);
  }
  addRows(tiling, regions);
  for (std::uint32_t index = 0; index < regions.size(); ++index) {
    addSlots(tiling, blockLog2, regions[index]);
    writes_.emplace_back(r::region(index) + r::kRegCtrl, regionControl(blockLog2, regions[index]));
  }
  next_.post(now() + toPicoseconds(elapsed_), 0);
}

/// Write `number`; before the first one the unit must have nothing inside.
void TrackerDriver::proceed(std::size_t number) {
  if (number == writes_.size()) {
    setup_.again = std::max(setup_.again, toPicoseconds(elapsed_));
    const Done done = std::exchange(done_, nullptr);
    return done();
  }
  const sc_core::sc_time before = elapsed_;
  if (number == 0 && !quiet_) {
    // A slot whose command or release waits cannot be armed.
    constexpr std::uint32_t kInside =
        registers::kStatusBusy | registers::kStatusQueued | registers::kStatusReleases;
    quiet_ = (read(registers::kStatus) & kInside) == 0;
    if (quiet_) std::exchange(tellAgain_, nullptr)();
  } else {
    const auto& [address, value] = writes_[number++];
    write(address, value);
  }
  next_.post(now() + toPicoseconds(elapsed_ - before), number);
}

/// The slots of a region: how many wavefront tiles each block waits for.
std::uint32_t TrackerDriver::addSlots(const Tiling& tiling, std::uint32_t blockLog2,
                                      const TrackedRegion& region) {
  const std::uint32_t blockTiles = 1U << blockLog2;
  std::uint32_t slot = region.firstCommand.value;
  std::uint32_t counted = 0;
  for (std::uint32_t first = region.tiles.first; first < region.tiles.end();
       first += blockTiles, ++slot) {
    if (!slots_.insert(slot).second) continue;
    std::uint32_t missing = 0;
    for (std::uint32_t wg = first; wg < std::min(first + blockTiles, region.tiles.end()); ++wg) {
      missing += tiling.liveWavefronts(WorkgroupId{wg});
    }
    writes_.emplace_back(registers::command(slot), missing);
    ++counted;
  }
  return counted;
}

void TrackerDriver::addRows(const Tiling& tiling, const std::vector<TrackedRegion>& regions) {
  namespace r = registers;
  struct Row {
    std::uint32_t number;  ///< before it is taken modulo the row slots
    std::uint32_t missing;
  };
  std::map<std::uint32_t, Row> rows;  ///< by slot
  for (std::uint32_t index = 0; index < regions.size(); ++index) {
    const TrackedRegion& region = regions[index];
    if (!region.firstRow) {
      if (releasing_.erase(index) != 0) writes_.emplace_back(r::region(index) + r::kRegRelease, 0);
      continue;
    }
    if (rowSlots_ == 0) {
      rowSlots_ = (read(r::kConfig3) & r::kConfig3Rows) >> r::kConfig3RowsShift;
      if (rowSlots_ == 0) return SC_REPORT_ERROR("t3/driver", "the tracker has no row slots");
    }
    releasing_.insert(index);
    writes_.emplace_back(r::region(index) + r::kRegRelease,
                         r::kRegReleaseEnable | *region.firstRow % rowSlots_);
    const auto matchesFirst = [&](WorkgroupId tile) {
      return std::any_of(regions.begin(), regions.begin() + index, [&](const TrackedRegion& other) {
        return other.buffer == region.buffer && other.tiles.contains(tile);
      });
    };
    for (std::uint32_t wg = region.tiles.first; wg < region.tiles.end(); ++wg) {
      if (matchesFirst(WorkgroupId{wg})) continue;
      const std::uint32_t number = *region.firstRow + wg / tiling.tilesAcross();
      Row& row = rows.try_emplace(number % rowSlots_, Row{number, 0}).first->second;
      if (row.number != number) {
        SC_REPORT_ERROR("t3/driver", ("rows " + std::to_string(row.number) + " and " +
                                      std::to_string(number) + " have one row slot")
                                         .c_str());
      }
      row.missing += tiling.liveWavefronts(WorkgroupId{wg});
    }
  }
  for (const auto& [slot, row] : rows) {
    constexpr std::uint32_t kMost = 0xffff;
    if (row.missing > kMost) {
      SC_REPORT_ERROR("t3/driver", ("row " + std::to_string(row.number) +
                                    " has more wavefront tiles than a row slot counts")
                                       .c_str());
    }
    writes_.emplace_back(r::row(slot), row.missing);
  }
}

void TrackerDriver::addRegion(const MemoryLayout& layout, const Tiling& tiling,
                              std::uint32_t blockLog2, std::uint32_t index,
                              const TrackedRegion& region) {
  namespace r = registers;
  const std::uint32_t counted = addSlots(tiling, blockLog2, region);
  const std::uint32_t base = r::region(index);
  const std::uint64_t buffer = layout.base(region.buffer);
  const std::uint64_t pageFirst = buffer / kPageBytes;
  const std::uint64_t bytes = region.bytes != 0 ? region.bytes : tiling.outputBytes();
  const std::uint64_t pageLast = (buffer + bytes - 1) / kPageBytes;
  writes_.insert(writes_.end(),
                 {{base + r::kRegWgFirst, region.tiles.first},
                  {base + r::kRegWgLast, region.tiles.end() - 1},
                  {base + r::kRegPageFirst, static_cast<std::uint32_t>(pageFirst)},
                  {base + r::kRegPageLast, static_cast<std::uint32_t>(pageLast)},
                  {base + r::kRegPageHigh,
                   static_cast<std::uint32_t>((pageFirst >> 32) | (pageLast >> 32 << 16))},
                  {base + r::kRegCmdBase, region.firstCommand.value},
                  {base + r::kRegTarget, counted},
                  {base + r::kRegCtrl, regionControl(blockLog2, region)}});
}

std::uint32_t TrackerDriver::regionControl(std::uint32_t blockLog2,
                                           const TrackedRegion& region) const {
  namespace r = registers;
  return r::kRegCtrlEnable | (region.trigger ? r::kRegCtrlTrigger : 0) |
         (region.notify ? r::kRegCtrlNotify : 0) | (region.park ? r::kRegCtrlPark : 0) |
         region.geometry << r::kRegCtrlGeometryShift |
         region.updatesPerElement / groups_[region.geometry] << r::kRegCtrlUpdatesShift |
         blockLog2 << r::kRegCtrlBlockLog2Shift;
}

void TrackerDriver::write(std::uint32_t address, std::uint32_t value) {
  access(tlm::TLM_WRITE_COMMAND, address, value);
}

std::uint32_t TrackerDriver::read(std::uint32_t address) {
  std::uint32_t value = 0;
  access(tlm::TLM_READ_COMMAND, address, value);
  return value;
}

void TrackerDriver::access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  registers->b_transport(payload, elapsed_);
  elapsed_ += gap_;
  ++setup_.accesses;
  if (!payload.is_response_ok()) {
    char text[64];
    std::snprintf(text, sizeof text, "register access at 0x%04x failed: ", address);
    SC_REPORT_ERROR("t3/driver", (text + payload.get_response_string()).c_str());
  }
}

}  // namespace t3
