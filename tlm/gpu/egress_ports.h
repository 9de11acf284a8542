// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/gpu/tiling.h"
#include "tlm/transport/memory_port.h"

namespace t3 {

/// By which port of a GPU the tiles of each chunk leave.
struct ChunkPorts {
  std::uint32_t ports = 1;
  std::vector<std::uint32_t> ofChunk = {};  ///< empty: all by port 0
};

/// The ports through which a part sends to other GPUs. A request that waits at a port holds back
/// only the requests behind it at the same port.
class EgressPorts {
 public:
  EgressPorts(MemoryClient& client, std::uint32_t ports, const std::string& name = "egress");
  /// For a part whose payloads are tiles.
  EgressPorts(MemoryClient& client, const Tiling& tiling, const ChunkPorts& ports);

  std::uint32_t ports() const { return static_cast<std::uint32_t>(ports_.size()); }
  MemoryPort& port(std::uint32_t index) { return *ports_[index]; }

  /// The functions of MemoryPort, over all ports.
  void send(Payload& payload);
  std::size_t waiting() const;
  std::uint64_t inFlight() const;
  bool idle() const { return waiting() == 0 && inFlight() == 0; }

 private:
  std::uint32_t portOf(WorkgroupId tile) const;

  std::vector<std::unique_ptr<MemoryPort>> ports_;
  std::vector<std::uint32_t> portOfTile_;  ///< empty: one port for all
};

}  // namespace t3
