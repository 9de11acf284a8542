// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "tlm/tracker/rtl_unit.h"

namespace t3 {

// The library t3::tlm has no netlist: it takes minutes to make. A program that links the target
// t3_netlist besides gets these functions from there, before the linker looks into the library.

/// The table of the netlist in this program; nothing if there is none.
std::optional<RtlTable> netlistTable();

/// The synthesized netlist, Verilated, at its pins; beside it the RTL with the same table, which
/// sees the same inputs in every clock. A cycle after which any output pin differs has failed.
/// Traces show the RTL. Null if there is no netlist.
std::unique_ptr<RtlUnit> makeNetlistUnit(const std::shared_ptr<VerilatedContext>& context,
                                         const char* name, bool traced = false);

}  // namespace t3
