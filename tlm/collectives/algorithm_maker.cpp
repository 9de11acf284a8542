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
  push(kind, source.count, after.empty() ? std::nullopt : std::optional(after.back()));
  return {block, static_cast<std::uint32_t>(blocks[block].steps.size()) - 1};
}

AlgorithmMaker::Place AlgorithmMaker::add(std::uint32_t block, const StepKind& kind,
                                          std::uint32_t chunk, std::optional<Place> after) {
  return add(block, kind, {source_, chunk}, {target_, chunk},
             after ? std::vector{*after} : std::vector<Place>{});
}

AlgorithmMaker::Place AlgorithmMaker::addRing(
    std::uint32_t block, std::uint32_t gpus,
    const std::function<Chunk(std::uint32_t distance)>& behind, const RingPart& part) {
  std::vector<Place> after;
  if (part.after) after.push_back(*part.after);
  Place last;
  const auto add = [&](const StepKind& kind, std::uint32_t distance) {
    const Chunk chunk = behind(distance);
    last = this->add(block, kind, chunk, {target_, chunk.number, chunk.count},
                     std::exchange(after, {}));
  };
  if (part.reduces) {
    add(kSend, 1);
    for (std::uint32_t d = 2; d < gpus; ++d) add(kReceiveReduceSend, d);
    add(part.gathers ? kReceiveReduceCopySend : kReceiveReduceCopy, 0);
  } else {
    add(kSend, 0);
  }
  if (!part.gathers) return last;
  for (std::uint32_t d = 1; d + 1 < gpus; ++d) add(kReceiveCopySend, d);
  add(kReceive, gpus - 1);
  return last;
}

void AlgorithmMaker::addRing(std::uint32_t block, std::uint32_t gpus,
                             const std::function<std::uint32_t(std::uint32_t distance)>& behind) {
  addRing(block, gpus, [&](std::uint32_t distance) { return chunk(behind(distance)); },
          {.reduces = reduces(), .gathers = gathers(), .after = {}});
}

}  // namespace t3
