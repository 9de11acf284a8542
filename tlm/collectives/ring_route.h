// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/collectives/route.h"
#include "tlm/gpu/ring_path.h"

namespace t3 {

/// One ring, or several side by side, even ones forward and odd ones backward (`RingPath`). Each
/// has a port, a kernel and a chunk of every GPU: chunk c travels on ring c % rings. A chunk is
/// summed on its way: GPU g adds its own copy to the sum that arrives and sends the new sum on.
///
/// Kernels, GPU g of N on a single ring:
/// - ReduceScatter: step s sends chunk g-1-s. Step 0 sends the local copy; later ones send the sum
///   so far, received in step s-1, plus the local copy. Step N-1 does not send: it stores the
///   reduced chunk g. Per GPU the local memory sees 2N-1 chunks read (1 + 2(N-2) + 2) and N written
///   (N-1 by the previous GPU), the link N-1.
/// - AllGather: step s sends chunk g-s to its place in the next GPU's output: step 0 the own chunk,
///   later ones the chunk received in step s-1. The local memory sees N-1 chunks read and N-1
///   written by the previous GPU, the link N-1.
/// - AllReduce: a reduce-scatter whose last step sends what it keeps, and an all-gather that goes
/// on
///   from there slice by slice, so that the reduction of one slice and the gathering of another
///   share the link. Steps 0 … N-2 are those of the reduce-scatter; step N-1 reduces chunk g,
///   stores it in the own output and sends it into the next GPU's; step N-1+s, s = 1 … N-2, passes
///   chunk g-s on. The local memory sees 3N-3 chunks read (2N-1 + N-2) and 2N-1 written (2N-2 by
///   the previous GPU), the link 2N-2.
class RingRoute : public Route {
 public:
  explicit RingRoute(std::uint32_t gpus, std::uint32_t rings = 1);

  using Route::kernelOf;
  std::uint32_t kernelOf(ChunkId chunk) const override { return ringOf(chunk).index; }
  GpuId peer(GpuId from, std::uint32_t port) const override { return rings_[port].next(from); }
  GpuId source(GpuId to, std::uint32_t port) const override { return rings_[port].previous(to); }
  std::uint32_t port(GpuId /*from*/, ChunkId chunk) const override { return ringOf(chunk).index; }
  std::vector<ChunkId> order(GpuId gpu) const override;
  std::vector<std::uint32_t> groups(GpuId /*gpu*/) const override {  // one of each ring
    return std::vector<std::uint32_t>(gpus(), static_cast<std::uint32_t>(rings_.size()));
  }
  Duty duty(GpuId gpu, ChunkId chunk) const override;
  std::uint32_t updatesPerElement(GpuId /*gpu*/, ChunkId /*chunk*/) const override { return 2; }
  std::uint32_t mostUpdatesPerElement() const override { return 2; }  // own store, neighbour's sum
  bool sumsInFixedOrder() const override { return true; }
  AlgorithmGpu steps(const Promise& promise, GpuId gpu) const override;

 private:
  const RingPath& ringOf(ChunkId chunk) const { return rings_[chunk.value % rings_.size()]; }

  std::vector<RingPath> rings_;
};

}  // namespace t3
