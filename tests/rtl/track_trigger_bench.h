// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/rtl/unit_model.h"
#include "tests/rtl/vector_writer.h"
#include "tlm/tracker/registers.h"

namespace t3::rtl_test {

/// One update at a lane.
struct Update {
  std::uint32_t wg = 0;
  std::uint32_t wf = 0;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

/// One DMA command, with the cycle in which it was taken.
struct Command {
  std::uint64_t cycle = 0;
  std::uint32_t cmd = 0;
  std::uint32_t region = 0;
  std::uint32_t wg = 0;  ///< first of its block
  friend bool operator==(const Command&, const Command&) = default;
};

/// One notification, with its cycle and the tile that completed the command.
struct Notification {
  std::uint64_t cycle = 0;
  std::uint32_t cmd = 0;
  std::uint32_t region = 0;
  std::uint32_t wg = 0;
  std::uint32_t wf = 0;
  std::uint64_t address = 0;
  friend bool operator==(const Notification&, const Notification&) = default;
};

/// One row of tiles, with the cycle in which it was taken.
struct Release {
  std::uint64_t cycle = 0;
  std::uint32_t row = 0;  ///< its slot
  friend bool operator==(const Release&, const Release&) = default;
};

using Record = std::array<std::uint32_t, 4>;

/// Causes of errors: bits of ERRORS. The last one's count has a place of its own.
constexpr std::uint32_t kCauses = 13;
constexpr std::uint32_t kDamagedCause = 12;

constexpr std::uint32_t errorCountOf(std::uint32_t cause) {
  return cause == kDamagedCause ? registers::kDamaged : registers::errorCount(cause);
}

/// One request the unit made at its spill port.
struct SpillRequest {
  std::uint64_t cycle = 0;
  bool write = false;
  std::uint64_t address = 0;
  std::uint32_t bank = 0;
};

/// Everything around a t3_track_trigger: lanes fed from queues, a DMA engine that may refuse, a
/// memory for spill records, an AXI4-Lite master, and checks of every stream's rules in every
/// cycle. One call of tick() is one clock cycle.
class TrackTriggerBench {
  std::unique_ptr<UnitModel> unit_;

 public:
  explicit TrackTriggerBench(const Unit& unit);
  TrackTriggerBench(const TrackTriggerBench&) = delete;
  TrackTriggerBench& operator=(const TrackTriggerBench&) = delete;

  const UnitSize size;
  UnitModel* const model = unit_.get();

  // What the outside does. Functions are asked once per cycle.
  std::vector<std::deque<Update>> lanes;          ///< updates to offer, in order
  std::function<bool(std::uint32_t lane)> offer;  ///< may the lane start offering its next update?
  std::function<bool()> dmaReady;
  std::function<bool()> releaseReady;
  std::function<bool()> memReady;
  std::function<std::uint32_t()> memLatency;  ///< cycles until a read's answer
  std::function<std::uint32_t()> axiDelay;    ///< cycles before each channel's valid or ready
  /// Answers that nobody asked for: bank and record, given when there is no other.
  std::deque<std::pair<std::uint32_t, Record>> unasked;
  bool skipIdleClocks = false;
  /// Random bits: in every cycle all inputs take some and go back before the clock, and no output
  /// may move.
  std::function<std::uint64_t()> disturb;

  // What happened.
  std::uint64_t cycle = 0;
  std::uint64_t clockedCycles = 0;
  std::vector<Command> commands;           ///< as taken by the DMA engine
  std::vector<std::uint64_t> commandSeen;  ///< cycle in which each became valid
  std::vector<Notification> notifications;
  std::vector<Release> releases;           ///< as taken
  std::vector<std::uint64_t> releaseSeen;  ///< cycle in which each became valid
  std::vector<SpillRequest> spills;        ///< of evicted tiles, and reads
  std::vector<SpillRequest> marks;         ///< writes that say that a record was taken
  std::map<std::uint64_t, Record> memory;
  std::vector<std::uint64_t> lastAccept;  ///< per lane, cycle of its latest accepted update
  std::uint64_t accepted = 0;
  std::uint64_t stalled = 0;                  ///< lane cycles with valid and not ready
  std::vector<std::string>* trace = nullptr;  ///< every output, every cycle

