// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "tlm/rtl/rtl_block.h"
#include "tlm/switch/merge_unit.h"
#include "tlm/switch/switch_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// The merge unit of a MergePort at its pins, for updates: its twin, its RTL, or both. It is out of
/// reset, and its table is clear.
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
  /// As MergeUnit::quiet: cycles that `pass` may replace if nothing comes in them.
  virtual std::uint64_t quiet() const { return 0; }
  virtual void pass(std::uint64_t /*cycles*/) {}

  virtual std::size_t entries() const = 0;  ///< of the table that are taken
  virtual const MergeFigures& figures() const = 0;
};

std::unique_ptr<MergeEngine> makeTwinMergeEngine(const MergeConfig& config);

/// The RTL, Verilated, of the port `name`. `config` has the size of the RTL; clock edges are at
/// whole `period`s. A line of less than 128 bytes, or of sizes only, is filled up with zeros. An
/// assertion that fails ends the run with an error report "t3/rtl".
std::unique_ptr<MergeEngine> makeRtlMergeEngine(const char* name, const MergeConfig& config,
                                                Picoseconds period, const RtlTracing& tracing);

/// The RTL drives the system, and the twin sees the same. The first cycle in which they show
/// different things ends the run with an error report "t3/lockstep".
std::unique_ptr<MergeEngine> makeLockstepMergeEngine(const char* name,
                                                     std::unique_ptr<MergeEngine> rtl,
                                                     std::unique_ptr<MergeEngine> twin);

/// The unit of the port `name`, as `config.merge` says. `expected`: contributions of a complete
/// sum.
std::unique_ptr<MergeEngine> makeMergeEngine(const char* name, const SwitchConfig& config,
                                             std::uint32_t expected, const RtlTracing& tracing);

}  // namespace t3
