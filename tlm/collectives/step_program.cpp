// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_program.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "tlm/transport/payload.h"

namespace t3 {
namespace {

/// What a request of the kernel can number.
constexpr std::size_t kMostLoads = 255;

/// Where the messages of a GPU end, thread block by thread block and step by step.
class MessageEnds {
 public:
  MessageEnds(const StepSource& source, const AlgorithmBuffers& buffers, std::uint32_t gpu) {
    const auto& blocks = source.algorithm.gpus[gpu].threadBlocks;
    std::uint64_t staged = 0;  // chunks
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      auto& numbers = numbers_.emplace_back();
      for (std::uint32_t s = 0; s < blocks[b].steps.size(); ++s) {
        const AlgorithmStep& step = blocks[b].steps[s];
        if (!step.kind->receives) continue;
        numbers.push_back(static_cast<std::uint32_t>(ends_.size()));
        End& end = ends_.emplace_back();
        end.chunks = step.count;
        end.direct = !step.kind->addsReceived() && isFree(source, gpu, {b, s});
        const std::uint32_t slot = buffers.slot(gpu, step.targetBuffer, step.target);
        end.replaces = !step.kind->addsReceived() && !buffers.isScratch(slot);
        if (end.direct) {
          end.place = source.layout.places[slot];
        } else {
          end.place = {source.layout.staging + staged * source.layout.stagingStride, true};
          staged += step.count;
        }
      }
    }
  }

  struct End {
    ChunkPlace place;
    std::uint32_t chunks = 0;
    bool direct = false;    ///< where the step's target is
    bool replaces = false;  ///< what is in a result
  };
  /// The number of the n-th message that a thread block receives.
  std::uint32_t number(std::uint32_t threadBlock, std::uint32_t n) const {
    return numbers_[threadBlock][n];
  }
  const std::vector<End>& ends() const { return ends_; }

 private:
  static bool isFree(const StepSource& source, std::uint32_t gpu, StepId ofGpu) {
    if (source.order == nullptr) return true;
    const std::uint32_t first = source.order->meaning().form().first(gpu);
    return source.order->targetIsFree({first + ofGpu.threadBlock, ofGpu.step});
  }

  std::vector<std::vector<std::uint32_t>> numbers_;
  std::vector<End> ends_;
};

class StepCompiler {
 public:
  StepCompiler(const StepSource& source, std::uint32_t gpu, std::optional<PortRange> kernel)
      : source_(source),
        gpu_(gpu),
        kernel_(kernel.value_or(PortRange{0, source.ports.ports})),
        buffers_(source.order != nullptr ? source.order->meaning().buffers()
                                         : AlgorithmBuffers(source.algorithm)),
        blocks_(source.algorithm.gpus[gpu].threadBlocks),
        received_(blocks_.size()),
        sent_(blocks_.size()),
        present_(buffers_.slots()) {}

  StepProgram compile() {
    for (const StepId step : order()) add(step);
    joinSums();
    joinSends();
    StepProgram program{source_.layout.shapes, kernel_.count, {}, {}};
    emitSteps(program);
    emitArrivals(program);
    return program;
  }

 private:
  struct Load {
    std::optional<std::uint32_t> message;    ///< what waits for this step; else …
    std::uint32_t slot = 0;                  ///< … the chunks from here on …
    std::vector<std::uint32_t> values = {};  ///< … in which these are
  };
  struct Work {
    StepId id;
    std::uint32_t shape = 0, chunks = 0;
    std::vector<Load> loads = {};
    std::optional<std::uint32_t> store = {};  ///< slot
    std::vector<std::uint32_t> stored = {};   ///< values
    std::vector<StepProgram::Send> sends = {};
    std::vector<std::uint32_t> arrivals = {};
    std::vector<std::uint32_t> after = {};     ///< work
    std::optional<std::uint32_t> partOf = {};  ///< other work does it

    /// Stores nothing here; without sends it only waits.
    bool copies() const { return loads.size() == 1 && !loads[0].message && !store; }
  };
  /// What a chunk of a buffer is for a while.
  struct Value {
    std::uint32_t slot = 0;
    std::optional<std::uint32_t> maker = {};     ///< work, or …
    std::optional<std::uint32_t> message = {};   ///< … what has brought it
    std::vector<std::uint32_t> readers = {};     ///< work, in order
    bool replaced = false;                       ///< by …
    std::optional<std::uint32_t> replacer = {};  ///< … this work, or else a message
  };

