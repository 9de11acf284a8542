// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_trees.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tlm/collectives/algorithm_error.h"
#include "tlm/collectives/promise.h"

namespace t3 {

/// One way through the algorithm with sums of names in place of values, as in AlgorithmMeaning,
/// which has shown that they come out right.
class AlgorithmTrees::Pass {
 public:
  Pass(AlgorithmTrees& trees, const AlgorithmMeaning& meaning)
      : trees_(trees),
        form_(meaning.form()),
        buffers_(meaning.buffers()),
        meaning_(meaning),
        times_(stepTimes(meaning)),
        gathersOnly_(form_.algorithm().promise->inputIsShare),
        values_(form_.algorithm().gpuCount(), std::vector<Contributions>(buffers_.slots())),
        sums_(form_.algorithm().gpuCount(), std::vector<GpuSet>(trees.chunks(), GpuSet{})),
        sent_(form_.threadBlocks()) {
    for (std::uint32_t g = 0; g < values_.size(); ++g) {
      for (std::uint32_t c = 0; c < buffers_.inputSize(); ++c) {
        values_[g][buffers_.slot(g, AlgorithmBuffer::Input, c)] = {c, GpuSet{g}};
      }
      std::ranges::fill(sums_[g], GpuSet{g});
    }
    for (std::uint32_t b = 0; b < sent_.size(); ++b)
      sent_[b].resize(form_.threadBlock(b).steps.size());
  }

  void go() {
    for (const StepId id : meaning_.order()) {
      const AlgorithmStep& step = form_.step(id);
      for (std::uint32_t c = 0; c < step.count; ++c) visit(id, step, c);
    }
  }

 private:
  void visit(StepId id, const AlgorithmStep& step, std::uint32_t c) {
    const StepKind& kind = *step.kind;
    const std::uint32_t g = form_.gpuOf(id.threadBlock);
    const auto value = [&](AlgorithmBuffer buffer, std::uint32_t chunk) -> Contributions& {
      return values_[g][buffers_.slot(g, buffer, chunk + c)];
    };
    Contributions made;
    if (kind.receives) {
      const StepId sender = meaning_.senderTo(id);
      made = sent_[sender.threadBlock][sender.step][c];
      carry(sender, id, made);
    }
    if (kind.readsSource) made = sum(made, value(step.sourceBuffer, step.source));
    if (kind.readsTarget) made = sum(made, value(step.targetBuffer, step.target));
    if (kind.writesTarget) value(step.targetBuffer, step.target) = made;
    if (kind.sends) sent_[id.threadBlock][id.step].push_back(made);
  }

  /// A message is one hop of a tree.
  void carry(StepId sender, StepId receiver, const Contributions& what) {
    const std::uint32_t from = form_.gpuOf(sender.threadBlock);
    const std::uint32_t to = form_.gpuOf(receiver.threadBlock);
    const auto refuse = [&](const std::string& text) {
      throw AlgorithmError(form_.step(sender).line, form_.place(sender), text);
    };
    if (what.terms().size() != 1) refuse("expected to send one chunk, got " + textOf(what));
    const Contributions::Term& term = what.terms().front();
    const auto hop = [&](std::uint32_t peer) {
      return Hop{peer, form_.threadBlock(sender.threadBlock).channel,
                 times_[sender.threadBlock][sender.step], waits(sender)};
    };
    if (gathersOnly_ || term.gpus == GpuSet::firstOf(trees_.gpus())) {
      const std::uint32_t chunk =
          gathersOnly_ ? term.gpus.ranges().front().first * buffers_.share() + term.chunk
                       : term.chunk;
      Place& there = trees_.places_[to][chunk];
      if (there.wholeFrom) {
        refuse("expected GPU " + std::to_string(to) + " to receive chunk " + std::to_string(chunk) +
               " once, as behind a GEMM, got it again");
      }
      there.wholeFrom = hop(from);
      trees_.places_[from][chunk].wholeTo.push_back(hop(to));
      return;
    }
    Place& here = trees_.places_[from][term.chunk];
    if (here.sumTo) {
      refuse("expected to send a sum of chunk " + std::to_string(term.chunk) +
             " once, as behind a GEMM, got a second one: " + textOf(what));
    }
    if (term.gpus != sums_[from][term.chunk]) {
      refuse("expected to send all that it has of a chunk, as behind a GEMM, " +
             textOf({term.chunk, sums_[from][term.chunk]}) + ", got " + textOf(what));
    }
    here.sumTo = hop(to);
    sums_[to][term.chunk].add(term.gpus);
    trees_.places_[to][term.chunk].sumsFrom.push_back(hop(from));
  }

