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

/// Puts the steps of one GPU together. In place all chunks are in the larger one of input and
/// output.
class AlgorithmMaker {
 public:
  struct Chunk {
    AlgorithmBuffer buffer = AlgorithmBuffer::Input;
    std::uint32_t number = 0;
    std::uint32_t count = 1;  ///< so many, from `number` on
  };
  using Place = AlgorithmStep::Dependency;

  AlgorithmMaker(const Promise& promise, std::uint32_t chunks, bool inPlace = true,
                 std::uint32_t scratch = 0);

  bool reduces() const { return !promise_.inputIsShare; }
  bool gathers() const { return !promise_.outputIsShare; }

  std::uint32_t block(std::optional<std::uint32_t> sendsTo,
                      std::optional<std::uint32_t> receivesFrom, std::uint32_t channel = 0);
  /// Returns the step, so that others can wait for it. Of several steps to wait for, all but the
  /// last get a step `nop`.
  Place add(std::uint32_t block, const StepKind& kind, Chunk source, Chunk target,
            const std::vector<Place>& after = {});
  Place add(std::uint32_t block, const StepKind& kind, std::uint32_t chunk,
            std::optional<Place> after = {});
  Chunk chunk(std::uint32_t number, std::uint32_t count = 1) const {  ///< of the input
    return {source_, number, count};
  }
  struct RingPart {
    bool reduces = true, gathers = true;
    std::optional<Place> after;  ///< comes before its first step
  };
  /// A GPU's steps of a reduce-scatter, an all-gather or both on a ring of `gpus` GPUs, by a thread
  /// block that sends to the next and receives from the previous GPU. `behind(d)` is the chunk that
  /// ends d places behind. Returns the last step.
  Place addRing(std::uint32_t block, std::uint32_t gpus,
                const std::function<Chunk(std::uint32_t distance)>& behind, const RingPart& part);
  /// As much of it as the collective has.
  void addRing(std::uint32_t block, std::uint32_t gpus,
               const std::function<std::uint32_t(std::uint32_t distance)>& behind);

  AlgorithmGpu take() { return std::move(gpu_); }

 private:
  const Promise& promise_;
  AlgorithmBuffer source_, target_;
  AlgorithmGpu gpu_;
};

}  // namespace t3
