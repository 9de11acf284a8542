// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/input_sums.h"

#include <algorithm>
#include <utility>

namespace t3 {
namespace {

/// Where a step reads and writes, as slots of its GPU.
struct Slots {
  std::uint32_t source = 0, target = 0;
};

Slots slotsOf(const AlgorithmMeaning& meaning, StepId id) {
  const AlgorithmStep& step = meaning.form().step(id);
  const std::uint32_t gpu = meaning.form().gpuOf(id.threadBlock);
  const StepKind& kind = *step.kind;
  const AlgorithmBuffers& buffers = meaning.buffers();
  Slots slots;
  if (kind.readsSource) slots.source = buffers.slot(gpu, step.sourceBuffer, step.source);
  if (kind.readsTarget || kind.writesTarget) {
    slots.target = buffers.slot(gpu, step.targetBuffer, step.target);
  }
  return slots;
}

/// A step that receives, and does nothing but store what it receives.
bool receivesOnly(const StepKind& kind) { return &kind == &kReceive; }

}  // namespace

/// One way through the algorithm. All producers' chunks are slots from 0 on: the collectives that
/// can stand behind one have all chunks as their input.
class InputSums::Pass {
 public:
  Pass(InputSums& sums, const AlgorithmMeaning& meaning)
      : sums_(sums),
        meaning_(meaning),
        inputs_(meaning.buffers().inputSize()),
        slots_(meaning.form().algorithm().gpuCount(),
               std::vector<Slot>(meaning.buffers().slots())) {}

  /// Returns whether all folded steps may fold. Marks those that may not.
  bool go() {
    for (const StepId id : meaning_.order()) {
      gpu_ = meaning_.form().gpuOf(id.threadBlock);
      visit(id);
    }
    return !marked_;
  }

 private:
  struct Slot {
    enum class State : std::uint8_t { Sum, Read, Written };
    State state = State::Sum;       ///< of an input chunk
    std::optional<StepId> arrived;  ///< the step that received all that is there
    std::optional<StepId> usedBy;   ///< the `re` into which that was folded
  };

  bool isInput(std::uint32_t slot) const { return slot < inputs_; }
  Slot& at(std::uint32_t slot) { return slots_[gpu_][slot]; }
  Chunk& chunk(std::uint32_t slot) { return sums_.chunks_[gpu_][slot]; }

  void visit(StepId id) {
    const AlgorithmStep& step = meaning_.form().step(id);
    const StepKind& kind = *step.kind;
    const Slots slots = slotsOf(meaning_, id);
    if (!sums_.facts(id).mayNotFold) {
      if (kind.addsReceived() && takesUpdates(slots.source, step.count) &&
          (!kind.writesTarget || slots.target == slots.source)) {
        fold(id, id, slots.source);
        if (kind.sends) read(id, slots.source);
        return;
      }
      if (&kind == &kReduce && takesUpdates(slots.target, step.count)) {
        const auto arrived = arrivalOf(slots.source, step.count);
        if (arrived) {
          fold(id, *arrived, slots.target);
          sums_.facts(*arrived).folded = true;
          for (std::uint32_t c = 0; c < step.count; ++c) at(slots.source + c).usedBy = id;
          return;
        }
      }
    }
    if (kind.addsReceived()) {
      for (std::uint32_t c = 0; c < step.count; ++c) {
        if (isInput(slots.source + c)) chunk(slots.source + c).disturbed = true;
      }
    }
    if (kind.readsSource) read(id, slots.source);
    if (kind.readsTarget) read(id, slots.target);
    if (kind.writesTarget) write(id, slots.target);
  }

  /// Whether so many chunks are inputs that nobody has read or written.
  bool takesUpdates(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t slot = first; slot < first + count; ++slot) {
      if (!isInput(slot) || at(slot).state != Slot::State::Sum) return false;
    }
    return true;
  }

  /// The step that has received exactly these chunks of scratch, for nobody but who asks.
  std::optional<StepId> arrivalOf(std::uint32_t first, std::uint32_t count) {
    const auto arrived = at(first).arrived;
    if (!meaning_.buffers().isScratch(first) || !arrived || at(first).usedBy) return std::nullopt;
    const AlgorithmStep& step = meaning_.form().step(*arrived);
    const bool same = step.count == count && slotsOf(meaning_, *arrived).target == first;
    return same && !sums_.facts(*arrived).mayNotFold ? arrived : std::nullopt;
  }

  void fold(StepId id, StepId receiver, std::uint32_t first) {
    sums_.facts(id).folded = true;
    sums_.facts(receiver).addedTo = first;
    const std::uint32_t count = meaning_.form().step(id).count;
    for (std::uint32_t slot = first; slot < first + count; ++slot) ++chunk(slot).messages;
  }

