// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/promise.h"

namespace t3::test {

/// A step on one chunk of the input and the output each.
inline AlgorithmStep step(const StepKind& kind, std::uint32_t source, std::uint32_t target) {
  AlgorithmStep step;
  step.kind = &kind;
  step.source = source;
  step.target = target;
  step.count = 1;
  return step;
}

/// The same, behind the first step of thread block `other` of its GPU.
inline AlgorithmStep stepAfter(std::uint32_t other, const StepKind& kind, std::uint32_t source,
                               std::uint32_t target) {
  AlgorithmStep after = step(kind, source, target);
  after.dependency = {other, 0};
  return after;
}

/// The same, for which others may wait.
inline AlgorithmStep firstStep(const StepKind& kind, std::uint32_t source, std::uint32_t target) {
  AlgorithmStep first = step(kind, source, target);
  first.hasDependents = true;
  return first;
}

/// In place, without thread blocks.
inline Algorithm emptyAlgorithm(const Promise& promise, std::uint32_t gpus, std::uint32_t chunks) {
  Algorithm algorithm;
  algorithm.promise = &promise;
  algorithm.inPlace = true;
  algorithm.chunks = chunks;
  algorithm.channels = 1;
  algorithm.gpus.resize(gpus);
  for (AlgorithmGpu& gpu : algorithm.gpus) gpu.inputChunks = gpu.outputChunks = chunks;
  return algorithm;
}

inline AlgorithmThreadBlock sender(std::uint32_t to, std::vector<AlgorithmStep> steps) {
  AlgorithmThreadBlock block;
  block.sendsTo = to;
  block.steps = std::move(steps);
  return block;
}
inline AlgorithmThreadBlock receiver(std::uint32_t from, std::vector<AlgorithmStep> steps) {
  AlgorithmThreadBlock block;
  block.receivesFrom = from;
  block.steps = std::move(steps);
  return block;
}

/// GPU 1 adds its chunk to that of GPU 0.
inline Algorithm reduceToOne(const Promise& promise) {
  Algorithm algorithm = emptyAlgorithm(promise, 2, 1);
  algorithm.gpus[0].threadBlocks = {sender(1, {step(kSend, 0, 0)})};
  algorithm.gpus[1].threadBlocks = {receiver(0, {step(kReceiveReduceCopy, 0, 0)})};
  return algorithm;
}

/// Two GPUs exchange halves, add, and exchange sums. Thread block 0 of each GPU sends, thread block
/// 1 receives; GPU g makes the sum of chunk g.
inline Algorithm exchange() {
  Algorithm algorithm = emptyAlgorithm(kAllReducePromise, 2, 2);
  for (std::uint32_t g = 0; g < 2; ++g) {
    const std::uint32_t peer = 1 - g;
    algorithm.gpus[g].threadBlocks = {
        sender(peer, {step(kSend, peer, peer), stepAfter(1, kSend, g, g)}),
        receiver(peer, {firstStep(kReceiveReduceCopy, g, g), step(kReceive, peer, peer)})};
  }
  return algorithm;
}

}  // namespace t3::test
