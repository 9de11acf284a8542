// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/rtl_tape.h"

#include <algorithm>

namespace t3 {

RtlInputs RtlInputs::of(const RtlPins& pins) {
  RtlInputs inputs = {.laneWorkgroup = {},
                      .laneAddress = {},
                      .answerData = {},
                      .laneBytes = pins.laneBytes,
                      .laneWavefront = pins.laneWavefront,
                      .wData = pins.wData,
                      .awAddress = pins.awAddress,
                      .arAddress = pins.arAddress,
                      .laneValid = pins.laneValid,
                      .dmaReady = pins.dmaReady,
                      .releaseReady = pins.releaseReady,
                      .memoryReady = pins.memoryReady,
                      .answerValid = pins.answerValid,
                      .answerId = pins.answerId,
                      .awValid = pins.awValid,
                      .wValid = pins.wValid,
                      .wStrobes = pins.wStrobes,
                      .bReady = pins.bReady,
                      .arValid = pins.arValid,
                      .rReady = pins.rReady};
  std::copy_n(pins.laneWorkgroup, inputs.laneWorkgroup.size(), inputs.laneWorkgroup.begin());
  std::copy_n(pins.laneAddress, inputs.laneAddress.size(), inputs.laneAddress.begin());
  std::copy_n(pins.answerData, inputs.answerData.size(), inputs.answerData.begin());
  return inputs;
}

void RtlInputs::drive(const RtlPins& pins) const {
  std::ranges::copy(laneWorkgroup, pins.laneWorkgroup);
  std::ranges::copy(laneAddress, pins.laneAddress);
  std::ranges::copy(answerData, pins.answerData);
  pins.laneBytes = laneBytes;
  pins.laneWavefront = laneWavefront;
  pins.wData = wData;
  pins.awAddress = awAddress;
  pins.arAddress = arAddress;
  pins.laneValid = laneValid;
  pins.dmaReady = dmaReady;
  pins.releaseReady = releaseReady;
  pins.memoryReady = memoryReady;
  pins.answerValid = answerValid;
  pins.answerId = answerId;
  pins.awValid = awValid;
  pins.wValid = wValid;
  pins.wStrobes = wStrobes;
  pins.bReady = bReady;
  pins.arValid = arValid;
  pins.rReady = rReady;
}

}  // namespace t3
