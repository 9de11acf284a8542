// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/built_in_collective.h"

#include <cstdint>
#include <optional>

#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/route.h"

namespace t3 {
namespace {

Algorithm emptyAlgorithm(const Promise& promise, std::uint32_t chunks, bool inPlace,
                         std::uint32_t channels) {
  Algorithm algorithm;
  algorithm.name = "built-in";
  algorithm.promise = &promise;
  algorithm.inPlace = inPlace;
  algorithm.chunks = chunks;
  algorithm.channels = channels;
  return algorithm;
}

Algorithm allToAll(std::uint32_t gpus) {
  Algorithm algorithm = emptyAlgorithm(kAllToAllPromise, gpus, false, 1);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(kAllToAllPromise, gpus, false);
    maker.add(maker.block(std::nullopt, std::nullopt), kCopy, gpu);
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const std::uint32_t to = (gpu + distance) % gpus;
      maker.add(maker.block(to, std::nullopt), kSend, to);
    }
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const std::uint32_t from = (gpu + gpus - distance) % gpus;
      maker.add(maker.block(std::nullopt, from), kReceive, from);
    }
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

/// GPU 0's buffer along its rail, if there are several nodes, and in each node along the ring.
Algorithm broadcast(std::uint32_t gpus, std::uint32_t places) {
  Algorithm algorithm = emptyAlgorithm(kBroadcastPromise, 1, true, places < gpus ? 2 : 1);
  const auto when = [](bool is, std::uint32_t gpu) {
    return is ? std::optional(gpu) : std::nullopt;
  };
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(kBroadcastPromise, 1);
    std::optional<AlgorithmMaker::Place> there;
    const auto add = [&](std::optional<std::uint32_t> to, std::optional<std::uint32_t> from,
                         std::uint32_t channel) {
      if (!to && !from) return;
      const StepKind& kind = !from ? kSend : !to ? kReceive : kReceiveCopySend;
      there = maker.add(maker.block(to, from, channel), kind, 0, gpu == 0 ? std::nullopt : there);
    };
    const std::uint32_t place = gpu % places;
    if (place == 0) {
      add(when(gpu + places < gpus, gpu + places), when(gpu != 0, gpu - places), 1);
    }
    add(when(place + 1 < places, gpu + 1), when(place != 0, gpu - 1), 0);
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

Algorithm algorithmFor(const Promise& promise, const SystemConfig& config) {
  if (&promise == &kAllToAllPromise) return allToAll(config.gpus);
  if (&promise == &kBroadcastPromise) {
    const std::uint32_t places = config.fabric.reach(config.gpus).gpusPerNode;
    return broadcast(config.gpus, places != 0 ? places : config.gpus);
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
