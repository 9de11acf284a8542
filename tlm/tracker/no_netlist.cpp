// SPDX-License-Identifier: Apache-2.0
// What the library says; nothing else may be in this file (see netlist_unit.h).
#include "tlm/tracker/netlist_unit.h"

namespace t3 {

std::optional<RtlTable> netlistTable() { return std::nullopt; }

std::unique_ptr<RtlUnit> makeNetlistUnit(const std::shared_ptr<VerilatedContext>&, const char*,
                                         bool) {
  return nullptr;
}

}  // namespace t3
