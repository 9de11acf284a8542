// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/rtl_tape.h"

#include <algorithm>

namespace t3 {

RtlInputs RtlInputs::of(const RtlPins& pins) {
  RtlInputs inputs = {.laneWorkgroup = {},
                      .laneAddress = {},
                      .laneWeight = pins.laneWeight,
                      .laneWavefront = pins.laneWavefront,
                      .wData = pins.wData,
                      .awAddress = pins.awAddress,
                      .arAddress = pins.arAddress,
                      .laneValid = pins.laneValid,
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
  std::copy_n(pins.laneWorkgroup, inputs.laneWorkgroup.size(), inputs.laneWorkgroup.begin());
  std::copy_n(pins.laneAddress, inputs.laneAddress.size(), inputs.laneAddress.begin());
  return inputs;
}

void RtlInputs::drive(const RtlPins& pins) const {
  std::ranges::copy(laneWorkgroup, pins.laneWorkgroup);
  std::ranges::copy(laneAddress, pins.laneAddress);
  pins.laneWeight = laneWeight;
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
