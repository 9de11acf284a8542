// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/egress_ports.h"

#include <string>
#include <utility>

#include "tlm/transport/numbered.h"

namespace t3 {

EgressPorts::EgressPorts(MemoryClient& client, std::uint32_t ports, const std::string& name) {
  for (std::uint32_t p = 0; p < ports; ++p) {
    ports_.push_back(std::make_unique<MemoryPort>(numbered(name, p).c_str(), client));
  }
}

EgressPorts::EgressPorts(MemoryClient& client, const Tiling& tiling, const ChunkPorts& ports)
    : EgressPorts(client, ports.ports) {
  for (std::uint32_t c = 0; c < ports.ofChunk.size(); ++c) {
    portOfTile_.insert(portOfTile_.end(), tiling.chunk(ChunkId{c}).count, ports.ofChunk[c]);
  }
}

std::uint32_t EgressPorts::portOf(WorkgroupId tile) const {
  return portOfTile_.empty() ? 0 : portOfTile_[tile.value];
}

void EgressPorts::send(Payload& payload) {
  port(portOf(traffic(std::as_const(payload)).workgroup)).send(payload);
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
