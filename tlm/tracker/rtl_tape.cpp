// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/rtl_tape.h"

#include <cstring>

namespace t3 {

RtlInputs RtlInputs::of(const RtlPins& pins) {
  RtlInputs inputs = {.laneWorkgroup = {},
                      .laneAddress = {},
                      .laneWeight = {},
                      .laneWavefront = pins.laneWavefront,
                      .wData = pins.wData,
                      .awAddress = pins.awAddress,
                      .arAddress = pins.arAddress,
                      .laneValid = static_cast<std::uint16_t>(pins.laneValid),
                      .doneReady = pins.doneReady,
                      .releaseReady = pins.releaseReady,
                      .awValid = pins.awValid,
                      .awProtection = pins.awProtection,
                      .wValid = pins.wValid,
                      .wStrobes = pins.wStrobes,
                      .bReady = pins.bReady,
                      .arValid = pins.arValid,
                      .arProtection = pins.arProtection,
                      .rReady = pins.rReady};
  std::memcpy(inputs.laneWorkgroup.data(), pins.laneWorkgroup.bytes(), pins.laneWorkgroup.size());
  std::memcpy(inputs.laneAddress.data(), pins.laneAddress.bytes(), pins.laneAddress.size());
  std::memcpy(inputs.laneWeight.data(), pins.laneWeight.bytes(), pins.laneWeight.size());
  return inputs;
}

void RtlInputs::drive(const RtlPins& pins) const {
  std::memcpy(pins.laneWorkgroup.bytes(), laneWorkgroup.data(), pins.laneWorkgroup.size());
  std::memcpy(pins.laneAddress.bytes(), laneAddress.data(), pins.laneAddress.size());
  std::memcpy(pins.laneWeight.bytes(), laneWeight.data(), pins.laneWeight.size());
  pins.laneWavefront = laneWavefront;
  pins.wData = wData;
  pins.awAddress = awAddress;
  pins.arAddress = arAddress;
  pins.laneValid = laneValid;
  pins.doneReady = doneReady;
  pins.releaseReady = releaseReady;
  pins.awValid = awValid;
  pins.awProtection = awProtection;
  pins.wValid = wValid;
  pins.wStrobes = wStrobes;
  pins.bReady = bReady;
  pins.arValid = arValid;
  pins.arProtection = arProtection;
  pins.rReady = rReady;
}

}  // namespace t3
