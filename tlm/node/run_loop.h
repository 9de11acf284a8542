// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tlm/interconnect/cut_links.h"
#include "tlm/node/peers.h"
#include "tlm/node/watchdog.h"
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

/// Starts `subject` and simulates until every GPU is done and nothing is left to do.
/// Throws std::runtime_error, with `whoWaits` below its first line, when nothing is left to happen
/// before that, nothing has moved for the watchdog's time, or `watch` says stop.
void runToEnd(RunSubject& subject, const RunWatch& watch);

/// What went wrong is known in another process.
struct PeerFailed {};

/// What runToEnd does for one process, for a system that is cut over `peers` at the links of `cut`.
///
/// The processes meet, exchange what crossed the cut links, and agree on the next event of all.
/// Then each simulates a window from there on that is as long as the lookahead of the cut: nothing
/// that another process does in it can arrive in it. Time in which nothing happens is skipped. When
/// no process has anything left to do, all are brought to the same time, that of the last event.
///
/// Throws what runToEnd throws, and PeerFailed where only another process has failed.
void runWindows(RunSubject& subject, CutLinks& cut, Peers& peers, const RunWatch& watch);

}  // namespace t3
