// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/failure_text.h"

#include <new>
#include <systemc>

namespace t3 {

std::string failureText(const std::exception& failure) {
  if (const auto* report = dynamic_cast<const sc_core::sc_report*>(&failure)) {
    // Its what() is several lines.
    return std::string(report->get_msg_type()) + " at " + report->get_time().to_string() + ": " +
           report->get_msg();
  }
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) {
    return "the machine's memory is too small for this scenario; data = elided keeps no values, "
           "simulated_gpus = symmetric keeps the state of one GPU";
  }
  return failure.what();
}

}  // namespace t3
