// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tlm/tracker/model_registers.h"
#include "tlm/tracker/tracker.h"

namespace t3 {

/// The behavioural twin: docs/tracker.md in C++, promise by promise, without pipeline or queues of
/// its own. It shares nothing with the RTL but that page, so that each checks the other.
///
/// Timing: in one cycle a bank takes updates of one wavefront tile, from all lanes that carry it.
/// The command or notification of an update that leaves its lane at one edge is on the socket
/// `kLatencyCycles` later (the RTL needs at most 12 from entering a lane, if its queues are empty).
/// A row is released `kReleaseCycles` after that. One command and one row leave per cycle. A bank
/// that reads the record of a tile waits for the memory to answer; everything else goes on. A
/// register access takes `kRegisterCycles` and acts at once. transport_dbg reads and writes
/// registers, and its reads have no side effect.
class ModelTracker : public Tracker {
 public:
  static constexpr std::uint32_t kLatencyCycles = 8;
  static constexpr std::uint32_t kReleaseCycles = 3;
  static constexpr std::uint32_t kRegisterCycles = 4;
  static constexpr std::uint32_t kParkedMax = ModelRegisters::kParkedMax;
  static constexpr std::uint32_t kMaxWays = 4;

  ModelTracker(const sc_core::sc_module_name& name, const TrackerConfig& config);

  TrackerStatistics statistics() override;
  bool idle() const override;
  bool interrupt() const override { return (registers_.irqStatus & registers_.irqEnable) != 0; }
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
  using enum ModelRegisters::Counter;
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
    Tile missed;  ///< while filling: the update that waits for the record, as a tile
  };
  struct Output {
    Picoseconds due;
    TriggerMessage message;
  };
  struct Release {
    Picoseconds due;
    std::uint32_t row;
  };
  void accessRegister(Payload& payload, sc_core::sc_time& delay) override;
  unsigned int debugRegister(Payload& payload) override;
  bool write(std::uint32_t offset, std::uint32_t value);

  bool serveLanes(Picoseconds edge);
  enum class Served : std::uint8_t { Yes, BankBusy, BankSpills };
  Served serve(const LaneUpdate& update, Picoseconds edge);
  void takeAnswers(Picoseconds edge);
  void sendOutputs(Picoseconds edge);
  Picoseconds nextEdge(Picoseconds edge, bool served) const;

  std::optional<std::uint32_t> match(const LaneUpdate& update) const;
  std::uint32_t rowOf(const Tile& tile) const;
  /// Bytes of one contribution to a tile.
  std::uint32_t contributionBytes(const Tile& tile) const;
  /// Bytes of all contributions to it.
  std::uint32_t expectedBytes(const Tile& tile) const;
  /// The place of the tile's parked count, for tiles that can be parked.
  std::uint8_t& parkedCount(const Tile& tile) {
    return parked_[std::size_t{tile.workgroup} * TrackerConfig::kWavefronts + tile.wavefront];
  }
  const ModelRegisters::Geometry& geometryOf(std::uint32_t region) const;
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
  /// Promise 7.
  void countCommand(const Tile& tile);
  /// Promise 12.
  void countRow(const Tile& tile);
  void overran(const Tile& tile);
  void report(ModelRegisters::Cause cause, const Tile& tile);
  void report(ModelRegisters::Cause cause, std::uint32_t region, std::uint32_t workgroup,
              std::uint32_t wavefront);
  /// Whether the tile's record would be past the end of the address space; reports it.
  bool wraps(const Tile& tile);
  void evict(Set& set, Way& way);
  std::uint64_t recordAddress(const Tile& tile) const;
  void clear();

  ModelRegisters registers_;
  std::vector<Bank> banks_;
  std::vector<Set> sets_;             ///< [bank][set]
  std::vector<std::uint8_t> parked_;  ///< contributions, [workgroup][wavefront]
  std::uint32_t filling_ = 0;         ///< banks that wait for the memory

  std::uint64_t cycles_ = 0;
  std::vector<Picoseconds> blockedSince_;  ///< per lane, 0 = its head is not waiting
  std::vector<Served> blockedBy_;          ///< per lane, why it began to wait
  std::deque<Output> commands_;
  std::deque<Output> notices_;
  std::deque<Release> releases_;
};

}  // namespace t3
