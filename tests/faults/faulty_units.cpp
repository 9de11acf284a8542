// SPDX-License-Identifier: Apache-2.0
// Stands in for tlm/tracker/make_rtl_unit.cpp: the unit in three kinds, with public memories.
#include "tests/faults/faulty_units.h"

#include <verilated.h>
#include <verilated_sym_props.h>
#include <verilated_syms.h>

#include <memory>
#include <utility>
#include <vector>

#include "Vfaults_none.h"
#include "Vfaults_parity.h"
#include "Vfaults_secded.h"
#include "tests/support/memories_of.h"
#include "tlm/tracker/rtl_unit.h"
#include "tlm/tracker/verilated_unit.h"

namespace t3 {
namespace {

faults::Protection protection = faults::Protection::None;

std::vector<std::shared_ptr<VerilatedContext>>& contexts() {
  static std::vector<std::shared_ptr<VerilatedContext>> all;
  return all;
}

template <class Model>
std::unique_ptr<RtlUnit> make(std::shared_ptr<VerilatedContext> context, const char* name) {
  return std::make_unique<VerilatedUnit<Model, false>>(std::move(context), name);
}

constexpr std::uint32_t kErrorCauses = 11;

/// The variable of that name in the one module of a unit that has it public.
const VerilatedVar* find(std::size_t unit, const char* name) {
  for (const auto& [path, scope] : *contexts()[unit]->scopeNameMap()) {
    if (const VerilatedVar* found = scope->varFind(name)) return found;
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<VerilatedContext> makeRtlContext(bool) {
  auto context = std::make_shared<VerilatedContext>();
  context->fatalOnError(false);
  contexts().push_back(context);
  return context;
}

std::unique_ptr<RtlUnit> makeRtlUnit(std::shared_ptr<VerilatedContext> context, const char* name,
                                     bool) {
  switch (protection) {
    case faults::Protection::None:
      return make<Vfaults_none>(std::move(context), name);
    case faults::Protection::Parity:
      return make<Vfaults_parity>(std::move(context), name);
    case faults::Protection::Secded:
      return make<Vfaults_secded>(std::move(context), name);
  }
  return nullptr;
}

namespace faults {

void protect(Protection chosen) { protection = chosen; }

std::size_t units() { return contexts().size(); }

std::vector<Memory> memories(std::size_t unit) { return test::memoriesOf(*contexts()[unit]); }

std::uint32_t errors() {
  std::uint32_t all = 0;
  for (std::size_t unit = 0; unit < units(); ++unit) {
    static_assert(kErrorCauses > 8 && kErrorCauses <= 16);
    all |= *static_cast<const SData*>(find(unit, "errors_q")->datap());
  }
  return all;
}

std::uint64_t corrected() {
  std::uint64_t all = 0;
  for (std::size_t unit = 0; unit < units(); ++unit) {
    // T3_COUNTS_T ends with it; it has 40 bits.
    const auto* words = static_cast<const std::uint32_t*>(find(unit, "counts_q")->datap());
    all += std::uint64_t{words[1] & 0xff} << 32 | words[0];
  }
  return all;
}

}  // namespace faults
}  // namespace t3
