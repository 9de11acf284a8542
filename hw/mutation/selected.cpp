// SPDX-License-Identifier: Apache-2.0
// The number of the fault that rtl/ with mutants (hw/mutation/run) shall have; 0 is none.
#include <cstdlib>

extern "C" int t3_selected_mutant() {
  const char* number = std::getenv("T3_RTL_MUTANT");
  return number != nullptr ? std::atoi(number) : 0;
}
