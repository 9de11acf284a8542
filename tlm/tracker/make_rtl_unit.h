// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "tlm/tracker/rtl_unit.h"

class VerilatedContext;

namespace t3 {

/// The tables that this library was built with.
std::span<const RtlTable> rtlTables();

/// The context that the Verilated models of one simulation share. A waveform file takes models of
/// one context only, and that has to be made for traced units. (Verilator's header cannot be read
/// after SystemC's, so this header does not include it.)
std::shared_ptr<VerilatedContext> makeRtlContext(bool traced = false);

/// A unit with a table from `rtlTables()`; null for any other table.
std::unique_ptr<RtlUnit> makeRtlUnit(RtlTable table, std::shared_ptr<VerilatedContext> context,
                                     const char* name, bool traced = false);

}  // namespace t3
