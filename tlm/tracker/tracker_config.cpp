// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/tracker_config.h"

#include <array>
#include <bit>

namespace t3 {

std::span<const FieldInfo> TrackerConfig::fields() {
  static constexpr std::array<FieldInfo, 11> kFields{{
      {"clock_mhz", "MHz", 1, 10000,
       "clock of the unit; assumption: lanes x 128 bytes x clock covers the memory's peak"},
      {"lanes", "", 1, 16,
       "update lanes, a power of two; each serves channels / lanes channels. The RTL has the "
       "default; --tracker model takes all"},
      {"banks", "", 2, 16,
       "banks of slots, a power of two. The RTL has the default; --tracker model takes all"},
      {"windows", "", 1, 8,
       "ranges of addresses, which regions share. The RTL has the default; --tracker model takes "
       "all"},
      {"regions", "", 1, 16,
       "ranges of workgroups that can be programmed. The RTL has the default; --tracker model "
       "takes all"},
      {"slots", "", 16, 8192,
       "DMA commands that can be armed at once, a power of two, at least 2 x banks. The RTL has "
       "the default; --tracker model takes all"},
      {"rows", "", 16, 4096,
       "row slots: rows of output tiles whose completion the tracker can say for another kernel "
       "that waits for them, a power of two (docs/tracker.md, promise 8). The RTL has the "
       "default; --tracker model takes all"},
      {"queue", "", 16, 1024,
       "commands that wait in order of completion, a power of two; what waits beyond them leaves "
       "in order of number (docs/tracker.md, promise 7). The RTL has the default; --tracker model "
       "takes all"},
      {"block_log2", "", 0, kMostBlockLog2,
       "a DMA command covers 2^block_log2 consecutive output tiles (a slot counts to 4 MiB)"},
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
  while (tiles > std::uint64_t{slots} << block_log2 && block_log2 < kMostBlockLog2) ++block_log2;
}

std::optional<std::string> TrackerConfig::check() const {
  if (!std::has_single_bit(lanes)) return "lanes: expected 1, 2, 4, 8 or 16";
  if (!std::has_single_bit(banks)) return "banks: expected 2, 4, 8 or 16";
  if (!std::has_single_bit(slots)) return "slots: expected a power of two";
  if (slots < 2 * banks) return "slots: expected at least 2 x banks";
  if (!std::has_single_bit(rows)) return "rows: expected a power of two";
  if (!std::has_single_bit(queue)) return "queue: expected a power of two";
  return std::nullopt;
}

}  // namespace t3
