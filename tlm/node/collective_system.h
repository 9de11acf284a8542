// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/node/run_result.h"
#include "tlm/node/run_watch.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// N GPUs that run a collective from a file and nothing else. Time 0 is the first instruction of
/// its kernels. One in a process, in place of a `System`.
///
/// The result is that of a `System` without what it has no meaning for. The collective is the only
/// one of `other_collectives`.
class CollectiveSystem {
 public:
  /// What an algorithm needs that the configuration has not, in one line: a link, memory. Empty if
  /// it can run.
  static std::optional<std::string> check(const SystemConfig& config,
                                          const AlgorithmMeaning& meaning);

  /// `meaning` outlives the system, and `check` has found nothing.
  CollectiveSystem(const SystemConfig& config, const AlgorithmMeaning& meaning);
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
