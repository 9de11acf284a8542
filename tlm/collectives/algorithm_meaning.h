// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tlm/collectives/algorithm_buffers.h"
#include "tlm/collectives/algorithm_form.h"
#include "tlm/collectives/promise.h"

namespace t3 {

/// What an algorithm does to its chunks, found by going through it once with sums of names in place
/// of values, in some order in which its thread blocks may run.
///
/// Any other order gives the same if steps that touch the same chunk, one of them writing, are
/// ordered by dependencies, messages and the order inside thread blocks. That is checked as well,
/// with a clock for each thread block, so what is found here holds for every run.
///
/// A connection holds any number of messages. Libraries that hold a few (MSCCL: 8 pieces) may stand
/// still where this does not.
class AlgorithmMeaning {
 public:
  /// Called for each chunk of a message, when the receiver takes it.
  using OnMessage = std::function<void(StepId sender, StepId receiver, const Contributions& chunk)>;
  /// Throws AlgorithmError for the first thing that is wrong: thread blocks that wait for one
  /// another, a chunk that is read and that nothing has written, two steps that touch a chunk in no
  /// certain order, a result that is not what the collective promises.
  explicit AlgorithmMeaning(const AlgorithmForm& form, const OnMessage& onMessage = {});

  const AlgorithmForm& form() const { return *form_; }
  const AlgorithmBuffers& buffers() const { return buffers_; }

  /// Of a step that receives: the one that sends.
  StepId senderTo(StepId step) const { return facts(step).sender; }
  /// Of a step that sends: the one that receives.
  StepId receiverOf(StepId step) const { return facts(step).receiver; }
  /// Of a step that receives into a target: all are done with the target when its message leaves,
  /// so the sender may store there at once.
  bool targetIsFree(StepId step) const { return facts(step).targetFree; }
  /// Of a step that adds what it receives to a source: all are done with the source when its
  /// message leaves, nobody needs it afterwards, and the sum goes there or nowhere. So the message
  /// may be added to the source in memory.
  bool sourceMayBecomeSum(StepId step) const { return facts(step).sumInPlace; }

  /// All steps, in an order in which they may run.
  const std::vector<StepId>& order() const { return order_; }

  /// Of a collective that has a root.
  std::uint32_t root() const { return root_; }
  /// What an output chunk of a GPU is at the end; null if nothing is promised of it and nothing was
  /// written.
  const Contributions* result(std::uint32_t gpu, std::uint32_t chunk) const {
    return results_[gpu][chunk].get();
  }
  /// Input chunks in the longest sum of a result.
  std::uint32_t longestSum() const;

 private:
  struct Facts {
    StepId sender, receiver;
    bool targetFree = false, sumInPlace = false;
  };
  class Run;

  std::size_t index(StepId step) const { return firstStep_[step.threadBlock] + step.step; }
  const Facts& facts(StepId step) const { return facts_[index(step)]; }
  Facts& facts(StepId step) { return facts_[index(step)]; }

  const AlgorithmForm* form_;
  AlgorithmBuffers buffers_;
  std::vector<std::size_t> firstStep_;  ///< by thread block
  std::vector<Facts> facts_;
  std::vector<StepId> order_;
  std::uint32_t root_ = 0;
  std::vector<std::vector<std::shared_ptr<const Contributions>>> results_;
};

}  // namespace t3
