// SPDX-License-Identifier: Apache-2.0
// What the copy of the code with faults asks (scripts/mutate). T3_MUTANT is the id of the fault that
// is at work, in hexadecimal; none by default. A program with T3_MUTANTS_REACHED appends to that
// file the id of each fault whose place it comes to, once.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace t3_mutant {

inline unsigned long read() {
  const char* id = std::getenv("T3_MUTANT");
  return id != nullptr ? std::strtoul(id, nullptr, 16) : 0;
}

inline const unsigned long kSelected = read();

inline void note(unsigned id) {
  const char* path = std::getenv("T3_MUTANTS_REACHED");
  std::FILE* file = path != nullptr ? std::fopen(path, "a") : nullptr;
  if (file == nullptr) return;
  std::fprintf(file, "%08x\n", id);
  std::fclose(file);
}

template <unsigned Id>
inline bool reached = false;

/// Whether fault `Id` is at work. No constant expression, so no compiler decides it beforehand.
template <unsigned Id>
bool at() {
  if (!reached<Id>) {
    reached<Id> = true;
    note(Id);
  }
  return kSelected == Id;
}

/// The same inside a constexpr function, which the compiler evaluates without faults.
template <unsigned Id>
constexpr bool atRunTime() {
  return !std::is_constant_evaluated() && at<Id>();
}

}  // namespace t3_mutant
