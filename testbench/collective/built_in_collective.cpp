// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/built_in_collective.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/gpu/route.h"

namespace t3 {
namespace {

constexpr AlgorithmBuffer kIn = AlgorithmBuffer::Input;
constexpr AlgorithmBuffer kOut = AlgorithmBuffer::Output;
constexpr AlgorithmBuffer kScratch = AlgorithmBuffer::Scratch;

struct Chunk {
  AlgorithmBuffer buffer;
  std::uint32_t number;
};

/// A step that others can wait for.
struct StepPlace {
  std::uint32_t threadBlock, step;
};

/// Puts an algorithm together, GPU by GPU.
class Maker {
 public:
  Maker(const Promise& promise, std::uint32_t gpus, std::uint32_t chunks, bool inPlace) {
    algorithm_.name = "built-in";
    algorithm_.promise = &promise;
    algorithm_.inPlace = inPlace;
    algorithm_.chunks = chunks;
    algorithm_.channels = 1;
    algorithm_.gpus.resize(gpus);
  }

  void size(std::uint32_t gpu, std::uint32_t input, std::uint32_t output, std::uint32_t scratch) {
    AlgorithmGpu& one = algorithm_.gpus[gpu];
    one.inputChunks = input;
    one.outputChunks = output;
    one.scratchChunks = scratch;
  }

  std::uint32_t block(std::uint32_t gpu, std::optional<std::uint32_t> sendsTo,
                      std::optional<std::uint32_t> receivesFrom, std::uint32_t channel = 0) {
    auto& blocks = algorithm_.gpus[gpu].threadBlocks;
    blocks.push_back({sendsTo, receivesFrom, channel, {}, 0});
    algorithm_.channels = std::max(algorithm_.channels, channel + 1);
    return static_cast<std::uint32_t>(blocks.size()) - 1;
  }

  /// One chunk; of several steps to wait for, all but the last get a step `nop`.
  StepPlace add(std::uint32_t gpu, std::uint32_t block, const StepKind& kind, Chunk source,
                Chunk target, const std::vector<StepPlace>& after = {}) {
    for (std::size_t i = 0; i + 1 < after.size(); ++i) {
      push(gpu, block, kNop, {kIn, 0}, {kIn, 0}, 0, after[i]);
    }
    return push(gpu, block, kind, source, target, 1,
                after.empty() ? std::nullopt : std::optional(after.back()));
  }

  Algorithm take() { return std::move(algorithm_); }

