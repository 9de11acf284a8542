// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/simulation.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <systemc>

#include "testbench/config/config_error.h"
#include "testbench/gather/replayed_run.h"
#include "testbench/gather/rtl_tapes.h"
#include "testbench/output/interrupt.h"
#include "testbench/presets/scenario.h"
#include "testbench/simulate/kernel_watch.h"
#include "testbench/wave/difference_wave.h"
#include "tlm/node/run_loop.h"
#include "tlm/node/system.h"
#include "tlm/tracker/lockstep_tracker.h"

namespace t3 {
namespace {

double peakRssMb() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;  // Linux counts KiB
}

/// Process 0 gets the figures of all; the others get those of none.
std::vector<ProcessFigures> collectProcesses(Peers& peers, std::uint32_t gpus, double wall) {
  const PeerWork work = peers.work();
  const ProcessFigures mine{
      peers.firstGpu(gpus, peers.self() + 1) - peers.firstGpu(gpus, peers.self()), work.meetings,
      wall > 0 ? work.waited_s / wall : 0, work.bytes, peakRssMb()};
  std::vector<Parcel> parcels(peers.count()), arrived;
  parcels[0].put(mine);
  peers.meet({}, parcels, arrived);
  std::vector<ProcessFigures> all;
  for (Parcel& parcel : arrived) {
    if (!parcel.empty()) all.push_back(parcel.take<ProcessFigures>());
  }
  return all;
}

RunResult failedWith(const std::string& error) {
  RunResult result;
  result.error = error;
  return result;
}

/// All instruments of a run, each sampled with its own period.
class Instruments {
 public:
  Instruments(const Observers& observers, Listeners& listeners)
      : all_(observers.instruments), listeners_(listeners) {
    if (observers.wave != nullptr) all_.push_back(observers.wave);
  }

  /// `watch` gets the shortest sample period.
  void begin(RunWatch& watch) {
    for (Instrument* instrument : all_) {
      instrument->begin(listeners_);
      if (instrument->samplePeriod() != 0) sampled_.push_back({instrument, 0});
    }
    for (const Sampled& one : sampled_) {
      const Picoseconds period = one.instrument->samplePeriod();
      watch.samplePeriod = watch.samplePeriod == 0 ? period : std::min(watch.samplePeriod, period);
    }
    if (!sampled_.empty()) watch.sample = [this] { sample(); };
  }

  /// Returns the errors of instruments that could not complete their files, "" if there are none.
  std::string finish() {
    std::string problems;
    for (Instrument* instrument : all_) {
      try {
        instrument->finish();
      } catch (const std::exception& problem) {
        problems += (problems.empty() ? "" : "\n  ") + std::string(problem.what());
      }
    }
    return problems;
  }

  void sample() {
    for (Sampled& one : sampled_) {
      const Picoseconds time = listeners_.time();
      if (time < one.due) continue;
      const Picoseconds period = one.instrument->samplePeriod();
      one.due = (time / period + 1) * period;
      one.instrument->sample();
    }
  }

 private:
  struct Sampled {
    Instrument* instrument;
    Picoseconds due;
  };

