// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "tlm/rtl/rtl_block.h"
#include "tlm/tracker/stack_join.h"
#include "tlm/tracker/tracker.h"

namespace t3 {

/// The registers of a tracker of several stacks, as software sees them (docs/stack-join.md, "In the
/// system model"). The unit of stack s has the 64 KiB from s * kFaceBytes on (registers.h), then
/// come those of the join of slots and those of the join of rows.
namespace stacked {
inline constexpr std::uint32_t kFaceShift = 16;
inline constexpr std::uint32_t face(std::uint32_t number) { return number << kFaceShift; }

/// RW: [12:0] first slot, [28:16] last slot of the next command.
inline constexpr std::uint32_t kJoinRange = 0x0;
inline constexpr std::uint32_t kJoinRangeLastShift = 16;
/// WO: [7:0] shares, [8] write, [9] force. A write gives the command; it is answered when the
/// command has ended.
inline constexpr std::uint32_t kJoinCommand = 0x4;
inline constexpr std::uint32_t kJoinCommandWrite = 1U << 8, kJoinCommandForce = 1U << 9;
/// RO: [0] the command before left a slot as it was; [1] a slot waits, or may wait; of the last
/// slot that the command saw [2] it waits, [3] it is spoiled, [23:16] the stacks that it misses.
inline constexpr std::uint32_t kJoinStatus = 0x8;
inline constexpr std::uint32_t kJoinStatusRefused = 1, kJoinStatusWaiting = 2;
inline constexpr std::uint32_t kJoinStatusMissingShift = 16;
/// RW: slots that the join has said, modulo 2^32; a write makes it 0.
inline constexpr std::uint32_t kJoinSaid = 0xc;
}  // namespace stacked

/// The trackers of a GPU with several memory stacks: a unit beside each stack, and two joins of
/// what they say (docs/stack-join.md). To memory, DMA engine and who waits for rows it is one
/// tracker.
///
///     lanes of stack s ─► unit s ─┬─ commands ─► join of slots ─► commands
///     registers ─► face s ────────┴─ releases ─► join of rows ──► releases
///
/// - `lanes`: those of stack 0, then those of stack 1, and so on.
/// - The interrupt is up if that of a unit is, and the handler is called for each of them.
/// - Its statistics are those of all units together; but triggers, commands that were taken and
///   rows are those of the joins.
///
/// Timing: one clock for units and joins. A join sees at an edge what the units hand over at that
/// edge, as registers of one clock do; so at equal times it goes after them. Its clock runs only
/// while it has work. A register of a join takes as long as one of the twin; a command of the join
/// takes place within the call, in extra clock cycles at the present time, as in RtlTracker.
class StackedTracker : public Tracker {
 public:
  /// `config`: of each unit. At most StackJoin::kStacks.
  struct Parts {
    std::uint32_t stacks = 2;
    TrackerKind kind = TrackerKind::Model;  ///< of the joins
    std::function<std::unique_ptr<Tracker>(const char* name, const TrackerConfig& config)> unit;
    RtlTracingOf joins = {};  ///< who looks into their RTL
  };
  StackedTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
                 const Parts& parts);
  ~StackedTracker() override;

  TrackerStatistics statistics() override;
  void compare() override;
  bool idle() const override;
  bool interrupt() const override { return interrupts() != 0; }
  std::uint32_t interrupts() const override;
  bool alert() const override;
  void onInterrupt(std::function<void()> handler) override;
  std::string waiting() override;
  void publish(ValueList& list) const override;

 protected:
  Picoseconds cycle(Picoseconds edge) override;
  void accessRegister(Payload& payload, sc_core::sc_time& delay) override;
  unsigned int debugRegister(Payload& payload) override;

 private:
  enum : std::size_t { kSlots, kRows, kJoins };
  /// A join, and what its units have at its inputs.
  struct Join {
    std::unique_ptr<StackJoin> engine;
    StackJoin::Inputs inputs = {};                       ///< of the next clock edge
    std::array<Payload*, StackJoin::kStacks> held = {};  ///< its share has no answer yet
    std::uint32_t range = 0;                             ///< the register
    std::uint64_t said = 0;
  };
  /// The socket of an update lane, of a stack's commands or rows, of a stack's registers.
  using Initiator = tlm_utils::simple_initiator_socket_tagged<StackedTracker>;
  using Target = tlm_utils::simple_target_socket_tagged<StackedTracker>;

  std::uint32_t stacks() const { return static_cast<std::uint32_t>(units_.size()); }
  tlm::tlm_sync_enum laneRequest(int lane, Payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum laneResponse(int lane, Payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay);
  tlm::tlm_sync_enum share(int input, Payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay);
  void clock(Join& join, Picoseconds edge, bool timed);
  void accessJoin(Join& join, std::uint32_t address, Payload& payload, sc_core::sc_time& delay);
  Picoseconds nextEdge(Picoseconds edge) const;
  Picoseconds readyEdge(std::size_t join) const {
    return join == kSlots ? commandReadyEdge() : releaseReadyEdge();
  }

  /// Tells the observers of all what the lanes of a unit take.
  class LaneEar;

  std::vector<std::unique_ptr<LaneEar>> ears_;
  std::vector<std::unique_ptr<Tracker>> units_;
  sc_core::sc_vector<Initiator> toLanes_, toRegisters_;
  sc_core::sc_vector<Target> shares_;  ///< input [join * stacks + stack]
  std::array<Join, kJoins> joins_;
};

}  // namespace t3
