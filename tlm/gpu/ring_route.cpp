// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/ring_route.h"

#include "tlm/gpu/tiling.h"
#include "tlm/transport/payload.h"

namespace t3 {
namespace {

/// N-1 steps that send and one that keeps.
void addReduceScatter(CollectiveProgram& program, GpuId gpu, const RingPath& ring,
                      const MemoryLayout& layout) {
  const auto buffer = [&](std::uint32_t step) {
    return layout.receive +
           (ring.index * (ring.gpus - 1) + step) * std::uint64_t{layout.receiveStrideBytes};
  };
  for (std::uint32_t s = 0; s < ring.gpus; ++s) {
    CollectiveStep step;
    step.chunk = ring.behind(gpu, s + 1);
    if (s > 0) {
      step.waitsFor = {s - 1};
      step.addresses = {buffer(s - 1)};
    }
    step.keeps = s + 1 == ring.gpus;
    if (!step.keeps) {
      step.sends = {{0, globalAddress(ring.next(gpu), buffer(s)), true, s}};
      program.arrivals.push_back({ring.behind(gpu, s + 2), buffer(s), true});
    }
    program.steps.push_back(std::move(step));
  }
}

/// N-1 steps that send.
void addAllGather(CollectiveProgram& program, GpuId gpu, const RingPath& ring,
                  const MemoryLayout& layout) {
  for (std::uint32_t s = 0; s + 1 < ring.gpus; ++s) {
    const auto number = static_cast<std::uint32_t>(program.arrivals.size());
    CollectiveStep step;
    step.chunk = ring.behind(gpu, s);
    step.phase = Phase::AllGather;
    if (s > 0) step.waitsFor = {number - 1};
    step.sends = {{0, globalAddress(ring.next(gpu), layout.output), false, number}};
    program.steps.push_back(std::move(step));
    program.arrivals.push_back({ring.behind(gpu, s + 1), layout.output, false});
  }
}

}  // namespace

RingRoute::RingRoute(std::uint32_t gpus, std::uint32_t rings) : Route(gpus, rings, rings, rings) {
  for (std::uint32_t r = 0; r < rings; ++r) rings_.push_back({gpus, rings, r});
}

std::vector<ChunkId> RingRoute::order(GpuId gpu) const {
  return ringChunkOrder(gpu, gpus(), static_cast<std::uint32_t>(rings_.size()));
}

Route::Duty RingRoute::duty(GpuId gpu, ChunkId chunk) const {
  if (owner(chunk) == gpu) return Duty::Keeps;
  return ringOf(chunk).behind(gpu, 1) == chunk ? Duty::Sends : Duty::Passes;
}

std::vector<ChunkId> RingRoute::sent(GpuId from, std::uint32_t port, Phase phase) const {
  // All but the chunk that stays, or all but the one that the next GPU owns.
  const std::uint32_t first = phase == Phase::ReduceScatter ? 1 : 0;
  std::vector<ChunkId> chunks;
  for (std::uint32_t s = 0; s + 1 < gpus(); ++s) {
    chunks.push_back(rings_[port].behind(from, first + s));
  }
  return chunks;
}

CollectiveProgram RingRoute::program(Collective collective, GpuId gpu, std::uint32_t kernel,
                                     const MemoryLayout& layout) const {
  const RingPath& ring = rings_[kernel];
  const std::uint32_t last = gpus() - 1;  // of the reduce-scatter's steps: keeps
  CollectiveProgram program;
  switch (collective) {
    case Collective::ReduceScatter:
      addReduceScatter(program, gpu, ring, layout);
      program.strands = {{last, gpus()}, {0, last}};
      break;
    case Collective::AllGather:
      addAllGather(program, gpu, ring, layout);
      program.strands = {{0, last}};
      break;
    case Collective::AllReduce: {
      addReduceScatter(program, gpu, ring, layout);
      // The step that keeps the sum is the first of the all-gather.
      CollectiveStep sum = std::move(program.steps.back());
      program.steps.pop_back();
      addAllGather(program, gpu, ring, layout);
      CollectiveStep& first = program.steps[last];
      sum.sends = std::move(first.sends);
      first = std::move(sum);
      program.strands = {{0, static_cast<std::uint32_t>(program.steps.size())}};
      break;
    }
  }
  return program;
}

}  // namespace t3
