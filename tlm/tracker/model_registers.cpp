// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/model_registers.h"

#include <algorithm>

#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

namespace r = registers;

constexpr std::uint32_t kExpectedMask = (1U << 18) - 1;
constexpr std::uint32_t kErrorCountMax = 0xff;
constexpr std::uint64_t kCaptureGranule = 32;
constexpr std::uint32_t kGeometryBytes = 0x100;
constexpr std::uint32_t kRegionBytes = 0x40;

}  // namespace

ModelRegisters::ModelRegisters(const TrackerConfig& config)
    : commandSlots(config.command_slots),
      waits(config.command_slots),
      rowSlots(config.release_rows),
      rowWaits(config.release_rows),
      config_(config) {}

void ModelRegisters::clear() {
  std::ranges::fill(commandSlots, std::uint16_t{0});
  std::ranges::fill(rowSlots, std::uint16_t{0});
  counters.fill(0);
  for (Region& region : regions) region.done = 0;
  irqStatus = regionDone = live = peak = errors = 0;
  errorCounts.fill(0);
  firstError.reset();
  clearing = false;
}

void ModelRegisters::error(Cause cause, const Place& place) {
  const auto number = static_cast<std::size_t>(cause);
  errors |= 1U << number;
  irqStatus |= r::kIrqStatusError;
  if (errorCounts[number] != kErrorCountMax) ++errorCounts[number];
  if (!firstError) firstError = {cause, place};
}

std::uint32_t ModelRegisters::readFirstError() const {
  if (!firstError) return 0;
  return r::kErrorFirstValid |
         static_cast<std::uint32_t>(firstError->cause) << r::kErrorFirstCauseShift |
         firstError->place.region << r::kErrorFirstRegionShift |
         firstError->place.wavefront << r::kErrorFirstWfShift |
         firstError->place.workgroup << r::kErrorFirstWgShift;
}

