// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "tests/support/sink.h"
#include "tlm/gpu/tiling.h"
#include "tlm/tracker/tracker.h"
#include "tlm/transport/agenda.h"

namespace t3::test {

/// What one memory channel reports, and when at the earliest.
struct Report {
  std::uint32_t lane = 0;
  std::uint32_t channel = 0;  ///< of the lane
  std::uint32_t workgroup = 0;
  std::uint32_t wavefront = 0;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  Picoseconds when = 0;
  Picoseconds ahead = 0;  ///< the delay that it is reported with
};

/// What a region of the tracker is programmed to (docs/tracker.md, "Registers").
struct RegionSetup {
  std::uint32_t firstWorkgroup = 0, lastWorkgroup = 0;
  std::uint32_t window = 0;
  std::uint32_t shift = 3;  ///< a slot for 2^shift wavefront tiles
  std::uint32_t firstSlot = 0;
  bool trigger = true;
  std::uint32_t target = 0;
  std::optional<std::uint32_t> firstRow = std::nullopt;  ///< row slot; empty: no rows
  std::uint32_t rowPhase = 0;
  std::uint32_t blocksPerRow = 1;

  std::uint32_t slotOf(std::uint32_t workgroup, std::uint32_t wavefront) const {
    return firstSlot + (((workgroup - firstWorkgroup) * 8 + wavefront) >> shift);
  }
  std::uint32_t lastSlot() const { return slotOf(lastWorkgroup, 7); }
};

/// Everything around one tracker: memory channels that report updates, software, a DMA engine that
/// may refuse commands, and somebody who waits for rows. Records all that comes out.
class TrackerBench : public sc_core::sc_module {
 public:
  struct Said {
    TriggerMessage message;
    Picoseconds time;
  };
  using Maker = std::function<std::unique_ptr<Tracker>(const TrackerConfig&)>;

  static constexpr std::uint32_t kChannels = 4;  ///< per lane

  TrackerBench(const sc_core::sc_module_name& name, const TrackerConfig& config,
               const Maker& maker);

  Tracker& tracker() { return *tracker_; }
  Picoseconds period() const { return period_; }

  // -- stimulus; a channel reports in the order of these calls, one at a time
  void report(const Report& report);
  /// The bytes of a wavefront tile, cut at 256-byte boundaries as channels interleave them.
  void reportTile(const Tiling& tiling, std::uint64_t base, std::uint32_t workgroup,
                  std::uint32_t wavefront, Picoseconds when = 0);
  /// `clocks` after now.
  Picoseconds in(std::uint64_t clocks) const { return now() + clocks * period_; }

  // -- software
  bool tryWrite(std::uint32_t address, std::uint32_t value, std::uint8_t strobes = 0xf,
                bool privileged = true);
  std::optional<std::uint32_t> tryRead(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);
  std::uint32_t read(std::uint32_t address);
  std::uint64_t read64(std::uint32_t address);
  unsigned int debug(Payload& payload) { return registers_->transport_dbg(payload); }
  sc_core::sc_time registerTime() const { return registerTime_; }
  void clear();
  void setWindow(std::uint32_t index, std::uint64_t firstAddress, std::uint64_t lastAddress);
  /// Settings of a region that is off.
  void program(std::uint32_t index, const RegionSetup& setup);
  void setState(std::uint32_t index, std::uint32_t state);
  static constexpr std::uint32_t kOff = 0, kOn = 1, kStopped = 2;
  /// All slots of a region, and waits until that is done.
  void fill(std::uint32_t index, std::uint32_t bytes);
  /// Programs the region, arms each of its slots with the bytes of its tiles x `contributions`, and
  /// turns it on.
  void programRegion(std::uint32_t index, const RegionSetup& setup, const Tiling& tiling,
                     std::uint32_t contributions);
  void enable();
  /// Whether a write of all bytes has byte enables too, instead of none.
  void nameAllBytes(bool named) { nameAllBytes_ = named; }
  /// One region over all tiles of `tiling` at `base`, a slot for each 2^shift wavefront tiles,
  /// enabled.
  void programAll(const Tiling& tiling, std::uint64_t base, std::uint32_t contributions,
                  std::uint32_t shift = 3);

