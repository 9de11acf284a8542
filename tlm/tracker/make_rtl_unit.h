// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/rtl/rtl_context.h"
#include "tlm/tracker/rtl_unit.h"

namespace t3 {

/// A unit of the default size.
std::unique_ptr<RtlUnit> makeRtlUnit(std::shared_ptr<VerilatedContext> context, const char* name,
                                     bool traced = false);

}  // namespace t3
