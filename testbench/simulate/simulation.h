// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <string>
#include <vector>

#include "testbench/probe/instrument.h"
#include "testbench/report/run_record.h"
#include "testbench/trace/command_trace.h"
#include "testbench/wave/wave.h"

namespace t3 {

/// Who looks at a simulation; all may be left out.
struct Observers {
  std::function<void(double)> progress = {};  ///< gets fractions from 0 to 1
  std::function<bool()> stop = {};            ///< asked now and then; true ends the run as failed
  CommandTrace* commands = nullptr;           ///< gets every DRAM command; for the caller to finish
  Wave* wave = nullptr;
  std::vector<Instrument*> instruments = {};  ///< beside the waveform
  /// Where the first difference of a lockstep run is drawn, unless there is a waveform anyway; ""
  /// for nowhere.
  std::string differencePath = {};
};

/// Simulates one mode in this process (once: SystemC's kernel is global). Whatever goes wrong in
/// the simulation is in the record, not thrown; a ConfigError of an observer is thrown.
RunRecord simulate(const SystemConfig& scenario, Mode mode, TrackerKind tracker,
                   const Observers& observers);

}  // namespace t3
