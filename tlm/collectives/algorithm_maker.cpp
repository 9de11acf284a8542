// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_maker.h"

namespace t3 {

AlgorithmMaker::AlgorithmMaker(std::uint32_t input, std::uint32_t output) {
  gpu_.inputChunks = input;
  gpu_.outputChunks = output;
}

std::uint32_t AlgorithmMaker::block(std::optional<std::uint32_t> sendsTo,
                                    std::optional<std::uint32_t> receivesFrom,
                                    std::uint32_t channel) {
  gpu_.threadBlocks.push_back({sendsTo, receivesFrom, channel, {}, 0});
  return static_cast<std::uint32_t>(gpu_.threadBlocks.size()) - 1;
}

AlgorithmMaker::Place AlgorithmMaker::add(std::uint32_t block, const StepKind& kind, Chunk source,
                                          Chunk target, std::optional<Place> after) {
  if (after) gpu_.threadBlocks[after->threadBlock].steps[after->step].hasDependents = true;
  auto& steps = gpu_.threadBlocks[block].steps;
  steps.push_back(
      {&kind, source.buffer, target.buffer, source.number, target.number, 1, after, false, 0});
  return {block, static_cast<std::uint32_t>(steps.size()) - 1};
}

InPlaceMaker::InPlaceMaker(const Promise& promise, std::uint32_t chunks)
    : reduces_(!promise.inputIsShare),
      gathers_(!promise.outputIsShare),
      buffer_(reduces_ ? AlgorithmBuffer::Input : AlgorithmBuffer::Output),
      maker_(reduces_ ? chunks : 0, reduces_ ? 0 : chunks) {}

void InPlaceMaker::addRing(std::uint32_t block, std::uint32_t gpus,
                           const std::function<std::uint32_t(std::uint32_t distance)>& behind) {
  if (reduces_) {
    add(block, kSend, behind(1));
    for (std::uint32_t d = 2; d < gpus; ++d) add(block, kReceiveReduceSend, behind(d));
    add(block, gathers_ ? kReceiveReduceCopySend : kReceiveReduceCopy, behind(0));
  } else {
    add(block, kSend, behind(0));
  }
  if (!gathers_) return;
  for (std::uint32_t d = 1; d + 1 < gpus; ++d) add(block, kReceiveCopySend, behind(d));
  add(block, kReceive, behind(gpus - 1));
}

}  // namespace t3