  /// Resets the unit, without regard to the clock, and forgets what was under way around it.
  void reset();

  void tick();
  void ticks(std::uint64_t count);

  /// Whether the cycle of the latest tick() needed no clock.
  bool mayStop = false;

  bool lanesEmpty() const;
  /// Ticks until nothing is offered, inside or on its way. False if it takes too long.
  bool drain(std::uint64_t limit = 100000);
  /// Waits for the walk over the memories after reset or CTRL.clear.
  void waitOpen();

  // ---- AXI4-Lite ------------------------------------------------------------------------------
  static constexpr std::uint32_t kOkay = 0;
  static constexpr std::uint32_t kSlvErr = 2;

  /// Order in which a write's address and data start.
  enum class Order { Together, AddressFirst, DataFirst };

  /// Writes and returns the response.
  std::uint32_t write(std::uint32_t address, std::uint32_t data, std::uint32_t strobe = 0xf,
                      Order order = Order::Together);

  struct ReadResult {
    std::uint32_t data = 0;
    std::uint32_t response = 3;
  };
  ReadResult tryRead(std::uint32_t address);

  // The response must be good.
  std::uint32_t read(std::uint32_t address);
  std::uint64_t read64(std::uint32_t address);
  void set(std::uint32_t address, std::uint32_t data);

  // ---- programming ----------------------------------------------------------------------------
  struct Geometry {
    std::uint32_t tilesAcross = 1;
    std::uint32_t tilesDown = 1;
    std::uint64_t spillBase = 0x10'0000'0000;
    std::uint32_t epoch = 1;
    std::array<std::array<std::uint32_t, 8>, 4> expected{};  ///< [class][wf]
  };
  struct Region {
    std::uint32_t geometry = 0;
    std::uint32_t wgFirst = 0;
    std::uint32_t wgLast = 0xffff;
    std::uint64_t pageFirst = 0;
    std::uint64_t pageLast = 0xf'ffff'ffff;
    std::uint32_t updatesPerElement = 1;
    std::uint32_t blockLog2 = 0;
    std::uint32_t cmdBase = 0;
    std::uint32_t target = 0;
    bool trigger = true;
    bool notify = false;
    bool park = false;
    std::optional<std::uint32_t> firstRow = std::nullopt;  ///< row slot of row 0; empty: no release
  };

  void program(std::uint32_t index, const Geometry& geometry);
  void program(std::uint32_t index, const Region& region);
  void enable();

  /// Index of the bank that keeps a wavefront tile.
  std::uint32_t bankOf(std::uint32_t wg, std::uint32_t wf) const { return (wg ^ wf) % size.banks; }

  /// Every output of the unit as text.
  std::string outputs() const;

 private:
  struct Answer {
    std::uint64_t due = 0;
    std::uint32_t bank = 0;
    Record data{};
  };
  /// What accompanies the valid of a stream.
  using Word = std::array<std::uint64_t, 7>;

  std::uint32_t delay() { return axiDelay ? axiDelay() : 0; }
  void clockModel();
  void disturbInputs();
  void driveLanes();
  void driveMemory();
  void takeSpill();
  Word dmaWord() const;
  Word memWord() const;
  void checkStable();
  void check(std::optional<Word>& held, bool valid, bool ready, const Word& word,
             const char* stream) const;

  VectorWriter vectors_;
  std::uint64_t offering_ = 0;
  std::vector<Answer> answers_;
  std::size_t answering_ = 0;
  bool answeringUnasked_ = false;
  bool dmaSeen_ = false;
  bool releaseShown_ = false;
  std::optional<Word> dmaHeld_, relHeld_, memHeld_, bHeld_, rHeld_;
};

}  // namespace t3::rtl_test
