// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/promise.h"

namespace t3::test {

/// What is wrong with it; "" if nothing is.
inline std::string refusal(const Algorithm& algorithm) {
  try {
    const AlgorithmForm form(algorithm);
    const AlgorithmMeaning meaning(form);
    return "";
  } catch (const AlgorithmError& error) {
    return error.what();
  }
}

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

/// One ring, each GPU with one thread block: GPU g sends chunk g-1, adds to chunks g-2, … and keeps
/// the sum of chunk g.
inline Algorithm ring(const Promise& promise, std::uint32_t gpus) {
  Algorithm algorithm = emptyAlgorithm(promise, gpus, gpus);
  for (std::uint32_t g = 0; g < gpus; ++g) {
    AlgorithmThreadBlock block;
    block.sendsTo = (g + 1) % gpus;
    block.receivesFrom = (g + gpus - 1) % gpus;
    for (std::uint32_t s = 0; s < gpus; ++s) {
      const std::uint32_t chunk = (g + 2 * gpus - 1 - s) % gpus;
      const StepKind& kind = s == 0         ? kSend
                             : s + 1 < gpus ? kReceiveReduceSend
                                            : kReceiveReduceCopy;
      block.steps.push_back(step(kind, chunk, chunk));
      block.steps.back().targetBuffer = AlgorithmBuffer::Input;
    }
    algorithm.gpus[g].threadBlocks = {std::move(block)};
    algorithm.gpus[g].outputChunks = promise.outputIsShare ? 1 : gpus;
  }
  return algorithm;
}

/// Every GPU sends chunk p to GPU p, which receives it into scratch and adds it to its own.
inline Algorithm direct(std::uint32_t gpus) {
  Algorithm algorithm = emptyAlgorithm(kReduceScatterPromise, gpus, gpus);
  for (std::uint32_t g = 0; g < gpus; ++g) {
    AlgorithmGpu& gpu = algorithm.gpus[g];
    gpu.outputChunks = 1;
    gpu.scratchChunks = gpus - 1;
    AlgorithmThreadBlock adds;
    for (std::uint32_t i = 1; i < gpus; ++i) {
      const std::uint32_t to = (g + i) % gpus, from = (g + gpus - i) % gpus;
      AlgorithmStep send = step(kSend, to, i - 1), receive = firstStep(kReceive, i - 1, i - 1);
      send.targetBuffer = receive.targetBuffer = receive.sourceBuffer = AlgorithmBuffer::Scratch;
      gpu.threadBlocks.push_back(sender(to, {send}));
      gpu.threadBlocks.push_back(receiver(from, {receive}));
      AlgorithmStep add = stepAfter(2 * i - 1, kReduce, i - 1, g);
      add.sourceBuffer = AlgorithmBuffer::Scratch;
      add.targetBuffer = AlgorithmBuffer::Input;
      adds.steps.push_back(add);
    }
    gpu.threadBlocks.push_back(std::move(adds));
  }
  return algorithm;
}

}  // namespace t3::test
