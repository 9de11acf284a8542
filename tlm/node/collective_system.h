// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/mode.h"
#include "tlm/node/peers.h"
#include "tlm/node/run_result.h"
#include "tlm/node/run_watch.h"
#include "tlm/node/system_config.h"
#include "tlm/node/system_rtl.h"
#include "tlm/tracker/tracker_config.h"

namespace t3 {

/// N GPUs that run a collective from a file alone: in mode `sequential` by kernels, in modes with
/// tracking by trackers and DMA engines. One in a process, in place of a `System`, which runs it
/// behind a GEMM (AlgorithmRoute).
///
/// Time 0 is the first instruction of the kernels, or the moment when trackers and DMA engines may
/// begin. The result is that of a `System` without what it has no meaning for. The collective is
/// its only phase.
class CollectiveSystem {
 public:
  /// What an algorithm needs that the configuration has not, in one line: a link, memory, command
  /// slots. Empty if it can run.
  static std::optional<std::string> check(const SystemConfig& config,
                                          const AlgorithmMeaning& meaning, Mode mode);

  /// `meaning` outlives the system, and `check` has found nothing. `peers` as in System.
  CollectiveSystem(const SystemConfig& config, const AlgorithmMeaning& meaning, Mode mode,
                   TrackerKind tracker = TrackerKind::Model, const SystemRtl& rtl = {},
                   Peers* peers = nullptr);
  ~CollectiveSystem();
  CollectiveSystem(const CollectiveSystem&) = delete;
  CollectiveSystem& operator=(const CollectiveSystem&) = delete;

  /// As in System.
  void observeMemory(
      const std::function<CommandObserver&(std::uint32_t, const HbmConfig&)>& observerFor);
  RunResult run(const RunWatch& watch = {});

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace t3
