// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/tracker_config.h"

#include <bit>

namespace t3 {

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
