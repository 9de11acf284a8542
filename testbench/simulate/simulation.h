// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <string>
#include <vector>

#include "testbench/probe/listeners.h"
#include "testbench/report/run_record.h"
#include "testbench/trace/command_trace.h"
#include "testbench/wave/wave.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/node/peers.h"

namespace t3 {

/// Observers of a simulation; all may be left out.
struct Observers {
  std::function<void(double)> progress = {};  ///< gets fractions from 0 to 1
  std::function<bool()> stop = {};            ///< asked now and then; true ends the run as failed
  /// An interrupt ends the run as failed, with complete files; otherwise it ends the program.
  bool answersInterrupts = false;
  CommandTrace* commands = nullptr;  ///< gets every DRAM command; the caller finishes it
  Wave* wave = nullptr;
  std::vector<Instrument*> instruments = {};  ///< beside the waveform
  Peers* peers = nullptr;                     ///< that simulate the other GPUs
  /// The file for the waveform of the first difference of a lockstep run without `wave`; "": none.
  std::string differencePath = {};
};

/// Simulates one mode; once in a process, because SystemC's kernel is global. A failure is in the
/// record; a ConfigError of an observer is thrown.
RunRecord simulate(const SystemConfig& scenario, Mode mode, TrackerKind tracker,
                   const Observers& observers);
/// A collective from a file, alone. `CollectivePlan::check` has found nothing.
RunRecord simulateCollective(const SystemConfig& scenario, const AlgorithmMeaning& meaning,
                             Mode mode, TrackerKind tracker, const Observers& observers);

}  // namespace t3
