// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tlm/transport/clock.h"

namespace t3 {

/// Who watches a run. Nothing of it changes the simulation.
struct RunWatch {
  /// Called about every 20 us of simulated time with the share of the work that is done.
  std::function<void(double)> progress;
  /// Asked after each step of the simulation, of 20 us or `samplePeriod`, and whenever something in
  /// the simulation has called `sc_pause`. If true, the run ends as one that failed.
  std::function<bool()> stop;
  /// Asked at the same times: why the simulation is stuck, "" if it is not. If it is, the run ends
  /// as one that failed.
  std::function<std::string()> stuck;
  /// Called whenever that much simulated time has passed, and nothing is under way.
  std::function<void()> sample;
  Picoseconds samplePeriod = 0;
  /// Of a run in many processes: called whenever the program of all GPUs is about to go on, from
  /// the start on. All processes are then equally far.
  std::function<void()> round;
};

}  // namespace t3
