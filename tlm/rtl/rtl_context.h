// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

class VerilatedContext;

namespace t3 {

/// The context that the Verilated models of one simulation share. A waveform file takes models of
/// one context only, and that has to be made for traced ones. (Verilator's header cannot be read
/// after SystemC's, so this header does not include it.)
std::shared_ptr<VerilatedContext> makeRtlContext(bool traced = false);

}  // namespace t3
