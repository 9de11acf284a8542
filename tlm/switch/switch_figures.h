// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>

#include "tlm/transport/figures.h"

namespace t3 {

/// What a merge unit has done, or those of all ports of a switch. `complete + partial + aged +
/// passed`, which is `updates - joined`, have left.
struct MergeFigures {
  std::uint64_t updates = 0;       ///< taken
  std::uint64_t joined = 0;        ///< updates that were added to an entry
  std::uint64_t complete = 0;      ///< sums that left with all expected contributions
  std::uint64_t partial = 0;       ///< entries that made room for an update
  std::uint64_t aged = 0;          ///< entries that a visit put out
  std::uint64_t passed = 0;        ///< updates that left as they came
  std::uint64_t most_entries = 0;  ///< of one port, in use at the same time
  std::uint64_t update_bytes = 0;  ///< taken
  std::uint64_t sum_bytes = 0;     ///< given to the link
  std::uint64_t write_bytes = 0;   ///< the same of plain writes

  static constexpr std::uint64_t MergeFigures::*kMost = &MergeFigures::most_entries;
  bool operator==(const MergeFigures&) const = default;
};
BOOST_DESCRIBE_STRUCT(MergeFigures, (),
                      (updates, joined, complete, partial, aged, passed, most_entries, update_bytes,
                       sum_bytes, write_bytes))

/// What a switch has done that answered loads with sums, at a port or at all.
struct LoadFigures {
  std::uint64_t answer_bytes = 0, sum_bytes = 0;  ///< came, and left
  std::uint64_t most_kept = 0;  ///< bytes of answers of one port that waited for others

  static constexpr std::uint64_t LoadFigures::*kMost = &LoadFigures::most_kept;
};
BOOST_DESCRIBE_STRUCT(LoadFigures, (), (answer_bytes, sum_bytes, most_kept))

}  // namespace t3
