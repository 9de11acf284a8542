// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/make_rtl_unit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "Vt3_track_trigger.h"
#include "Vt3_track_trigger_traced.h"
#include "tlm/tracker/verilated_unit.h"

namespace t3 {

std::shared_ptr<VerilatedContext> makeRtlContext(bool traced) {
  auto context = std::make_shared<VerilatedContext>();
  if (traced) context->traceEverOn(true);
  context->fatalOnError(false);
  return context;
}

std::unique_ptr<RtlUnit> makeRtlUnit(std::shared_ptr<VerilatedContext> context, const char* name,
                                     bool traced) {
  if (!traced) {
    return std::make_unique<VerilatedUnit<Vt3_track_trigger, false>>(std::move(context), name);
  }
  // Where a waveform has its scopes, Verilator has spaces.
  std::string scopes = name;
  std::replace(scopes.begin(), scopes.end(), '.', ' ');
  return std::make_unique<VerilatedUnit<Vt3_track_trigger_traced, true>>(std::move(context),
                                                                         scopes.c_str());
}

}  // namespace t3
