// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "testbench/probe/listeners.h"
#include "testbench/wave/wave.h"

namespace t3 {

/// Listens for the first difference of a lockstep pair, in any of the trackers.
class FirstDifference : private EventSink {
 public:
  void listen(Listeners& listeners);

  bool found() const { return !tracker_.empty(); }
  const std::string& tracker() const { return tracker_; }
  /// The time from which on it is drawn, a little before the difference.
  Picoseconds from() const;
  /// The options of a run that draws it.
  std::string options() const;

 private:
  void happened(const Event& event) override;

  std::string tracker_;  ///< "" as long as there is none
  Picoseconds when_ = 0, since_ = 0;
  Listeners* listeners_ = nullptr;
};

/// Draws the waveform of a first difference, although none was asked for when the run began.
///
/// Runs repeat exactly: a copy of this process is forked before the simulation begins, and sleeps.
/// After a difference it runs the same simulation with a waveform of the tracker and time
/// concerned.
class DifferenceWave {
 public:
  /// To be made before the models. `again` runs the simulation with a waveform, in the copy only.
  DifferenceWave(std::string path, const std::function<void(Wave&)>& again);
  ~DifferenceWave();
  DifferenceWave(const DifferenceWave&) = delete;
  DifferenceWave& operator=(const DifferenceWave&) = delete;

  /// After the run, once: draws the difference. Returns the words that tell the user about it.
  std::string draw(const FirstDifference& difference);

 private:
  int end();

  std::string path_;
  int copy_ = -1;   ///< process
  int order_ = -1;  ///< pipe to the copy
};

}  // namespace t3
