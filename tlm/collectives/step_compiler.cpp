// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_compiler.h"

#include <algorithm>
#include <utility>

#include "tlm/collectives/promise.h"

namespace t3 {

namespace {

/// What a request of the kernel can number.
constexpr std::size_t kMostLoads = 255;
/// Reductions that a runtime makes in one pass (MSCCL_MAX_REDUCE_FUSION of RCCL's).
constexpr std::size_t kMostFused = 16;

}  // namespace

StepCompiler::StepCompiler(const StepSource& source) : source_(source) {
  for (std::uint32_t g = 0; g < source.algorithm.gpuCount(); ++g) {
    for (std::uint32_t b = 0; b < source.algorithm.gpus[g].threadBlocks.size(); ++b) {
      const auto& steps = source.algorithm.gpus[g].threadBlocks[b].steps;
      for (std::uint32_t s = 0; s < steps.size(); ++s) {
        if (!steps[s].kind->writesAll) continue;
        toAll_.push_back({g, b, s, messagesToAll_});
        messagesToAll_ += steps[s].count;
      }
    }
  }
}

StepCompiler::StepCompiler(const StepSource& source, const AlgorithmMeaning& meaning)
    : StepCompiler(source) {
  for (const StepId id : meaning.order()) {
    const AlgorithmPlace place = meaning.form().place(id);
    add(place.gpu, *place.threadBlock, *place.step);
  }
  join();
}

void StepCompiler::add(std::uint32_t g, std::uint32_t b, std::uint32_t s) {
  const AlgorithmThreadBlock& block = source_.algorithm.gpus[g].threadBlocks[b];
  const AlgorithmStep& step = block.steps[s];
  const StepKind& kind = *step.kind;
  const std::uint32_t received = kind.receives ? nextReceived(g, b) : 0;
  const std::uint32_t sent = kind.sends ? nextSent(g, b) : 0;
  for (std::uint32_t c = 0; c < step.count; ++c) {
    const std::uint32_t source = slot(g, step.sourceBuffer, step.source + c);
    const std::uint32_t target = slot(g, step.targetBuffer, step.target + c);
    if (&kind == &kCopy && source == target) continue;
    const auto own = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back({.gpu = g, .threadBlock = b, .step = s});
    at(g).parts.push_back(own);
    parts_[own].shape = kind.readsSource || kind.readsAll ? values_[present(g, source)].shape
                        : kind.receives                   ? at(g).messages[received + c].shape
                                                          : values_[present(g, target)].shape;
    const bool comesHere = kind.receives && placeMessage(own, g, target, received + c);
    if (kind.readsTarget || comesHere) read(own, target);
    if (kind.readsSource) read(own, source);
    if (kind.readsAll) {
      read(own, source);
      parts_[own].loadsSum = true;
      sums_.push_back(own);
    }
    if (kind.receives && !comesHere) parts_[own].loads.push_back({.message = received + c});
    if (kind.writesTarget && !comesHere) parts_[own].made = write(own, target);
    if (kind.writesAll) {
      const std::uint32_t message = messageToAll(g, b, s) + c;
      write(own, target, message);
      parts_[own].sends = {{g, block.channel, message, true}};
    }
    chains_.add(parts_[own].before.empty() ? own : parts_[own].before.front());
    if (!kind.sends) continue;
    parts_[own].sends = {{*block.sendsTo, block.channel, sent + c}};
    Message& message = at(*block.sendsTo).messages[sent + c];
    message.sender = own;
    if (source_.buffers.isScratch(message.slot)) message.shape = parts_[own].shape;
  }
}

void StepCompiler::join() {
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    if (!source_.ownBlocks || fusesWithNext(p)) joinSum(p);
  }
  for (std::uint32_t v = 0; v < values_.size(); ++v) {
    const auto maker = values_[v].maker;
    if (!source_.ownBlocks || (maker && fusesWithNext(*maker))) joinSends(v);
  }
}

std::uint32_t StepCompiler::slot(std::uint32_t gpu, AlgorithmBuffer buffer,
                                 std::uint32_t chunk) const {
  return source_.buffers.slot(gpu, buffer, chunk);
}

