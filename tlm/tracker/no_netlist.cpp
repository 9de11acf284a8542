// SPDX-License-Identifier: Apache-2.0
// The functions of a program without a netlist. Nothing else may be in this file: rtl_unit.h
// says why.
#include "tlm/tracker/rtl_unit.h"

namespace t3 {

bool hasNetlist() { return false; }

std::unique_ptr<RtlUnit> makeNetlistUnit(const std::shared_ptr<VerilatedContext>&, const char*,
                                         bool) {
  return nullptr;
}

}  // namespace t3
