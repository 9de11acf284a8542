// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "testbench/probe/listeners.h"
#include "testbench/wave/wave.h"

namespace t3 {

/// Hears of a lockstep pair's first difference, in any of the trackers.
class FirstDifference : private EventSink {
 public:
  void listen(Listeners& listeners);

  bool found() const { return !tracker_.empty(); }
  const std::string& tracker() const { return tracker_; }
  /// When what led to it begins.
  Picoseconds from() const;
  /// The options of a run that draws it.
  std::string options() const;

 private:
  void happened(const Event& event) override;

  std::string tracker_;  ///< "" as long as there is none
  Picoseconds when_ = 0;
  Listeners* listeners_ = nullptr;
};

/// The waveform of a first difference, which nobody asked for before it was there.
///
/// Runs repeat exactly, so it is drawn by a second one: a copy of this process, forked before the
/// simulation begins, waits until it is told of a difference, runs the same simulation with a
/// waveform of its tracker and time, and ends. A run without a difference costs a process that
/// sleeps.
class DifferenceWave {
 public:
  /// To be made before the models are. `again` runs the simulation, to its end, with a waveform; it
  /// is called in the copy only.
  DifferenceWave(std::string path, const std::function<void(Wave&)>& again);
  ~DifferenceWave();
  DifferenceWave(const DifferenceWave&) = delete;
  DifferenceWave& operator=(const DifferenceWave&) = delete;

  /// After the run, once: draws the difference, and says what there is to say about that.
  std::string draw(const FirstDifference& difference);

 private:
  int end();

  std::string path_;
  int copy_ = -1;   ///< process
  int order_ = -1;  ///< it reads this to the end
};

}  // namespace t3
