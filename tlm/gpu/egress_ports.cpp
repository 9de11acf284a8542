// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/egress_ports.h"

#include <string>
#include <utility>

namespace t3 {

EgressPorts::EgressPorts(MemoryClient& client, const Tiling& tiling, std::uint32_t rings)
    : tiling_(tiling) {
  for (std::uint32_t r = 0; r < rings; ++r) {
    const std::string name = r == 0 ? "egress" : "egress_" + std::to_string(r);
    ports_.push_back(std::make_unique<MemoryPort>(name.c_str(), client));
  }
}

void EgressPorts::send(Payload& payload) {
  port(ringOf(traffic(std::as_const(payload)).workgroup)).send(payload);
}

std::size_t EgressPorts::waiting() const {
  std::size_t count = 0;
  for (const auto& port : ports_) count += port->waiting();
  return count;
}

std::uint64_t EgressPorts::inFlight() const {
  std::uint64_t count = 0;
  for (const auto& port : ports_) count += port->inFlight();
  return count;
}

}  // namespace t3
