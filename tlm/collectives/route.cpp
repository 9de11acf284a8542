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

}  // namespace t3
