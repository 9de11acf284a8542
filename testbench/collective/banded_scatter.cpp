// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/banded_scatter.h"

#include <vector>

#include "testbench/collective/name_words.h"
#include "tlm/collectives/algorithm_maker.h"

namespace t3 {
namespace {

using Place = AlgorithmMaker::Place;

AlgorithmGpu stepsOf(const BandedScatter& bands, std::uint32_t gpu, std::uint32_t gpus) {
  AlgorithmMaker maker(kReduceScatterPromise, gpus * bands.sends);
  const auto message = [&](std::uint32_t owner, std::uint32_t number) {
    return maker.chunk(owner % gpus * bands.sends + number);
  };
  // Two steps for each message: in the one between, the chunks that stay are due, when the next GPU
  // receives the first message.
  std::vector<Place> clock;
  const std::uint32_t ticks = 2 * (bands.sends * gpus - 1);
  const std::uint32_t clockBlock = maker.block(std::nullopt, std::nullopt);
  for (std::uint32_t tick = 0; tick + 1 < ticks; ++tick) {
    clock.push_back(maker.add(clockBlock, kNop, {.count = 0}, {}));
  }
  for (std::uint32_t distance = 1; distance < gpus; ++distance) {
    const std::uint32_t block = maker.block((gpu + distance) % gpus, std::nullopt);
    for (std::uint32_t number = 0; number < bands.sends; ++number) {
      const auto chunks = message(gpu + distance, number);
      maker.add(block, kSend, chunks, chunks, {clock[2 * (number * gpus + distance) - 2]});
    }
  }
  std::vector<std::vector<Place>> added(bands.sends);
  for (std::uint32_t distance = 1; distance < gpus; ++distance) {
    const std::uint32_t block = maker.block(std::nullopt, (gpu + gpus - distance) % gpus);
    for (std::uint32_t number = 0; number < bands.sends; ++number) {
      const auto chunks = message(gpu, number);
      added[number] = {maker.add(block, kReceiveReduceCopy, chunks, chunks, added[number])};
    }
  }
  return maker.take();
}

}  // namespace

std::optional<BandedScatter> BandedScatter::named(const std::string& name) {
  const std::vector<std::string> words = nameWords(name);
  if (words.size() != 3 || words[0] != "rs" || words[1] != "bands") return std::nullopt;
  const auto sends = smallNumber(words[2]);
  if (!sends) return std::nullopt;
  return BandedScatter{*sends};
}

Algorithm BandedScatter::algorithm(std::uint32_t gpus) const {
  Algorithm algorithm;
  algorithm.name = "bands";
  algorithm.promise = &kReduceScatterPromise;
  algorithm.inPlace = true;
  algorithm.chunks = gpus * sends;
  algorithm.channels = 1;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
    algorithm.gpus.push_back(stepsOf(*this, gpu, gpus));
  return algorithm;
}

}  // namespace t3
