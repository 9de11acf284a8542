// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/collectives/algorithm_meaning.h"

namespace t3 {

/// What becomes of an algorithm whose input is being made while it runs, by a producer that adds
/// its output to memory. Additions may come in any order, so what the first steps add to an input
/// chunk is added where the chunk lies, beside the producer's own update:
///
///     rrc, rrcs, rrs   the message is an update of the chunk; rrcs and rrs go on when all are in
///     r … re           into scratch that only this `re` reads: the message is an update of the
///                      target of the `re`
///     s                of a chunk that nobody else reads, by a step that waits for nothing, to a
///                      place where it is such an update: the producer itself stores it there
///
/// A chunk takes such updates until the first step reads it; that step waits until all are in. So
/// nobody waits for what he would not wait for in the file, and no wait becomes a ring.
///
/// Throws nothing: what cannot be done in this way is done as without a producer, when the chunks
/// that a step reads are there.
class InputSums {
 public:
  explicit InputSums(const AlgorithmMeaning& meaning);

  /// An input chunk of a GPU.
  struct Chunk {
    std::uint32_t messages = 0;        ///< added to it, beside the producer's update
    std::vector<StepId> readers = {};  ///< steps that read the sum
    bool overwritten = false;          ///< later, with something else
    bool disturbed = false;            ///< later more is added to it in memory
    /// It is read once, by a step that sends it, and never needed again.
    bool passes = false;
    bool leaves = false;  ///< the producer stores it in another GPU, not here

    std::uint32_t updates() const { return leaves ? 0 : 1 + messages; }
  };
  const Chunk& chunk(std::uint32_t gpu, std::uint32_t input) const { return chunks_[gpu][input]; }

  /// The first of the input chunks, of the GPU that receives, to which the message of a step is
  /// added; none if it goes where it goes without a producer.
  std::optional<std::uint32_t> addedTo(StepId receiver) const { return facts(receiver).addedTo; }
  /// The updates of messages do what this step adds, so nothing is left of it but, if it sends, to
  /// send the sum.
  bool folded(StepId step) const { return facts(step).folded; }
  /// The producer does what this step would.
  bool byProducer(StepId step) const { return facts(step).byProducer; }
  /// The input chunks whose sums a step reads.
  const std::vector<std::uint32_t>& inputsOf(StepId step) const { return facts(step).inputs; }

 private:
  struct Facts {
    std::optional<std::uint32_t> addedTo = {};
    bool folded = false, mayNotFold = false, byProducer = false;
    std::vector<std::uint32_t> inputs = {};
  };
  class Pass;

  const Facts& facts(StepId id) const { return facts_[id.threadBlock][id.step]; }
  Facts& facts(StepId id) { return facts_[id.threadBlock][id.step]; }
  /// Goes through the steps once; false if steps were found that may not fold, which are marked.
  bool pass(const AlgorithmMeaning& meaning);
  void findPassing(const AlgorithmMeaning& meaning);
  void findByProducer(const AlgorithmMeaning& meaning);

  std::vector<std::vector<Chunk>> chunks_;  ///< [gpu][input chunk]
  std::vector<std::vector<Facts>> facts_;   ///< [thread block][step]
};

}  // namespace t3
