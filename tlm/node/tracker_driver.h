// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "tlm/node/paper_tracker.h"
#include "tlm/node/tracker_plan.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"

namespace t3 {

/// What the software's register accesses took.
struct TrackerSetup {
  std::uint64_t accesses = 0;  ///< of the last kernel
  Picoseconds first = 0;       ///< before the first kernel
  Picoseconds again = 0;       ///< the longest between two kernels
};

/// The software of one tracker: it programs it over its AXI4-Lite face, and answers its interrupt
/// (docs/tracker.md, "Software").
///
/// Arming. A region's slots are filled with what most of its blocks wait for; blocks at the edges
/// of the output, and where a region lies over another, get a write each. All regions are stopped
/// meanwhile, so an update that comes too early is dropped and counted, not lost in a sum.
///
/// Timing. An access takes what the unit says, and `gap` more. Before the first kernel they are
/// made at once, in no simulated time, because software makes them during earlier work; what they
/// would take is counted. Between kernels, and at an interrupt, each is made at its own simulated
/// time.
class TrackerDriver : public sc_core::sc_module {
 public:
  using Done = std::function<void()>;

  tlm_utils::simple_initiator_socket<TrackerDriver> registers{"registers"};

  explicit TrackerDriver(const sc_core::sc_module_name& name,
                         const sc_core::sc_time& gap = sc_core::SC_ZERO_TIME)
      : sc_module(name),
        gap_(gap),
        next_("next", [this](std::size_t step) { proceed(step); }),
        answering_("answering", [this](Answer step) { answer(step); }) {}

  /// Whoever counts beside the tracker is told what the tracker is to count.
  void tell(PaperTracker& judge) { judge_ = &judge; }

  /// Clears the tracker and programs the regions, a window for each buffer in which they lie, and
  /// the slots of their blocks. A region may lie over regions before it, which match first; where
  /// they have a slot in common, it counts for the first one. If regions release rows, also their
  /// row slots: each counts the blocks of a row of the grid that lie in these regions, and in no
  /// region before them of the same buffer.
  void program(const TrackerProgram& program);

  /// The same in simulated time, for another kernel behind one that is over: everything that was
  /// tracked is complete and all commands taken, so nothing is cleared. Then runs `done`.
  void programNext(const TrackerProgram& program, Done done);

  /// Arms the same once more, and runs `done`: when STATUS says that the unit has nothing inside,
  /// DONE of the regions, slots and rows. Only `firstRow` of a region may differ from before.
  void programAgain(const TrackerProgram& program, Done done);

  /// Called with the number of each region whose blocks are all done, at the end of the answer to
  /// the tracker's interrupt. To be set before `program`; without it nothing interrupts.
  void onRegionDone(std::function<void(std::uint32_t region)> handler) {
    regionDone_ = std::move(handler);
  }
  /// Software sees the level of the tracker's interrupt.
  void seeInterrupt(std::function<bool()> level) { interrupt_ = std::move(level); }
  /// The interrupt has risen.
  void interrupted();

  const TrackerSetup& setup() const { return setup_; }
  /// Steps done so far. A read of a register that is not yet as it should be is none.
  std::uint64_t progress() const { return progress_; }
  /// Nothing is being programmed, and no interrupt is being answered.
  bool idle() const { return next_.empty() && !answers_; }

 private:
  /// A register access: a write of `value` or, if it `waits`, reads until its bits of `value` are
  /// 0.
  struct Step {
    std::uint32_t address = 0, value = 0;
    bool waits = false;
  };
  /// What the answer to an interrupt does next. IRQ_STATUS is cleared first: what comes later sets
  /// it again. If it is set at the end, all is done once more, as the level asks for.
  enum class Answer : std::uint8_t { ClearStatus, ReadRegions, ClearRegions, Tell };

  /// Turns all regions off and clears the unit, or waits until nothing is inside; then windows,
  /// regions and what they count.
  void addAll(bool clears);
  /// Reports an error if the unit has fewer parts than the program needs.
  void checkParts(std::size_t windows);
  void add(std::uint32_t address, std::uint32_t value) { steps_.push_back({address, value}); }
  void addWait(std::uint32_t address, std::uint32_t bits) {
    steps_.push_back({address, bits, true});
  }
  void addDrain();  ///< waits until nothing is inside the unit
  void addStates(std::size_t regions, std::uint32_t state);
  void addWindow(std::uint32_t number, std::uint64_t base, std::uint64_t bytes);
  void addRegion(std::uint32_t number, std::uint32_t window);
  void addRowRegisters(std::uint32_t number);
  /// Stops the regions, arms what they count, and turns them on.
  void addArming();
  void addSlots(std::uint32_t number);
  void addRows();
  std::uint32_t blockCount(const TrackedRegion& region) const;
  TileRange blockOf(const TrackedRegion& region, std::uint32_t number) const;
  bool matchesEarlier(std::uint32_t number, WorkgroupId tile) const;
  bool countsForEarlier(std::uint32_t number, std::uint32_t slot) const;

  bool begin(const TrackerProgram& program, Done done);
  void proceed(std::size_t step);
  void answer(Answer step);
  /// Whether nothing of the step is left; the access takes `delay` longer.
  bool perform(const Step& step, sc_core::sc_time& delay);
  /// Reads a register before the first kernel.
  std::uint32_t ask(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value, sc_core::sc_time& delay);
  std::uint32_t read(std::uint32_t address, sc_core::sc_time& delay);
  void access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value,
              sc_core::sc_time& delay);

  const sc_core::sc_time gap_;
  sc_core::sc_time elapsed_;  ///< by the accesses of this kernel so far
  std::vector<Step> steps_;
  std::vector<std::optional<std::uint32_t>> firstRows_;  ///< of the regions, as programmed
  PaperTracker* judge_ = nullptr;
  TrackerProgram program_;
  std::function<void(std::uint32_t)> regionDone_;
  std::uint32_t regionsDone_ = 0;  ///< bits of REGION_DONE that are being answered
  std::function<bool()> interrupt_;
  bool answers_ = false;  ///< an interrupt, also in the middle of an access
  TimedQueue<std::size_t> next_;
  TimedQueue<Answer> answering_;
  Done done_;
  TrackerSetup setup_;
  std::uint64_t progress_ = 0;
};

}  // namespace t3