 private:
  StepPlace push(std::uint32_t gpu, std::uint32_t block, const StepKind& kind, Chunk source,
                 Chunk target, std::uint32_t count, std::optional<StepPlace> after) {
    auto& blocks = algorithm_.gpus[gpu].threadBlocks;
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

  Algorithm algorithm_;
};

struct Parts {
  bool reduces, gathers;
};

Parts partsOf(const Promise& promise) {
  return {&promise != &kAllGatherPromise, &promise != &kReduceScatterPromise};
}

/// Rings side by side, even ones forward, odd ones backward; each has a chunk of every share.
Algorithm rings(const Promise& promise, std::uint32_t gpus, std::uint32_t count) {
  const auto [reduces, gathers] = partsOf(promise);
  const AlgorithmBuffer buffer = reduces ? kIn : kOut;
  Maker maker(promise, gpus, gpus * count, true);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    maker.size(gpu, reduces ? gpus * count : 0, reduces ? 0 : gpus * count, 0);
    for (std::uint32_t ring = 0; ring < count; ++ring) {
      const std::uint32_t turn = ring % 2 == 0 ? 1 : gpus - 1;
      const std::uint32_t block =
          maker.block(gpu, (gpu + turn) % gpus, (gpu + gpus - turn) % gpus, ring);
      const auto add = [&](const StepKind& kind, std::uint32_t behind) {
        const std::uint64_t owner = (gpu + std::uint64_t{gpus - turn} * behind) % gpus;
        const Chunk chunk{buffer, static_cast<std::uint32_t>(owner) * count + ring};
        maker.add(gpu, block, kind, chunk, chunk);
      };
      if (reduces) {
        add(kSend, 1);
        for (std::uint32_t behind = 2; behind < gpus; ++behind) add(kReceiveReduceSend, behind);
        add(gathers ? kReceiveReduceCopySend : kReceiveReduceCopy, 0);
      } else {
        add(kSend, 0);
      }
      if (gathers) {
        for (std::uint32_t behind = 1; behind + 1 < gpus; ++behind) add(kReceiveCopySend, behind);
        add(kReceive, gpus - 1);
      }
    }
  }
  return maker.take();
}

/// Every GPU sends to every other one, each by a thread block of its own. Copies of a chunk wait in
/// scratch until all are there, and are added at once.
Algorithm direct(const Promise& promise, std::uint32_t gpus) {
  const auto [reduces, gathers] = partsOf(promise);
  const AlgorithmBuffer buffer = reduces ? kIn : kOut;
  Maker maker(promise, gpus, gpus, true);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    maker.size(gpu, reduces ? gpus : 0, reduces ? 0 : gpus, reduces ? gpus - 1 : 0);
    std::vector<std::uint32_t> senders(gpus), receivers(gpus);
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const std::uint32_t peer = (gpu + distance) % gpus;
      senders[peer] = maker.block(gpu, peer, std::nullopt);
    }
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const std::uint32_t peer = (gpu + distance) % gpus;
      receivers[peer] = maker.block(gpu, std::nullopt, peer);
    }
    const auto place = [gpus](std::uint32_t of, std::uint32_t at) {
      return Chunk{kScratch, (of + gpus - at) % gpus - 1};
    };
    std::vector<StepPlace> reduced;
    if (reduces) {
      std::vector<StepPlace> copies;
      for (std::uint32_t distance = 1; distance < gpus; ++distance) {
        const std::uint32_t peer = (gpu + distance) % gpus;
        maker.add(gpu, senders[peer], kSend, {buffer, peer}, place(gpu, peer));
        copies.push_back(
            maker.add(gpu, receivers[peer], kReceive, place(peer, gpu), place(peer, gpu)));
      }
      const std::uint32_t adder = maker.block(gpu, std::nullopt, std::nullopt);
      for (std::uint32_t distance = 1; distance < gpus; ++distance) {
        const std::uint32_t peer = (gpu + distance) % gpus;
        reduced = {maker.add(gpu, adder, kReduce, place(peer, gpu), {buffer, gpu},
                             std::exchange(copies, {}))};
      }
    }
    for (std::uint32_t distance = 1; gathers && distance < gpus; ++distance) {
      const std::uint32_t peer = (gpu + distance) % gpus;
      maker.add(gpu, senders[peer], kSend, {buffer, gpu}, {buffer, gpu}, reduced);
      maker.add(gpu, receivers[peer], kReceive, {buffer, peer}, {buffer, peer});
    }
  }
  return maker.take();
}

/// Nodes of `places` GPUs: first a ring inside each node, by channel 0, then rings through the GPUs
/// of equal places, by channel 1, as `TwoLevelRoute` has it; the all-gather goes the other way.
Algorithm twoLevel(const Promise& promise, std::uint32_t gpus, std::uint32_t places) {
  const auto [reduces, gathers] = partsOf(promise);
  const AlgorithmBuffer buffer = reduces ? kIn : kOut;
  const std::uint32_t nodes = gpus / places;
  Maker maker(promise, gpus, gpus, true);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    // A GPU, or the chunk that ends there, so many nodes and places before.
    const auto before = [&](std::uint32_t ofNodes, std::uint32_t ofPlaces) {
      return (gpu / places + nodes - ofNodes % nodes) % nodes * places +
             (gpu + places - ofPlaces % places) % places;
    };
    maker.size(gpu, reduces ? gpus : 0, reduces ? 0 : gpus, 0);
    const std::uint32_t ring = maker.block(gpu, before(0, places - 1), before(0, 1), 0);
    const std::uint32_t rail = maker.block(gpu, before(nodes - 1, 0), before(1, 0), 1);
    const auto add = [&](std::uint32_t block, const StepKind& kind, std::uint32_t number,
                         std::optional<StepPlace> after = {}) {
      const Chunk chunk{buffer, number};
      std::vector<StepPlace> all;
      if (after) all.push_back(*after);
      return maker.add(gpu, block, kind, chunk, chunk, all);
    };
    StepPlace sum{};  // of the own chunk
    for (std::uint32_t n = 1; reduces && n <= nodes; ++n) {
      add(ring, kSend, before(n, 1));
      for (std::uint32_t p = 2; p < places; ++p) add(ring, kReceiveReduceSend, before(n, p));
      const StepPlace ofNode = add(ring, kReceiveReduceCopy, before(n, 0));
      if (n == 1) {
        add(rail, kSend, before(n, 0), ofNode);
      } else if (n < nodes) {
        add(rail, kReceiveReduceSend, before(n, 0), ofNode);
      } else {
        sum =
            add(rail, gathers ? kReceiveReduceCopySend : kReceiveReduceCopy, before(n, 0), ofNode);
      }
    }
    if (!gathers) continue;
    if (!reduces) add(rail, kSend, gpu);
    for (std::uint32_t n = 0; n < nodes; ++n) {
      std::optional<StepPlace> there;
      if (n != 0) {
        there = add(rail, n + 1 < nodes ? kReceiveCopySend : kReceive, before(n, 0));
      } else if (reduces) {
        there = sum;
      }
      add(ring, kSend, before(n, 0), there);
      for (std::uint32_t p = 1; p + 1 < places; ++p) add(ring, kReceiveCopySend, before(n, p));
      add(ring, kReceive, before(n, places - 1));
    }
  }
  return maker.take();
}

