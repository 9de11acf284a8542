// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

class VerilatedContext;

namespace t3 {

class RtlWatcher;

/// How the RTL is simulated. None of it changes what the unit does.
struct RtlOptions {
  /// Shared by all units of one simulation (makeRtlContext); null: one of its own.
  std::shared_ptr<VerilatedContext> context;
  /// Clock edges at which no register can change are left out.
  bool skipIdleClocks = true;
  /// Looks into this unit, if given; `context` is made for that then.
  RtlWatcher* watcher = nullptr;
  /// The synthesized netlist drives the system, the RTL beside it is compared with it
  /// (netlist_unit.h); for programs that were linked with the netlist.
  bool netlist = false;
};

/// How the RTL of the tracker of GPU number … is simulated.
using RtlOptionsOf = std::function<RtlOptions(std::uint32_t gpu)>;

}  // namespace t3
