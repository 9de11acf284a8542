// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "tlm/tracker/rtl_unit.h"
#include "tlm/tracker/tracker_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// The inputs of a unit in one clock cycle, but clock and reset; as in RtlPins.
struct RtlInputs {
  std::array<unsigned char, 32> laneWorkgroup;  // of the 16 lanes that a unit may have
  std::array<unsigned char, 96> laneAddress;
  std::array<unsigned char, 16> laneWeight;
  std::uint64_t laneWavefront;
  std::uint32_t wData;
  std::uint16_t awAddress, arAddress, laneValid;
  std::uint8_t doneReady, releaseReady;
  std::uint8_t awValid, awProtection, wValid, wStrobes, bReady, arValid, arProtection, rReady;

  static RtlInputs of(const RtlPins& pins);
  void drive(const RtlPins& pins) const;
};

/// Gets the inputs of a unit, clock cycle by clock cycle. Whoever gives them to another unit
/// (RtlReplay) sees the same signals.
class RtlTape {
 public:
  virtual ~RtlTape() = default;
  /// The tracker `name` exists, and its unit is out of reset. `netlist` as in RtlOptions.
  virtual void begin(const char* name, const TrackerConfig& config, bool netlist) = 0;
  /// A cycle that comes next: now, or `timed` = false, one of a register access, for which no
  /// simulated time passes.
  virtual void cycle(const RtlInputs& inputs, bool timed) = 0;
};

/// A unit that gets from a tape what another one got: its watcher sees what the watcher of an
/// RtlTracker with that unit would have seen.
class RtlReplay {
 public:
  /// `options` has a watcher.
  RtlReplay(const char* name, const TrackerConfig& config, const RtlOptions& options);
  RtlReplay(const RtlReplay&) = delete;
  RtlReplay& operator=(const RtlReplay&) = delete;

  /// As in RtlTape; `when` is the simulated time then.
  void cycle(const RtlInputs& inputs, bool timed, Picoseconds when);

 private:
  RtlWatcher& watcher_;
  std::unique_ptr<RtlUnit> unit_;
  Picoseconds when_ = 0;
  bool timed_ = false;
};

}  // namespace t3