std::optional<std::uint32_t> ModelRegisters::read(std::uint32_t offset, bool latch, bool busy) {
  if (offset % 4 != 0) return std::nullopt;
  const bool counter = offset >= r::kUpdates && offset < r::kLive;
  const bool last = offset >= r::kReleases && offset < r::kCorrected + 8;
  if (counter || last || (offset >= r::kStallsSpill && offset < r::kTaken + 8)) {
    const std::uint64_t value = counters[counter ? (offset - r::kUpdates) / 8
                                         : last  ? Releases + (offset - r::kReleases) / 8
                                                 : StallsSpill + (offset - r::kStallsSpill) / 8];
    const auto high = static_cast<std::uint32_t>(value >> 32);
    if (offset % 8 != 0) return latch ? latchedHigh : high;
    if (latch) latchedHigh = high;
    return static_cast<std::uint32_t>(value);
  }
  if (offset >= r::command(0) && offset < r::command(config_.command_slots)) {
    const std::uint32_t slot = (offset - r::command(0)) / 4;
    return commandSlots[slot] | (waits[slot] ? r::kCommandWaits : 0);
  }
  if (offset >= r::row(0) && offset < r::row(config_.release_rows)) {
    const std::uint32_t row = (offset - r::row(0)) / 4;
    return rowSlots[row] | (rowWaits[row] ? r::kRowWaits : 0);
  }
  if (offset >= r::geometry(0) && offset < r::geometry(kGeometries)) {
    return readGeometry(geometries[(offset - r::geometry(0)) / kGeometryBytes],
                        offset % kGeometryBytes);
  }
  if (offset >= r::region(0) && offset < r::region(kRegions)) {
    return readRegion(regions[(offset - r::region(0)) / kRegionBytes], offset % kRegionBytes);
  }
  if (offset >= r::errorCount(0) && offset < r::kReleases) {
    return errorCounts[(offset - r::errorCount(0)) / 4];
  }
  const std::uint64_t errorAddress = firstError ? firstError->place.address : 0;
  switch (offset) {
    case r::kId:
      return r::kIdValue;
    case r::kVersion:
      return r::kVersionValue;
    case r::kConfig0:
      return config_.lanes << r::kConfig0LanesShift | config_.banks << r::kConfig0BanksShift |
             config_.sets_per_bank << r::kConfig0SetsShift;
    case r::kConfig1:
      return config_.command_slots << r::kConfig1CommandsShift |
             kRegions << r::kConfig1RegionsShift | kGeometries << r::kConfig1GeometriesShift;
    case r::kConfig2:
      return kParkedMax << r::kConfig2ParkedMaxShift | config_.ways << r::kConfig2WaysShift |
             config_.parked_workgroups << r::kConfig2ParkedWorkgroupsShift;
    case r::kConfig3:  // protection: none
      return config_.release_rows;
    case r::kCtrl:
      return (enabled ? r::kCtrlEnable : 0) | (clearing ? r::kCtrlClear : 0);
    case r::kStatus:
      return (busy ? r::kStatusBusy : 0) | (live != 0 ? r::kStatusLive : 0) |
             (queued != 0 ? r::kStatusQueued : 0) | (lanesWaiting != 0 ? r::kStatusWaiting : 0) |
             (releasesQueued != 0 ? r::kStatusReleases : 0);
    case r::kLock:
      return locked ? r::kLockLocked : 0;
    case r::kDamaged:
      return errorCounts[static_cast<std::size_t>(Cause::Damaged)];
    case r::kQueued:
      return queued;
    case r::kReleasesQueued:
      return releasesQueued;
    case r::kLanesWaiting:
      return lanesWaiting;
    case r::kIrqStatus:
      return irqStatus;
    case r::kIrqEnable:
      return irqEnable;
    case r::kRegionDone:
      return regionDone;
    case r::kErrors:
      return errors;
    case r::kErrorFirst:
      return readFirstError();
    case r::kErrorAddressLo:
      return static_cast<std::uint32_t>(errorAddress);
    case r::kErrorAddressHi:
      return static_cast<std::uint32_t>(errorAddress >> 32);
    case r::kLive:
      return live;
    case r::kPeak:
      return peak;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> ModelRegisters::readGeometry(const Geometry& geometry,
                                                          std::uint32_t offset) const {
  if (offset >= r::kGeoExpected) {
    const std::uint32_t index = (offset - r::kGeoExpected) / 4;
    return geometry
        .expected[index / TrackerConfig::kWavefronts][index % TrackerConfig::kWavefronts];
  }
  switch (offset) {
    case r::kGeoTilesAcross:
      return geometry.tilesAcross;
    case r::kGeoTilesDown:
      return geometry.tilesDown;
    case r::kGeoReciprocalLo:
      return static_cast<std::uint32_t>(geometry.reciprocal);
    case r::kGeoReciprocalHi:
      return static_cast<std::uint32_t>(geometry.reciprocal >> 32);
    case r::kGeoSpillBaseLo:
      return static_cast<std::uint32_t>(geometry.spillBase);
    case r::kGeoSpillBaseHi:
      return static_cast<std::uint32_t>(geometry.spillBase >> 32);
    case r::kGeoEpoch:
      return geometry.epoch;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> ModelRegisters::readRegion(const Region& region,
                                                        std::uint32_t offset) const {
  switch (offset) {
    case r::kRegCtrl:
      return region.control;
    case r::kRegWgFirst:
      return region.wgFirst;
    case r::kRegWgLast:
      return region.wgLast;
    case r::kRegPageFirst:
      return static_cast<std::uint32_t>(region.pageFirst);
    case r::kRegPageLast:
      return static_cast<std::uint32_t>(region.pageLast);
    case r::kRegPageHigh:
      return static_cast<std::uint32_t>(region.pageFirst >> 32 << r::kRegPageHighFirstShift |
                                        region.pageLast >> 32 << r::kRegPageHighLastShift);
    case r::kRegCmdBase:
      return region.commandBase;
    case r::kRegTarget:
      return region.target;
    case r::kRegDone:
      return region.done;
    case r::kRegRelease:
      return (region.releases ? r::kRegReleaseEnable : 0) | region.rowBase;
    default:
      return std::nullopt;
  }
}

namespace {

void setLow(std::uint64_t& word, std::uint32_t low) {
  word = (word & ~std::uint64_t{0xffffffff}) | low;
}
void setHigh(std::uint64_t& word, std::uint32_t high) {
  word = (word & 0xffffffff) | std::uint64_t{high} << 32;
}

}  // namespace

bool ModelRegisters::write(std::uint32_t offset, std::uint32_t value) {
  if (offset % 4 != 0) return false;
  if (locked && (offset == r::kCtrl || offset >= r::geometry(0))) {
    error(Cause::Locked, {.address = offset / 4 * kCaptureGranule});
    return false;
  }
  if (offset >= r::command(0) && offset < r::command(config_.command_slots)) {
    const std::uint32_t slot = (offset - r::command(0)) / 4;
    const auto missing = static_cast<std::uint16_t>(value);
    if (waits[slot] && missing != 0) {
      error(Cause::ArmedEarly, {.address = slot * kCaptureGranule});
      return false;
    }
    commandSlots[slot] = missing;
    return true;
  }
  if (offset >= r::row(0) && offset < r::row(config_.release_rows)) {
    const std::uint32_t row = (offset - r::row(0)) / 4;
    const auto missing = static_cast<std::uint16_t>(value);
    if (rowWaits[row] && missing != 0) {
      error(Cause::RowArmedEarly, {.address = row * kCaptureGranule});
      return false;
    }
    rowSlots[row] = missing;
    return true;
  }
  if (offset >= r::geometry(0) && offset < r::geometry(kGeometries)) {
    return writeGeometry(geometries[(offset - r::geometry(0)) / kGeometryBytes],
                         offset % kGeometryBytes, value);
  }
  if (offset >= r::region(0) && offset < r::region(kRegions)) {
    return writeRegion(regions[(offset - r::region(0)) / kRegionBytes], offset % kRegionBytes,
                       value);
  }
  constexpr std::uint32_t kIrqBits = r::kIrqStatusRegionDone | r::kIrqStatusOverrun |
                                     r::kIrqStatusStray | r::kIrqStatusSpill | r::kIrqStatusError;
  switch (offset) {
    case r::kCtrl:
      enabled = (value & r::kCtrlEnable) != 0;
      if ((value & r::kCtrlClear) != 0) clearing = true;
      return true;
    case r::kLock:
      locked = (value & r::kLockLocked) != 0;
      return true;
    case r::kIrqStatus:
      irqStatus &= ~value;
      return true;
    case r::kIrqEnable:
      irqEnable = value & kIrqBits;
      return true;
    case r::kRegionDone:
      regionDone &= ~value;
      return true;
    case r::kErrors:
      errors &= ~value;
      return true;
    case r::kErrorFirst:
      if ((value & r::kErrorFirstValid) != 0) firstError.reset();
      return true;
    default:
      return false;
  }
}

bool ModelRegisters::writeGeometry(Geometry& geometry, std::uint32_t offset, std::uint32_t value) {
  if (offset >= r::kGeoExpected) {
    const std::uint32_t index = (offset - r::kGeoExpected) / 4;
    geometry.expected[index / TrackerConfig::kWavefronts][index % TrackerConfig::kWavefronts] =
        value & kExpectedMask;
    return true;
  }
  switch (offset) {
    case r::kGeoTilesAcross:
      geometry.tilesAcross = value & 0xffff;
      return true;
    case r::kGeoTilesDown:
      geometry.tilesDown = value & 0xffff;
      return true;
    case r::kGeoReciprocalLo:
      setLow(geometry.reciprocal, value);
      return true;
    case r::kGeoReciprocalHi:
      setHigh(geometry.reciprocal, value & 1);
      return true;
    case r::kGeoSpillBaseLo:
      setLow(geometry.spillBase, value & ~std::uint32_t{0xfff});
      return true;
    case r::kGeoSpillBaseHi:
      setHigh(geometry.spillBase, value & 0xffff);
      return true;
    case r::kGeoEpoch:
      geometry.epoch = value & 0xffff;
      return true;
    default:
      return false;
  }
}

bool ModelRegisters::writeRegion(Region& region, std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case r::kRegCtrl:
      region.control =
          value & (r::kRegCtrlEnable | r::kRegCtrlTrigger | r::kRegCtrlNotify | r::kRegCtrlPark |
                   r::kRegCtrlGeometry | r::kRegCtrlUpdates | r::kRegCtrlBlockLog2);
      region.done = 0;
      return true;
    case r::kRegWgFirst:
      region.wgFirst = value & 0xffff;
      return true;
    case r::kRegWgLast:
      region.wgLast = value & 0xffff;
      return true;
    case r::kRegPageFirst:
      setLow(region.pageFirst, value);
      return true;
    case r::kRegPageLast:
      setLow(region.pageLast, value);
      return true;
    case r::kRegPageHigh:
      setHigh(region.pageFirst, (value & r::kRegPageHighFirst) >> r::kRegPageHighFirstShift);
      setHigh(region.pageLast, (value & r::kRegPageHighLast) >> r::kRegPageHighLastShift);
      return true;
    case r::kRegCmdBase:
      region.commandBase = value & (config_.command_slots - 1);
      return true;
    case r::kRegTarget:
      region.target = value;
      return true;
    case r::kRegRelease:
      region.releases = (value & r::kRegReleaseEnable) != 0;
      region.rowBase = value & (config_.release_rows - 1);
      return true;
    default:
      return false;
  }
}

}  // namespace t3