  /// Until nothing happens any more; fails the test if the tracker is not idle or a channel waits.
  void run();
  /// For `clocks` only.
  void run(std::uint64_t clocks) { sc_core::sc_start(fromPicoseconds(clocks * period_)); }

  // -- the DMA engine
  /// How long it takes before the next command after this many; 0: at once (TLM_COMPLETED).
  std::function<Picoseconds()> dmaBusy = [] { return Picoseconds{0}; };
  std::vector<Said> commands;
  // -- who waits for rows
  struct Row {
    std::uint32_t slot;
    Picoseconds time;
  };
  /// How long it takes before the next row after this many; 0: at once (TLM_COMPLETED).
  std::function<Picoseconds()> releaseBusy = [] { return Picoseconds{0}; };
  std::vector<Row> releases;

  // -- the interrupt
  std::vector<Picoseconds> interrupts;  ///< when the handler was called
  std::function<void()> onInterrupt = [] {};

  // -- what went in
  std::uint64_t reported = 0;  ///< pieces taken
  /// When the last byte of each (workgroup, wavefront) was taken.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Picoseconds> lastTaken;
  /// Order in which the channels of each lane were served.
  std::vector<std::vector<std::uint64_t>> takenOrder;

 private:
  struct Channel {
    std::deque<Report> reports;
    Payload* waiting = nullptr;
  };

  void pump(std::uint32_t index);
  void taken(std::uint32_t index, Payload& payload);
  tlm::tlm_sync_enum laneResponse(int lane, Payload&, tlm::tlm_phase&, sc_core::sc_time&);
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint32_t address,
                                  std::uint32_t& value, std::uint8_t strobes, bool privileged);

  Picoseconds period_;
  PayloadPool pool_;
  std::unique_ptr<Tracker> tracker_;
  std::vector<Channel> channels_;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<TrackerBench>> taps_;
  tlm_utils::simple_initiator_socket<TrackerBench> registers_{"registers"};
  Sink commands_{"commands"}, releases_{"releases"};
  TimedQueue<std::uint32_t> wakes_;
  bool nameAllBytes_ = false;
  sc_core::sc_time registerTime_;
};

/// Untimed scoreboard, from the specification's promises 2 to 6 alone: what a tracker must have
/// said in the end about one region that is on, whatever the order in which updates came.
class Scoreboard {
 public:
  Scoreboard(const RegionSetup& setup, std::uint64_t firstAddress, std::uint64_t lastAddress)
      : setup_(setup), firstPage_(firstAddress / 4096), lastPage_(lastAddress / 4096) {}

  void arm(std::uint32_t slot, std::uint32_t bytes) { slots_[slot].armed = bytes; }
  /// Arms each slot with the bytes of its tiles x `contributions`.
  void arm(const Tiling& tiling, std::uint32_t contributions);
  void add(const Report& report);

  struct Slot {
    std::uint64_t armed = 0, got = 0;
    Picoseconds last = 0;  ///< the latest time of a report
  };
  const std::map<std::uint32_t, Slot>& slots() const { return slots_; }
  std::uint64_t updates = 0, untracked = 0;

 private:
  RegionSetup setup_;
  std::uint64_t firstPage_, lastPage_;
  std::map<std::uint32_t, Slot> slots_;
};

/// Compares everything `bench` recorded with `expected`: each slot that got just its bytes is a
/// command once, none before its last byte; one that got fewer is none and misses the rest; one
/// that got more is reported and a command at most once; and the counters.
void expectJust(TrackerBench& bench, const Scoreboard& expected);

/// The bytes of a slot of `setup`: of its tiles in `tiling`.
std::uint64_t bytesOf(const RegionSetup& setup, const Tiling& tiling, std::uint32_t slot);

}  // namespace t3::test
