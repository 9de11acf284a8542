// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/route.h"

namespace t3 {

/// Nodes of L GPUs; GPU g is in place (local rank) g % L of node g / L. Each node is a ring: place
/// r sends to r+1 by port 0. Place r of node m sends to place r of node m+1 by port 1, its rail. So
/// L rings of M nodes cross the nodes.
///
/// Chunk r M + m ends at place r of node m: those of one place are neighbours in the output, so
/// that a tracker needs few regions. It is first summed inside every node, from place r+1 over r+2
/// … to r; then the nodes' sums are summed along rail r, from node m+1 over m+2 … to m:
///
///     node m+1:  r+1 ─► r+2 ─► … ─► r ──┐                 port 0, each adds its copy
///     node m+2:  r+1 ─► r+2 ─► … ─► r ──▼─┐               port 1, each adds its node's sum
///     …                                   ▼
///     node m:    r+1 ─► r+2 ─► … ─► r ◄───┘               the whole sum stays
///
/// A GPU works on the chunks that end in node m-1, then m-2, …, and in the own node last; for each
/// node on those of place r-1, r-2, …, r. So rails begin after 1/M of the GEMM.
///
/// Kernels, one on each GPU, with a thread block for each port:
/// - ReduceScatter: as `RingRoute`'s in each node; the last step of a node's ring sends to the next
///   node, and waits for what the rail brings if the chunk did not begin here. In chunks: port 0
///   sends M (L-1), port 1 M-1; N are written, N-1 of them by others, 2N-1 read.
/// - AllGather: what the rail brings goes on by the rail and into the ring, what the ring brings by
///   the ring. Port 0 sends M (L-1) chunks, port 1 M-1.
class TwoLevelRoute : public Route {
 public:
  static constexpr std::uint32_t kRing = 0, kRail = 1;  ///< ports

  /// Throws std::invalid_argument unless there are at least two whole nodes of at least two GPUs.
  TwoLevelRoute(std::uint32_t gpus, std::uint32_t gpusPerNode);

  GpuId owner(ChunkId chunk) const override;
  ChunkId asOfGpu0(ChunkId chunk, GpuId gpu) const override;
  GpuId peer(GpuId from, std::uint32_t port) const override;
  GpuId source(GpuId to, std::uint32_t port) const override;
  std::uint32_t port(GpuId from, ChunkId chunk) const override;
  std::vector<ChunkId> order(GpuId gpu) const override;
  Duty duty(GpuId gpu, ChunkId chunk) const override;
  /// The own store and what the ring brings; and what the rail brings.
  std::uint32_t updatesPerElement(GpuId gpu, ChunkId chunk) const override;
  AlgorithmGpu steps(const Promise& promise, GpuId gpu) const override;

 private:
  std::uint32_t node(GpuId gpu) const { return gpu.value / places_; }
  std::uint32_t place(GpuId gpu) const { return gpu.value % places_; }
  /// Nodes and places count on from the last to the first.
  GpuId at(std::uint32_t node, std::uint32_t place) const {
    return GpuId{node % nodes_ * places_ + place % places_};
  }
  /// The chunk that ends so many nodes and places before a GPU.
  ChunkId before(GpuId gpu, std::uint32_t nodes, std::uint32_t places) const;
  std::uint32_t nodeOf(ChunkId chunk) const { return chunk.value % nodes_; }
  std::uint32_t placeOf(ChunkId chunk) const { return chunk.value / nodes_; }

