// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/collectives/route.h"

namespace t3 {

/// Every GPU reaches every other one: port p of GPU g leads to GPU g+1+p. Nothing is passed on; the
/// owner of a chunk adds all N copies.
///
/// T3 (the paper discusses this case): the GEMM stores the chunks of others straight into their
/// owners' memory, as updates, and its own into the local one. Each element of the own chunk gets N
/// updates, or as many as there are `contributions`, and the memory drops the rest; the tracker
/// interrupts when all are in. No DMA command takes part. All chunks are produced side by side, so
/// that all ports send at the same time. Updates are added in the order in which they arrive.
///
/// Kernels, GPU g of N:
/// - ReduceScatter: one thread block for each port copies chunk g+1+p into a receive buffer of its
///   owner; one more adds the N copies of chunk g, p[g] + p[g-1] + …, slice by slice as they come.
///   The local memory sees 2N-1 chunks read (N-1 + N) and N written (N-1 by the others), each port
///   1 chunk.
/// - AllGather: the kernel loads the own chunk once and stores it into the output of every other
///   GPU. The local memory sees 1 chunk read and N-1 written by the others, each port 1 chunk.
/// - AllReduce: the step that keeps the sum sends it as well: 2N-1 chunks read and 2N-1 written.
class DirectRoute : public Route {
 public:
  explicit DirectRoute(std::uint32_t gpus) : DirectRoute(gpus, gpus) {}
  DirectRoute(std::uint32_t gpus, std::uint32_t contributions)
      : Route(gpus, gpus - 1, 1, 1), contributions_(contributions) {}

  using Route::kernelOf;
  std::uint32_t kernelOf(ChunkId /*chunk*/) const override { return 0; }
  GpuId peer(GpuId from, std::uint32_t port) const override { return ahead(from, port + 1); }
  GpuId source(GpuId to, std::uint32_t port) const override { return ahead(to, gpus() - 1 - port); }
  std::uint32_t port(GpuId from, ChunkId chunk) const override;
  std::vector<ChunkId> order(GpuId gpu) const override;
  std::vector<std::uint32_t> groups(GpuId /*gpu*/) const override { return {chunks()}; }
  bool direct() const override { return true; }
  Duty duty(GpuId gpu, ChunkId chunk) const override {
    return owner(chunk) == gpu ? Duty::Keeps : Duty::Sends;
  }
  std::uint32_t updatesPerElement(GpuId /*gpu*/, ChunkId /*chunk*/) const override {
    return contributions_;
  }
  std::uint32_t mostUpdatesPerElement() const override { return contributions_; }
  bool sumsInFixedOrder() const override { return false; }
  AlgorithmGpu steps(const Promise& promise, GpuId gpu) const override;

 private:
  GpuId ahead(GpuId gpu, std::uint32_t places) const {
    return GpuId{(gpu.value + places) % gpus()};
  }

  std::uint32_t contributions_;
};

}  // namespace t3
