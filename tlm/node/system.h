// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/node/mode.h"
#include "tlm/node/peers.h"
#include "tlm/node/run_loop.h"
#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"
#include "tlm/tracker/make_tracker.h"
#include "tlm/tracker/tracker_config.h"

namespace t3 {

class Job;

/// N GPUs, each with its HBM stack and tracker, what connects them, and the software that drives
/// them. One System per process (SystemC's kernel is global).
class System {
 public:
  /// Sublayers. `rtl` says how RTL is simulated, where there is some. With `peers` each process
  /// simulates its share of the GPUs, and process 0 has the result of all; of the others' results
  /// only `error` counts.
  System(const SystemConfig& config, Mode mode, TrackerKind tracker, const SystemRtl& rtl = {},
         Peers* peers = nullptr);
  /// A collective alone: in mode `sequential` by kernels, in modes with tracking by trackers and
  /// DMA engines. `CollectivePlan::check` has found nothing; `alone` outlives the system.
  System(const SystemConfig& config, const AlgorithmMeaning& alone, Mode mode, TrackerKind tracker,
         const SystemRtl& rtl = {}, Peers* peers = nullptr);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  /// `observerFor(gpu, its memory's settings)` names who sees every DRAM command of that GPU. To be
  /// called before `run`, at most once.
  void observeMemory(
      const std::function<CommandObserver&(std::uint32_t, const HbmConfig&)>& observerFor);

  RunResult run(const RunWatch& watch = {});

 private:
  void simulate(const RunWatch& watch);

  Peers* const peers_;
  const std::unique_ptr<Job> job_;
};

}  // namespace t3
