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
    // Its what() is several lines. A text that says its time itself does so once.
    const std::string when = report->get_time().to_string();
    const std::string type = report->get_msg_type(), text = report->get_msg();
    if (text.starts_with(when)) return type + " at " + text;
    if (text.find(" at " + when) != std::string::npos) return type + ": " + text;
    return type + " at " + when + ": " + text;
  }
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) {
    return "the machine's memory is too small for this scenario; data = elided keeps no values, "
           "simulated_gpus = symmetric keeps the state of one GPU";
  }
  return failure.what();
}

}  // namespace t3
