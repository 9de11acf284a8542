// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "testbench/gather/replayed_run.h"
#include "testbench/gather/rtl_tapes.h"
#include "testbench/gather/run_part.h"
#include "tlm/node/peers.h"
#include "tlm/node/run_loop.h"

namespace t3 {

/// Before there is a cluster: all learn from process 0 whether anybody records the run
/// (Peers::buildAll).
void buildAllIfRecorded(Peers& peers, bool recorded);

/// Recordings of a run in many processes. Every process makes the same calls, in this order.
/// Instruments are in process 0 only: each process notes what they wish to know of its own GPUs,
/// and process 0 tells them after the run.
class CutRecording {
 public:
  /// `live` are the models of this process, `tapes` those of their RTL.
  CutRecording(Peers& peers, Listeners& live, RtlTapes& tapes)
      : peers_(peers), live_(live), tapes_(tapes) {}

  /// What instruments listen to, in process 0.
  ReplayedRun& replayed() { return replayed_; }
  /// All learn from process 0 what is wished, and note it from now on. In process 0, `watch` has
  /// the sample period of the instruments; in all it then looks when they want it.
  void begin(RunWatch& watch, bool commands);
  /// For the memory of a GPU; null if nobody wants to know its commands.
  RunPart* commands() { return wishes_.commands ? &*part_ : nullptr; }
  /// After the run. Throws std::runtime_error; what instruments have written is not whole then.
  void replay(const std::function<void()>& sample, CommandTrace* commands);

 private:
  Peers& peers_;
  Listeners& live_;
  RtlTapes& tapes_;
  ReplayedRun replayed_;
  Wishes wishes_;
  std::optional<RunPart> part_;
};

}  // namespace t3
