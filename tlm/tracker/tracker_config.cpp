// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/tracker_config.h"

#include <array>
#include <bit>

namespace t3 {

std::span<const FieldInfo> TrackerConfig::fields() {
  static constexpr std::array<FieldInfo, 12> kFields{{
      {"clock_mhz", "MHz", 1, 10000,
       "clock of the unit; assumption: lanes x 128 bytes x clock covers the memory's peak"},
      {"lanes", "", 1, 16,
       "update lanes, a power of two; each serves channels / lanes channels. The RTL has the "
       "default; --tracker model takes all"},
      {"banks", "", 2, 16,
       "banks of entries, a power of two. The RTL has the default; --tracker model takes all"},
      {"sets_per_bank", "", 2, 4096,
       "sets of entries per bank, a power of two. The RTL has the default; --tracker model takes "
       "all"},
      {"ways", "", 1, 4,
       "entries per set: 1, 2 or 4; 64 x 4 x 8 banks is the paper's 256 x 8 entries. The "
       "RTL has the default; --tracker model takes all"},
      {"command_slots", "", 16, 8192,
       "DMA commands that can be programmed, a power of two. The RTL has the default; --tracker "
       "model "
       "takes all"},
      {"release_rows", "", 16, 4096,
       "row slots: rows of output tiles whose completion the tracker can say for another kernel "
       "that waits for them, a power of two (docs/tracker.md, promise 12). The RTL has the "
       "default; "
       "--tracker model takes all"},
      {"parking", "", 0, 0,
       "tiles that wait for their next contribution leave the table (docs/tracker.md, promise 10)"},
      {"parked_workgroups", "", 2, 65536,
       "workgroups whose tiles can be parked, ids 0 to this less one; a power of two. The tiles of "
       "others stay in the table (docs/measurements/tracker-sizing.md). The RTL has the default; "
       "--tracker model takes all"},
      {"block_log2", "", 0, kMostBlockLog2,
       "a DMA command covers 2^block_log2 consecutive output tiles (a slot counts 65,535 wavefront "
       "tiles)"},
      {"lane_queue_updates", "updates", 1, 65536,
       "memory-side queue in front of each lane; the default holds the bursts of the paper's runs "
       "(docs/measurements/tracker-sizing.md)"},
      {"register_access_ns", "ns", 0, 1e6,
       "what a register access of the software that programs the tracker takes, beyond the unit's "
       "own clocks (assumption: none, a command processor on the die posts its writes)"},
  }};
  return kFields;
}

void TrackerConfig::coverTiles(std::uint64_t tiles) {
  while (tiles > std::uint64_t{command_slots} << block_log2 && block_log2 < kMostBlockLog2) {
    ++block_log2;
  }
}

std::optional<std::string> TrackerConfig::check() const {
  if (!std::has_single_bit(lanes)) return "lanes: expected 1, 2, 4, 8 or 16";
  if (!std::has_single_bit(banks)) return "banks: expected 2, 4, 8 or 16";
  if (!std::has_single_bit(sets_per_bank)) return "sets_per_bank: expected a power of two";
  if (!std::has_single_bit(ways)) return "ways: expected 1, 2 or 4";
  if (!std::has_single_bit(command_slots)) return "command_slots: expected a power of two";
  if (!std::has_single_bit(release_rows)) return "release_rows: expected a power of two";
  if (!std::has_single_bit(parked_workgroups)) return "parked_workgroups: expected a power of two";
  return std::nullopt;
}

}  // namespace t3
