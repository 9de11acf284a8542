// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_maker.h"

namespace t3 {

AlgorithmMaker::AlgorithmMaker(const Promise& promise, std::uint32_t chunks, bool inPlace,
                               std::uint32_t scratch)
    : promise_(promise),
      source_(inPlace && !reduces() ? AlgorithmBuffer::Output : AlgorithmBuffer::Input),
      target_(inPlace && reduces() ? AlgorithmBuffer::Input : AlgorithmBuffer::Output) {
  gpu_.inputChunks = source_ == AlgorithmBuffer::Input ? chunks : 0;
  gpu_.outputChunks = target_ == AlgorithmBuffer::Output ? chunks : 0;
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
  auto& blocks = gpu_.threadBlocks;
  const auto push = [&](const StepKind& one, std::uint32_t count, std::optional<Place> earlier) {
    if (earlier) blocks[earlier->threadBlock].steps[earlier->step].hasDependents = true;
    blocks[block].steps.push_back({&one, source.buffer, target.buffer, source.number, target.number,
                                   count, earlier, false, 0});
  };
  for (std::size_t i = 0; i + 1 < after.size(); ++i) push(kNop, 0, after[i]);
  push(kind, 1, after.empty() ? std::nullopt : std::optional(after.back()));
  return {block, static_cast<std::uint32_t>(blocks[block].steps.size()) - 1};
}

AlgorithmMaker::Place AlgorithmMaker::add(std::uint32_t block, const StepKind& kind,
                                          std::uint32_t chunk, std::optional<Place> after) {
  return add(block, kind, {source_, chunk}, {target_, chunk},
             after ? std::vector{*after} : std::vector<Place>{});
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
