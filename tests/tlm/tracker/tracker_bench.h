// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <systemc>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tlm/gpu/tiling.h"
#include "tlm/tracker/tracker.h"
#include "tlm/transport/timed_queue.h"

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
  std::uint64_t firstAddress = 0, lastAddress = 0;
  std::uint32_t updates = 2;
  bool trigger = true, notify = false;
  std::uint32_t geometry = 0;
  std::uint32_t blockLog2 = 0;
  std::uint32_t firstCommand = 0;
  std::uint32_t target = 0;
  bool park = false;
  std::optional<std::uint32_t> firstRow =
      std::nullopt;  ///< row slot of row 0 of the grid; empty: no release
};

/// Everything around one tracker: memory channels that report updates, software, a DMA engine that
/// may refuse commands, and a memory for the spill records. Records all that comes out.
class TrackerBench : public sc_core::sc_module {
 public:
  struct Said {
    TriggerMessage message;
    Picoseconds time;
  };
  using Maker = std::function<std::unique_ptr<Tracker>(const TrackerConfig&)>;

  static constexpr std::uint32_t kChannels = 4;  ///< per lane
  static constexpr std::uint64_t kSpillBase = 0x4000'0000;

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
  bool tryWrite(std::uint32_t address, std::uint32_t value, std::uint8_t strobes = 0xf);
  std::optional<std::uint32_t> tryRead(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);
  std::uint32_t read(std::uint32_t address);
  std::uint64_t read64(std::uint32_t address);
  unsigned int debug(Payload& payload) { return registers_->transport_dbg(payload); }
  sc_core::sc_time registerTime() const { return registerTime_; }
  void clear();
  void programGeometry(std::uint32_t index, const Tiling& tiling, std::uint32_t epoch = 1,
                       std::uint64_t spillBase = kSpillBase);
  /// Also programs the command slots of the region from the live wavefront tiles of `tiling`.
  void programRegion(std::uint32_t index, const RegionSetup& setup, const Tiling& tiling);
  void enable();
  /// Whether a write of all bytes has byte enables too, instead of none.
  void nameAllBytes(bool named) { nameAllBytes_ = named; }
  /// One region over all tiles of `tiling` at `base`, command = workgroup >> blockLog2, enabled.
  void programAll(const Tiling& tiling, std::uint64_t base, std::uint32_t updates,
                  std::uint32_t blockLog2 = 0, bool notify = false);

  /// Until nothing happens any more; fails the test if the tracker is not idle or a channel waits.
  void run();
  /// For `clocks` only.
  void run(std::uint64_t clocks) { sc_core::sc_start(fromPicoseconds(clocks * period_)); }

  // -- the DMA engine
  /// How long it takes before the next command after this many; 0: at once (TLM_COMPLETED).
  std::function<Picoseconds()> dmaBusy = [] { return Picoseconds{0}; };
  std::vector<Said> commands;
  std::vector<Said> notifications;

  // -- who waits for rows
  struct Row {
    std::uint32_t slot;
    Picoseconds time;
  };
  /// How long it takes before the next row after this many; 0: at once (TLM_COMPLETED).
  std::function<Picoseconds()> releaseBusy = [] { return Picoseconds{0}; };
  std::vector<Row> releases;

  // -- the memory of the spill records
  std::function<Picoseconds()> recordLatency = [] { return Picoseconds{100'000}; };
  /// How long it holds a request before END_REQ; 0: takes it at once.
  std::function<Picoseconds()> recordStall = [] { return Picoseconds{0}; };
  std::uint64_t recordWrites = 0;  ///< of evicted tiles
  std::uint64_t recordMarks = 0;   ///< that say that a record was taken
  std::uint64_t recordReads = 0;
  /// What the memory keeps there.
  std::array<unsigned char, 32>& record(std::uint64_t address) { return records_[address]; }

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
  tlm::tlm_sync_enum command(Payload&, tlm::tlm_phase&, sc_core::sc_time&);
  tlm::tlm_sync_enum notification(Payload&, tlm::tlm_phase&, sc_core::sc_time&);
  tlm::tlm_sync_enum release(Payload&, tlm::tlm_phase&, sc_core::sc_time&);
  tlm::tlm_sync_enum recordRequest(Payload&, tlm::tlm_phase&, sc_core::sc_time&);
  void takeRecord(Payload& payload);
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint32_t address,
                                  std::uint32_t& value, std::uint8_t strobes);

  Picoseconds period_;
  PayloadPool pool_;
  std::unique_ptr<Tracker> tracker_;
  std::vector<Channel> channels_;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<TrackerBench>> taps_;
  tlm_utils::simple_initiator_socket<TrackerBench> registers_{"registers"};
  tlm_utils::simple_target_socket<TrackerBench> commandSocket_{"commands"};
  tlm_utils::simple_target_socket<TrackerBench> notificationSocket_{"notifications"};
  tlm_utils::simple_target_socket<TrackerBench> releaseSocket_{"releases"};
  tlm_utils::simple_target_socket<TrackerBench> recordSocket_{"records"};
  TimedQueue<std::uint32_t> wakes_;
  TimedQueue<Payload*> commandsDone_;
  TimedQueue<Payload*> releasesDone_;
  TimedQueue<Payload*> recordsTaken_;
  TimedQueue<Payload*> recordsDone_;
  bool nameAllBytes_ = false;
  sc_core::sc_time registerTime_;
  std::unordered_map<std::uint64_t, std::array<unsigned char, 32>> records_;
};

/// Untimed scoreboard, from the specification's promises 2 to 7 alone: what a tracker must have
/// said in the end, whatever the order in which updates came.
class Scoreboard {
 public:
  Scoreboard(const Tiling& tiling, const RegionSetup& setup);

  void add(const Report& report);

  std::uint64_t updates = 0, untracked = 0, completed = 0, overrun = 0;
  /// Commands that must have been issued, each exactly once.
  std::vector<std::uint32_t> commands() const;
  /// The tiles of `command`.
  std::pair<std::uint32_t, std::uint32_t> tilesOf(std::uint32_t command) const;

 private:
  Tiling tiling_;
  RegionSetup setup_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> bytes_;
  std::map<std::uint32_t, std::uint32_t> missing_;
};

/// Compares everything `bench` recorded with `expected`: commands exactly once each and not before
/// their last byte, the counters, and that nothing is left.
void expectConserved(TrackerBench& bench, const Scoreboard& expected);

}  // namespace t3::test
