// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tlm/switch/merge_flit.h"
#include "tlm/switch/merge_table.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// The merge unit of a MergePort at its pins, for updates: its twin, its RTL, or both. It is out of
/// reset, and its table has been cleared.
///
/// Rules of a cycle: look at `ready` and `onLink`, which do not depend on what comes in this cycle;
/// then `clock` with what comes.
class MergeEngine {
 public:
  MergeEngine() = default;
  MergeEngine(const MergeEngine&) = delete;
  MergeEngine& operator=(const MergeEngine&) = delete;
  virtual ~MergeEngine() = default;

  virtual bool ready() const = 0;
  /// What the link takes in this cycle, or null.
  virtual const MergeFlit* onLink() const = 0;
  /// The clock rises at `edge`. `update`: only if the unit is ready. `credit`: the link has a place
  /// free again.
  virtual void clock(Picoseconds edge, std::optional<MergeFlit> update, bool credit) = 0;
  /// Nothing is inside.
  virtual bool empty() const = 0;

  /// Cycles from here that may be left out if nothing comes in them, because `pass` does for them:
  /// MergeUnit::quiet.
  virtual std::uint64_t quiet() const { return 0; }
  virtual void pass(std::uint64_t /*cycles*/) {}

  virtual std::size_t entries() const = 0;  ///< of the table that are taken
  virtual const MergeTable::Statistics& statistics() const = 0;
};

}  // namespace t3
