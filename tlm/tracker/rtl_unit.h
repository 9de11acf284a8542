// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

class VerilatedContext;
class VerilatedFstC;

namespace t3 {

/// The pins of the Verilated `t3_track_trigger` at its default widths (docs/tracker.md, "Ports"):
/// 8 lanes, 4096 slots, 256 rows. Buses wider than 64 bits are little-endian 32-bit words.
struct RtlPins {
  std::uint8_t& clock;
  std::uint8_t& resetN;

  std::uint8_t& laneValid;
  std::uint32_t* laneWorkgroup;  ///< 16 bits per lane
  std::uint32_t& laneWavefront;  ///< 3 bits per lane
  std::uint32_t* laneAddress;    ///< 48 bits per lane
  std::uint64_t& laneWeight;     ///< 8 bits per lane
  const std::uint8_t& laneReady;

  std::uint8_t& doneReady;
  const std::uint8_t& doneValid;
  const std::uint16_t& doneSlot;
  const std::uint8_t& doneSpoiled;

  std::uint8_t& releaseReady;
  const std::uint8_t& releaseValid;
  const std::uint8_t& releaseRow;

  std::uint8_t& awValid;
  std::uint16_t& awAddress;
  std::uint8_t& awProtection;
  const std::uint8_t& awReady;
  std::uint8_t& wValid;
  std::uint32_t& wData;
  std::uint8_t& wStrobes;
  const std::uint8_t& wReady;
  std::uint8_t& bReady;
  const std::uint8_t& bValid;
  const std::uint8_t& bResponse;
  std::uint8_t& arValid;
  std::uint16_t& arAddress;
  std::uint8_t& arProtection;
  const std::uint8_t& arReady;
  std::uint8_t& rReady;
  const std::uint8_t& rValid;
  const std::uint32_t& rData;
  const std::uint8_t& rResponse;

  const std::uint8_t& interrupt;
  const std::uint8_t& alert;
  const std::uint8_t& busy;
};

/// One Verilated unit.
class RtlUnit {
 public:
  virtual ~RtlUnit() = default;
  /// One clock cycle with the inputs as they are. `picoseconds` is the time in messages of the RTL.
  /// False if an assertion failed in it. (Verilator would abort the program; that is switched off.)
  virtual bool cycle(std::uint64_t picoseconds) = 0;
  /// What went wrong in the latest cycle that returned false. `where` is its name in the text.
  virtual std::string failure(const std::string& where) const {
    return "an assertion of the RTL failed at " + where + " (Verilator's message above says which)";
  }

  /// Adds all signals of the unit to `sink`; each dump of `sink` then writes them. False for units
  /// that were not made to be traced. (Code that Verilator generates can write to this class of
  /// Verilator only; the owner of `sink` chooses its file.)
  virtual bool traceTo(VerilatedFstC& /*sink*/) { return false; }
  /// A traced unit calls `look` in the middle of each cycle, when the inputs are set and the clock
  /// is low.
  void whenLow(std::function<void()> look) { low_ = std::move(look); }

  const RtlPins pins;

 protected:
  explicit RtlUnit(const RtlPins& ports) : pins(ports) {}

  std::function<void()> low_;
};

}  // namespace t3
