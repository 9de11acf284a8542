// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_maker.h"

namespace t3 {

AlgorithmMaker::AlgorithmMaker(std::uint32_t input, std::uint32_t output, std::uint32_t scratch) {
  gpu_.inputChunks = input;
  gpu_.outputChunks = output;
  gpu_.scratchChunks = scratch;
}

std::uint32_t AlgorithmMaker::block(std::optional<std::uint32_t> sendsTo,
                                    std::optional<std::uint32_t> receivesFrom,
                                    std::uint32_t channel) {
  gpu_.threadBlocks.push_back({sendsTo, receivesFrom, channel, {}, 0});
  return static_cast<std::uint32_t>(gpu_.threadBlocks.size()) - 1;
}

AlgorithmMaker::Place AlgorithmMaker::add(std::uint32_t block, const StepKind& kind, Chunk source,
                                          Chunk target, const std::vector<Place>& after) {
  for (std::size_t i = 0; i + 1 < after.size(); ++i) push(block, kNop, {}, {}, 0, after[i]);
  return push(block, kind, source, target, 1,
              after.empty() ? std::nullopt : std::optional(after.back()));
}

AlgorithmMaker::Place AlgorithmMaker::push(std::uint32_t block, const StepKind& kind, Chunk source,
                                           Chunk target, std::uint32_t count,
                                           std::optional<Place> after) {
  auto& blocks = gpu_.threadBlocks;
  AlgorithmStep step{&kind,         source.buffer, target.buffer,
                     source.number, target.number, count,
                     std::nullopt,  false,         0};
  if (after) {
    step.dependency = AlgorithmStep::Dependency{after->threadBlock, after->step};
    blocks[after->threadBlock].steps[after->step].hasDependents = true;
  }
  blocks[block].steps.push_back(step);
  return {block, static_cast<std::uint32_t>(blocks[block].steps.size()) - 1};
}

InPlace::InPlace(const Promise& promise, std::uint32_t chunkCount)
    : reduces(!promise.inputIsShare),
      gathers(!promise.outputIsShare),
      buffer(reduces ? AlgorithmBuffer::Input : AlgorithmBuffer::Output),
      chunks(chunkCount) {}

AlgorithmMaker InPlace::maker(std::uint32_t scratch) const {
  return {reduces ? chunks : 0, reduces ? 0 : chunks, reduces ? scratch : 0};
}

void addRing(AlgorithmMaker& maker, const InPlace& work, std::uint32_t block, std::uint32_t gpus,
             const std::function<std::uint32_t(std::uint32_t distance)>& behind) {
  const auto add = [&](const StepKind& kind, std::uint32_t distance) {
    const AlgorithmMaker::Chunk chunk = work.chunk(behind(distance));
    maker.add(block, kind, chunk, chunk);
  };
  if (work.reduces) {
    add(kSend, 1);
    for (std::uint32_t d = 2; d < gpus; ++d) add(kReceiveReduceSend, d);
    add(work.gathers ? kReceiveReduceCopySend : kReceiveReduceCopy, 0);
  } else {
    add(kSend, 0);
  }
  if (!work.gathers) return;
  for (std::uint32_t d = 1; d + 1 < gpus; ++d) add(kReceiveCopySend, d);
  add(kReceive, gpus - 1);
}

}  // namespace t3
