// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/built_in_collective.h"

#include <cstdint>
#include <optional>

#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/route.h"

namespace t3 {
namespace {

using Chunk = AlgorithmMaker::Chunk;

constexpr AlgorithmBuffer kIn = AlgorithmBuffer::Input;
constexpr AlgorithmBuffer kOut = AlgorithmBuffer::Output;

Algorithm emptyAlgorithm(const Promise& promise, std::uint32_t chunks, bool inPlace,
                         std::uint32_t channels = 1) {
  Algorithm algorithm;
  algorithm.name = "built-in";
  algorithm.promise = &promise;
  algorithm.inPlace = inPlace;
  algorithm.chunks = chunks;
  algorithm.channels = channels;
  return algorithm;
}

Algorithm allToAll(std::uint32_t gpus) {
  Algorithm algorithm = emptyAlgorithm(kAllToAllPromise, gpus, false);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(gpus, gpus);
    maker.add(maker.block(std::nullopt, std::nullopt), kCopy, {kIn, gpu}, {kOut, gpu});
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const std::uint32_t to = (gpu + distance) % gpus;
      maker.add(maker.block(to, std::nullopt), kSend, {kIn, to}, {kOut, gpu});
    }
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const Chunk chunk{kOut, (gpu + gpus - distance) % gpus};
      maker.add(maker.block(std::nullopt, chunk.number), kReceive, chunk, chunk);
    }
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

Algorithm broadcast(std::uint32_t gpus) {
  Algorithm algorithm = emptyAlgorithm(kBroadcastPromise, 1, true);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(1, 0);
    const bool first = gpu == 0, last = gpu + 1 == gpus;
    const std::uint32_t block = maker.block(last ? std::nullopt : std::optional(gpu + 1),
                                            first ? std::nullopt : std::optional(gpu - 1));
    maker.add(block, first ? kSend : last ? kReceive : kReceiveCopySend, {}, {});
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

/// GPU 0's buffer along its rail, and in each node along the ring.
Algorithm broadcastOverNodes(std::uint32_t gpus, std::uint32_t places) {
  Algorithm algorithm = emptyAlgorithm(kBroadcastPromise, 1, true, 2);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(1, 0);
    const std::uint32_t place = gpu % places;
    const auto next = place + 1 < places ? std::optional(gpu + 1) : std::nullopt;
    if (place != 0) {
      maker.add(maker.block(next, gpu - 1), next ? kReceiveCopySend : kReceive, {}, {});
    } else {
      const bool first = gpu == 0, last = gpu + places == gpus;
      const std::uint32_t rail = maker.block(last ? std::nullopt : std::optional(gpu + places),
                                             first ? std::nullopt : std::optional(gpu - places), 1);
      const StepKind& kind = first ? kSend : last ? kReceive : kReceiveCopySend;
      const auto there = maker.add(rail, kind, {}, {});
      maker.add(maker.block(next, std::nullopt), kSend, {}, {},
                first ? std::nullopt : std::optional(there));
    }
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

Algorithm algorithmFor(const Promise& promise, const SystemConfig& config) {
  if (&promise == &kAllToAllPromise) return allToAll(config.gpus);
  if (&promise == &kBroadcastPromise) {
    const std::uint32_t places = config.fabric.reach(config.gpus).gpusPerNode;
    return places != 0 ? broadcastOverNodes(config.gpus, places) : broadcast(config.gpus);
  }
  return config.makeRoute()->algorithm(promise);
}

}  // namespace

bool BuiltInCollective::knows(const Promise& promise) {
  return &promise != &kReducePromise && &promise != &kCustomPromise;
}

BuiltInCollective::BuiltInCollective(const Promise& promise, const SystemConfig& config)
    : algorithm_(algorithmFor(promise, config)), form_(algorithm_), meaning_(form_) {}

}  // namespace t3
