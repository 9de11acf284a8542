// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/route.h"

#include <algorithm>

namespace t3 {

Algorithm Route::algorithm(const Promise& promise) const {
  Algorithm algorithm;
  algorithm.name = "built-in";
  algorithm.promise = &promise;
  algorithm.inPlace = true;
  algorithm.chunks = chunks();
  for (std::uint32_t g = 0; g < gpus(); ++g) {
    algorithm.gpus.push_back(steps(promise, GpuId{g}));
    for (const AlgorithmThreadBlock& block : algorithm.gpus.back().threadBlocks) {
      algorithm.channels = std::max(algorithm.channels, block.channel + 1);
    }
  }
  return algorithm;
}

std::vector<ChunkId> Route::numbering(const Promise& /*promise*/) const {
  std::vector<ChunkId> all;
  for (std::uint32_t c = 0; c < chunks(); ++c) all.emplace_back(c);
  std::ranges::stable_sort(all, {}, [this](ChunkId chunk) { return owner(chunk).value; });
  return all;
}

std::vector<std::uint32_t> Route::portsTo(GpuId from, GpuId to) const {
  std::vector<std::uint32_t> all;
  for (std::uint32_t p = 0; p < ports(); ++p) {
    if (leads(from, p) && peer(from, p) == to) all.push_back(p);
  }
  return all;
}

std::uint32_t Route::portTo(GpuId from, GpuId to, std::uint32_t channel) const {
  if (channel < ports() && leads(from, channel) && peer(from, channel) == to) return channel;
  const auto all = portsTo(from, to);
  return all.at(channel % all.size());
}

}  // namespace t3
