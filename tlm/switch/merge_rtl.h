// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/rtl/rtl_block.h"

namespace t3 {

/// The pins of the Verilated `t3_switch_merge` (docs/switch-merge.md, "Ports") that updates need:
/// lines of 128 bytes, numbers of 48 bits, 128 sets of four. Plain writes pass beside the unit.
/// Data is in little-endian 32-bit words.
struct MergePins {
  std::uint8_t& clock;
  std::uint8_t& resetN;

  std::uint8_t& expected;
  std::uint32_t& age;

  std::uint8_t& updateValid;
  const std::uint8_t& updateReady;
  std::uint64_t& updateLine;
  std::uint8_t& updateCount;
  std::uint8_t& updateFormat;
  std::uint32_t* updateData;

  const std::uint8_t& linkValid;
  const std::uint64_t& linkLine;
  const std::uint8_t& linkCount;
  const std::uint8_t& linkFormat;
  const std::uint32_t* linkData;
  std::uint8_t& updateCredit;

  const std::uint8_t& empty;
};

/// What the unit has no pins for: the operation in cycle B, which takes place if `go`, and the
/// entries that are taken (rtl/t3_switch_merge.vlt).
struct MergeInside {
  const std::uint8_t& go;
  const std::uint8_t& update;  ///< it is an update …
  const std::uint8_t& visit;   ///< … or a visit of the sweep
  const std::uint8_t& move;    ///< T3_MOVE_T of rtl/switch/t3_switch_types.svh
  const std::uint16_t& entries;
};

/// One Verilated merge unit.
class MergeRtl : public RtlBlock {
 public:
  struct Signals {
    MergePins pins;
    MergeInside inside;
  };

  const MergePins pins;
  const MergeInside inside;

 protected:
  explicit MergeRtl(const Signals& signals) : pins(signals.pins), inside(signals.inside) {}
};

}  // namespace t3
