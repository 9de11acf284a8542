// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

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
  using Place = AlgorithmStep::Dependency;

  AlgorithmMaker(std::uint32_t input, std::uint32_t output);

  std::uint32_t block(std::optional<std::uint32_t> sendsTo,
                      std::optional<std::uint32_t> receivesFrom, std::uint32_t channel = 0);
  /// Returns the step, so that others can wait for it.
  Place add(std::uint32_t block, const StepKind& kind, Chunk source, Chunk target,
            std::optional<Place> after = {});

  AlgorithmGpu take() { return std::move(gpu_); }

 private:
  AlgorithmGpu gpu_;
};

/// A GPU's steps of a reduce-scatter, an all-gather or both, in place in one buffer.
class InPlaceMaker {
 public:
  using Place = AlgorithmMaker::Place;

  InPlaceMaker(const Promise& promise, std::uint32_t chunks);

  bool reduces() const { return reduces_; }
  bool gathers() const { return gathers_; }

  std::uint32_t block(std::optional<std::uint32_t> sendsTo,
                      std::optional<std::uint32_t> receivesFrom, std::uint32_t channel = 0) {
    return maker_.block(sendsTo, receivesFrom, channel);
  }
  Place add(std::uint32_t block, const StepKind& kind, std::uint32_t chunk,
            std::optional<Place> after = {}) {
    return maker_.add(block, kind, {buffer_, chunk}, {buffer_, chunk}, after);
  }
  /// The steps on one of the rings of `gpus` GPUs, by a thread block that sends to the next and
  /// receives from the previous GPU. `behind(d)` is the ring's chunk that ends d places behind.
  void addRing(std::uint32_t block, std::uint32_t gpus,
               const std::function<std::uint32_t(std::uint32_t distance)>& behind);

  AlgorithmGpu take() { return maker_.take(); }

 private:
  bool reduces_, gathers_;
  AlgorithmBuffer buffer_;
  AlgorithmMaker maker_;
};

}  // namespace t3
