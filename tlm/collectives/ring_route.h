// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/route.h"
#include "tlm/gpu/tiling.h"

namespace t3 {

/// One ring, or several side by side, even ones forward and odd ones backward (`RingPath`). Each
/// has a port, a kernel and a chunk of every GPU. A chunk is summed on its way: a GPU adds its own
/// copy to the sum that arrives and sends the new sum on.
///
/// Kernels, GPU g of N on a single ring, in chunks:
/// - ReduceScatter: step s sends chunk g-1-s: step 0 the local copy, later ones the sum received in
///   step s-1 plus the local copy. Step N-1 stores the reduced chunk g. Memory: 2N-1 read, N
///   written (N-1 by the previous GPU); link: N-1.
/// - AllGather: step s sends chunk g-s to its place in the next GPU's output: step 0 the own chunk,
///   later ones the chunk received in step s-1. Memory: N-1 read, N-1 written by the previous GPU;
///   link: N-1.
/// - AllReduce: both, slice by slice, so that the reduction of one slice and the gathering of
///   another share the link. Step N-1 reduces chunk g, stores it and sends it on; step N-1+s, s = 1
///   … N-2, passes chunk g-s on. Memory: 3N-3 read, 2N-1 written (2N-2 by the previous GPU); link:
///   2N-2.
class RingRoute : public Route {
 public:
  explicit RingRoute(std::uint32_t gpus, std::uint32_t rings = 1);

  std::uint32_t kernelOf(ChunkId chunk) const override { return ringOf(chunk).index; }
  GpuId peer(GpuId from, std::uint32_t port) const override { return rings_[port].next(from); }
  GpuId source(GpuId to, std::uint32_t port) const override { return rings_[port].previous(to); }
  std::uint32_t port(GpuId /*from*/, ChunkId chunk) const override { return ringOf(chunk).index; }
  std::vector<ChunkId> order(GpuId gpu) const override;
  std::vector<std::uint32_t> groups(GpuId /*gpu*/) const override {  // one of each ring
    return std::vector<std::uint32_t>(gpus(), static_cast<std::uint32_t>(rings_.size()));
  }
  Duty duty(GpuId gpu, ChunkId chunk) const override;
  std::uint32_t updatesPerElement(GpuId /*gpu*/, ChunkId /*chunk*/) const override {
    return 2;
  }  // own store, neighbour's sum
  AlgorithmGpu steps(const Promise& promise, GpuId gpu) const override;

 private:
  const RingPath& ringOf(ChunkId chunk) const { return rings_[chunk.value % rings_.size()]; }

  std::vector<RingPath> rings_;
};

inline RingRoute::RingRoute(std::uint32_t gpus, std::uint32_t rings)
    : Route({gpus, rings, rings, rings}, {.sumsInFixedOrder = true}) {
  for (std::uint32_t r = 0; r < rings; ++r) rings_.push_back({gpus, rings, r});
}

inline std::vector<ChunkId> RingRoute::order(GpuId gpu) const {
  return ringChunkOrder(gpu, gpus(), static_cast<std::uint32_t>(rings_.size()));
}

inline Route::Duty RingRoute::duty(GpuId gpu, ChunkId chunk) const {
  if (owner(chunk) == gpu) return Duty::Keeps;
  return ringOf(chunk).behind(gpu, 1) == chunk ? Duty::Sends : Duty::Passes;
}

inline AlgorithmGpu RingRoute::steps(const Promise& promise, GpuId gpu) const {
  AlgorithmMaker maker(promise, chunks());
  for (const RingPath& ring : rings_) {
    maker.addRing(maker.block(ring.next(gpu).value, ring.previous(gpu).value, ring.index), gpus(),
                  [&](std::uint32_t distance) { return ring.behind(gpu, distance).value; });
  }
  return maker.take();
}

}  // namespace t3