  std::uint32_t places_, nodes_;
};

inline TwoLevelRoute::TwoLevelRoute(std::uint32_t gpus, std::uint32_t gpusPerNode)
    // Rails are networks, so they are taken to be the slower links. Alone, all first hops go before
    // the second ones, and rails begin late.
    : Route({.gpus = gpus, .ports = 2}, {.choosesWhatToSend = true, .slowestPort = kRail}),
      places_(gpusPerNode),
      nodes_(gpusPerNode == 0 ? 0 : gpus / gpusPerNode) {
  if (places_ >= 2 && nodes_ >= 2 && nodes_ * places_ == gpus) return;
  throw std::invalid_argument("expected at least 2 whole nodes of at least 2 GPUs, got " +
                              std::to_string(gpus) + " GPUs in nodes of " +
                              std::to_string(gpusPerNode));
}

inline GpuId TwoLevelRoute::owner(ChunkId chunk) const { return at(nodeOf(chunk), placeOf(chunk)); }

inline ChunkId TwoLevelRoute::before(GpuId gpu, std::uint32_t nodes, std::uint32_t places) const {
  const GpuId end =
      at(node(gpu) + nodes_ - nodes % nodes_, place(gpu) + places_ - places % places_);
  return ChunkId{place(end) * nodes_ + node(end)};
}

inline ChunkId TwoLevelRoute::asOfGpu0(ChunkId chunk, GpuId gpu) const {
  return before(owner(chunk), node(gpu), place(gpu));
}

inline GpuId TwoLevelRoute::peer(GpuId from, std::uint32_t port) const {
  return port == kRing ? at(node(from), place(from) + 1) : at(node(from) + 1, place(from));
}

inline GpuId TwoLevelRoute::source(GpuId to, std::uint32_t port) const {
  return port == kRing ? at(node(to), place(to) + places_ - 1)
                       : at(node(to) + nodes_ - 1, place(to));
}

inline std::uint32_t TwoLevelRoute::port(GpuId from, ChunkId chunk) const {
  return placeOf(chunk) == place(from) ? kRail : kRing;
}

inline std::vector<ChunkId> TwoLevelRoute::order(GpuId gpu) const {
  std::vector<ChunkId> chunks;
  for (std::uint32_t nodes = 1; nodes <= nodes_; ++nodes) {
    for (std::uint32_t places = 1; places <= places_; ++places) {
      chunks.push_back(before(gpu, nodes, places));
    }
  }
  return chunks;
}

inline Route::Duty TwoLevelRoute::duty(GpuId gpu, ChunkId chunk) const {
  if (owner(chunk) == gpu) return Duty::Keeps;
  return placeOf(chunk) == (place(gpu) + places_ - 1) % places_ ? Duty::Sends : Duty::Passes;
}

inline std::uint32_t TwoLevelRoute::updatesPerElement(GpuId gpu, ChunkId chunk) const {
  const bool beginsHere = nodeOf(chunk) == (node(gpu) + nodes_ - 1) % nodes_;
  return placeOf(chunk) == place(gpu) && !beginsHere ? 3 : 2;
}

inline AlgorithmGpu TwoLevelRoute::steps(const Promise& promise, GpuId gpu) const {
  AlgorithmMaker maker(promise, chunks());
  const auto blockOf = [&](std::uint32_t port) {
    return maker.block(peer(gpu, port).value, source(gpu, port).value, port);
  };
  // What begins at a rail goes on in the ring, so in an all-gather the rail comes first.
  const std::uint32_t first = blockOf(maker.reduces() ? kRing : kRail);
  const std::uint32_t second = blockOf(maker.reduces() ? kRail : kRing);
  const std::uint32_t ring = maker.reduces() ? first : second;
  const std::uint32_t rail = maker.reduces() ? second : first;
  const auto add = [&](std::uint32_t block, const StepKind& kind, std::uint32_t nodes,
                       std::uint32_t places,
                       std::optional<AlgorithmMaker::Place> after = std::nullopt) {
    return maker.add(block, kind, owner(before(gpu, nodes, places)).value, after);
  };
  std::optional<AlgorithmMaker::Place> there;  // the chunk that goes round next
  for (std::uint32_t n = 1; maker.reduces() && n <= nodes_; ++n) {
    add(ring, kSend, n, 1);
    for (std::uint32_t p = 2; p < places_; ++p) add(ring, kReceiveReduceSend, n, p);
    const AlgorithmMaker::Place ofNode = add(ring, kReceiveReduceCopy, n, 0);
    there = add(rail,
                n == nodes_ ? (maker.gathers() ? kReceiveReduceCopySend : kReceiveReduceCopy)
                : n == 1    ? kSend
                            : kReceiveReduceSend,
                n, 0, ofNode);
  }
  if (!maker.gathers()) return maker.take();
  if (!maker.reduces()) add(rail, kSend, 0, 0);
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    if (n != 0) there = add(rail, n + 1 < nodes_ ? kReceiveCopySend : kReceive, n, 0);
    add(ring, kSend, n, 0, there);
    for (std::uint32_t p = 1; p + 1 < places_; ++p) add(ring, kReceiveCopySend, n, p);
    add(ring, kReceive, n, places_ - 1);
  }
  return maker.take();
}

}  // namespace t3
