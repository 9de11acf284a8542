// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_meaning.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "tlm/collectives/algorithm.h"

namespace t3 {
namespace {

using Value = std::shared_ptr<const Contributions>;

}  // namespace

/// What has certainly happened before a moment of a thread block: of each thread block, so many
/// first steps. Copies share what they know of others, which grows only where a thread block hears
/// from another one.
class StepClock {
 public:
  explicit StepClock(std::uint32_t threadBlock) : own_{threadBlock, 0} {}

  /// The thread block has ended one more step.
  void tick() { ++own_.steps; }
  bool covers(StepId step) const { return stepsOf(step.threadBlock) > step.step; }

  /// From now on all that `other` knows has happened before.
  void hear(const StepClock& other) {
    static const Others kNothing;
    const Others& mine = others_ == nullptr ? kNothing : *others_;
    const Others& theirs = other.others_ == nullptr ? kNothing : *other.others_;
    const auto before = [](const Entry& a,
                           const Entry& b) {  // of one thread block: the later first
      return a.threadBlock != b.threadBlock ? a.threadBlock < b.threadBlock : a.steps > b.steps;
    };
    Others all;
    all.reserve(mine.size() + theirs.size() + 1);
    std::ranges::merge(mine, theirs, std::back_inserter(all), before);
    all.insert(std::ranges::lower_bound(all, other.own_, before), other.own_);
    // Not std::ranges::unique, which clang 14 does not take.
    all.erase(
        std::unique(all.begin(), all.end(),
                    [](const Entry& a, const Entry& b) { return a.threadBlock == b.threadBlock; }),
        all.end());
    std::erase_if(all,
                  [this](const Entry& entry) { return entry.threadBlock == own_.threadBlock; });
    others_ = std::make_shared<const Others>(std::move(all));
  }

 private:
  struct Entry {
    std::uint32_t threadBlock = 0, steps = 0;
  };
  using Others = std::vector<Entry>;  ///< by thread block

  std::uint32_t stepsOf(std::uint32_t threadBlock) const {
    if (threadBlock == own_.threadBlock) return own_.steps;
    if (others_ == nullptr) return 0;
    const auto entry = std::ranges::lower_bound(*others_, threadBlock, {}, &Entry::threadBlock);
    return entry != others_->end() && entry->threadBlock == threadBlock ? entry->steps : 0;
  }

  Entry own_;
  std::shared_ptr<const Others> others_;  ///< may be null
};

/// One run through the algorithm.
class AlgorithmMeaning::Run {
 public:
  Run(AlgorithmMeaning& meaning, const OnMessage& onMessage)
      : meaning_(meaning),
        onMessage_(onMessage),
        form_(meaning.form()),
        buffers_(meaning.buffers_),
        chunks_(form_.algorithm().gpuCount(), std::vector<Chunk>(buffers_.slots())),
        messages_(form_.threadBlocks()),
        waiting_(form_.threadBlocks()) {
    const std::uint32_t gpus = form_.algorithm().gpuCount();
    for (std::uint32_t g = 0; g < gpus; ++g) {
      for (std::uint32_t c = 0; c < buffers_.inputSize(); ++c) {
        chunks_[g][buffers_.slot(g, AlgorithmBuffer::Input, c)].value =
            std::make_shared<const Contributions>(c, GpuSet{g});
      }
    }
    for (std::uint32_t b = 0; b < form_.threadBlocks(); ++b) {
      threads_.push_back({.clock = StepClock(b)});
      runnable_.push_back(b);
    }
  }

  void go() {
    while (!runnable_.empty()) {
      const std::uint32_t b = runnable_.front();
      runnable_.pop_front();
      while (advance(b)) {
      }
    }
    for (std::uint32_t b = 0; b < form_.threadBlocks(); ++b) {
      if (threads_[b].next < form_.threadBlock(b).steps.size()) standstill(b);
    }
    settleSums();
    takeResults();
  }

 private:
  struct Chunk {
    Value value;
    std::optional<StepId> writer;
    std::vector<StepId> readers;  ///< since then
    std::optional<StepId>
        becomesSum;  ///< of a step whose source need not be kept if nobody reads it
  };
  struct Message {
    StepId from;
    StepClock clock;
    std::vector<Value> values;
  };
  struct Thread {
    StepClock clock;
    std::uint32_t next = 0;
    std::vector<std::pair<std::uint32_t, StepClock>> ends = {};  ///< of steps that others wait for
  };

