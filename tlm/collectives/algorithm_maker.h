// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/promise.h"

namespace t3 {

/// Puts the steps of one GPU together; each of them works on one chunk.
class AlgorithmMaker {
 public:
  struct Chunk {
    AlgorithmBuffer buffer = AlgorithmBuffer::Input;
    std::uint32_t number = 0;
  };
  /// A step that others can wait for.
  struct Place {
    std::uint32_t threadBlock = 0, step = 0;
  };

  AlgorithmMaker(std::uint32_t input, std::uint32_t output, std::uint32_t scratch);

  std::uint32_t block(std::optional<std::uint32_t> sendsTo,
                      std::optional<std::uint32_t> receivesFrom, std::uint32_t channel = 0);
  /// Of several steps to wait for, all but the last get a step `nop`.
  Place add(std::uint32_t block, const StepKind& kind, Chunk source, Chunk target,
            const std::vector<Place>& after = {});

  AlgorithmGpu take() { return std::move(gpu_); }

 private:
  Place push(std::uint32_t block, const StepKind& kind, Chunk source, Chunk target,
             std::uint32_t count, std::optional<Place> after);

  AlgorithmGpu gpu_;
};

/// A reduce-scatter, an all-gather or both, in place in one buffer.
struct InPlace {
  InPlace(const Promise& promise, std::uint32_t chunkCount);

  bool reduces, gathers;
  AlgorithmBuffer buffer;
  std::uint32_t chunks;

  AlgorithmMaker::Chunk chunk(std::uint32_t number) const { return {buffer, number}; }
  /// A GPU whose copies of what it reduces wait in so much scratch.
  AlgorithmMaker maker(std::uint32_t scratch = 0) const;
};

/// The steps of a GPU on one of the rings of `gpus` GPUs, by a thread block that sends to the next
/// and receives from the previous GPU. `behind(d)` is the ring's chunk that ends d places behind.
void addRing(AlgorithmMaker& maker, const InPlace& work, std::uint32_t block, std::uint32_t gpus,
             const std::function<std::uint32_t(std::uint32_t distance)>& behind);

}  // namespace t3
