// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "tlm/hbm/stack_shares.h"
#include "tlm/node/paper_tracker.h"
#include "tlm/node/tracker_plan.h"
#include "tlm/tracker/stacked_tracker.h"
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

/// The software of a GPU's tracker: it programs it over its AXI4-Lite face, and answers its
/// interrupt (docs/tracker.md, "Software").
///
/// Several stacks. Each has a unit with a face of its own, and the driver goes to one after the
/// other (stacked_tracker.h says where they are; docs/stack-join.md, "Software"). Settings are the
/// same in all; a slot waits for the bytes of its block that lie in the unit's stack, a row for the
/// blocks that have such bytes. When all units are armed, so are the joins, and then regions are
/// turned on. A region is done when each unit has said so that has a block of it.
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
                         const sc_core::sc_time& gap = sc_core::SC_ZERO_TIME,
                         const StackShares& shares = {})
      : sc_module(name),
        gap_(gap),
        shares_(shares),
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
  /// Software sees the levels of the units' interrupts, a bit for each.
  void seeInterrupts(std::function<std::uint32_t()> levels) { interrupts_ = std::move(levels); }
  /// The interrupt has risen.
  void interrupted();

  const TrackerSetup& setup() const { return setup_; }
  /// Steps done so far. A read of a register that is not yet as it should be is none.
  std::uint64_t progress() const { return progress_; }
  /// Nothing is being programmed, and no interrupt is being answered.
  bool idle() const { return next_.empty() && !answers_; }

 private:
  /// A register access: a write of `value`; reads until the bits of `value` are 0; one read, of
  /// which they must be.
  struct Step {
    std::uint32_t address = 0, value = 0;
    enum class Kind : std::uint8_t { Write, Wait, Expect } kind = Kind::Write;
  };
  /// What the answer to an interrupt does next. IRQ_STATUS is cleared first: what comes later sets
  /// it again. If it is set at the end, all is done once more, as the level asks for.
  enum class Answer : std::uint8_t { ClearStatus, ReadRegions, ClearRegions, Tell };

  /// Turns all regions off and clears the units, or waits until nothing is inside; then windows,
  /// regions and what they count.
  void addAll(bool clears);
  /// What each block waits for in each stack.
  void countShares();
  /// Reports an error if the unit has fewer parts than the program needs.
  void checkParts(std::size_t windows);
  /// Of the face whose turn it is.
  void add(std::uint32_t address, std::uint32_t value, Step::Kind kind = Step::Kind::Write) {
    steps_.push_back({stacked::face(face_) | address, value, kind});
  }
  void addWait(std::uint32_t address, std::uint32_t bits) { add(address, bits, Step::Kind::Wait); }
  template <typename Add>
  void forUnits(const Add& add) {
    for (face_ = 0; face_ < shares_.stacks(); ++face_) add();
    face_ = 0;
  }
  void addDrain();  ///< waits until nothing is inside
  void addStates(std::size_t regions, std::uint32_t state);
  void addWindow(std::uint32_t number, std::uint64_t base, std::uint64_t bytes);
  void addRegion(std::uint32_t number, std::uint32_t window);
  void addRowRegisters(std::uint32_t number);
  /// Stops the regions of a unit, and arms what they count.
  void addArming();
  void addSlots(std::uint32_t number);
  void addRows();
  /// Arms the joins: a bit for each stack that has a share, by slot. `clears`: counts begin at 0,
  /// and slots may hold anything.
  using Sets = std::map<std::uint32_t, std::uint32_t>;
  void addJoins(bool clears);
  void addSets(const Sets& sets, bool clears);
  void addJoinCommand(std::uint32_t first, std::uint32_t last, std::uint32_t set, bool force);
  Sets slotSets() const;
  Sets rowSets() const;
  std::uint32_t blockCount(const TrackedRegion& region) const;
  TileRange blockOf(const TrackedRegion& region, std::uint32_t number) const;
  bool matchesEarlier(std::uint32_t number, WorkgroupId tile) const;
  bool countsForEarlier(std::uint32_t number, std::uint32_t slot) const;

  bool begin(const TrackerProgram& program, Done done);
  void proceed(std::size_t step);
  void answer(Answer step);
  void unitHasDone(std::uint32_t region);
  /// Whether nothing of the step is left; the access takes `delay` longer.
  bool perform(const Step& step, sc_core::sc_time& delay);
  /// Reads a register before the first kernel.
  std::uint32_t ask(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value, sc_core::sc_time& delay);
  std::uint32_t read(std::uint32_t address, sc_core::sc_time& delay);
  void access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value,
              sc_core::sc_time& delay);

  const sc_core::sc_time gap_;
  const StackShares shares_;
  sc_core::sc_time elapsed_;  ///< by the accesses of this kernel so far
  std::uint32_t face_ = 0;    ///< of which steps are added
  std::vector<Step> steps_;
  std::size_t drains_ = 0;  ///< so many of them wait until nothing is inside
  std::vector<std::vector<StackShares::Bytes>> bytes_;  ///< [region][block], of all updates
  std::vector<std::uint32_t> unitsOf_;  ///< by region, bit s: stack s says that its blocks are done
  std::vector<std::uint32_t> unitsLeft_;                 ///< … and has not yet
  std::vector<std::optional<std::uint32_t>> firstRows_;  ///< of the regions, as programmed
  PaperTracker* judge_ = nullptr;
  TrackerProgram program_;
  std::function<void(std::uint32_t)> regionDone_;
  std::uint32_t regionsDone_ = 0;  ///< bits of REGION_DONE that are being answered
  std::uint32_t answered_ = 0;     ///< of this unit
  std::function<std::uint32_t()> interrupts_;
  bool answers_ = false;  ///< an interrupt, also in the middle of an access
  TimedQueue<std::size_t> next_;
  TimedQueue<Answer> answering_;
  Done done_;
  TrackerSetup setup_;
  std::uint64_t progress_ = 0;
};

}  // namespace t3
