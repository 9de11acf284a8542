// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tlm/gpu/codec.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/numbers.h"

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
  EgressPorts(MemoryClient& client, std::uint32_t ports, const std::string& name = "egress") {
    for (std::uint32_t p = 0; p < ports; ++p) {
      ports_.push_back(std::make_unique<MemoryPort>(numbered(name, p).c_str(), client));
    }
  }
  /// For a part whose payloads are tiles.
  EgressPorts(MemoryClient& client, const Tiling& tiling, const ChunkPorts& ports)
      : EgressPorts(client, ports.ports) {
    for (std::uint32_t c = 0; c < ports.ofChunk.size(); ++c) {
      portOfTile_.insert(portOfTile_.end(), tiling.chunk(ChunkId{c}).count, ports.ofChunk[c]);
    }
  }

  std::uint32_t ports() const { return static_cast<std::uint32_t>(ports_.size()); }
  MemoryPort& port(std::uint32_t index) { return *ports_[index]; }

  /// Writes pass it from now on.
  void encodeBy(CodecEngine& codec) { codec_ = &codec; }

  void send(Payload& payload, std::uint32_t index) {
    if (codec_ != nullptr) return codec_->send(payload, port(index));
    port(index).send(payload);
  }
  /// By the port of the tile.
  void send(Payload& payload) {
    const std::uint32_t tile = traffic(std::as_const(payload)).workgroup.value;
    send(payload, portOfTile_.empty() ? 0 : portOfTile_[tile]);
  }
  /// Over all ports.
  std::size_t waiting() const {
    std::size_t count = 0;
    for (const auto& port : ports_) count += port->waiting();
    return count;
  }
  std::uint64_t inFlight() const {
    std::uint64_t count = 0;
    for (const auto& port : ports_) count += port->inFlight();
    return count;
  }
  bool idle() const {
    return std::ranges::all_of(ports_, [](const auto& port) { return port->idle(); });
  }

 private:
  std::vector<std::unique_ptr<MemoryPort>> ports_;
  CodecEngine* codec_ = nullptr;
  std::vector<std::uint32_t> portOfTile_;  ///< empty: one port for all
};

}  // namespace t3
