// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
#include <systemc>
#include <vector>

#include "testbench/commands/command.h"
#include "testbench/output/interrupt.h"

int sc_main(int argc, char** argv) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  return t3::runProgram(std::vector<std::string>(argv + 1, argv + argc));
}

/// Replaces SystemC's own main, which would print a banner.
int main(int argc, char** argv) {
  t3::exitOnInterrupt();
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
