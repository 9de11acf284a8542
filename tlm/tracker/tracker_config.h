// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/transport/field_info.h"

namespace t3 {

/// Which implementation of the tracker runs in the system.
enum class TrackerKind : std::uint8_t { Rtl, Model, Lockstep, Netlist };
BOOST_DESCRIBE_ENUM(TrackerKind, Rtl, Model, Lockstep, Netlist)

/// Size and clock of the track-and-trigger unit (docs/tracker.md).
struct TrackerConfig {
  /// What is the same in every size of the unit (docs/tracker.md, "Parameters", "Memories").
  static constexpr std::uint32_t kWorkgroups = 1U << 16;  ///< ids of WgWidth bits
  static constexpr std::uint32_t kWavefronts = 1U << 3;   ///< ids of WfWidth bits
  static constexpr std::uint32_t kCountWidth = 23;
  static constexpr std::uint32_t kWeightWidth = 8;
  static constexpr std::uint32_t kMostCount = 1U << (kCountWidth - 1);  ///< bytes a slot counts to
  static constexpr std::uint32_t kRowQueue = 16;  ///< rows that wait in order of completion

  static constexpr std::uint32_t kMostBlockLog2 = 12;

  double clock_mhz = 1000.0;  ///< lanes x 128 B x clock ≥ the memory's peak
  std::uint32_t lanes = 8;
  std::uint32_t banks = 8;
  std::uint32_t windows = 4;
  std::uint32_t regions = 8;
  std::uint32_t slots = 4096;    ///< commands that can be armed at once
  std::uint32_t rows = 256;      ///< rows of tiles that can be armed at once
  std::uint32_t queue = 64;      ///< slots that wait in order of completion
  std::uint32_t block_log2 = 0;  ///< a DMA command covers 2^this consecutive workgroup tiles
  std::uint32_t lane_queue_updates = 64;  ///< memory-side queue in front of each lane
  double register_access_ns = 0;          ///< of software, beyond the unit's own clocks

  /// Lets a command cover as many tiles as it takes for the slots to suffice for so many.
  void coverTiles(std::uint64_t tiles);

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(TrackerConfig, (),
                      (clock_mhz, lanes, banks, windows, regions, slots, rows, queue, block_log2,
                       lane_queue_updates, register_access_ns))

}  // namespace t3
