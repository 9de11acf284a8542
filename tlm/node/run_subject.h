// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tlm/node/watchdog.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// What `runToEnd` and `runWindows` have to know of a system that they run: of its GPUs in this
/// process.
class RunSubject {
 public:
  virtual ~RunSubject() = default;
  virtual void start() = 0;
  virtual bool finished() const = 0;
  virtual bool idle() const = 0;  ///< nothing is under way
  /// Asked when nothing is left to happen: starts the next part and returns true, or returns false
  /// if there is none.
  virtual bool resume() { return false; }
  /// Changes whenever the simulation makes progress.
  virtual std::uint64_t heartbeat() const = 0;
  /// Of Agenda::goByPlace; 0: its places must not come apart.
  virtual Picoseconds lookahead() const = 0;
  virtual double fractionDone() const = 0;
  virtual Watchdog watchdog() const = 0;
  /// Who waits for what in a run that goes on: lines that begin with a line feed.
  virtual std::string whoWaits() const = 0;
};

}  // namespace t3