  std::vector<Instrument*> all_;
  Listeners& listeners_;
  std::vector<Sampled> sampled_;
};

RunResult runWatched(System& system, RunWatch watch, bool answersInterrupts) {
  const KernelWatch kernel(answersInterrupts);
  watch.stuck = [&kernel] { return kernel.stuck(); };
  return system.run(watch);
}

/// A run with lockstep pairs has ended without a difference: says in what they are apart, and lets
/// one pair announce it, so that it is drawn. That is the pair that has been apart for longest or,
/// if none is, the one of the GPU that the error names first.
std::string whereApart(const Listeners& listeners, const std::string& error) {
  const LockstepTracker* concerned = nullptr;
  std::optional<LockstepTracker::Apart> first;
  std::size_t named = std::string::npos;
  for (const PublishedModel& model : listeners.models()) {
    const auto* pair = dynamic_cast<const LockstepTracker*>(model.model);
    if (pair == nullptr) continue;
    const auto apart = pair->apart();
    const std::size_t at = error.find(model.name.substr(0, model.name.find('.')));
    const bool earlier = apart && (!first || apart->since < first->since);
    if (earlier || (!first && (concerned == nullptr || at < named))) concerned = pair;
    if (earlier) first = apart;
    named = std::min(named, at);
  }
  if (concerned == nullptr) return "no lockstep pair ran";
  concerned->announceApart(first ? first->since : now());
  if (first) return "lockstep, not a difference yet: " + first->text;
  return "lockstep: every RTL and its twin agree so far";
}

/// Gets the options of the RTL.
using MakeSystem = std::function<std::unique_ptr<System>(const SystemRtl& rtl)>;

/// `make` makes the system of the scenario.
RunResult runSystem(const MakeSystem& make, const SystemConfig& scenario, TrackerKind tracker,
                    const Observers& observers, FirstDifference& difference) {
  bool together = false;  // all processes of the run have come to its simulation
  try {
    Wave* wave = observers.wave;
    std::optional<RtlTapes> tapes;
    if (observers.peers != nullptr) {
      const bool recorded =
          wave != nullptr || observers.commands != nullptr || !observers.instruments.empty();
      observers.peers->buildAll(toldByFirst(*observers.peers, recorded));
      tapes.emplace(*observers.peers, wave, scenario.gpus, scenario.hbm.stacks);
    }
    const auto rtl = [&tapes, wave](const std::string& model) {
      if (tapes) return tapes->options(model);
      if (wave == nullptr) return RtlOptions{};
      return RtlOptions{.tracing = wave->tracker(model)};
    };
    const auto mergeUnit = [&tapes, wave](const std::string& port) {
      return wave != nullptr && !tapes ? wave->mergeUnit(port) : RtlTracing{};
    };
    const auto stackJoin = [&tapes, wave](const std::string& join) {
      return wave != nullptr && !tapes ? wave->stackJoin(join) : RtlTracing{};
    };
    const auto system =
        make(SystemRtl{.trackers = rtl, .mergeUnits = mergeUnit, .stackJoins = stackJoin});
    CommandTrace* const commands = observers.commands;
    const auto observeMemory = [&system](auto* by) {
      if (by == nullptr) return;
      system->observeMemory([by](std::uint32_t gpu, const HbmConfig& memory) -> CommandObserver& {
        return by->memory(gpu, memory);
      });
    };
    Listeners listeners;
    if (tracker == TrackerKind::Lockstep) difference.listen(listeners);
    std::optional<CutRecording> cut;
    if (tapes) cut.emplace(*observers.peers, listeners, *tapes);
    Instruments instruments(observers, cut ? cut->replayed() : listeners);
    RunWatch watch;
    watch.progress = observers.progress;
    watch.stop = [&observers] {
      if (!interrupted()) return observers.stop && observers.stop();
      answerInterrupt();
      return true;
    };
    instruments.begin(watch);
    if (cut) {
      cut->begin(watch, commands != nullptr);
      observeMemory(cut->commands());
    } else {
      observeMemory(commands);
    }
    together = true;
    RunResult result;
    try {
      result = runWatched(*system, watch, observers.answersInterrupts);
    } catch (
        const std::exception& failure) {  // in the figures of the end: files are still finished
      result = failedWith(failureText(failure));
    }
    if (tracker == TrackerKind::Lockstep && !result.error.empty() && !difference.found())
      result.error += "\n  " + whereApart(listeners, result.error);
    if (cut) cut->replay([&instruments] { instruments.sample(); }, commands);
    // Now, while the models that they look at still exist.
    const std::string problems = instruments.finish();
    // An instrument that could not write may have ended the run with the same error.
    if (result.error.find(problems) == std::string::npos) {
      result.error += (result.error.empty() ? "" : "\n  ") + problems;
    }
    return result;
  } catch (const ConfigError&) {
    throw;
  } catch (const std::exception& failure) {
    // The others are on their way into the simulation, and wait there.
    if (observers.peers != nullptr && !together) throw;
    return failedWith(failureText(failure));
  }
}

RunRecord simulateMade(const MakeSystem& make, const SystemConfig& scenario, Mode mode,
                       TrackerKind tracker, const Observers& observers) {
  // An error becomes the text of the record; SystemC must not print it as well.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);

  RunRecord record;
  record.mode = mode;
  record.tracker = tracker;
  std::optional<DifferenceWave> drawing;
  if (tracker == TrackerKind::Lockstep && observers.wave == nullptr &&
      !observers.differencePath.empty()) {
    drawing.emplace(observers.differencePath, [&](Wave& wave) {
      Observers again;
      again.stop = observers.stop;
      again.answersInterrupts = observers.answersInterrupts;
      again.wave = &wave;
      FirstDifference ignored;
      runSystem(make, scenario, tracker, again, ignored);
    });
  }
  FirstDifference difference;
  const auto start = std::chrono::steady_clock::now();
  record.result = runSystem(make, scenario, tracker, observers, difference);
  if (difference.found()) {
    record.result.error +=
        "\n  " + (drawing ? drawing->draw(difference)
                          : "to draw it, the same run with " + difference.options());
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  const Verification& verification = record.result.verification;
  if (record.result.error.empty() && verification.mismatches > 0) {
    record.result.error = std::to_string(verification.mismatches) + " of " +
                          std::to_string(verification.elements) +
                          " elements differ from the reference sum";
  }
  record.host.wall_s = wall.count();
  record.host.dram_bursts = record.result.dram_bursts;
  if (wall.count() > 0) {
    record.host.dram_bursts_per_s = static_cast<double>(record.result.dram_bursts) / wall.count();
  }
  record.host.peak_rss_mb = peakRssMb();
  if (observers.peers != nullptr) {
    record.host.processes = collectProcesses(*observers.peers, scenario.gpus, record.host.wall_s);
  }
  return record;
}

}  // namespace

RunRecord simulate(const SystemConfig& scenario, Mode mode, TrackerKind tracker,
                   const Observers& observers) {
  SystemConfig complete = scenario;
  readScenarioFiles(complete);
  const auto make = [&](const SystemRtl& rtl) {
    return std::make_unique<System>(complete, mode, tracker, rtl, observers.peers);
  };
  return simulateMade(make, scenario, mode, tracker, observers);
}

RunRecord simulateCollective(const SystemConfig& scenario, const AlgorithmMeaning& meaning,
                             Mode mode, TrackerKind tracker, const Observers& observers) {
  const auto make = [&](const SystemRtl& rtl) {
    return std::make_unique<System>(scenario, meaning, mode, tracker, rtl, observers.peers);
  };
  return simulateMade(make, scenario, mode, tracker, observers);
}

}  // namespace t3
