// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/failure_text.h"

#include <new>
#include <string_view>
#include <systemc>

namespace t3 {
namespace {

constexpr std::string_view kUncaught = "uncaught exception";

}  // namespace

std::string failureText(const std::exception& failure) {
  if (const auto* report = dynamic_cast<const sc_core::sc_report*>(&failure)) {
    // What a process threw that is no report, SystemC calls so and adds no reason of its own.
    if (std::string_view(report->get_msg()) != "" &&
        std::string_view(report->get_msg_type()) == kUncaught) {
      return report->get_msg();
    }
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
