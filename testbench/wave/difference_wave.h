// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "testbench/probe/listeners.h"
#include "testbench/wave/wave.h"

namespace t3 {

/// The waveform of a lockstep pair's first difference, which nobody asked for before it was there.
///
/// Runs repeat exactly, so it is drawn by a second one: a copy of this process, forked before the
/// simulation begins, waits until it is told of a difference, runs the same simulation with a
/// waveform of its tracker and time, and ends. A run without a difference costs a process that
/// sleeps.
class DifferenceWave : private EventSink {
 public:
  /// To be made before the models are. `again` runs the simulation, to its end, with a waveform; it
  /// is called in the copy only.
  DifferenceWave(std::string path, const std::function<void(Wave&)>& again);
  ~DifferenceWave() override;
  DifferenceWave(const DifferenceWave&) = delete;
  DifferenceWave& operator=(const DifferenceWave&) = delete;

  /// Hears of a difference in any of the trackers.
  void listen(Listeners& listeners);
  /// After the run: draws, if there was a difference. What to say about it, or "".
  std::string draw();

 private:
  void happened(const Event& event) override;
  int end();

  std::string path_;
  std::string tracker_;  ///< of the difference; "" as long as there is none
  Picoseconds when_ = 0;
  Listeners* listeners_ = nullptr;
  int copy_ = -1;   ///< process
  int order_ = -1;  ///< it reads this to the end
};

}  // namespace t3
