// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/nvls.h"

#include <array>

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/system_config.h"

namespace t3 {
namespace {

constexpr std::array<const Collective*, 1> kAllInOne{&kNvlsAllReduce};
constexpr std::array<const Collective*, 2> kBothSides{&kNvlsReduceScatter, &kNvlsAllGather};

Graph nvlsGraph(const SystemConfig& config) {
  return inTurnGraph(config,
                     config.workload.norms() ? Collectives{kBothSides} : Collectives{kAllInOne});
}

std::optional<std::string> needSwitch(const SystemConfig& config, std::uint32_t /*number*/) {
  if (config.algorithm != nullptr) {
    return "expected a mode that runs workload.collective, because nvls brings its own";
  }
  if (config.merges()) return std::nullopt;
  return "expected a mode that needs no switch to add, because switch.merge is off";
}

}  // namespace

/// The rival of the baseline where a switch adds and copies: the GEMM, and then one kernel that
/// loads sums and stores them in all GPUs at once. With a norm it is a reduce-scatter, the norm and
/// an all-gather.
constinit const ModeKind kNvls = {.name = "nvls",
                                  .needsMerging = true,
                                  .graph = nvlsGraph,
                                  .bound = inTurn,
                                  .repeats = true,
                                  .check = needSwitch};

}  // namespace t3
