// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/collectives/algorithm_form.h"

namespace t3 {

/// What has certainly happened before a moment of a thread block: of each thread block, so many
/// first steps. A copy of it costs nothing, because clocks share what they know of others; that
/// grows only where a thread block hears from another one.
class StepClock {
 public:
  explicit StepClock(std::uint32_t threadBlock) : threadBlock_(threadBlock) {}

  /// The thread block has ended one more step.
  void tick() { ++steps_; }
  bool covers(StepId step) const { return stepsOf(step.threadBlock) > step.step; }
  /// From now on all that `other` knows has happened before.
  void hear(const StepClock& other);

 private:
  struct Entry {
    std::uint32_t threadBlock = 0, steps = 0;
  };
  using Others = std::vector<Entry>;  ///< by thread block

  std::uint32_t stepsOf(std::uint32_t threadBlock) const;

  std::uint32_t threadBlock_, steps_ = 0;
  std::shared_ptr<const Others> others_;  ///< may be null
};

}  // namespace t3