  const AlgorithmStep& stepOf(StepId id) const { return blocks_[id.threadBlock].steps[id.step]; }

  /// The steps of the GPU in an order in which they may run.
  std::vector<StepId> order() const {
    std::vector<StepId> order;
    if (source_.order != nullptr) {
      const AlgorithmForm& form = source_.order->meaning().form();
      for (const StepId id : source_.order->meaning().order()) {
        if (form.gpuOf(id.threadBlock) != gpu_) continue;
        order.push_back({id.threadBlock - form.first(gpu_), id.step});
      }
      return order;
    }
    std::vector<std::uint32_t> next(blocks_.size());
    for (std::size_t before = ~std::size_t{0}; before != order.size();) {
      before = order.size();
      for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
        for (; next[b] < blocks_[b].steps.size(); ++next[b]) {
          const auto& after = stepOf({b, next[b]}).dependency;
          if (after && next[after->threadBlock] <= after->step) break;
          order.push_back({b, next[b]});
        }
      }
    }
    return order;
  }

  bool ofKernel(const AlgorithmThreadBlock& block) const {
    std::uint32_t port = 0;
    if (block.sendsTo) {
      port = source_.ports.port(gpu_, *block.sendsTo, block.channel);
    } else if (block.receivesFrom) {
      port = source_.ports.port(*block.receivesFrom, gpu_, block.channel);
    }
    return port - kernel_.first < kernel_.count;
  }

  std::uint32_t slot(std::uint32_t gpu, AlgorithmBuffer buffer, std::uint32_t chunk) const {
    return buffers_.slot(gpu, buffer, chunk);
  }

  const MessageEnds& endsAt(std::uint32_t gpu) {
    return ends_.try_emplace(gpu, source_, buffers_, gpu).first->second;
  }
  /// The thread block at the other end of a connection, and its step that has the n-th message.
  StepId otherEnd(std::uint32_t other, std::uint32_t channel,
                  std::optional<std::uint32_t> AlgorithmThreadBlock::*peer, std::uint32_t n,
                  bool StepKind::*which) const {
    const auto& blocks = source_.algorithm.gpus[other].threadBlocks;
    const auto block = std::ranges::find_if(blocks, [&](const AlgorithmThreadBlock& one) {
      return one.*peer == gpu_ && one.channel == channel;
    });
    std::uint32_t step = 0;
    for (;; ++step) {
      if (block->steps[step].kind->*which && n-- == 0) break;
    }
    return {static_cast<std::uint32_t>(block - blocks.begin()), step};
  }

  std::uint32_t shapeOfSlots(std::uint32_t gpu, const AlgorithmStep& step) const {
    std::uint32_t shape = StepLayout::kAnyShape;
    const auto look = [&](bool uses, AlgorithmBuffer buffer, std::uint32_t chunk) {
      if (uses && shape == StepLayout::kAnyShape) {
        shape = source_.layout.shapeOf[slot(gpu, buffer, chunk)];
      }
    };
    look(step.kind->readsSource, step.sourceBuffer, step.source);
    look(step.kind->writesTarget, step.targetBuffer, step.target);
    return shape;
  }
  std::uint32_t shapeOf(StepId id) const {
    const AlgorithmStep& step = stepOf(id);
    std::uint32_t shape = shapeOfSlots(gpu_, step);
    if (shape == StepLayout::kAnyShape && step.kind->receives) {
      const AlgorithmThreadBlock& block = blocks_[id.threadBlock];
      const StepId sender =
          otherEnd(*block.receivesFrom, block.channel, &AlgorithmThreadBlock::sendsTo,
                   received_[id.threadBlock], &StepKind::sends);
      shape = shapeOfSlots(*block.receivesFrom, source_.algorithm.gpus[*block.receivesFrom]
                                                    .threadBlocks[sender.threadBlock]
                                                    .steps[sender.step]);
    }
    if (shape == StepLayout::kAnyShape || (step.count > 1 && source_.layout.shapes->size() > 1)) {
      throw std::logic_error("a step of a route's algorithm works on one chunk of the output");
    }
    return shape;
  }

