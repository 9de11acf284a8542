// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>

namespace t3::test {

/// What `act` reports as an error; empty if it reports none.
template <typename Act>
std::string errorOf(Act act) {
  try {
    act();
  } catch (const sc_core::sc_report& report) {
    return report.get_msg();
  }
  return "";
}

}  // namespace t3::test
