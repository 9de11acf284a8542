// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/rtl_unit.h"

#include <utility>

#include "Vt3_track_trigger.h"
#include "Vt3_track_trigger_traced.h"
#include "tlm/tracker/verilated_unit.h"

namespace t3 {

std::unique_ptr<RtlUnit> makeRtlUnit(std::shared_ptr<VerilatedContext> context, const char* name,
                                     bool traced) {
  if (!traced) {
    return std::make_unique<VerilatedUnit<Vt3_track_trigger, false>>(std::move(context), name);
  }
  return std::make_unique<VerilatedUnit<Vt3_track_trigger_traced, true>>(
      std::move(context), verilatedScopes(name).c_str());
}

}  // namespace t3