  // --- what the steps do to the chunks ----------------------------------------------------------

  Value& present(std::uint32_t slot) {
    if (!present_[slot]) {
      present_[slot] = static_cast<std::uint32_t>(values_.size());
      values_.push_back({slot});
    }
    return values_[*present_[slot]];
  }
  void read(std::uint32_t work, std::uint32_t first) {
    Load load{std::nullopt, first};
    for (std::uint32_t c = 0; c < work_[work].chunks; ++c) {
      Value& value = present(first + c);
      if (value.readers.empty() || value.readers.back() != work) value.readers.push_back(work);
      if (value.maker) work_[work].after.push_back(*value.maker);
      if (value.message) work_[work].arrivals.push_back(*value.message);
      load.values.push_back(*present_[first + c]);
    }
    work_[work].loads.push_back(std::move(load));
  }
  /// `work`: none if a message does it, and stores where it belongs.
  std::vector<std::uint32_t> write(std::uint32_t first, std::uint32_t chunks,
                                   std::optional<std::uint32_t> work) {
    std::vector<std::uint32_t> values;
    for (std::uint32_t slot = first; slot < first + chunks; ++slot) {
      Value& old = present(slot);
      old.replaced = true;
      old.replacer = work;
      if (work) {
        auto& after = work_[*work].after;
        after.insert(after.end(), old.readers.begin(), old.readers.end());
        if (old.maker) after.push_back(*old.maker);
      }
      values.push_back(static_cast<std::uint32_t>(values_.size()));
      present_[slot] = values.back();
      values_.push_back({.slot = slot, .maker = work});
    }
    return values;
  }

  void add(StepId id) {
    const AlgorithmStep& step = stepOf(id);
    const StepKind& kind = *step.kind;
    if (&kind == &kNop || !ofKernel(blocks_[id.threadBlock])) return;
    const std::uint32_t source = slot(gpu_, step.sourceBuffer, step.source);
    const std::uint32_t target = slot(gpu_, step.targetBuffer, step.target);
    if (&kind == &kCopy && source == target) return;
    const auto own = static_cast<std::uint32_t>(work_.size());
    work_.push_back({.id = id, .shape = shapeOf(id), .chunks = step.count});
    bool direct = false;
    std::optional<std::uint32_t> message;
    if (kind.receives) {
      message = endsAt(gpu_).number(id.threadBlock, received_[id.threadBlock]++);
      direct = endsAt(gpu_).ends()[*message].direct;
      shapeOfMessage_[*message] = work_[own].shape;
      work_[own].arrivals = {*message};
    }
    if (direct) {
      for (const std::uint32_t v : write(target, step.count, std::nullopt)) {
        values_[v].message = message;
      }
    }
    if (kind.readsTarget || direct) read(own, target);
    if (kind.readsSource) read(own, source);
    if (message && !direct) work_[own].loads.push_back({message});
    if (kind.writesTarget && !direct) {
      work_[own].store = target;
      work_[own].stored = write(target, step.count, own);
    }
    if (kind.sends) work_[own].sends = {sendOf(id)};
  }

  StepProgram::Send sendOf(StepId id) {
    const AlgorithmThreadBlock& block = blocks_[id.threadBlock];
    const std::uint32_t to = *block.sendsTo;
    const MessageEnds& ends = endsAt(to);
    const StepId receiver =
        otherEnd(to, block.channel, &AlgorithmThreadBlock::receivesFrom, 0, &StepKind::receives);
    StepProgram::Send send;
    send.port = source_.ports.port(gpu_, to, block.channel) - kernel_.first;
    send.arrival = ends.number(receiver.threadBlock, sent_[id.threadBlock]++);
    const MessageEnds::End& end = ends.ends()[send.arrival];
    send.destination = {globalAddress(GpuId{to}, end.place.address), end.place.dense};
    send.phase = end.replaces ? source_.phases.copies : source_.phases.sums;
    return send;
  }

  // --- joins ------------------------------------------------------------------------------------

