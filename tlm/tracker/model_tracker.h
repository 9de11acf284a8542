// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "tlm/tracker/model_registers.h"
#include "tlm/tracker/slot_words.h"
#include "tlm/tracker/tracker.h"

namespace t3 {

/// Sees what a twin does with the updates.
class ModelWatcher {
 public:
  virtual ~ModelWatcher() = default;
  /// An update has left its lane, in this cycle. `slot`: it counts for that one.
  virtual void served(std::uint32_t lane, const LaneUpdate& update,
                      std::optional<std::uint32_t> slot) = 0;
  /// A bank has taken `bytes`, joined of what came in one cycle, off `slot`. `row`: the row slot
  /// that the slot counts for, if it does.
  virtual void counted(std::uint32_t slot, std::uint32_t bytes, SlotWords::Outcome outcome,
                       std::optional<std::uint32_t> row) = 0;
  /// At the end of each clock cycle.
  virtual void cycled() = 0;
};

/// The behavioural twin: docs/tracker.md in C++, promise by promise, without pipeline or lane
/// queues of its own. It shares nothing with the RTL but that page, so that each checks the other.
///
/// Timing: in one cycle a bank takes updates of one slot, from all lanes that carry it. What
/// follows from an update that leaves its lane at one edge — counts, interrupt, the command on its
/// socket — is there `latency` cycles later (the RTL needs at most 12 from entering a lane, if its
/// queues are empty). A row is released `kReleaseCycles` after that. One completion is counted, one
/// command and one row leave per cycle. A register access takes `kRegisterCycles` and acts at once.
/// A fill or a clear also acts at once, and reads as under way for as many cycles as the unit
/// needs; register accesses at one simulated time count towards these. transport_dbg reads and
/// writes registers, and its reads have no side effect.
class ModelTracker : public Tracker {
 public:
  static constexpr std::uint32_t kLatencyCycles = 8;
  static constexpr std::uint32_t kReleaseCycles = 6;
  static constexpr std::uint32_t kRegisterCycles = 4;

  ModelTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
               std::uint32_t latency = kLatencyCycles);

  TrackerStatistics statistics() override;
  bool idle() const override;
  bool interrupt() const override { return (registers_.irqStatus & registers_.irqEnable) != 0; }
  bool alert() const override { return false; }  // its memories do not fail
  std::string waiting() override;
  void publish(ValueList& list) const override;

  /// The registers, slots and rows as they are.
  const ModelRegisters& state() const { return registers_; }
  /// The slot that an update would count for now, and the row slot that such a slot would.
  std::optional<std::uint32_t> slotOf(const LaneUpdate& update) const;
  std::optional<std::uint32_t> rowOf(const LaneUpdate& update) const;
  /// Slots of that row slot whose completion is under way to it.
  std::uint32_t onTheWayTo(std::uint32_t row) const;
  /// Whether the row slot is complete, and on its way out.
  bool releasing(std::uint32_t row) const;
  /// Counts now what would be counted in the next cycles.
  void countCompletions();

  /// `watcher` outlives the simulation.
  void watch(ModelWatcher& watcher) { watcher_ = &watcher; }

 protected:
  Picoseconds cycle(Picoseconds edge) override;

 private:
  using enum ModelRegisters::Counter;

  /// A region that is not off, as the lanes compare with it.
  struct Rule {
    std::uint32_t region;
    bool stopped;
    std::uint32_t wgFirst, wgLast;
    std::uint64_t pageFirst, pageLast;
    std::uint32_t shift, slotFirst, slotLast;
  };
  struct Bank {
    std::uint64_t cycle = 0;  ///< in which it last had an update: of this region and slot
    std::uint32_t region = 0, slot = 0;
    std::uint32_t bytes = 0;  ///< joined so far
  };
  struct Completion {
    Picoseconds due;
    std::uint32_t region, slot;
  };
  struct DueRow {
    Picoseconds due;
    std::uint32_t row;
  };

  void accessRegister(Payload& payload, sc_core::sc_time& delay) override;
  unsigned int debugRegister(Payload& payload) override;
  std::uint32_t status() const;
  /// A read, with the side effect that it has if it `latches`, or a write. False if it is refused.
  bool access(Payload& payload, bool latches);
  bool write(std::uint32_t offset, std::uint32_t value, bool privileged);
  void makeRules();
  /// An update or completion, a fill or a clear is inside.
  bool busy() const;

  bool serveLanes(Picoseconds edge);
  bool serve(std::uint32_t lane);
  const Rule* ruleOf(const LaneUpdate& update) const;
  static std::uint32_t slotOf(const Rule& rule, const LaneUpdate& update);
  void tellServed(std::uint32_t lane, const LaneUpdate& update, std::optional<std::uint32_t> slot);
  void countBank(Bank& bank, std::uint32_t number, Picoseconds edge);
  void complete(const Completion& completion, Picoseconds edge);
  void countRow(const Completion& completion, Picoseconds edge);
  void showCommand();
  void showRow(Picoseconds edge);
  void sendOutputs(Picoseconds edge);
  Picoseconds nextEdge(Picoseconds edge, bool served) const;

  void forgetPlaces();
  void clear();
  void passWalk(Picoseconds more);

  const std::uint32_t latency_;
  ModelRegisters registers_;
  std::vector<Rule> rules_;  ///< in order of their region
  std::vector<Bank> banks_;
  std::uint32_t touched_ = 0;  ///< bit per bank that has an update in this cycle

  std::uint64_t cycles_ = 0;
  std::vector<Picoseconds> blockedSince_;  ///< per lane, 0 = its head is not waiting
  std::deque<Completion> completions_;     ///< not counted yet
  std::deque<DueRow> dueRows_;             ///< complete, on their way to the queue of rows
  std::optional<TriggerMessage> command_;  ///< stands at the port
  std::optional<ReleaseMessage> row_;      ///< stands at the port
  Picoseconds walkLeft_ = 0;               ///< of the walk, at
  Picoseconds walkSeen_ = 0;
  ModelWatcher* watcher_ = nullptr;
};

}  // namespace t3