StepCompiler::Gpu& StepCompiler::at(std::uint32_t g) {
  const auto [entry, isNew] = gpus_.try_emplace(g);
  Gpu& gpu = entry->second;
  if (!isNew) return gpu;
  gpu.present.resize(source_.buffers.slots());
  for (const ToAll& one : toAll_) {
    const AlgorithmThreadBlock& block =
        source_.algorithm.gpus[one.gpu].threadBlocks[one.threadBlock];
    const AlgorithmStep& step = block.steps[one.step];
    for (std::uint32_t c = 0; c < step.count; ++c) {
      const std::uint32_t chunk = slot(g, step.targetBuffer, step.target + c);
      gpu.messages.push_back({chunk, source_.layout.shapeOf[chunk], block.channel});
    }
  }
  for (const AlgorithmThreadBlock& block : source_.algorithm.gpus[g].threadBlocks) {
    auto& received = gpu.received.emplace_back();
    for (const AlgorithmStep& step : block.steps) {
      if (!step.kind->receives) continue;
      received.push_back(static_cast<std::uint32_t>(gpu.messages.size()));
      const bool added = step.kind->addsReceived();
      const std::uint32_t first =
          added ? slot(g, step.sourceBuffer, step.source) : slot(g, step.targetBuffer, step.target);
      for (std::uint32_t c = 0; c < step.count; ++c) {
        const std::uint32_t chunk = first + c;
        gpu.messages.push_back({chunk, source_.layout.shapeOf[chunk], block.channel, added, added});
      }
    }
  }
  gpu.taken.resize(gpu.received.size());
  gpu.sent.resize(gpu.received.size());
  return gpu;
}

std::uint32_t StepCompiler::nextReceived(std::uint32_t g, std::uint32_t b) {
  return at(g).received[b][at(g).taken[b]++];
}

/// Where a thread block's next message begins among those of its receiver.
std::uint32_t StepCompiler::nextSent(std::uint32_t g, std::uint32_t b) {
  const AlgorithmThreadBlock& block = source_.algorithm.gpus[g].threadBlocks[b];
  const auto& others = source_.algorithm.gpus[*block.sendsTo].threadBlocks;
  const auto other = std::ranges::find_if(others, [&](const AlgorithmThreadBlock& one) {
    return one.receivesFrom == g && one.channel == block.channel;
  });
  return at(*block.sendsTo)
      .received[static_cast<std::size_t>(other - others.begin())][at(g).sent[b]++];
}

std::uint32_t StepCompiler::messageToAll(std::uint32_t g, std::uint32_t b, std::uint32_t s) const {
  const auto one = std::ranges::find_if(toAll_, [&](const ToAll& other) {
    return other.gpu == g && other.threadBlock == b && other.step == s;
  });
  return one->message;
}

std::uint32_t StepCompiler::present(std::uint32_t g, std::uint32_t slot) {
  auto& value = at(g).present[slot];
  if (!value) {
    value = static_cast<std::uint32_t>(values_.size());
    values_.push_back({.gpu = g, .slot = slot, .shape = source_.layout.shapeOf[slot]});
  }
  return *value;
}

void StepCompiler::read(std::uint32_t part, std::uint32_t slot) {
  const std::uint32_t v = present(parts_[part].gpu, slot);
  values_[v].readers.push_back(part);
  if (values_[v].maker) parts_[part].before.push_back(*values_[v].maker);
  parts_[part].loads.push_back({.value = v});
}

/// A new value takes the place of the one that is there.
std::uint32_t StepCompiler::write(std::uint32_t part, std::uint32_t slot,
                                  std::optional<std::uint32_t> message) {
  const std::uint32_t g = parts_[part].gpu;
  const std::uint32_t old = present(g, slot);
  const auto v = static_cast<std::uint32_t>(values_.size());
  if (!message) {
    const auto others = usersOf(old);
    parts_[part].before.insert(parts_[part].before.end(), others.begin(), others.end());
  }
  values_[old].later = v;
  values_.push_back({.gpu = g,
                     .slot = slot,
                     .shape = parts_[part].shape,
                     .maker = part,
                     .message = message,
                     .earlier = old});
  at(g).present[slot] = v;
  return v;
}

std::vector<std::uint32_t> StepCompiler::usersOf(std::uint32_t v) const {
  std::vector<std::uint32_t> users = values_[v].readers;
  if (values_[v].maker) users.push_back(*values_[v].maker);
  return users;
}

/// Whether the sender may store a message where it belongs.
bool StepCompiler::placeMessage(std::uint32_t part, std::uint32_t g, std::uint32_t target,
                                std::uint32_t number) {
  Message& message = at(g).messages[number];
  if (message.sender) {
    parts_[part].before.push_back(*message.sender);
    message.staged = source_.ownBlocks || message.added ||
                     !allBefore(*message.sender, usersOf(present(g, target)));
  }
  if (!message.staged) write(part, target, number);
  return !message.staged;
}

/// Whether a part begins only when the others have ended. Parts wait for parts of lower numbers.
bool StepCompiler::allBefore(std::uint32_t part, std::vector<std::uint32_t> others) {
  std::erase_if(others, [&](std::uint32_t other) { return chains_.holds(part, other); });
  if (others.empty()) return true;
  const std::uint32_t first = *std::ranges::min_element(others);
  ++search_;
  seen_.resize(parts_.size());
  for (std::vector<std::uint32_t> open{part}; !open.empty() && !others.empty();) {
    const std::uint32_t one = open.back();
    open.pop_back();
    std::erase(others, one);
    for (const std::uint32_t earlier : parts_[one].before) {
      if (earlier < first) continue;
      if (std::exchange(seen_[earlier], search_) != search_) open.push_back(earlier);
    }
  }
  return others.empty();
}