  bool needed(const Value& value) const {
    if (value.replaced || buffers_.isScratch(value.slot)) return false;
    if (!buffers_.inPlace() || source_.algorithm.promise->result == nullptr) return true;
    const std::uint32_t first = slot(gpu_, AlgorithmBuffer::Output, 0);
    return value.slot >= first && value.slot < first + buffers_.outputSize();
  }

  /// What is stored only for one step to load.
  void joinSums() {
    for (std::uint32_t w = 0; w < work_.size(); ++w) {
      Work& work = work_[w];
      if (!work.store || !work.sends.empty()) continue;
      const Value& first = values_[work.stored.front()];
      if (first.readers.size() != 1) continue;
      Work& reader = work_[first.readers.front()];
      const auto load = std::ranges::find(reader.loads, work.stored, &Load::values);
      if (load == reader.loads.end() || !onlyFor(work, first.readers.front()) ||
          !staysUntil(work, w, first.readers.front()) ||
          work.loads.size() + reader.loads.size() > kMostLoads + 1) {
        continue;
      }
      moveSum(work, w, first.readers.front(), load);
    }
  }
  bool onlyFor(const Work& work, std::uint32_t reader) const {
    return std::ranges::all_of(work.stored, [&](std::uint32_t v) {
      return values_[v].readers == std::vector{reader} && !needed(values_[v]);
    });
  }
  /// What a step loads is still there when another one runs.
  bool staysUntil(const Work& work, std::uint32_t number, std::uint32_t reader) const {
    return std::ranges::all_of(work.loads, [&](const Load& load) {
      return std::ranges::all_of(load.values, [&](std::uint32_t v) {
        const Value& value = values_[v];
        return !value.replaced ||
               (value.replacer && (*value.replacer == number || *value.replacer >= reader));
      });
    });
  }
  void moveSum(Work& work, std::uint32_t from, std::uint32_t to, std::vector<Load>::iterator load) {
    Work& reader = work_[to];
    for (const Load& moved : work.loads) {
      for (const std::uint32_t v : moved.values) {
        Value& value = values_[v];
        std::erase(value.readers, from);
        const auto place = std::ranges::lower_bound(value.readers, to);
        if (place == value.readers.end() || *place != to) value.readers.insert(place, to);
        if (value.replacer != from) continue;
        const Value& sum = values_[work.stored[value.slot - *work.store]];
        value.replaced = sum.replaced;
        value.replacer = sum.replacer;
      }
    }
    const auto place = reader.loads.erase(load);
    reader.loads.insert(place, work.loads.begin(), work.loads.end());
    reader.arrivals.insert(reader.arrivals.end(), work.arrivals.begin(), work.arrivals.end());
    reader.after.insert(reader.after.end(), work.after.begin(), work.after.end());
    work.partOf = to;
  }

  /// What goes to several GPUs.
  void joinSends() {
    for (std::uint32_t w = 0; w < work_.size(); ++w) {
      Work& work = work_[w];
      if (work.partOf || !work.copies() || work.sends.empty()) continue;
      const std::vector<std::uint32_t>& values = work.loads.front().values;
      const std::uint32_t home = homeOf(values);
      if (home == w) continue;
      Work& first = work_[home];
      first.sends.insert(first.sends.end(), work.sends.begin(), work.sends.end());
      work.partOf = home;
      for (const std::uint32_t v : values) std::erase(values_[v].readers, w);
      const bool all = std::ranges::all_of(values, [&](std::uint32_t v) {
        return values_[v].readers.empty() && !needed(values_[v]);
      });
      if (first.store && first.stored == values && all) first.store.reset();
    }
  }
  /// Who has these values in registers first: who makes them, or the first to load them alone.
  std::uint32_t homeOf(const std::vector<std::uint32_t>& values) const {
    const Value& value = values_[values.front()];
    if (value.maker && work_[*value.maker].stored == values) return *value.maker;
    return *std::ranges::find_if(value.readers, [&](std::uint32_t reader) {
      return work_[reader].copies() && work_[reader].loads.front().values == values;
    });
  }

  // --- the program ------------------------------------------------------------------------------

  std::uint32_t doneBy(std::uint32_t work) const {
    while (work_[work].partOf) work = *work_[work].partOf;
    return work;
  }