  void read(StepId id, std::uint32_t first) {
    for (std::uint32_t slot = first; slot < first + meaning_.form().step(id).count; ++slot) {
      Slot& place = at(slot);
      if (place.usedBy && *place.usedBy != id) {
        sums_.facts(*place.usedBy).mayNotFold = true;
        marked_ = true;
      }
      if (!isInput(slot) || place.state == Slot::State::Written) continue;
      place.state = Slot::State::Read;
      chunk(slot).readers.push_back(id);
      sums_.facts(id).inputs.push_back(slot);
    }
  }

  void write(StepId id, std::uint32_t first) {
    const AlgorithmStep& step = meaning_.form().step(id);
    for (std::uint32_t slot = first; slot < first + step.count; ++slot) {
      Slot& place = at(slot);
      place.arrived.reset();
      place.usedBy.reset();
      if (receivesOnly(*step.kind)) place.arrived = id;
      if (!isInput(slot)) continue;
      place.state = Slot::State::Written;
      chunk(slot).overwritten = true;
    }
  }

  InputSums& sums_;
  const AlgorithmMeaning& meaning_;
  const std::uint32_t inputs_;
  std::vector<std::vector<Slot>> slots_;  ///< [gpu][slot]
  std::uint32_t gpu_ = 0;                 ///< of the step at hand
  bool marked_ = false;                   ///< a step that may not fold
};

InputSums::InputSums(const AlgorithmMeaning& meaning) {
  const AlgorithmForm& form = meaning.form();
  for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
    facts_.emplace_back(form.threadBlock(b).steps.size());
  }
  // What holds scratch does not depend on what folds, so the first pass finds every step that may
  // not fold, and the second does without them.
  if (!pass(meaning)) pass(meaning);
  findPassing(meaning);
  findByProducer(meaning);
}

bool InputSums::pass(const AlgorithmMeaning& meaning) {
  chunks_.assign(meaning.form().algorithm().gpuCount(),
                 std::vector<Chunk>(meaning.buffers().inputSize()));
  for (auto& steps : facts_) {
    for (Facts& step : steps) step = Facts{.mayNotFold = step.mayNotFold};
  }
  return Pass(*this, meaning).go();
}

void InputSums::findPassing(const AlgorithmMeaning& meaning) {
  const AlgorithmBuffers& buffers = meaning.buffers();
  const auto isResult = [&](std::uint32_t gpu, std::uint32_t slot) {
    const std::uint32_t first = buffers.slot(gpu, AlgorithmBuffer::Output, 0);
    return slot >= first && slot < first + buffers.outputSize();
  };
  for (std::uint32_t g = 0; g < chunks_.size(); ++g) {
    for (std::uint32_t c = 0; c < chunks_[g].size(); ++c) {
      Chunk& chunk = chunks_[g][c];
      if (chunk.readers.size() != 1 || chunk.disturbed) continue;
      const StepKind& kind = *meaning.form().step(chunk.readers.front()).kind;
      chunk.passes = (&kind == &kSend || &kind == &kReceiveReduceSend) &&
                     (chunk.overwritten || !isResult(g, c));
    }
  }
  // A step reads all its chunks from one buffer.
  for (bool changed = true; std::exchange(changed, false);) {
    for (std::uint32_t b = 0; b < facts_.size(); ++b) {
      auto& all = chunks_[meaning.form().gpuOf(b)];
      for (std::uint32_t s = 0; s < facts_[b].size(); ++s) {
        const auto& inputs = facts_[b][s].inputs;
        const auto passes = [&](std::uint32_t c) { return all[c].passes; };
        const bool whole = inputs.size() == meaning.form().step({b, s}).count;
        if (std::ranges::none_of(inputs, passes)) continue;
        if (whole && std::ranges::all_of(inputs, passes)) continue;
        for (const std::uint32_t c : inputs) all[c].passes = false;
        changed = true;
      }
    }
  }
}

/// Steps that come before anything else in their thread blocks.
void InputSums::findByProducer(const AlgorithmMeaning& meaning) {
  const AlgorithmForm& form = meaning.form();
  for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
    auto& chunks = chunks_[form.gpuOf(b)];
    for (std::uint32_t s = 0; s < facts_[b].size(); ++s) {
      const AlgorithmStep& step = form.step({b, s});
      if (step.kind != &kSend || step.dependency) break;
      const auto& inputs = facts_[b][s].inputs;
      const auto first = addedTo(meaning.partner({b, s}));
      const bool alone =
          inputs.size() == step.count && std::ranges::all_of(inputs, [&](std::uint32_t c) {
            return chunks[c].passes && chunks[c].messages == 0;
          });
      if (!alone || !first || *first != inputs.front()) break;
      facts_[b][s].byProducer = true;
      for (const std::uint32_t c : inputs) chunks[c].leaves = true;
    }
  }
}

}  // namespace t3
