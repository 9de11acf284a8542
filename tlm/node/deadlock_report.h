// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/node/machine.h"

namespace t3 {

/// Which parts wait for which: one line for each part of a GPU that is not done. The line says what
/// the part holds and for which parts it waits. `standstill`: nothing moves any more. Then a last
/// line shows the circle of waits, if there is one. In a run that goes on, waits come and go, so a
/// circle would mean nothing, and none is shown.
std::string deadlockReport(const Machine& machine, bool standstill);

}  // namespace t3
