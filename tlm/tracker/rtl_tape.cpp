// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/rtl_tape.h"

#include <cstring>
#include <type_traits>

#include "tlm/rtl/rtl_block.h"
#include "tlm/tracker/rtl_unit.h"

namespace t3 {

namespace {

/// Calls `copy` with each input and its pin.
void forEachInput(auto& inputs, const RtlPins& pins, const auto& copy) {
  copy(inputs.laneWavefront, pins.laneWavefront);
  copy(inputs.wData, pins.wData);
  copy(inputs.awAddress, pins.awAddress);
  copy(inputs.arAddress, pins.arAddress);
  copy(inputs.laneValid, pins.laneValid);
  copy(inputs.doneReady, pins.doneReady);
  copy(inputs.releaseReady, pins.releaseReady);
  copy(inputs.awValid, pins.awValid);
  copy(inputs.awProtection, pins.awProtection);
  copy(inputs.wValid, pins.wValid);
  copy(inputs.wStrobes, pins.wStrobes);
  copy(inputs.bReady, pins.bReady);
  copy(inputs.arValid, pins.arValid);
  copy(inputs.arProtection, pins.arProtection);
  copy(inputs.rReady, pins.rReady);
}

}  // namespace

RtlInputs RtlInputs::of(const RtlPins& pins) {
  RtlInputs inputs{};
  std::memcpy(inputs.laneWorkgroup.data(), pins.laneWorkgroup.bytes(), pins.laneWorkgroup.size());
  std::memcpy(inputs.laneAddress.data(), pins.laneAddress.bytes(), pins.laneAddress.size());
  std::memcpy(inputs.laneWeight.data(), pins.laneWeight.bytes(), pins.laneWeight.size());
  forEachInput(inputs, pins, [](auto& input, const auto& pin) {
    input = static_cast<std::remove_reference_t<decltype(input)>>(pin);
  });
  return inputs;
}

void RtlInputs::drive(const RtlPins& pins) const {
  std::memcpy(pins.laneWorkgroup.bytes(), laneWorkgroup.data(), pins.laneWorkgroup.size());
  std::memcpy(pins.laneAddress.bytes(), laneAddress.data(), pins.laneAddress.size());
  std::memcpy(pins.laneWeight.bytes(), laneWeight.data(), pins.laneWeight.size());
  forEachInput(*this, pins, [](const auto& input, auto& pin) { pin = input; });
}

RtlReplay::RtlReplay(const char* name, const TrackerConfig& config, const RtlOptions& options)
    : watcher_(*options.tracing.watcher), unit_(startUnit(options, name)) {
  watcher_.attach(*unit_, Clock(config.clock_mhz).period());
  unit_->whenLow([this] {
    if (timed_) watcher_.low(when_);
  });
}

void RtlReplay::cycle(const RtlInputs& inputs, bool timed, Picoseconds when) {
  const RtlPins& pins = unit_->pins;
  timed_ = timed;
  when_ = when;
  if (timed) watcher_.edge(when);
  inputs.drive(pins);
  unit_->cycle(when);  // that an assertion failed, the tracker of the tape has reported
  // An RtlTracker leaves these so until its next cycle, and they are drawn.
  pins.laneValid = 0;
  pins.awValid = pins.wValid = pins.bReady = 0;
  pins.arValid = pins.rReady = 0;
}

}  // namespace t3
