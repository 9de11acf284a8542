// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "tlm/interconnect/cut_links.h"
#include "tlm/node/peers.h"
#include "tlm/node/system_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// How much is simulated between two looks at progress and at the watchdog.
inline constexpr Picoseconds kLookInterval = 20'000'000;

/// Ends a run that makes no progress. All errors are std::runtime_error, a line with the simulated
/// time, and who waits for what below it.
class Watchdog {
 public:
  /// `watchdog_us` without a change, from the last launch on, ends a run; where that is -1, 1 ms
  /// more than all latencies of the scenario together, since somebody may wait for one after the
  /// other. `whoWaits` stands below the error.
  Watchdog(const SystemConfig& config, std::function<std::string()> whoWaits);

  /// `beats` is the sum of the heartbeats of all GPUs at the time `when`. An error if it has not
  /// changed for longer than `watchdog_us`. A GPU that starts late is no hang.
  void look(std::uint64_t beats, Picoseconds when);

  /// Nothing is left to happen, and the run has not ended.
  [[noreturn]] void deadlock() const;
  /// An error if `why` is not empty.
  void expectNotStuck(const std::string& why) const;

 private:
  Picoseconds patience_, lastChange_;
  std::function<std::string()> whoWaits_;
  std::uint64_t lastBeats_ = 0;
};

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

class Executor;

/// Starts `executor` and simulates until every GPU is done and nothing is left to do.
/// Throws std::runtime_error, with `whoWaits` below its first line, when nothing is left to happen
/// before that, nothing has moved for the watchdog's time, or `watch` says stop.
void runToEnd(Executor& executor, const RunWatch& watch);

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
void runWindows(Executor& executor, CutLinks& cut, Peers& peers, const RunWatch& watch);

/// What ended a simulation, for the person who ran it. The text of a SystemC report says when and
/// where; memory that ran out says what needs less.
std::string failureText(const std::exception& failure);

}  // namespace t3