  std::uint32_t dependencyOf(std::uint32_t b, const AlgorithmStep& step) const {
    return form_.first(form_.gpuOf(b)) + step.dependency->threadBlock;
  }

  /// Runs the next step of a thread block, if it can run.
  bool advance(std::uint32_t b) {
    Thread& thread = threads_[b];
    const auto& steps = form_.threadBlock(b).steps;
    if (thread.next == steps.size()) return false;
    const AlgorithmStep& step = steps[thread.next];
    if (step.dependency) {
      const std::uint32_t other = dependencyOf(b, step);
      if (threads_[other].next <= step.dependency->step) {
        waiting_[other].push_back(b);
        return false;
      }
    }
    if (step.kind->receives && messages_[b].empty()) return false;  // the sender wakes it
    if (step.dependency && dependencyOf(b, step) != b) {
      const Thread& other = threads_[dependencyOf(b, step)];
      const auto end = std::ranges::lower_bound(other.ends, step.dependency->step, {},
                                                &std::pair<std::uint32_t, StepClock>::first);
      thread.clock.hear(end->second);
    }
    execute({b, thread.next}, step);
    ++thread.next;
    for (const std::uint32_t waiter : waiting_[b]) runnable_.push_back(waiter);
    waiting_[b].clear();
    return true;
  }

  void execute(StepId id, const AlgorithmStep& step) {
    meaning_.order_.push_back(id);
    Thread& thread = threads_[id.threadBlock];
    const StepKind& kind = *step.kind;
    const std::uint32_t gpu = form_.gpuOf(id.threadBlock);
    std::optional<Message> message;
    if (kind.receives) {
      message = std::move(messages_[id.threadBlock].front());
      messages_[id.threadBlock].pop_front();
      thread.clock.hear(message->clock);
      meaning_.facts(id).sender = message->from;
      meaning_.facts(message->from).receiver = id;
      meaning_.facts(id).targetFree = kind.writesTarget;
      meaning_.facts(id).sumInPlace = kind.addsReceived();
    }
    std::vector<Value> values(step.count);
    for (std::uint32_t c = 0; c < step.count; ++c) {
      Value& value = values[c];
      if (message) value = message->values[c];
      if (message && onMessage_) onMessage_(message->from, id, *value);
      const auto use = [&](const Value& operand) {
        value = value == nullptr ? operand
                                 : std::make_shared<const Contributions>(sum(*value, *operand));
      };
      const std::uint32_t source = buffers_.slot(gpu, step.sourceBuffer, step.source + c);
      const std::uint32_t target = buffers_.slot(gpu, step.targetBuffer, step.target + c);
      if (message && kind.addsReceived()) trySumInPlace(id, *message, gpu, source, target);
      if (message && kind.writesTarget && !allCovered(chunks_[gpu][target], message->clock)) {
        meaning_.facts(id).targetFree = false;
      }
      if (kind.readsSource) use(read(id, gpu, step.sourceBuffer, step.source + c, source));
      if (kind.readsTarget) use(read(id, gpu, step.targetBuffer, step.target + c, target));
      for (std::uint32_t g = 0; kind.readsAll && g < chunks_.size(); ++g) {
        use(read(id, g, step.sourceBuffer, step.source + c,
                 buffers_.slot(g, step.sourceBuffer, step.source + c)));
        checkIsInput(id, g, step.sourceBuffer, step.source + c);
      }
      if (kind.writesTarget) write(id, gpu, step.targetBuffer, step.target + c, target, value);
      for (std::uint32_t g = 0; kind.writesAll && g < chunks_.size(); ++g) {
        write(id, g, step.targetBuffer, step.target + c,
              buffers_.slot(g, step.targetBuffer, step.target + c), value);
      }
      // From now on nobody may read what was there.
      if (kind.addsReceived() && !kind.writesTarget && meaning_.facts(id).sumInPlace) {
        chunks_[gpu][source].becomesSum = id;
      }
    }
    thread.clock.tick();
    if (step.hasDependents) thread.ends.emplace_back(id.step, thread.clock);
    if (!kind.sends) return;
    const std::uint32_t receiver = form_.receiverOf(id.threadBlock);
    messages_[receiver].push_back({id, thread.clock, std::move(values)});
    runnable_.push_back(receiver);
  }

  static bool allCovered(const Chunk& chunk, const StepClock& clock) {
    return (!chunk.writer || clock.covers(*chunk.writer)) &&
           std::ranges::all_of(chunk.readers, [&](StepId id) { return clock.covers(id); });
  }

