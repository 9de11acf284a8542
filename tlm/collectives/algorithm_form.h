// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/algorithm_buffers.h"

namespace t3 {

/// A step by the number of its thread block among those of all GPUs, GPU by GPU.
struct StepId {
  std::uint32_t threadBlock = 0, step = 0;
  auto operator<=>(const StepId&) const = default;
};

/// Who talks to whom in an algorithm whose form is right.
class AlgorithmForm {
 public:
  static constexpr std::uint32_t kNobody = ~0U;

  /// Throws AlgorithmError for the first thing that is wrong: a size, a chunk outside its buffer, a
  /// step without its connection, two thread blocks at one end of a connection, messages that
  /// nobody takes or of another size, a dependency on what is not there, messages beside steps of
  /// all GPUs, which nothing would order. Takes time in proportion to the steps.
  explicit AlgorithmForm(const Algorithm& algorithm);

  const Algorithm& algorithm() const { return *algorithm_; }
  std::uint32_t threadBlocks() const { return static_cast<std::uint32_t>(gpuOf_.size()); }
  std::uint32_t first(std::uint32_t gpu) const { return first_[gpu]; }  ///< thread block of a GPU
  std::uint32_t gpuOf(std::uint32_t threadBlock) const { return gpuOf_[threadBlock]; }
  const AlgorithmThreadBlock& threadBlock(std::uint32_t number) const {
    const std::uint32_t gpu = gpuOf_[number];
    return algorithm_->gpus[gpu].threadBlocks[number - first_[gpu]];
  }
  const AlgorithmStep& step(StepId id) const { return threadBlock(id.threadBlock).steps[id.step]; }
  AlgorithmPlace place(StepId id) const {
    const std::uint32_t gpu = gpuOf_[id.threadBlock];
    return {gpu, id.threadBlock - first_[gpu], id.step};
  }
  /// The thread blocks at the other ends of a thread block's connections; kNobody if it has none.
  std::uint32_t receiverOf(std::uint32_t threadBlock) const { return receiver_[threadBlock]; }
  std::uint32_t senderTo(std::uint32_t threadBlock) const { return sender_[threadBlock]; }

 private:
  void checkSizes() const;
  void checkSteps(const AlgorithmBuffers& buffers, std::uint32_t gpu,
                  std::uint32_t threadBlock) const;
  void connect();
  void checkMessages() const;

  const Algorithm* algorithm_;
  bool needsSwitch_;
  std::vector<std::uint32_t> first_, gpuOf_, receiver_, sender_;
};

}  // namespace t3
