// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/tracker/rtl_unit.h"

class VerilatedContext;

namespace t3 {

// The library t3::tlm has no netlist, because making one takes minutes. A program that also links
// the target t3_netlist gets these two functions from there: the linker finds them before it looks
// into the library, and then does not take no_netlist.cpp.

/// Whether this program has a netlist.
bool hasNetlist();

/// A unit that runs the synthesized netlist, Verilated. Its pins are those of the netlist. Beside
/// it runs the RTL, which sees the same inputs in every clock cycle. A cycle
/// after which any output pin differs has failed. Traces show the RTL. Null if there is no netlist.
std::unique_ptr<RtlUnit> makeNetlistUnit(const std::shared_ptr<VerilatedContext>& context,
                                         const char* name, bool traced = false);

}  // namespace t3
