// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/gpu/tiling.h"
#include "tlm/transport/memory_port.h"

namespace t3 {

/// One port to the outgoing link of each ring. Updates go to the ring of their tile's chunk, so
/// that one that waits for its link holds back those behind it on the same ring only.
class EgressPorts {
 public:
  EgressPorts(MemoryClient& client, const Tiling& tiling, std::uint32_t rings);

  std::uint32_t rings() const { return static_cast<std::uint32_t>(ports_.size()); }
  std::uint32_t ringOf(WorkgroupId tile) const { return tiling_.chunkOf(tile).value % rings(); }
  MemoryPort& port(std::uint32_t ring) { return *ports_[ring]; }

  /// As MemoryPort's, over all rings.
  void send(Payload& payload);
  std::size_t waiting() const;
  std::uint64_t inFlight() const;
  bool idle() const { return waiting() == 0 && inFlight() == 0; }

 private:
  Tiling tiling_;
  std::vector<std::unique_ptr<MemoryPort>> ports_;
};

}  // namespace t3
