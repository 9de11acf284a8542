// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/tracker/rtl_unit.h"

class VerilatedContext;

namespace t3 {

/// The context that the Verilated models of one simulation share. A waveform file takes models of
/// one context only, and that has to be made for traced units. (Verilator's header cannot be read
/// after SystemC's, so this header does not include it.)
std::shared_ptr<VerilatedContext> makeRtlContext(bool traced = false);

/// A unit of the default size.
std::unique_ptr<RtlUnit> makeRtlUnit(std::shared_ptr<VerilatedContext> context, const char* name,
                                     bool traced = false);

}  // namespace t3