  void trySumInPlace(StepId id, const Message& message, std::uint32_t gpu, std::uint32_t source,
                     std::uint32_t target) {
    const bool stays = form_.step(id).kind->writesTarget;
    if ((stays && source != target) || !allCovered(chunks_[gpu][source], message.clock)) {
      meaning_.facts(id).sumInPlace = false;
    }
  }

  static std::string nameOf(AlgorithmBuffer buffer, std::uint32_t chunk) {
    return std::string(t3::nameOf(buffer)) + " chunk " + std::to_string(chunk);
  }

  void checkOrder(StepId id, StepId before, const std::string& chunk, const char* verb) const {
    if (before == id || threads_[id.threadBlock].clock.covers(before)) return;
    throw AlgorithmError(form_.step(id).line, form_.place(id),
                         std::string(verb) + " " + chunk + ", which " + form_.place(before).text() +
                             " uses too; expected a dependency that orders the two");
  }

  /// What other GPUs have stored since the begin may be on its way when the switch loads.
  void checkIsInput(StepId id, std::uint32_t gpu, AlgorithmBuffer buffer,
                    std::uint32_t chunk) const {
    const Chunk& place = chunks_[gpu][buffers_.slot(gpu, buffer, chunk)];
    if (!place.writer) return;
    throw AlgorithmError(form_.step(id).line, form_.place(id),
                         "loads " + nameOf(buffer, chunk) + " of GPU " + std::to_string(gpu) +
                             ", which " + form_.place(*place.writer).text() +
                             " has written; expected what is there at the begin");
  }

  Value read(StepId id, std::uint32_t gpu, AlgorithmBuffer buffer, std::uint32_t chunk,
             std::uint32_t slot) {
    Chunk& place = chunks_[gpu][slot];
    if (place.value == nullptr) {
      throw AlgorithmError(form_.step(id).line, form_.place(id),
                           "reads " + nameOf(buffer, chunk) + ", which nothing has written");
    }
    if (place.writer) checkOrder(id, *place.writer, nameOf(buffer, chunk), "reads");
    const auto same = [&](StepId reader) { return reader.threadBlock == id.threadBlock; };
    std::erase_if(place.readers, same);  // the later step of a thread block stands for the earlier
    place.readers.push_back(id);
    if (place.becomesSum && *place.becomesSum != id) {
      meaning_.facts(*place.becomesSum).sumInPlace = false;
      place.becomesSum.reset();
    }
    return place.value;
  }

  void write(StepId id, std::uint32_t gpu, AlgorithmBuffer buffer, std::uint32_t chunk,
             std::uint32_t slot, Value value) {
    Chunk& place = chunks_[gpu][slot];
    if (place.writer) checkOrder(id, *place.writer, nameOf(buffer, chunk), "writes");
    if (place.writer && form_.step(*place.writer).kind->writesAll) {
      throw AlgorithmError(form_.step(id).line, form_.place(id),
                           "writes " + nameOf(buffer, chunk) + ", which " +
                               form_.place(*place.writer).text() +
                               " stores in all GPUs; expected one that stays as it is");
    }
    for (const StepId reader : place.readers) {
      checkOrder(id, reader, nameOf(buffer, chunk), "writes");
    }
    place.writer = id;
    place.readers.clear();
    place.becomesSum.reset();
    place.value = std::move(value);
  }

  /// Names the thread blocks that wait for one another.
  [[noreturn]] void standstill(std::uint32_t first) const {
    const auto waitsFor = [&](std::uint32_t b) {
      const AlgorithmStep& step = form_.threadBlock(b).steps[threads_[b].next];
      if (step.dependency && threads_[dependencyOf(b, step)].next <= step.dependency->step) {
        return dependencyOf(b, step);
      }
      return form_.senderTo(b);
    };
    std::vector<std::uint32_t> path;
    std::vector<bool> seen(form_.threadBlocks());
    std::uint32_t b = first;
    for (; !seen[b]; b = waitsFor(b)) {
      seen[b] = true;
      path.push_back(b);
    }
    path.erase(path.begin(), std::ranges::find(path, b));
    constexpr std::size_t kMostListed = 4;
    std::string text = "waits for ever: ";
    for (std::size_t i = 1; i < path.size() && i < kMostListed; ++i) {
      text += "for " + form_.place({path[i], threads_[path[i]].next}).text() + ", which waits ";
    }
    if (path.size() > kMostListed) text += "for others, which wait ";
    text += path.size() == 1 ? "for itself" : "for this step";
    const StepId id{b, threads_[b].next};
    throw AlgorithmError(form_.step(id).line, form_.place(id), text);
  }

