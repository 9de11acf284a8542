// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/route.h"

namespace t3 {

/// Every GPU reaches every other one: port p of GPU g leads to GPU g+1+p. Nothing is passed on; the
/// owner of a chunk adds all N copies.
///
/// T3 (the paper discusses this case): the GEMM stores the chunks of others straight into their
/// owners' memory, as updates, and its own into the local one. Each element gets N updates, or as
/// many as there are `contributions`; the tracker interrupts when all are in, and no DMA command
/// takes part. All chunks are produced side by side, so that all ports send at once.
///
/// Kernels, GPU g of N:
/// - ReduceScatter: a thread block for each port copies chunk g+1+p into a receive buffer of its
///   owner; one more adds the N copies of chunk g, p[g] + p[g-1] + …, slice by slice. Memory: 2N-1
///   chunks read, N written (N-1 by others); each port: 1.
/// - AllGather: the own chunk is loaded once and stored into the output of every other GPU. Memory:
///   1 chunk read, N-1 written by others; each port: 1.
/// - AllReduce: the step that keeps the sum sends it as well. Memory: 2N-1 read and written.
class DirectRoute : public Route {
 public:
  explicit DirectRoute(std::uint32_t gpus) : DirectRoute(gpus, gpus) {}
  DirectRoute(std::uint32_t gpus, std::uint32_t contributions)
      : Route({.gpus = gpus, .ports = gpus - 1}, {.direct = true, .choosesWhatToSend = true}),
        contributions_(contributions) {}

  GpuId peer(GpuId from, std::uint32_t port) const override { return ahead(from, port + 1); }
  GpuId source(GpuId to, std::uint32_t port) const override { return ahead(to, gpus() - 1 - port); }
  std::uint32_t port(GpuId from, ChunkId chunk) const override;
  std::vector<ChunkId> order(GpuId gpu) const override;
  std::vector<std::uint32_t> groups(GpuId /*gpu*/) const override { return {chunks()}; }
  Duty duty(GpuId gpu, ChunkId chunk) const override {
    return owner(chunk) == gpu ? Duty::Keeps : Duty::Sends;
  }
  std::uint32_t updatesPerElement(GpuId /*gpu*/, ChunkId /*chunk*/) const override {
    return contributions_;
  }
  AlgorithmGpu steps(const Promise& promise, GpuId gpu) const override;

 private:
  GpuId ahead(GpuId gpu, std::uint32_t places) const {
    return GpuId{(gpu.value + places) % gpus()};
  }

  std::uint32_t contributions_;
};

inline std::uint32_t DirectRoute::port(GpuId from, ChunkId chunk) const {
  // The own chunk is not sent, so its port has no meaning.
  return (chunk.value + gpus() - from.value + gpus() - 1) % gpus() % ports();
}

inline std::vector<ChunkId> DirectRoute::order(GpuId gpu) const {
  std::vector<ChunkId> chunks;
  for (std::uint32_t i = 1; i <= gpus(); ++i) chunks.emplace_back(ahead(gpu, i).value);
  return chunks;
}

inline AlgorithmGpu DirectRoute::steps(const Promise& promise, GpuId gpu) const {
  using Chunk = AlgorithmMaker::Chunk;
  AlgorithmMaker maker(promise, chunks(), true, promise.inputIsShare ? 0 : ports());
  // Thread block p sends by port p, thread block ports() + p receives what others send by it.
  for (std::uint32_t p = 0; p < ports(); ++p) maker.block(peer(gpu, p).value, std::nullopt);
  for (std::uint32_t p = 0; p < ports(); ++p) maker.block(std::nullopt, source(gpu, p).value);
  const Chunk own = maker.chunk(gpu.value);
  std::vector<AlgorithmMaker::Place> before;
  for (std::uint32_t p = 0; maker.reduces() && p < ports(); ++p) {
    const Chunk copy{AlgorithmBuffer::Scratch, p};
    maker.add(p, kSend, maker.chunk(peer(gpu, p).value), copy);
    before.push_back(maker.add(ports() + p, kReceive, copy, copy));
  }
  const std::uint32_t adder = maker.reduces() ? maker.block(std::nullopt, std::nullopt) : 0;
  for (std::uint32_t p = 0; maker.reduces() && p < ports(); ++p) {
    const Chunk copy{AlgorithmBuffer::Scratch, p};
    const AlgorithmMaker::Place sum = maker.add(
        adder, kReduce, copy, own, p == 0 ? before : std::vector<AlgorithmMaker::Place>{});
    if (p + 1 == ports()) before = {sum};
  }
  for (std::uint32_t p = 0; maker.gathers() && p < ports(); ++p) {
    const Chunk other = maker.chunk(source(gpu, p).value);
    maker.add(p, kSend, own, own, before);
    maker.add(ports() + p, kReceive, other, other);
  }
  return maker.take();
}

}  // namespace t3
