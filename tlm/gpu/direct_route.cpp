// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/direct_route.h"

#include "tlm/transport/payload.h"

namespace t3 {

std::uint32_t DirectRoute::port(GpuId from, ChunkId chunk) const {
  // The own chunk goes nowhere; any port will do.
  return (chunk.value + gpus() - from.value + gpus() - 1) % gpus() % ports();
}

std::vector<ChunkId> DirectRoute::order(GpuId gpu) const {
  std::vector<ChunkId> chunks;
  for (std::uint32_t i = 1; i <= gpus(); ++i) chunks.emplace_back(ahead(gpu, i).value);
  return chunks;
}

std::vector<ChunkId> DirectRoute::sent(GpuId from, std::uint32_t port, Phase phase) const {
  return {ChunkId{phase == Phase::ReduceScatter ? peer(from, port).value : from.value}};
}

CollectiveProgram DirectRoute::program(Collective collective, GpuId gpu, std::uint32_t /*kernel*/,
                                       const MemoryLayout& layout) const {
  const auto buffer = [&](std::uint32_t port) {
    return layout.receive + port * std::uint64_t{layout.receiveStrideBytes};
  };
  CollectiveProgram program;
  program.ports = ports();
  CollectiveStep own;  // what this GPU does to its own chunk
  own.chunk = ChunkId{gpu.value};
  if (collective != Collective::AllGather) {
    for (std::uint32_t p = 0; p < ports(); ++p) {
      CollectiveStep step;
      step.chunk = ChunkId{peer(gpu, p).value};
      step.sends = {{p, globalAddress(peer(gpu, p), buffer(p)), true, p}};
      program.strands.push_back({p, p + 1});
      program.steps.push_back(std::move(step));
      program.arrivals.push_back({own.chunk, buffer(p), true});
      own.waitsFor.push_back(p);
      own.addresses.push_back(buffer(p));
    }
    own.keeps = true;
  }
  if (collective != Collective::ReduceScatter) {
    if (collective == Collective::AllGather) own.phase = Phase::AllGather;
    for (std::uint32_t p = 0; p < ports(); ++p) {
      const auto arrival = static_cast<std::uint32_t>(program.arrivals.size());
      own.sends.push_back({p, globalAddress(peer(gpu, p), layout.output), false, arrival});
      program.arrivals.push_back({ChunkId{source(gpu, p).value}, layout.output, false});
    }
  }
  const auto last = static_cast<std::uint32_t>(program.steps.size());
  program.steps.push_back(std::move(own));
  program.strands.insert(program.strands.begin(), {last, last + 1});
  return program;
}

}  // namespace t3
