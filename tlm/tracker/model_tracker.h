// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tlm/tracker/tracker.h"

namespace t3 {

/// The behavioural twin: docs/tracker.md in C++, promise by promise, without pipeline or queues of
/// its own. It shares nothing with the RTL but that page, so that each checks the other.
///
/// Timing: a bank takes the updates of one wavefront tile per cycle, as many lanes as carry it; an
/// update that leaves its lane at one edge has its command or notification on the socket
/// `kLatencyCycles` later (the RTL's bound with empty queues is 12 from entering a lane); one
/// command leaves per cycle. A missing tile's bank waits for the memory to answer, everything else
/// goes on. A register access takes `kRegisterCycles` and acts at once; transport_dbg reads and
/// writes registers without side effects of reading.
class ModelTracker : public Tracker {
 public:
  static constexpr std::uint32_t kLatencyCycles = 8;
  static constexpr std::uint32_t kRegisterCycles = 4;
  static constexpr std::uint32_t kRegions = 8;
  static constexpr std::uint32_t kGeometries = 2;
  static constexpr std::uint32_t kParkedWorkgroups = 4096;
  static constexpr std::uint32_t kParkedMax = 3;
  static constexpr std::uint32_t kMaxWays = 4;

  ModelTracker(const sc_core::sc_module_name& name, const TrackerConfig& config);

  TrackerStatistics statistics() override;
  bool idle() const override;
  bool interrupt() const override { return (irqStatus_ & irqEnable_) != 0; }
  std::string waiting() override;
  void publish(ValueList& list) const override;

 protected:
  /// A wavefront tile, and what its entry knows.
  struct Tile {
    std::uint32_t region = 0;
    std::uint32_t workgroup = 0;
    std::uint32_t wavefront = 0;
    std::uint64_t address = 0;  ///< lowest seen, in whole 32-byte granules
    std::uint32_t bytes = 0;

    bool same(std::uint32_t r, std::uint32_t wg, std::uint32_t wf) const {
      return workgroup == wg && wavefront == wf && region == r;
    }
  };

  Picoseconds cycle(Picoseconds edge) override;

  /// Whether the tile can be parked (promise 10).
  bool parks(const Tile& tile) const;

  /// Called for every wavefront tile that completes, with the command it counts down.
  virtual void tileCompleted(const Tile& /*tile*/, CommandId /*command*/) {}

 private:
  struct Geometry {
    std::uint32_t tilesAcross = 0, tilesDown = 0;
    std::uint64_t reciprocal = 0;
    std::uint64_t spillBase = 0;
    std::uint32_t epoch = 0;
    std::array<std::array<std::uint32_t, kWavefronts>, 4> expected{};
  };
  struct Region {
    std::uint32_t control = 0;
    std::uint32_t wgFirst = 0, wgLast = 0;
    std::uint64_t pageFirst = 0, pageLast = 0;
    std::uint32_t commandBase = 0;
    std::uint32_t target = 0, done = 0;
  };
  struct Way {
    bool live = false;
    Tile tile;
  };
  struct Set {
    std::uint8_t spilled = 0;
    std::uint8_t last = 0;  ///< way that was updated last
    std::array<Way, kMaxWays> ways;
  };
  struct Bank {
    std::uint64_t servedCycle = 0;  ///< cycle in which `serving` was last set
    Tile serving;                   ///< the tile this cycle belongs to
    bool filling = false;
    Tile missed;  ///< while filling: the update that waits, as a tile
  };
  struct Output {
    Picoseconds due;
    TriggerMessage message;
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
    StallsSpill,  // these two behind PEAK
    StallsClosed
  };
  static constexpr std::size_t kCounters = 12;

  void accessRegister(Payload& payload, sc_core::sc_time& delay) override;
  unsigned int debugRegister(Payload& payload) override;

  bool serveLanes(Picoseconds edge);
  enum class Served : std::uint8_t { Yes, BankBusy, BankSpills };
  Served serve(const LaneUpdate& update, Picoseconds edge);
  void takeAnswers(Picoseconds edge);
  void sendOutputs(Picoseconds edge);
  Picoseconds nextEdge(Picoseconds edge, bool served) const;

  std::optional<std::uint32_t> match(const LaneUpdate& update) const;
  /// Bytes of one contribution, and of all.
  std::uint32_t contributionBytes(const Tile& tile) const;
  std::uint32_t expectedBytes(const Tile& tile) const;
  /// The place of the tile's parked count, for tiles that can be parked.
  std::uint8_t& parkedCount(const Tile& tile) {
    return parked_[std::size_t{tile.workgroup} * kWavefronts + tile.wavefront];
  }
  const Geometry& geometryOf(std::uint32_t region) const;
  Set& setOf(const Tile& tile);
  Bank& bankOf(std::uint32_t workgroup, std::uint32_t wavefront) {
    return banks_[(workgroup ^ wavefront) & (config().banks - 1)];
  }
  /// The way that holds the tile, else a free one, else the one to evict.
  Way& wayOf(Set& set, const Tile& tile);
  void add(Way& way, const Tile& update);
  void install(Way& way, const Tile& tile);
  void park(Way& way);
  void complete(const Tile& tile);
  void evict(Set& set, Way& way);
  std::uint64_t recordAddress(const Tile& tile) const;
  void clear();

  std::optional<std::uint32_t> readRegister(std::uint32_t offset, bool latch);
  std::optional<std::uint32_t> readGeometry(const Geometry& geometry, std::uint32_t offset) const;
  std::optional<std::uint32_t> readRegion(const Region& region, std::uint32_t offset) const;
  bool writeRegister(std::uint32_t offset, std::uint32_t value);
  bool writeGeometry(Geometry& geometry, std::uint32_t offset, std::uint32_t value);
  bool writeRegion(Region& region, std::uint32_t offset, std::uint32_t value);

  bool enabled_ = false;
  bool clearing_ = false;  ///< waits for fills that are under way
  std::uint32_t irqStatus_ = 0, irqEnable_ = 0, regionDone_ = 0;
  std::uint32_t latchedHigh_ = 0;
  std::array<std::uint64_t, kCounters> counters_{};
  std::uint32_t live_ = 0, peak_ = 0;

  std::array<Geometry, kGeometries> geometries_{};
  std::array<Region, kRegions> regions_{};
  std::vector<std::uint16_t> commandSlots_;  ///< wavefront tiles still missing
  std::vector<Bank> banks_;
  std::vector<Set> sets_;             ///< [bank][set]
  std::vector<std::uint8_t> parked_;  ///< contributions, [workgroup][wavefront]
  std::uint32_t filling_ = 0;         ///< banks that wait for the memory

  std::uint64_t cycles_ = 0;
  std::vector<Picoseconds> blockedSince_;  ///< per lane, 0 = its head is not waiting
  std::vector<Served> blockedBy_;          ///< per lane, why it began to wait
  std::deque<Output> commands_;
  std::deque<Output> notices_;
};

}  // namespace t3
