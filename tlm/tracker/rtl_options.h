// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

class VerilatedContext;

namespace t3 {

class RtlTape;
class RtlWatcher;

/// How the RTL is simulated. None of it changes what the unit does.
struct RtlOptions {
  /// Shared by all units of one simulation (makeRtlContext). Null: the unit makes its own.
  std::shared_ptr<VerilatedContext> context;
  /// Leave out the clock edges at which no register can change.
  bool skipIdleClocks = true;
  /// Sees all signals of this unit, if given. `context` must then be made for traced units.
  RtlWatcher* watcher = nullptr;
  /// Gets the inputs of this unit, if given.
  RtlTape* tape = nullptr;
  /// The synthesized netlist drives the system, and the RTL runs beside it to be compared with it
  /// (netlist_unit.h). Only for programs that are linked with the netlist.
  bool netlist = false;
};

}  // namespace t3