  bool waits(StepId id) const {
    while (!form_.step(id).dependency && id.step != 0 &&
           form_.step({id.threadBlock, id.step - 1}).kind == &kNop) {
      --id.step;
    }
    return form_.step(id).dependency.has_value();
  }

  AlgorithmTrees& trees_;
  const AlgorithmForm& form_;
  const AlgorithmBuffers& buffers_;
  const AlgorithmMeaning& meaning_;
  const std::vector<std::vector<std::uint32_t>> times_;
  const bool gathersOnly_;
  std::vector<std::vector<Contributions>> values_;             ///< [gpu][slot]
  std::vector<std::vector<GpuSet>> sums_;                      ///< [gpu][chunk]: all that came
  std::vector<std::vector<std::vector<Contributions>>> sent_;  ///< [thread block][step][chunk]
};

AlgorithmTrees::AlgorithmTrees(const AlgorithmMeaning& meaning)
    : places_(meaning.form().algorithm().gpuCount(),
              std::vector<Place>(meaning.form().algorithm().chunks)),
      owners_(meaning.form().algorithm().chunks) {
  Pass(*this, meaning).go();
  findOwners(meaning);
}

void AlgorithmTrees::findOwners(const AlgorithmMeaning& meaning) {
  const Promise& promise = *meaning.form().algorithm().promise;
  const std::uint32_t share = meaning.buffers().share();
  for (std::uint32_t c = 0; c < chunks(); ++c) {
    const auto isOwner = [&](std::uint32_t g) {
      const Place& place = at(g, c);
      return promise.inputIsShare ? !place.wholeFrom : !place.sumTo;
    };
    std::uint32_t owner = 0;
    while (owner < gpus() && !isOwner(owner)) ++owner;
    const bool one = owner < gpus() && !at(owner, c).wholeFrom;
    if (!one || (promise.outputIsShare && owner != c / share)) {
      const std::string who =
          promise.outputIsShare ? "GPU " + std::to_string(c / share) : "one GPU";
      throw AlgorithmError(0, "expected " + who + " to be the first that has the sum of chunk " +
                                  std::to_string(c) + ", as behind a GEMM");
    }
    owners_[c] = owner;
  }
}

std::vector<std::vector<std::uint32_t>> stepTimes(const AlgorithmMeaning& meaning) {
  const AlgorithmForm& form = meaning.form();
  std::vector<std::vector<std::uint32_t>> times;
  for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
    times.emplace_back(form.threadBlock(b).steps.size());
  }
  for (const StepId id : meaning.order()) {
    const AlgorithmStep& step = form.step(id);
    std::uint32_t before = id.step == 0 ? 0 : times[id.threadBlock][id.step - 1];
    if (step.dependency) {
      const std::uint32_t other =
          form.first(form.gpuOf(id.threadBlock)) + step.dependency->threadBlock;
      before = std::max(before, times[other][step.dependency->step]);
    }
    if (step.kind->receives) {
      const StepId sender = meaning.senderTo(id);
      before = std::max(before, times[sender.threadBlock][sender.step]);
    }
    times[id.threadBlock][id.step] = before + 1;
  }
  return times;
}

}  // namespace t3
