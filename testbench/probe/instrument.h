// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/probe/listeners.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// An observer of a run that writes down what it sees. It changes nothing in the run.
class Instrument {
 public:
  virtual ~Instrument() = default;

  /// Called when the system exists and no time has passed. Throws ConfigError if the instrument was
  /// asked for something that the system does not have.
  virtual void begin(Listeners& listeners) = 0;
  /// Called every `samplePeriod` of simulated time, between two steps of the simulation; 0: never.
  virtual void sample() {}
  virtual Picoseconds samplePeriod() const { return 0; }
  /// Called when the run is over, whatever its end was, and the models still exist. Completes the
  /// files and gives them their names. Throws std::runtime_error.
  virtual void finish() = 0;
};

}  // namespace t3
