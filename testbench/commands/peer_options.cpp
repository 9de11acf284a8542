// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/peer_options.h"

#include <string>

#include "testbench/config/config_error.h"
#include "testbench/parallel/mpi_peers.h"

namespace t3 {

std::unique_ptr<Peers> peersOf(const SystemConfig& scenario) {
  std::unique_ptr<Peers> peers = mpiPeers();
  if (peers == nullptr || peers->count() == 1) return nullptr;
  if (scenario.simulatedGpus() < peers->count()) {
    throw ConfigError("mpirun", "-n",
                      "expected at most one process for each simulated GPU, here " +
                          std::to_string(scenario.simulatedGpus()));
  }
  return peers;
}

}  // namespace t3
