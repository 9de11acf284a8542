// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/rtl/rtl_block.h"

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

}  // namespace t3
