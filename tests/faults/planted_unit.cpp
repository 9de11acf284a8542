// SPDX-License-Identifier: Apache-2.0
// Stands in for tlm/tracker/make_rtl_unit.cpp: the unit with the mistakes of planted.toml.
#include "tests/faults/planted_unit.h"

#include <memory>
#include <utility>

#include "Vplanted.h"
#include "Vplanted_traced.h"
#include "tlm/tracker/rtl_unit.h"
#include "tlm/tracker/verilated_unit.h"

namespace {

t3::faults::Mistake planted = t3::faults::Mistake::None;

}  // namespace

extern "C" int t3_planted_mistake() { return static_cast<int>(planted); }

namespace t3 {

void faults::plant(Mistake mistake) { planted = mistake; }

std::unique_ptr<RtlUnit> makeRtlUnit(std::shared_ptr<VerilatedContext> context, const char* name,
                                     bool traced) {
  if (!traced) return std::make_unique<VerilatedUnit<Vplanted, false>>(std::move(context), name);
  return std::make_unique<VerilatedUnit<Vplanted_traced, true>>(std::move(context),
                                                                verilatedScopes(name).c_str());
}

}  // namespace t3
