// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tlm/collectives/route.h"

namespace t3 {

/// Nodes of L GPUs; GPU g is in place (local rank) g % L of node g / L. Each node is a ring: place
/// r sends to r+1 by port 0. Between nodes, place r of node m sends to place r of node m+1 by port
/// 1, its rail. So L rings of M GPUs, M the number of nodes, cross the nodes.
///
/// Chunk r M + m ends at place r of node m: those of one place are neighbours in the output, so
/// that a tracker needs few regions. A chunk is first summed inside every node, on its way from
/// place r+1 over r+2 … to r. Then the nodes' sums are summed on their way along rail r, from node
/// m+1 over m+2 … to m:
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
///   node, and waits for what comes by the rail if the chunk did not begin here. Per GPU and in
///   chunks: port 0 sends M (L-1), port 1 M-1; N are written, N-1 of them by others, 2 N - 1 are
///   read.
/// - AllGather: every GPU passes on what its rail brings by the rail and into its node's ring, and
///   what the ring brings by the ring. Port 0 sends M (L-1) chunks, port 1 M-1.
class TwoLevelRoute : public Route {
 public:
  static constexpr std::uint32_t kRing = 0, kRail = 1;  ///< ports

  /// Throws std::invalid_argument unless there are at least two whole nodes of at least two GPUs.
  TwoLevelRoute(std::uint32_t gpus, std::uint32_t gpusPerNode);

  GpuId owner(ChunkId chunk) const override;
  ChunkId asOfGpu0(ChunkId chunk, GpuId gpu) const override;
  using Route::kernelOf;
  std::uint32_t kernelOf(ChunkId /*chunk*/) const override { return 0; }
  GpuId peer(GpuId from, std::uint32_t port) const override;
  GpuId source(GpuId to, std::uint32_t port) const override;
  std::uint32_t port(GpuId from, ChunkId chunk) const override;
  std::vector<ChunkId> order(GpuId gpu) const override;
  /// Rails are networks, so they are taken to be the slower links.
  std::optional<std::uint32_t> slowestPort() const override { return kRail; }
  /// Alone, all first hops go before the second ones, and rails begin late.
  bool fastestAlone() const override { return false; }
  Duty duty(GpuId gpu, ChunkId chunk) const override;
  /// The own store and what the ring brings; and what the rail brings.
  std::uint32_t updatesPerElement(GpuId gpu, ChunkId chunk) const override;
  std::uint32_t mostUpdatesPerElement() const override { return 3; }
  bool sumsInFixedOrder() const override { return false; }  // ring and rail in either order
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

}  // namespace t3