bool StepCompiler::isResult(const Value& value) const {
  if (value.later || source_.buffers.isScratch(value.slot)) return false;
  if (!source_.buffers.inPlace() || source_.algorithm.promise->result == nullptr) return true;
  const std::uint32_t first = slot(value.gpu, AlgorithmBuffer::Output, 0);
  return value.slot >= first && value.slot < first + source_.buffers.outputSize();
}

/// A value that is in no memory any more.
void StepCompiler::forget(std::uint32_t v) {
  const Value& value = values_[v];
  if (value.earlier) values_[*value.earlier].later = value.later;
  if (value.later) values_[*value.later].earlier = value.earlier;
  parts_[*value.maker].made.reset();
}

/// Whether the kernel of a library makes one pass of this step and the next one of its thread
/// block. It does of reductions from one buffer to one target, of which the later ones wait for
/// nobody and nobody waits for the earlier ones; and of a sum that a switch makes and that goes to
/// all.
bool StepCompiler::fusesWithNext(std::uint32_t p) const {
  const Part& part = parts_[p];
  const auto& steps = source_.algorithm.gpus[part.gpu].threadBlocks[part.threadBlock].steps;
  const AlgorithmStep& own = steps[part.step];
  if (own.hasDependents || part.step + 1 == steps.size()) return false;
  const AlgorithmStep& next = steps[part.step + 1];
  if (next.dependency || next.count != own.count) return false;
  if (own.kind == &kLoadSum) {
    return next.kind == &kStoreToAll && slot(part.gpu, next.sourceBuffer, next.source) ==
                                            slot(part.gpu, own.targetBuffer, own.target);
  }
  return own.kind == &kReduce && next.kind == &kReduce && next.sourceBuffer == own.sourceBuffer &&
         next.targetBuffer == own.targetBuffer && next.target == own.target &&
         part.loads.size() <= kMostFused;
}

/// What is stored only for one part to load, first or as it is.
void StepCompiler::joinSum(std::uint32_t p) {
  Part& part = parts_[p];
  if (!part.made || !part.sends.empty() || part.loadsSum || isResult(values_[*part.made])) return;
  if (values_[*part.made].readers.size() != 1) return;
  const std::uint32_t r = values_[*part.made].readers.front();
  Part& reader = parts_[r];
  if (reader.loadsSum) return;
  const auto load = std::ranges::find(reader.loads, part.made, &Load::value);
  if ((load != reader.loads.begin() && part.loads.size() > 1) || !staysUntil(part, r) ||
      part.loads.size() + reader.loads.size() > kMostLoads + 1) {
    return;
  }
  for (const Load& moved : part.loads) {
    if (moved.value) std::ranges::replace(values_[*moved.value].readers, p, r);
  }
  reader.loads.insert(reader.loads.erase(load), part.loads.begin(), part.loads.end());
  reader.before.insert(reader.before.end(), part.before.begin(), part.before.end());
  forget(*part.made);
  part.partOf = r;
}

/// What a part loads is still there when another one runs.
bool StepCompiler::staysUntil(const Part& part, std::uint32_t reader) const {
  return std::ranges::all_of(part.loads, [&](const Load& load) {
    if (!load.value || !values_[*load.value].later) return true;
    const Value& later = values_[*values_[*load.value].later];
    return values_[*load.value].later == part.made || (!later.message && *later.maker >= reader);
  });
}

/// What goes to several GPUs leaves from the part that makes or receives it, else from the first
/// that sends it.
void StepCompiler::joinSends(std::uint32_t v) {
  Value& value = values_[v];
  const auto copies = [&](std::uint32_t p) { return parts_[p].copies(v); };
  std::optional<std::uint32_t> home;
  if (value.maker && (value.message || parts_[*value.maker].made == v)) home = value.maker;
  for (const std::uint32_t p : value.readers) {
    if (!copies(p) || parts_[p].sends.empty()) continue;
    if (!home) home = p;
    if (p == *home) continue;
    Part& first = parts_[*home];
    first.sends.insert(first.sends.end(), parts_[p].sends.begin(), parts_[p].sends.end());
    parts_[p].partOf = home;
  }
  std::erase_if(value.readers, [&](std::uint32_t p) { return parts_[p].partOf.has_value(); });
  if (home && parts_[*home].made == v && value.readers.empty() && !isResult(value) &&
      !parts_[*home].sends.empty()) {
    forget(v);
  }
}

}  // namespace t3
