// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "tlm/rtl/rtl_block.h"

namespace t3 {

/// A pin whose width depends on the size of the unit: the least significant byte first, in the
/// 1, 2, 4, 8 or more bytes that Verilator gives it.
class SizedPin {
 public:
  template <typename Port>
  explicit SizedPin(Port& port)
      : bytes_(reinterpret_cast<unsigned char*>(&port)), size_(sizeof port) {}

  /// Its lowest 64 bits.
  operator std::uint64_t() const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_, size_ < sizeof value ? size_ : sizeof value);
    return value;
  }
  const SizedPin& operator=(std::uint64_t value) const {
    std::memcpy(bytes_, &value, size_ < sizeof value ? size_ : sizeof value);
    return *this;
  }
  SizedPin(const SizedPin&) = default;
  SizedPin& operator=(const SizedPin&) = delete;

  unsigned char* bytes() const { return bytes_; }
  std::size_t size() const { return size_; }

 private:
  unsigned char* bytes_;
  std::size_t size_;
};

/// The pins of the Verilated `t3_track_trigger` (docs/tracker.md, "Ports"), with ids, addresses and
/// weights of the default widths.
struct RtlPins {
  std::uint8_t& resetN;

  SizedPin laneValid;
  SizedPin laneWorkgroup;  ///< 16 bits per lane
  SizedPin laneWavefront;  ///< 3 bits per lane
  SizedPin laneAddress;    ///< 48 bits per lane
  SizedPin laneWeight;     ///< 8 bits per lane
  SizedPin laneReady;

  std::uint8_t& doneReady;
  const std::uint8_t& doneValid;
  SizedPin doneSlot;
  const std::uint8_t& doneSpoiled;

  std::uint8_t& releaseReady;
  const std::uint8_t& releaseValid;
  SizedPin releaseRow;
  const std::uint8_t& releaseSpoiled;

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
class RtlUnit : public RtlBlock {
 public:
  const RtlPins pins;

 protected:
  explicit RtlUnit(const RtlPins& ports) : pins(ports) {}
};

/// A unit of the default size.
std::unique_ptr<RtlUnit> makeRtlUnit(std::shared_ptr<VerilatedContext> context, const char* name,
                                     bool traced = false);

class RtlTape;

/// How the RTL is simulated. None of it changes what the unit does.
struct RtlOptions {
  RtlTracing tracing = {};
  /// Leave out the clock edges at which no register can change.
  bool skipIdleClocks = true;
  /// Gets the inputs of this unit, if given.
  RtlTape* tape = nullptr;
  /// The synthesized netlist drives the system, and the RTL runs beside it to be compared with it
  /// (makeNetlistUnit). Only for programs that are linked with the netlist.
  bool netlist = false;
};

/// The unit of the tracker `name`, traced if `options` has a watcher, out of reset and ready.
/// Throws std::runtime_error if an assertion fails.
std::unique_ptr<RtlUnit> startUnit(const RtlOptions& options, const char* name);

// The library t3::tlm has no netlist, because making one takes minutes. A program that also links
// the target t3_netlist gets these two functions from there: the linker finds them before it looks
// into the library, and then does not take no_netlist.cpp.

/// Whether this program has a netlist.
bool hasNetlist();

/// A unit that runs the synthesized netlist, Verilated. Its pins are those of the netlist. Beside
/// it runs the RTL, which sees the same inputs in every clock cycle. A cycle after which any output
/// pin differs has failed. Traces show the RTL. Null if there is no netlist.
std::unique_ptr<RtlUnit> makeNetlistUnit(const std::shared_ptr<VerilatedContext>& context,
                                         const char* name, bool traced = false);

}  // namespace t3