  /// What is a result, or the input of somebody who keeps it, must stay what it is.
  void settleSums() {
    for (std::uint32_t g = 0; g < chunks_.size(); ++g) {
      for (std::uint32_t slot = 0; slot < buffers_.scratchStart(); ++slot) {
        if (chunks_[g][slot].becomesSum && keeps(g, slot)) {
          meaning_.facts(*chunks_[g][slot].becomesSum).sumInPlace = false;
        }
      }
    }
  }
  bool keeps(std::uint32_t gpu, std::uint32_t slot) const {
    if (!buffers_.inPlace()) return true;
    if (form_.algorithm().promise->result == nullptr) return true;
    const std::uint32_t first = buffers_.slot(gpu, AlgorithmBuffer::Output, 0);
    return slot >= first && slot < first + buffers_.outputSize();
  }

  void takeResults() {
    const Algorithm& algorithm = form_.algorithm();
    const Promise& promise = *algorithm.promise;
    const std::uint32_t gpus = algorithm.gpuCount();
    for (std::uint32_t g = 0; g < gpus; ++g) {
      auto& results = meaning_.results_.emplace_back();
      for (std::uint32_t c = 0; c < buffers_.outputSize(); ++c) {
        results.push_back(chunks_[g][buffers_.slot(g, AlgorithmBuffer::Output, c)].value);
      }
    }
    if (promise.result == nullptr) return forgetUnwritten();
    if (promise.hasRoot) meaning_.root_ = findRoot(promise);
    for (std::uint32_t g = 0; g < gpus; ++g) {
      const bool promised = !promise.onlyAtRoot || g == meaning_.root_;
      for (std::uint32_t c = 0; c < buffers_.outputSize(); ++c) {
        Value& value = meaning_.results_[g][c];
        if (!promised) {
          value.reset();
          continue;
        }
        const Contributions expected = promise.result(gpus, buffers_.share(), g, c, meaning_.root_);
        if (value != nullptr && *value == expected) continue;
        throw AlgorithmError(algorithm.gpus[g].line, {.gpu = g},
                             "output chunk " + std::to_string(c) + " ends as " +
                                 (value == nullptr ? "nothing" : textOf(*value)) + "; expected " +
                                 textOf(expected) + " for coll=\"" + promise.name + "\"");
      }
    }
  }

  /// Nothing is promised of what is as it was.
  void forgetUnwritten() {
    for (std::uint32_t g = 0; g < chunks_.size(); ++g) {
      for (std::uint32_t c = 0; c < buffers_.outputSize(); ++c) {
        const Chunk& chunk = chunks_[g][buffers_.slot(g, AlgorithmBuffer::Output, c)];
        if (!chunk.writer) meaning_.results_[g][c].reset();
      }
    }
  }

  /// Who it seems to be, from the first chunk.
  std::uint32_t findRoot(const Promise& promise) const {
    const std::uint32_t gpus = form_.algorithm().gpuCount();
    for (std::uint32_t root = 0; root < gpus; ++root) {
      const std::uint32_t at = promise.onlyAtRoot ? root : 0;
      const Value& value = meaning_.results_[at][0];
      if (value != nullptr && *value == promise.result(gpus, buffers_.share(), at, 0, root)) {
        return root;
      }
    }
    return 0;
  }

  AlgorithmMeaning& meaning_;
  const OnMessage& onMessage_;
  const AlgorithmForm& form_;
  const AlgorithmBuffers& buffers_;
  std::vector<std::vector<Chunk>> chunks_;           ///< [gpu][slot]
  std::vector<std::deque<Message>> messages_;        ///< by the thread block that receives them
  std::vector<std::vector<std::uint32_t>> waiting_;  ///< by the thread block that they wait for
  std::vector<Thread> threads_;
  std::deque<std::uint32_t> runnable_;
};

AlgorithmMeaning::AlgorithmMeaning(const AlgorithmForm& form, const OnMessage& onMessage)
    : form_(&form), buffers_(form.algorithm()) {
  std::size_t steps = 0;
  for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
    firstStep_.push_back(steps);
    steps += form.threadBlock(b).steps.size();
  }
  facts_.resize(steps);
  order_.reserve(steps);
  Run(*this, onMessage).go();
}

std::uint32_t AlgorithmMeaning::longestSum() const {
  std::uint32_t longest = 1;
  for (const auto& results : results_) {
    for (const auto& value : results) {
      if (value != nullptr) longest = std::max(longest, value->count());
    }
  }
  return longest;
}

}  // namespace t3
