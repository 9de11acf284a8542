// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tlm/rtl/rtl_block.h"
#include "tlm/tracker/tracker_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// The join of the units of several memory stacks at its pins (docs/stack-join.md): its twin, its
/// RTL, or both. It is out of reset, and all slots are idle.
///
/// All sizes are one: 8 stacks, of which a GPU may leave the last ones still, and as many slots as
/// the largest unit has. A stack that says nothing changes nothing for the others.
///
/// Rules of a cycle: look at `outputs`, which do not depend on what comes in this cycle; then
/// `clock` with what comes. While nothing comes and it is not busy, cycles may be left out.
class StackJoin {
 public:
  static constexpr std::uint32_t kStacks = 8, kSlots = 8192, kQueueDepth = 64;

  /// A slot, or a row slot, at `done_*` of a unit or of the join.
  struct Said {
    std::uint32_t slot = 0;
    bool spoiled = false;

    bool operator==(const Said&) const = default;
  };
  struct Command {
    std::uint32_t first = 0, last = 0;
    std::uint32_t shares = 0;  ///< bit s: stack s
    bool write = true, force = false;
  };
  struct Inputs {
    std::array<std::optional<Said>, kStacks> shares = {};  ///< only those that are ready
    bool doneReady = false;
    std::optional<Command> command = {};  ///< only if it is ready
  };
  struct Outputs {
    std::uint32_t ready = 0;  ///< bit s: a share of stack s is taken
    std::optional<Said> done = {};
    bool commandReady = true, refused = false;
    std::uint32_t seenMissing = 0;
    bool seenWaits = false, seenSpoiled = false;
    struct Stray {
      std::uint32_t slot = 0, stack = 0;
      bool operator==(const Stray&) const = default;
    };
    std::optional<Stray> stray = {};
    bool waiting = false, busy = false;

    bool operator==(const Outputs&) const = default;
  };

  StackJoin() = default;
  StackJoin(const StackJoin&) = delete;
  StackJoin& operator=(const StackJoin&) = delete;
  virtual ~StackJoin() = default;

  virtual const Outputs& outputs() const = 0;
  /// The clock rises at `edge`. `timed`: not a cycle of a register access, for which no simulated
  /// time passes.
  virtual void clock(Picoseconds edge, const Inputs& inputs, bool timed = true) = 0;
};

/// In which pin two joins differ, with both values; empty if in none.
std::string difference(const StackJoin::Outputs& rtl, const StackJoin::Outputs& twin);

/// The twin: docs/stack-join.md in C++, cycle by cycle.
std::unique_ptr<StackJoin> makeModelStackJoin();

/// The RTL, Verilated, of the join `name`; its clock edges are at whole `period`s. An assertion
/// that fails ends the run with an error report "t3/rtl".
std::unique_ptr<StackJoin> makeRtlStackJoin(const char* name, Picoseconds period,
                                            const RtlTracing& tracing = {});

/// The RTL drives the system, and the twin gets the same. The first cycle in which they show
/// different things ends the run with an error report "t3/lockstep".
std::unique_ptr<StackJoin> makeLockstepStackJoin(const char* name, std::unique_ptr<StackJoin> rtl,
                                                 std::unique_ptr<StackJoin> twin);

/// As the trackers are: a netlist of units is joined by RTL.
std::unique_ptr<StackJoin> makeStackJoin(const char* name, TrackerKind kind, Picoseconds period,
                                         const RtlTracing& tracing);

}  // namespace t3
