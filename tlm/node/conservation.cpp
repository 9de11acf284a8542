// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/conservation.h"

#include <stdexcept>
#include <string>

#include "tlm/node/run_to_end.h"

namespace t3 {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("conservation check failed: " + what);
}

void checkLink(const Ring& ring, std::uint32_t gpu, const RingPath& path) {
  const Tiling& tiling = ring.tiling();
  const GpuId next = path.next(GpuId{gpu});
  const std::string name =
      "gpu" + std::to_string(gpu) + ", ring " + std::to_string(path.index) + ": ";
  // Reduce-scatter sends every chunk of the ring but the one that stays; all-gather every one but
  // the one that the next GPU owns.
  std::uint64_t expected = 0;
  for (std::uint32_t place = 0; place < path.gpus; ++place) {
    expected += 2 * tiling.chunkBytes(path.behind(GpuId{gpu}, place));
  }
  expected -=
      tiling.chunkBytes(path.behind(GpuId{gpu}, 0)) + tiling.chunkBytes(path.behind(next, 0));
  const std::uint64_t sent = ring.node(gpu).links[path.index]->payloadBytes();
  const std::uint64_t received = ring.node(next.value).gpu.ingress[path.index]->bytes();
  require(sent == expected, name + "sent " + std::to_string(sent) +
                                " bytes over its link, the ring needs " + std::to_string(expected));
  require(received == sent, name + "sent " + std::to_string(sent) +
                                " bytes, the next GPU received " + std::to_string(received));
}

void checkUpdates(const Ring& ring, std::uint32_t gpu, std::uint32_t updatesPerElement) {
  const TrackerStatistics tracker = ring.node(gpu).tracker->statistics();
  const std::string name = "gpu" + std::to_string(gpu) + ": ";
  require(tracker.overrun == 0, name + "a tile received more bytes than it has");
  require(tracker.stray == 0, name + "a tile completed for a command that was not waiting");
  const std::vector<ChunkId> order = ring.order(gpu);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t updates = i < ring.rings().size() ? 0 : updatesPerElement;
    for (const auto& [address, bytes] : ring.areas(order[i])) {
      require(ring.node(gpu).hbm.everyBurstUpdated(address, bytes, updates),
              name + "an element of chunk " + std::to_string(order[i].value) + " was not updated " +
                  std::to_string(updates) + " times");
    }
  }
}

}  // namespace

void checkConservation(const Ring& ring, bool tracked, std::uint32_t updatesPerElement) {
  if (!ring.idle()) require(false, "something is still queued at the end" + whoWaits(ring));
  require(ring.pool().inUse() == 0,
          std::to_string(ring.pool().inUse()) + " requests were never answered");
  std::uint64_t issued = 0;
  for (std::uint32_t g = 0; g < ring.simulated(); ++g) {
    for (const RingPath& path : ring.rings()) checkLink(ring, g, path);
    if (!tracked) continue;
    checkUpdates(ring, g, updatesPerElement);
    issued += ring.node(g).tracker->statistics().triggers;
  }
  if (tracked) {
    require(issued == ring.commandsProgrammed(),
            std::to_string(issued) + " DMA commands were issued, " +
                std::to_string(ring.commandsProgrammed()) + " were programmed");
  }
}

}  // namespace t3
