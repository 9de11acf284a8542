// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "testbench/gather/run_part.h"
#include "testbench/wave/wave.h"
#include "tlm/node/peers.h"
#include "tlm/tracker/rtl_tape.h"
#include "tlm/tracker/rtl_unit.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// The RTL in the waveform of a run in many processes. Each process notes what the units of its own
/// GPUs are given. After the run process 0 gives the same to units of its own, and those are drawn.
class RtlTapes {
 public:
  /// Every process makes one, before the trackers, of which there is one for each stack of each
  /// GPU. `wave` is in process 0 only, and may be null.
  RtlTapes(Peers& peers, Wave* wave, std::uint32_t gpus, std::uint32_t stacks);
  ~RtlTapes();
  RtlTapes(const RtlTapes&) = delete;
  RtlTapes& operator=(const RtlTapes&) = delete;

  /// For the tracker of that name.
  RtlOptions options(const std::string& model);
  /// Whether any RTL is drawn; once the trackers exist.
  bool any() const;
  /// Notes there what units have been given, and all that follows.
  void noteIn(RunPart& part);
  /// In process 0.
  void replay(const CycleRecord& record, Picoseconds when);

 private:
  class Tape;

  Wave* wave_;
  std::vector<std::string> models_;           ///< GPU by GPU
  std::vector<std::unique_ptr<Tape>> tapes_;  ///< of those; null if its RTL is not drawn
  RunPart* part_ = nullptr;
};

}  // namespace t3
