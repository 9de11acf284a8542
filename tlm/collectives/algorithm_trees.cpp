// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_trees.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/promise.h"

namespace t3 {

/// Goes through the messages once more, in the order in which they may be taken.
class AlgorithmTrees::Pass {
 public:
  Pass(AlgorithmTrees& trees, const AlgorithmMeaning& meaning)
      : trees_(trees),
        form_(meaning.form()),
        buffers_(meaning.buffers()),
        times_(stepTimes(meaning)),
        gathersOnly_(form_.algorithm().promise->inputIsShare) {
    for (std::uint32_t g = 0; g < trees.gpus(); ++g) {
      sums_.emplace_back(trees.chunks(), GpuSet{g});
    }
  }

  void go() {
    const AlgorithmMeaning again(form_,
                                 [this](StepId sender, StepId receiver, const Contributions& what) {
                                   carry(sender, receiver, what);
                                 });
  }

 private:
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
  const std::vector<std::vector<std::uint32_t>> times_;
  const bool gathersOnly_;
  std::vector<std::vector<GpuSet>> sums_;  ///< [gpu][chunk]: all that came
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

namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

/// When and where a chunk is used first.
struct Due {
  std::uint32_t time = kNever, threadBlock = 0, chunk = 0;
  std::uint32_t to = kNever;  ///< the GPU for which it leaves

  auto key() const { return std::tie(time, threadBlock, chunk); }
};

InputOrder orderOf(std::vector<Due> dues) {
  std::ranges::sort(dues, {}, &Due::key);
  InputOrder order;
  for (std::size_t first = 0; first < dues.size();) {
    std::size_t end = first;
    std::set<std::uint32_t> peers;
    for (; end < dues.size() && dues[end].time == dues[first].time; ++end) {
      peers.insert(dues[end].to);
      order.chunks.push_back(dues[end].chunk);
    }
    const auto together = static_cast<std::uint32_t>(end - first);
    if (peers.size() > 1) {
      order.groups.push_back(together);
    } else {
      order.groups.insert(order.groups.end(), together, 1);
    }
    const bool allLeave = !peers.contains(kNever);
    // What is sent as it comes is made no faster than links take it; what is due next fills the
    // time between.
    const bool fills = first == 0 && peers.size() > 1 && allLeave && end < dues.size();
    if (fills) {
      const std::uint32_t next = dues[end].time;
      for (; end < dues.size() && dues[end].time == next; ++end) {
        order.chunks.push_back(dues[end].chunk);
        ++order.groups.back();
      }
    }
    first = end;
  }
  return order;
}

}  // namespace

std::vector<InputOrder> inputOrders(const AlgorithmMeaning& meaning) {
  const AlgorithmForm& form = meaning.form();
  const AlgorithmBuffers& buffers = meaning.buffers();
  const auto times = stepTimes(meaning);
  std::vector<std::vector<Due>> dues(form.algorithm().gpuCount(),
                                     std::vector<Due>(buffers.inputSize()));
  for (auto& ofGpu : dues) {
    for (std::uint32_t c = 0; c < ofGpu.size(); ++c) ofGpu[c].chunk = c;
  }
  for (const StepId id : meaning.order()) {
    const AlgorithmStep& step = form.step(id);
    const std::uint32_t gpu = form.gpuOf(id.threadBlock);
    const std::uint32_t time = times[id.threadBlock][id.step];
    const auto use = [&](AlgorithmBuffer buffer, std::uint32_t first) {
      for (std::uint32_t c = first; c < first + step.count; ++c) {
        const std::uint32_t slot = buffers.slot(gpu, buffer, c);
        if (slot >= buffers.inputSize()) continue;
        Due& due = dues[gpu][slot];
        Due now{time, id.threadBlock, slot, kNever};
        if (step.kind->sends) now.to = *form.threadBlock(id.threadBlock).sendsTo;
        if (now.key() < due.key()) due = now;
      }
    };
    if (step.kind->readsSource) use(step.sourceBuffer, step.source);
    if (step.kind->readsTarget) use(step.targetBuffer, step.target);
  }
  std::vector<InputOrder> orders;
  for (auto& ofGpu : dues) orders.push_back(orderOf(std::move(ofGpu)));
  return orders;
}

}  // namespace t3
