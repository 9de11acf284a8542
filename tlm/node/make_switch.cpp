// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/make_switch.h"

#include <vector>

#include "tlm/transport/payload.h"

namespace t3 {

std::unique_ptr<Switch> makeSwitch(const SystemConfig& config, std::uint32_t simulated) {
  if (!config.fabric.switched()) return nullptr;
  std::vector<LinkConfig> leaving;
  for (std::uint32_t g = 0; g < simulated; ++g) {
    leaving.push_back(config.ofGpu(g).link);
    leaving.back().lose_write = 0;  // one fault, on the way to the switch
  }
  return std::make_unique<Switch>("switch", leaving, [simulated](const Payload& payload) {
    return static_cast<int>(gpuOf(payload.get_address()).value % simulated);
  });
}

}  // namespace t3