  void emitSteps(StepProgram& program) {
    program.threadBlocks.resize(blocks_.size());
    std::vector<std::optional<StepProgram::Dependency>> places(work_.size());
    for (std::uint32_t w = 0; w < work_.size(); ++w) {
      const Work& work = work_[w];
      if (work.partOf || (!work.store && work.sends.empty())) continue;
      StepProgram::ThreadBlock& steps = program.threadBlocks[work.id.threadBlock];
      places[w] = {work.id.threadBlock, static_cast<std::uint32_t>(steps.size())};
      StepProgram::Step& step = steps.emplace_back(made(work));
      std::set<std::uint32_t> arrivals(work.arrivals.begin(), work.arrivals.end()), after;
      for (const std::uint32_t earlier : work.after) after.insert(doneBy(earlier));
      after.erase(w);
      for (const std::uint32_t other : after) {
        if (places[other]) {
          step.dependencies.push_back(*places[other]);
        } else {  // it only waits
          arrivals.insert(work_[other].arrivals.begin(), work_[other].arrivals.end());
        }
      }
      std::ranges::sort(step.dependencies);
      step.arrivals.assign(arrivals.begin(), arrivals.end());
    }
  }

  StepProgram::Step made(const Work& work) {
    StepProgram::Step step;
    step.shape = work.shape;
    step.chunks = work.chunks;
    step.sends = work.sends;
    for (const Load& load : work.loads) {
      step.loads.push_back(load.message ? endsAt(gpu_).ends()[*load.message].place
                                        : source_.layout.places[load.slot]);
    }
    if (work.store) step.store = source_.layout.places[*work.store];
    std::ranges::stable_sort(step.sends, {}, &StepProgram::Send::port);
    const bool copies = step.loads.size() == 1 && !step.store &&
                        std::ranges::all_of(step.sends, [&](const StepProgram::Send& send) {
                          return send.phase == source_.phases.copies;
                        });
    step.phase = copies ? source_.phases.copies : source_.phases.sums;
    step.threadBlock = work.id.threadBlock;
    step.number = work.id.step;
    return step;
  }

  void emitArrivals(StepProgram& program) {
    const auto& ends = endsAt(gpu_).ends();
    for (std::uint32_t n = 0; n < ends.size(); ++n) {
      const auto shape = shapeOfMessage_.find(n);
      const bool expected = shape != shapeOfMessage_.end();
      program.arrivals.push_back(
          {ends[n].place, expected ? shape->second : 0, ends[n].chunks, expected});
    }
  }

  const StepSource& source_;
  const std::uint32_t gpu_;
  const PortRange kernel_;
  const AlgorithmBuffers buffers_;
  const std::vector<AlgorithmThreadBlock>& blocks_;
  std::map<std::uint32_t, MessageEnds> ends_;   ///< by GPU
  std::vector<std::uint32_t> received_, sent_;  ///< messages, by thread block
  std::vector<Work> work_;
  std::vector<Value> values_;
  std::vector<std::optional<std::uint32_t>> present_;      ///< by slot: value
  std::map<std::uint32_t, std::uint32_t> shapeOfMessage_;  ///< of those that this kernel expects
};

}  // namespace

StepLayout StepLayout::of(const AlgorithmBuffers& buffers, const AlgorithmLayout& layout) {
  StepLayout steps;
  steps.shapes =
      std::make_shared<const std::vector<ChunkSegments>>(1, ChunkSegments(layout.chunkBytes()));
  for (std::uint32_t slot = 0; slot < buffers.slots(); ++slot) {
    steps.places.push_back({layout.address(slot), true});
  }
  steps.shapeOf.resize(buffers.slots());
  steps.staging = layout.staging();
  steps.stagingStride = layout.chunkBytes();
  return steps;
}

std::vector<std::uint64_t> StepProgram::sentBytes() const {
  std::vector<std::uint64_t> bytes(ports);
  for (const ThreadBlock& steps : threadBlocks) {
    for (const Step& step : steps) {
      for (const Send& send : step.sends) bytes[send.port] += step.chunks * chunkBytes(step.shape);
    }
  }
  return bytes;
}

StepProgram makeStepProgram(const StepSource& source, std::uint32_t gpu,
                            std::optional<PortRange> kernel) {
  return StepCompiler(source, gpu, kernel).compile();
}

}  // namespace t3
