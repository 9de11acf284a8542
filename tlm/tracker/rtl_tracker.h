// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tlm/rtl/rtl_block.h"
#include "tlm/tracker/rtl_tape.h"
#include "tlm/tracker/rtl_unit.h"
#include "tlm/tracker/tracker.h"

namespace t3 {

/// The RTL unit, Verilated, behind the sockets of a tracker.
///
/// Timing: cycle-accurate at the unit's pins. A clock edge runs when an update waits, when `busy_o`
/// is high, or when a handshake can proceed; otherwise no register changes (docs/tracker.md,
/// "Ports") and the edge is skipped. An update is shown to a lane only when the lane is ready, so a
/// lane that waits for memory costs no edges; STALLS counts its waiting cycles here.
///
/// A register access is a real AXI4-Lite transfer. It takes place within the call, in extra clock
/// cycles at the present time, so that a loosely timed initiator needs no time to pass; the delay
/// says what it cost. In those cycles the unit goes on with what it has inside, but commands and
/// rows wait. transport_dbg reads (never writes) while the unit is idle, and declines otherwise;
/// like any read of a counter's low word it latches the high word.
///
/// A failing assertion of the RTL ends the run with an error report "t3/rtl"; the text of the
/// assertion is in Verilator's message above it. A pin at which RTL and netlist differ ends the run
/// in the same way.
class RtlTracker : public Tracker {
 public:
  RtlTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
             const RtlOptions& options = {});

  /// Reads the counters over the registers, in clock cycles of its own that are not in
  /// `rtl_cycles`: for the end of a run, not for the middle.
  TrackerStatistics statistics() override;
  bool idle() const override;
  bool interrupt() const override;
  bool alert() const override;
  std::string waiting() override;

 protected:
  Picoseconds cycle(Picoseconds edge) override;
  void accessRegister(Payload& payload, sc_core::sc_time& delay) override;
  unsigned int debugRegister(Payload& payload) override;

  /// A lane of the unit takes an update at the coming edge.
  virtual void laneTakes(std::uint32_t /*lane*/, const LaneUpdate& /*update*/) {}
  /// Ends the run, because an assertion failed or the unit does not answer.
  virtual void fail(const std::string& text);

  RtlUnit& unit() { return *unit_; }
  const RtlUnit& unit() const { return *unit_; }
  /// The value of a register, in clock cycles that `statistics` does not count.
  std::uint32_t peek(std::uint16_t address);
  std::uint64_t cycles() const { return cycles_; }

 private:
  /// A command, or, in its place, a row.
  using Output = std::variant<TriggerMessage, ReleaseMessage>;
  struct RegisterResult {
    bool ok = false;
    std::uint32_t data = 0;
    std::uint64_t cycles = 0;
  };

  void presentLanes(Picoseconds edge);
  bool lanesWait() const;
  void clock();
  void extraClock();
  void sendOutputs();
  void reportFailure();
  Picoseconds nextEdge(Picoseconds edge) const;
  RegisterResult writeRegister(std::uint16_t address, std::uint32_t value, std::uint8_t strobes,
                               bool privileged);
  RegisterResult readRegister(std::uint16_t address);
  std::uint64_t readCounter(std::uint16_t address);

  RtlOptions options_;
  std::unique_ptr<RtlUnit> unit_;
  bool inEdge_ = false;  ///< in a cycle that has a simulated time of its own
  std::uint64_t cycles_ = 0;
  std::vector<Output> outputs_;             ///< of the present cycle; sent when it is over
  std::array<Picoseconds, 16> laneFree_{};  ///< per lane: edge after its latest update was taken
  std::uint64_t stalls_ = 0;                ///< waiting cycles of the updates taken so far
};

}  // namespace t3
