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
  /// Widths that are the same in every size of the unit (docs/tracker.md, "Parameters").
  static constexpr std::uint32_t kWorkgroups = 1U << 16;  ///< ids of WgWidth bits
  static constexpr std::uint32_t kWavefronts = 1U << 3;   ///< ids of WfWidth bits
  static constexpr std::uint32_t kRecordBytes = 32;  ///< of a spilled wavefront tile, in memory
  static constexpr std::uint64_t kMostTileBytes = 1U << 18;  ///< that a tile's counter holds

  static constexpr std::uint32_t kMostBlockLog2 = 12;

  /// What the records of `workgroups` tiles take in memory (docs/tracker.md, promise 9).
  static constexpr std::uint64_t recordBytes(std::uint64_t workgroups) {
    return workgroups * kWavefronts * kRecordBytes;
  }

  double clock_mhz = 1000.0;  ///< lanes x 128 B x clock ≥ the memory's peak
  std::uint32_t lanes = 8;
  std::uint32_t banks = 8;
  std::uint32_t sets_per_bank = 64;
  std::uint32_t ways = 4;  ///< entries of a set; sets x ways = 256, x 8 banks, as in the paper
  std::uint32_t command_slots = 4096;
  std::uint32_t release_rows = 256;  ///< row slots: rows of tiles that can be armed at once
  bool parking = true;  ///< tiles that wait for their next contribution leave the table
  std::uint32_t parked_workgroups = 4096;  ///< ids below this have a place for parked counts
  std::uint32_t block_log2 = 0;  ///< a DMA command covers 2^this consecutive workgroup tiles
  std::uint32_t lane_queue_updates = 1024;  ///< memory-side queue in front of each lane
  double register_access_ns = 0;            ///< of software, beyond the unit's own clocks

  /// Lets a command cover as many tiles as it takes for the slots to suffice for so many.
  void coverTiles(std::uint64_t tiles);

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(TrackerConfig, (),
                      (clock_mhz, lanes, banks, sets_per_bank, ways, command_slots, release_rows,
                       parking, parked_workgroups, block_log2, lane_queue_updates,
                       register_access_ns))

}  // namespace t3