Algorithm allToAll(std::uint32_t gpus) {
  Maker maker(kAllToAllPromise, gpus, gpus, false);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    maker.size(gpu, gpus, gpus, 0);
    maker.add(gpu, maker.block(gpu, std::nullopt, std::nullopt), kCopy, {kIn, gpu}, {kOut, gpu});
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const std::uint32_t to = (gpu + distance) % gpus;
      maker.add(gpu, maker.block(gpu, to, std::nullopt), kSend, {kIn, to}, {kOut, gpu});
    }
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const Chunk chunk{kOut, (gpu + gpus - distance) % gpus};
      maker.add(gpu, maker.block(gpu, std::nullopt, chunk.number), kReceive, chunk, chunk);
    }
  }
  return maker.take();
}

Algorithm broadcast(std::uint32_t gpus) {
  Maker maker(kBroadcastPromise, gpus, 1, true);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    maker.size(gpu, 1, 0, 0);
    const bool first = gpu == 0, last = gpu + 1 == gpus;
    const std::uint32_t block = maker.block(gpu, last ? std::nullopt : std::optional(gpu + 1),
                                            first ? std::nullopt : std::optional(gpu - 1));
    maker.add(gpu, block, first ? kSend : last ? kReceive : kReceiveCopySend, {kIn, 0}, {kIn, 0});
  }
  return maker.take();
}

/// GPU 0's buffer along its rail, and in each node along the ring.
Algorithm broadcastOverNodes(std::uint32_t gpus, std::uint32_t places) {
  Maker maker(kBroadcastPromise, gpus, 1, true);
  const Chunk whole{kIn, 0};
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    maker.size(gpu, 1, 0, 0);
    const std::uint32_t place = gpu % places;
    const auto next = place + 1 < places ? std::optional(gpu + 1) : std::nullopt;
    if (place != 0) {
      const std::uint32_t ring = maker.block(gpu, next, gpu - 1);
      maker.add(gpu, ring, next ? kReceiveCopySend : kReceive, whole, whole);
      continue;
    }
    const bool first = gpu == 0, last = gpu + places == gpus;
    const std::uint32_t rail = maker.block(gpu, last ? std::nullopt : std::optional(gpu + places),
                                           first ? std::nullopt : std::optional(gpu - places), 1);
    const StepPlace there = maker.add(gpu, rail,
                                      first  ? kSend
                                      : last ? kReceive
                                             : kReceiveCopySend,
                                      whole, whole);
    const std::uint32_t ring = maker.block(gpu, next, std::nullopt);
    std::vector<StepPlace> after;
    if (!first) after.push_back(there);
    maker.add(gpu, ring, kSend, whole, whole, after);
  }
  return maker.take();
}

Algorithm algorithmFor(const Promise& promise, const SystemConfig& config) {
  if (&promise == &kAllToAllPromise) return allToAll(config.gpus);
  const Reach reach = config.fabric.reach(config.gpus);
  if (&promise == &kBroadcastPromise) {
    return reach.gpusPerNode != 0 ? broadcastOverNodes(config.gpus, reach.gpusPerNode)
                                  : broadcast(config.gpus);
  }
  if (config.makeRoute()->direct()) return direct(promise, config.gpus);
  if (reach.gpusPerNode != 0) return twoLevel(promise, config.gpus, reach.gpusPerNode);
  return rings(promise, config.gpus, reach.rings);
}

}  // namespace

bool BuiltInCollective::knows(const Promise& promise) {
  return &promise != &kReducePromise && &promise != &kCustomPromise;
}

BuiltInCollective::BuiltInCollective(const Promise& promise, const SystemConfig& config)
    : algorithm_(algorithmFor(promise, config)), form_(algorithm_), meaning_(form_) {}

}  // namespace t3
