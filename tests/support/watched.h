// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum_to_string.hpp>
#include <string>
#include <vector>

#include "tlm/transport/probe.h"

namespace t3::test {

/// What a model publishes, one line for each value: "queued: level of 16 bits, requests = 3". The
/// value is read as the line is made.
inline std::vector<std::string> published(const Publisher& model) {
  ValueList list;
  model.publish(list);
  std::vector<std::string> lines;
  for (const PublishedValue& value : list.values()) {
    constexpr const char* kKinds[] = {"level", "flag", "choice", "counter"};
    std::string line = value.name + ": " + kKinds[static_cast<int>(value.kind)] + " of " +
                       std::to_string(value.bits) + " bits";
    if (*value.unit != '\0') line += std::string(", ") + value.unit;
    for (const char* choice : value.choices) line += std::string(" ") + choice;
    lines.push_back(line + " = " + std::to_string(value.read()));
  }
  return lines;
}

/// Writes down what models announce: "Sent 0x40 64 bytes at 900", "CreditWaitBegin 3 at 20".
struct Watch : EventSink, RequestSink {
  std::vector<std::string> steps;
  std::vector<std::string> events;

  void watch(Publisher& model) {
    model.subscribe(static_cast<EventSink*>(this), 0);
    model.subscribe(static_cast<RequestSink*>(this), 0);
  }
  void moved(const RequestStep& step) override {
    steps.push_back(std::string(boost::describe::enum_to_string(step.phase, "")) + " " +
                    std::to_string(step.address) + ", " + std::to_string(step.bytes) +
                    " bytes at " + std::to_string(step.when));
  }
  void happened(const Event& event) override {
    events.push_back(std::string(boost::describe::enum_to_string(event.kind, "")) + " " +
                     std::to_string(event.number) + " at " + std::to_string(event.when));
  }
};

}  // namespace t3::test
