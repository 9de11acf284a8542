// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/collectives/algorithm_meaning.h"

namespace t3 {

/// What comes before what if a step waits for data only: for its message, and for earlier steps of
/// its GPU that touch the same chunk, one of the two writing. So the steps of a thread block that
/// have nothing to do with one another need not wait for one another. `AlgorithmMeaning` has found
/// that the file orders all such pairs.
class DataOrder {
 public:
  explicit DataOrder(const AlgorithmMeaning& meaning);

  const AlgorithmMeaning& meaning() const { return *meaning_; }
  /// Of a step that receives and does not add: when its message leaves, everybody is done with the
  /// target, because the message says so and not because of the order of a thread block. So the
  /// sender may store there at once.
  bool targetIsFree(StepId step) const { return free_[index(step)]; }

 private:
  /// Who has touched a chunk since it was last written.
  struct Touched {
    std::optional<std::uint32_t> writer = {};
    std::vector<std::uint32_t> readers = {};
  };

  std::size_t index(StepId step) const { return firstStep_[step.threadBlock] + step.step; }
  void add(StepId step);
  bool allBefore(std::uint32_t step, std::vector<std::uint32_t> others);

  const AlgorithmMeaning* meaning_;
  std::vector<std::size_t> firstStep_;              ///< by thread block
  std::vector<std::vector<std::uint32_t>> before_;  ///< by step: for which it waits
  std::vector<bool> free_;
  std::vector<std::vector<Touched>> chunks_;  ///< [gpu][slot]
  std::vector<std::uint32_t> seen_;           ///< by step: the last search that met it
  std::uint32_t search_ = 0;
};

}  // namespace t3
