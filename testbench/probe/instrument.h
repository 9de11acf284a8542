// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/probe/listeners.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// What looks at a run and writes down what it saw. It changes nothing of it.
class Instrument {
 public:
  virtual ~Instrument() = default;

  /// The system exists and nothing has happened in it. Throws ConfigError if it is asked for what
  /// the system does not have.
  virtual void begin(Listeners& listeners) = 0;
  /// Called every `samplePeriod` of simulated time, with nothing under way; 0: never.
  virtual void sample() {}
  virtual Picoseconds samplePeriod() const { return 0; }
  /// The run is over, whatever its end, and the models are still there. Files are complete and have
  /// their names. Throws std::runtime_error.
  virtual void finish() = 0;
};

}  // namespace t3
