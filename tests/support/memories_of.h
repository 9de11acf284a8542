// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <verilated.h>
#include <verilated_sym_props.h>
#include <verilated_syms.h>

#include <cstdint>
#include <vector>

#include "tests/support/memory.h"

namespace t3::test {

/// The variables of that name that are public in a context's model: its memories, or registers.
inline std::vector<Memory> memoriesOf(VerilatedContext& context, const char* variable = "mem_q") {
  std::vector<Memory> found;
  const VerilatedScopeNameMap* scopes = context.scopeNameMap();
  if (scopes == nullptr) return found;
  for (const auto& [name, scope] : *scopes) {
    const VerilatedVar* words = scope->varFind(variable);
    if (words == nullptr) continue;
    const int elements = words->udims() > 0 ? words->unpacked().elements() : 1;
    found.push_back({.name = name,
                     .words = static_cast<std::uint32_t>(elements),
                     .bits = static_cast<std::uint32_t>(words->packed().elements()),
                     .data = static_cast<unsigned char*>(words->datap()),
                     .stride = words->entSize()});
  }
  return found;
}

}  // namespace t3::test
