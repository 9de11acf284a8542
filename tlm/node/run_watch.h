// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tlm/transport/clock.h"

namespace t3 {

/// Who watches a run. Nothing of it changes the simulation.
struct RunWatch {
  /// Called every 20 us of simulated time or so, with what is done, 0 … 1 …
  std::function<void(double)> progress;
  /// … and then, if true, the run ends as one that failed.
  std::function<bool()> stop;
  /// Called whenever that much simulated time has passed, and nothing is under way.
  std::function<void()> sample;
  Picoseconds samplePeriod = 0;
};

}  // namespace t3
