// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_maker.h"

namespace t3 {

AlgorithmMaker::AlgorithmMaker(const Promise& promise, std::uint32_t chunks, bool inPlace)
    : promise_(promise),
      source_(inPlace && !reduces() ? AlgorithmBuffer::Output : AlgorithmBuffer::Input),
      target_(inPlace && reduces() ? AlgorithmBuffer::Input : AlgorithmBuffer::Output) {
  gpu_.inputChunks = source_ == AlgorithmBuffer::Input ? chunks : 0;
  gpu_.outputChunks = target_ == AlgorithmBuffer::Output ? chunks : 0;
}

std::uint32_t AlgorithmMaker::block(std::optional<std::uint32_t> sendsTo,
                                    std::optional<std::uint32_t> receivesFrom,
                                    std::uint32_t channel) {
  gpu_.threadBlocks.push_back({sendsTo, receivesFrom, channel, {}, 0});
  return static_cast<std::uint32_t>(gpu_.threadBlocks.size()) - 1;
}

AlgorithmMaker::Place AlgorithmMaker::add(std::uint32_t block, const StepKind& kind,
                                          std::uint32_t chunk, std::optional<Place> after) {
  if (after) gpu_.threadBlocks[after->threadBlock].steps[after->step].hasDependents = true;
  auto& steps = gpu_.threadBlocks[block].steps;
  steps.push_back({&kind, source_, target_, chunk, chunk, 1, after, false, 0});
  return {block, static_cast<std::uint32_t>(steps.size()) - 1};
}

void AlgorithmMaker::addRing(std::uint32_t block, std::uint32_t gpus,
                             const std::function<std::uint32_t(std::uint32_t distance)>& behind) {
  if (reduces()) {
    add(block, kSend, behind(1));
    for (std::uint32_t d = 2; d < gpus; ++d) add(block, kReceiveReduceSend, behind(d));
    add(block, gathers() ? kReceiveReduceCopySend : kReceiveReduceCopy, behind(0));
  } else {
    add(block, kSend, behind(0));
  }
  if (!gathers()) return;
  for (std::uint32_t d = 1; d + 1 < gpus; ++d) add(block, kReceiveCopySend, behind(d));
  add(block, kReceive, behind(gpus - 1));
}

}  // namespace t3
