// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/tracker/tracker_config.h"

namespace t3 {

/// The registers of the behavioural twin: what docs/tracker.md says of each address, and the state
/// behind it. `ModelTracker` reads and changes that state directly.
class ModelRegisters {
 public:
  static constexpr std::uint32_t kRegions = 8;
  static constexpr std::uint32_t kGeometries = 2;
  static constexpr std::uint32_t kParkedMax = 3;

  struct Geometry {
    std::uint32_t tilesAcross = 0, tilesDown = 0;
    std::uint64_t reciprocal = 0;
    std::uint64_t spillBase = 0;
    std::uint32_t epoch = 0;
    std::array<std::array<std::uint32_t, TrackerConfig::kWavefronts>, 4> expected{};
  };
  struct Region {
    std::uint32_t control = 0;
    std::uint32_t wgFirst = 0, wgLast = 0;
    std::uint64_t pageFirst = 0, pageLast = 0;
    std::uint32_t commandBase = 0;
    std::uint32_t target = 0, done = 0;
    bool releases = false;
    std::uint32_t rowBase = 0;
  };
  enum Counter : std::size_t {  // in register order from UPDATES on
    Updates,
    Untracked,
    Completed,
    Triggers,
    Notifications,
    Stalls,
    Evictions,
    Fills,
    Overrun,
    Stray,
    StallsSpill,  // these two registers come after PEAK
    StallsClosed,
    Taken,
    Releases,  // these two come after the error counts
    Corrected  // the twin's memories do not fail
  };
  static constexpr std::size_t kCounters = 15;

  /// In the order of the bits of ERRORS. The twin's lanes cannot bring an update of the wrong size,
  /// its memory cannot answer unasked, a register access takes no time, and no bit of its memories
  /// is ever wrong: these causes do not occur.
  enum class Cause : std::uint8_t {
    Overrun,
    Stray,
    Bytes,
    Border,
    ArmedEarly,
    Unasked,
    BadRecord,
    Wrapped,
    Restarted,
    Locked,
    StrayRow,
    RowArmedEarly,
    Damaged
  };
  static constexpr std::size_t kCauses = 13;
  /// Where an error happened. Where there is no tile, its number is in the place of the granule.
  struct Place {
    std::uint32_t region = 0, workgroup = 0, wavefront = 0;
    std::uint64_t address = 0;
  };

  explicit ModelRegisters(const TrackerConfig& config);

  /// The value at `offset`, or nothing if there is no register. With `latch`, a read of a counter's
  /// low word keeps the high word for the next read, as in the unit.
  std::optional<std::uint32_t> read(std::uint32_t offset, bool latch, bool busy);
  /// False if there is no register, or only one that cannot be written.
  bool write(std::uint32_t offset, std::uint32_t value);
  /// Keeps an error: ERRORS, ERROR_COUNT, ERROR_FIRST, IRQ_STATUS.
  void error(Cause cause, const Place& place);
  /// What CTRL.clear does to registers.
  void clear();

  bool enabled = false;
  bool locked = false;
  bool clearing = false;  ///< CTRL.clear is written; the twin clears when no fill is under way
  std::uint32_t irqStatus = 0, irqEnable = 0, regionDone = 0;
  std::uint32_t latchedHigh = 0;
  std::array<std::uint64_t, kCounters> counters{};
  std::uint32_t live = 0, peak = 0;
  std::uint32_t errors = 0;
  std::array<std::uint32_t, kCauses> errorCounts{};
  struct FirstError {
    Cause cause;
    Place place;
  };
  std::optional<FirstError> firstError;

  std::array<Geometry, kGeometries> geometries{};
  std::array<Region, kRegions> regions{};
  std::vector<std::uint16_t> commandSlots;  ///< wavefront tiles still missing
  std::vector<bool> waits;                  ///< per slot: its command waits for the DMA engine
  std::uint32_t queued = 0;                 ///< commands that wait for it
  std::uint32_t lanesWaiting = 0;           ///< bit per lane
  std::vector<std::uint16_t> rowSlots;      ///< wavefront tiles still missing
  std::vector<bool> rowWaits;               ///< per row slot: its release waits to be taken
  std::uint32_t releasesQueued = 0;         ///< releases that wait

 private:
  std::optional<std::uint32_t> readGeometry(const Geometry& geometry, std::uint32_t offset) const;
  std::optional<std::uint32_t> readRegion(const Region& region, std::uint32_t offset) const;
  bool writeGeometry(Geometry& geometry, std::uint32_t offset, std::uint32_t value);
  bool writeRegion(Region& region, std::uint32_t offset, std::uint32_t value);
  std::uint32_t readFirstError() const;

  TrackerConfig config_;
};

}  // namespace t3
