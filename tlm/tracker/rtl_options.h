// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/rtl/rtl_tracing.h"

namespace t3 {

class RtlTape;

/// How the RTL is simulated. None of it changes what the unit does.
struct RtlOptions {
  RtlTracing tracing = {};
  /// Leave out the clock edges at which no register can change.
  bool skipIdleClocks = true;
  /// Gets the inputs of this unit, if given.
  RtlTape* tape = nullptr;
  /// The synthesized netlist drives the system, and the RTL runs beside it to be compared with it
  /// (netlist_unit.h). Only for programs that are linked with the netlist.
  bool netlist = false;
};

}  // namespace t3
