// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/tracker_driver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

/// How many updates form a group. The tracker is told the bytes of a group as if they were those of
/// one update. A tile can be parked when it has 1 to `parkable` whole groups. So the result is the
/// smallest size that divides `updates` into at most `parkable` + 1 groups; 1 if there is none.
std::uint32_t updatesInGroup(std::uint32_t updates, std::uint32_t parkable) {
  for (std::uint32_t groups = std::min(updates, parkable + 1); groups > 1; --groups) {
    if (updates % groups == 0) return updates / groups;
  }
  return 1;
}

}  // namespace

void TrackerDriver::program(const Tiling& tiling, const MemoryLayout& layout,
                            std::uint32_t blockLog2, std::uint32_t epoch,
                            const std::vector<TrackedRegion>& regions) {
  namespace r = registers;
  write(r::kCtrl, r::kCtrlClear);
  while ((read(r::kCtrl) & r::kCtrlClear) != 0) {
  }

  const std::uint32_t geometry = r::geometry(0);
  const std::uint64_t reciprocal =
      ((std::uint64_t{1} << 32) + tiling.tilesAcross() - 1) / tiling.tilesAcross();
  write(geometry + r::kGeoTilesAcross, tiling.tilesAcross());
  write(geometry + r::kGeoTilesDown, tiling.tilesDown());
  write(geometry + r::kGeoReciprocalLo, static_cast<std::uint32_t>(reciprocal));
  write(geometry + r::kGeoReciprocalHi, static_cast<std::uint32_t>(reciprocal >> 32));
  write(geometry + r::kGeoSpillBaseLo, static_cast<std::uint32_t>(layout.spill));
  write(geometry + r::kGeoSpillBaseHi, static_cast<std::uint32_t>(layout.spill >> 32));
  write(geometry + r::kGeoEpoch, epoch);
  const std::uint32_t parkable = read(r::kConfig2) & r::kConfig2ParkedMax;
  const std::uint32_t group =
      regions.empty() ? 1 : updatesInGroup(regions.front().updatesPerElement, parkable);
  for (std::uint32_t tileClass = 0; tileClass < 4; ++tileClass) {
    const bool lastRow = (tileClass & 2) != 0;
    const bool lastColumn = (tileClass & 1) != 0;
    // Some tile of the class; where the grid has none (one row of tiles has no interior), the
    // value is never looked up.
    const WorkgroupId wg{(lastRow ? tiling.tilesDown() - 1 : 0) * tiling.tilesAcross() +
                         (lastColumn ? tiling.tilesAcross() - 1 : 0)};
    for (std::uint32_t wf = 0; wf < tiling.wavefronts(); ++wf) {
      const auto bytes = group * tiling.bytes(tiling.wavefrontTile(wg, WavefrontId{wf}));
      write(geometry + r::expected(tileClass, wf), static_cast<std::uint32_t>(bytes));
    }
  }

  for (std::uint32_t index = 0; index < regions.size(); ++index) {
    const TrackedRegion& region = regions[index];
    const std::uint32_t base = r::region(index);
    const std::uint64_t buffer = layout.base(region.buffer);
    const std::uint64_t pageFirst = buffer / kPageBytes;
    const std::uint64_t pageLast = (buffer + tiling.outputBytes() - 1) / kPageBytes;
    const std::uint32_t blocks = (region.tiles.count + (1U << blockLog2) - 1) >> blockLog2;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const std::uint32_t first = region.tiles.first + (block << blockLog2);
      const std::uint32_t end = std::min(first + (1U << blockLog2), region.tiles.end());
      std::uint32_t missing = 0;
      for (std::uint32_t wg = first; wg < end; ++wg) {
        missing += tiling.liveWavefronts(WorkgroupId{wg});
      }
      write(r::command(region.firstCommand.value + block), missing);
    }
    write(base + r::kRegWgFirst, region.tiles.first);
    write(base + r::kRegWgLast, region.tiles.end() - 1);
    write(base + r::kRegPageFirst, static_cast<std::uint32_t>(pageFirst));
    write(base + r::kRegPageLast, static_cast<std::uint32_t>(pageLast));
    write(base + r::kRegPageHigh,
          static_cast<std::uint32_t>((pageFirst >> 32) | (pageLast >> 32 << 16)));
    write(base + r::kRegCmdBase, region.firstCommand.value);
    write(base + r::kRegTarget, blocks);
    write(base + r::kRegCtrl, r::kRegCtrlEnable | (region.trigger ? r::kRegCtrlTrigger : 0) |
                                  (region.notify ? r::kRegCtrlNotify : 0) |
                                  (region.park ? r::kRegCtrlPark : 0) |
                                  region.updatesPerElement / group << r::kRegCtrlUpdatesShift |
                                  blockLog2 << r::kRegCtrlBlockLog2Shift);
  }
  write(r::kCtrl, r::kCtrlEnable);
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
  if (!payload.is_response_ok()) {
    char text[64];
    std::snprintf(text, sizeof text, "register access at 0x%04x failed: ", address);
    SC_REPORT_ERROR("t3/driver", (text + payload.get_response_string()).c_str());
  }
}

}  // namespace t3
