// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/collective_program.h"

#include <utility>

namespace t3 {

CollectiveProgram CollectiveProgram::inPhase(Phase phase) && {
  for (CollectiveStep& step : steps) {
    step.phase = phase;
    for (CollectiveSend& send : step.sends) send.phase = phase;
  }
  return std::move(*this);
}

}  // namespace t3
