// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/peer_options.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "testbench/config/config_error.h"
#include "testbench/parallel/mpi_launch.h"
#include "testbench/parallel/mpi_peers.h"

namespace t3 {

std::unique_ptr<Peers> peersOf(const SystemConfig& scenario) {
  const auto check = [&scenario](std::uint32_t processes) {
    if (processes > 1 && scenario.leavesOut() && scenario.data == DataMode::Checked) {
      throw ConfigError("mpirun", "-n",
                        "expected 1 with workload.contributions and data = checked, because a "
                        "process does not know whose contributions the GPUs of others have added");
    }
    if (processes <= std::max(1U, scenario.simulatedGpus())) return;
    throw ConfigError("mpirun", "-n",
                      "expected at most one process for each simulated GPU, here " +
                          std::to_string(scenario.simulatedGpus()));
  };
  check(mpiLaunch().count);  // not every launcher's environment says it
  std::unique_ptr<Peers> peers = mpiPeers();
  if (peers == nullptr || peers->count() == 1) return nullptr;
  check(peers->count());
  return peers;
}

}  // namespace t3
