// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_program.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tlm/collectives/ancestor_chains.h"
#include "tlm/collectives/promise.h"
#include "tlm/transport/payload.h"

namespace t3 {
namespace {

/// What a request of the kernel can number.
constexpr std::size_t kMostLoads = 255;

class StepCompiler {
 public:
  explicit StepCompiler(const StepSource& source) : source_(source) {
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

  /// All steps of all GPUs.
  StepCompiler(const StepSource& source, const AlgorithmMeaning& meaning) : StepCompiler(source) {
    for (const StepId id : meaning.order()) {
      const AlgorithmPlace place = meaning.form().place(id);
      add(place.gpu, *place.threadBlock, *place.step);
    }
    join();
  }

  /// Adds the next step of a thread block. Steps are added in an order in which they may run.
  void add(std::uint32_t g, std::uint32_t b, std::uint32_t s) {
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

  void join() {
    if (source_.ownBlocks) return;
    for (std::uint32_t p = 0; p < parts_.size(); ++p) joinSum(p);
    for (std::uint32_t v = 0; v < values_.size(); ++v) joinSends(v);
  }

  StepProgram program(std::uint32_t g, std::optional<KernelChannels> kernel) {
    const auto isOurs = [kernel](std::uint32_t channel) {
      return !kernel || channel - kernel->first < kernel->count;
    };
    StepProgram program;
    program.shapes = source_.layout.shapes;
    program.ports = source_.ports.ports;
    program.phase = source_.phase;
    program.protocol = source_.algorithm.protocol;
    program.ownBlocks = source_.ownBlocks;
    program.gpus = source_.algorithm.gpuCount();
    program.loadsSums = !sums_.empty();
    program.sumsArrive =
        std::ranges::all_of(sums_, [this](std::uint32_t p) { return isStoredInAll(parts_[p]); });
    const auto& blocks = source_.algorithm.gpus[g].threadBlocks;
    program.threadBlocks = static_cast<std::uint32_t>(blocks.size());
    for (const Message& message : at(g).messages) {
      program.arrivals.push_back({placeOf(g, message), message.shape, isOurs(message.channel)});
    }
    std::vector<std::vector<std::uint32_t>> parts(blocks.size());
    for (const std::uint32_t p : at(g).parts) {
      const Part& part = parts_[p];
      if (!part.doesSomething() || program.chunkBytes(part.shape) == 0) continue;
      if (isOurs(blocks[part.threadBlock].channel)) parts[part.threadBlock].push_back(p);
    }
    const auto runs = runsOf(parts);
    std::map<std::uint32_t, StepProgram::Dependency> places;  // of parts
    for (std::uint32_t r = 0; r < runs.size(); ++r) {
      for (std::uint32_t i = 0; i < runs[r].size(); ++i) places[runs[r][i]] = {r, i};
    }
    for (const auto& run : runs) {
      StepProgram::Run& steps = program.runs.emplace_back();
      for (const std::uint32_t p : run) {
        steps.push_back(stepOf(parts_[p]));
        addWaits(p, places, steps.back());
      }
    }
    return program;
  }

 private:
  /// One chunk of a message that a GPU receives.
  struct Message {
    std::uint32_t slot = 0, shape = 0, channel = 0;
    bool added = false;  ///< to something
    bool staged = false;
    std::optional<std::uint32_t> sender =
        {};  ///< part; none: nobody asks whether the target is free
  };
  struct Gpu {
    std::vector<Message> messages = {};
    std::vector<std::vector<std::uint32_t>> received = {};   ///< [thread block]: first messages
    std::vector<std::uint32_t> taken = {}, sent = {};        ///< messages, by thread block
    std::vector<std::optional<std::uint32_t>> present = {};  ///< values, by slot
    std::vector<std::uint32_t> parts = {};                   ///< what it does
  };
  struct Load {
    std::optional<std::uint32_t> value = {};
    std::uint32_t message = 0;  ///< without a value
  };
  struct Send {
    std::uint32_t gpu = 0, channel = 0, message = 0;
    bool toAll = false;
  };
  /// A step that stores in all GPUs, and its first message.
  struct ToAll {
    std::uint32_t gpu = 0, threadBlock = 0, step = 0, message = 0;
  };
  /// What a step does to one chunk.
  struct Part {
    std::uint32_t gpu = 0, threadBlock = 0, step = 0, shape = 0;
    std::vector<Load> loads = {};
    bool loadsSum = false;                   ///< of what all GPUs have there
    std::optional<std::uint32_t> made = {};  ///< value that it stores
    std::vector<Send> sends = {};
    std::vector<std::uint32_t> before = {};    ///< parts for which it waits
    std::optional<std::uint32_t> partOf = {};  ///< another one does it

    bool copies(std::uint32_t value) const {
      return !partOf && !made && !loadsSum && loads.size() == 1 && loads.front().value == value;
    }
    bool doesSomething() const { return !partOf && (made || !sends.empty()); }
  };
  /// What a chunk of a buffer is for a while.
  struct Value {
    std::uint32_t gpu = 0, slot = 0, shape = 0;
    std::optional<std::uint32_t> maker = {};                ///< part that makes or receives it
    std::optional<std::uint32_t> message = {};              ///< which has brought it
    std::vector<std::uint32_t> readers = {};                ///< parts
    std::optional<std::uint32_t> earlier = {}, later = {};  ///< values of the slot
  };

  std::uint32_t slot(std::uint32_t gpu, AlgorithmBuffer buffer, std::uint32_t chunk) const {
    return source_.buffers.slot(gpu, buffer, chunk);
  }

  Gpu& at(std::uint32_t g) {
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
        const std::uint32_t first = added ? slot(g, step.sourceBuffer, step.source)
                                          : slot(g, step.targetBuffer, step.target);
        for (std::uint32_t c = 0; c < step.count; ++c) {
          const std::uint32_t chunk = first + c;
          gpu.messages.push_back(
              {chunk, source_.layout.shapeOf[chunk], block.channel, added, added});
        }
      }
    }
    gpu.taken.resize(gpu.received.size());
    gpu.sent.resize(gpu.received.size());
    return gpu;
  }
  std::uint32_t nextReceived(std::uint32_t g, std::uint32_t b) {
    return at(g).received[b][at(g).taken[b]++];
  }
  /// Where a thread block's next message begins among those of its receiver.
  std::uint32_t nextSent(std::uint32_t g, std::uint32_t b) {
    const AlgorithmThreadBlock& block = source_.algorithm.gpus[g].threadBlocks[b];
    const auto& others = source_.algorithm.gpus[*block.sendsTo].threadBlocks;
    const auto other = std::ranges::find_if(others, [&](const AlgorithmThreadBlock& one) {
      return one.receivesFrom == g && one.channel == block.channel;
    });
    return at(*block.sendsTo)
        .received[static_cast<std::size_t>(other - others.begin())][at(g).sent[b]++];
  }

  std::uint32_t messageToAll(std::uint32_t g, std::uint32_t b, std::uint32_t s) const {
    const auto one = std::ranges::find_if(toAll_, [&](const ToAll& other) {
      return other.gpu == g && other.threadBlock == b && other.step == s;
    });
    return one->message;
  }

  // --- what the parts do to the chunks ----------------------------------------------------------

  std::uint32_t present(std::uint32_t g, std::uint32_t slot) {
    auto& value = at(g).present[slot];
    if (!value) {
      value = static_cast<std::uint32_t>(values_.size());
      values_.push_back({.gpu = g, .slot = slot, .shape = source_.layout.shapeOf[slot]});
    }
    return *value;
  }
  void read(std::uint32_t part, std::uint32_t slot) {
    const std::uint32_t v = present(parts_[part].gpu, slot);
    values_[v].readers.push_back(part);
    if (values_[v].maker) parts_[part].before.push_back(*values_[v].maker);
    parts_[part].loads.push_back({.value = v});
  }
  /// A new value takes the place of the one that is there.
  std::uint32_t write(std::uint32_t part, std::uint32_t slot,
                      std::optional<std::uint32_t> message = {}) {
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
  std::vector<std::uint32_t> usersOf(std::uint32_t v) const {
    std::vector<std::uint32_t> users = values_[v].readers;
    if (values_[v].maker) users.push_back(*values_[v].maker);
    return users;
  }
  /// Whether the sender may store a message where it belongs.
  bool placeMessage(std::uint32_t part, std::uint32_t g, std::uint32_t target,
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
  bool allBefore(std::uint32_t part, std::vector<std::uint32_t> others) {
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

  // --- joins ------------------------------------------------------------------------------------

  bool isResult(const Value& value) const {
    if (value.later || source_.buffers.isScratch(value.slot)) return false;
    if (!source_.buffers.inPlace() || source_.algorithm.promise->result == nullptr) return true;
    const std::uint32_t first = slot(value.gpu, AlgorithmBuffer::Output, 0);
    return value.slot >= first && value.slot < first + source_.buffers.outputSize();
  }
  /// A value that is in no memory any more.
  void forget(std::uint32_t v) {
    const Value& value = values_[v];
    if (value.earlier) values_[*value.earlier].later = value.later;
    if (value.later) values_[*value.later].earlier = value.earlier;
    parts_[*value.maker].made.reset();
  }

  /// What is stored only for one part to load, first or as it is.
  void joinSum(std::uint32_t p) {
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
  bool staysUntil(const Part& part, std::uint32_t reader) const {
    return std::ranges::all_of(part.loads, [&](const Load& load) {
      if (!load.value || !values_[*load.value].later) return true;
      const Value& later = values_[*values_[*load.value].later];
      return values_[*load.value].later == part.made || (!later.message && *later.maker >= reader);
    });
  }

  /// What goes to several GPUs leaves from the part that makes or receives it, else from the first
  /// that sends it.
  void joinSends(std::uint32_t v) {
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

  // --- the program ------------------------------------------------------------------------------

  /// What a part makes is stored in all GPUs, by itself or by one that loads it.
  bool isStoredInAll(const Part& part) const {
    const auto storesInAll = [](const Part& one) {
      return std::ranges::any_of(one.sends, &Send::toAll);
    };
    return storesInAll(part) ||
           (part.made &&
            std::ranges::any_of(values_[*part.made].readers,
                                [&](std::uint32_t reader) { return storesInAll(parts_[reader]); }));
  }

  std::vector<std::vector<std::uint32_t>> runsOf(
      const std::vector<std::vector<std::uint32_t>>& blocks) const {
    std::vector<std::vector<std::uint32_t>> quiet, sending;
    const auto sends = [this](std::uint32_t p) { return !parts_[p].sends.empty(); };
    for (const auto& parts : blocks) {
      if (source_.ownBlocks) {
        if (!parts.empty()) sending.push_back(parts);
        continue;
      }
      for (auto begin = parts.begin(); begin != parts.end();) {
        const bool all = sends(*begin);
        const auto end =
            std::find_if(begin, parts.end(), [&](std::uint32_t p) { return sends(p) != all; });
        (all ? sending : quiet).emplace_back(begin, end);
        begin = end;
      }
    }
    quiet.insert(quiet.end(), sending.begin(), sending.end());
    return quiet;
  }

  ChunkPlace placeOf(std::uint32_t g, const Message& message) {
    if (!message.staged) return source_.layout.places[message.slot];
    const auto& messages = at(g).messages;
    const auto before =
        std::count_if(messages.data(), &message, [](const Message& other) { return other.staged; });
    return {
        source_.layout.staging + static_cast<std::uint64_t>(before) * source_.layout.stagingStride,
        true};
  }

  StepProgram::Step stepOf(const Part& part) {
    StepProgram::Step step;
    step.shape = part.shape;
    step.threadBlock = part.threadBlock;
    step.number = part.step;
    step.loadsSum = part.loadsSum;
    for (const Load& load : part.loads) {
      step.loads.push_back(load.value ? source_.layout.places[values_[*load.value].slot]
                                      : placeOf(part.gpu, at(part.gpu).messages[load.message]));
    }
    if (part.made) step.store = source_.layout.places[values_[*part.made].slot];
    for (const Send& send : part.sends) {
      const Message& message = at(send.gpu).messages[send.message];
      const ChunkPlace place = placeOf(send.gpu, message);
      step.sends.push_back({send.toAll ? 0 : source_.ports.port(part.gpu, send.gpu, send.channel),
                            {globalAddress(GpuId{send.gpu}, place.address), place.dense},
                            send.message,
                            send.toAll});
    }
    std::ranges::stable_sort(step.sends, {}, &StepProgram::Send::port);
    return step;
  }

  void addWaits(std::uint32_t p, const std::map<std::uint32_t, StepProgram::Dependency>& places,
                StepProgram::Step& step) {
    std::set<std::uint32_t> arrivals, others;
    const auto waitForMessages = [&](const Part& part) {
      for (const Load& load : part.loads) {
        const auto message =
            load.value ? values_[*load.value].message : std::optional(load.message);
        if (message) arrivals.insert(*message);
      }
    };
    waitForMessages(parts_[p]);
    for (std::uint32_t other : parts_[p].before) {
      while (parts_[other].partOf) other = *parts_[other].partOf;
      if (other == p || parts_[other].gpu != parts_[p].gpu) continue;
      if (places.contains(other)) {
        others.insert(other);
      } else {
        waitForMessages(parts_[other]);  // all that it does
      }
    }
    step.arrivals.assign(arrivals.begin(), arrivals.end());
    for (const std::uint32_t other : others) step.dependencies.push_back(places.at(other));
  }

  const StepSource& source_;
  std::vector<ToAll> toAll_;
  std::uint32_t messagesToAll_ = 0;
  std::map<std::uint32_t, Gpu> gpus_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> sums_;  ///< parts that load what all GPUs have
  std::vector<Value> values_;
  AncestorChains chains_;  ///< of parts: the way that a chunk has come, from message to message
  std::vector<std::uint32_t> seen_;  ///< by part: the last search that met it
  std::uint32_t search_ = 0;
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
  for (const Run& run : runs) {
    for (const Step& step : run) {
      for (const Send& send : step.sends) {
        if (!send.toAll) bytes[send.port] += chunkBytes(step.shape);
      }
    }
  }
  return bytes;
}

std::uint64_t StepProgram::sumBytes() const {
  std::uint64_t bytes = 0;
  for (const Run& run : runs) {
    for (const Step& step : run) bytes += step.loadsSum ? chunkBytes(step.shape) : 0;
  }
  return bytes;
}

std::uint64_t StepProgram::toAllBytes() const {
  std::uint64_t bytes = 0;
  for (const Run& run : runs) {
    for (const Step& step : run) {
      for (const Send& send : step.sends) bytes += send.toAll ? chunkBytes(step.shape) : 0;
    }
  }
  return bytes;
}

std::vector<std::uint32_t> separateChannels(const StepSource& source) {
  if (source.algorithm.needsSwitch()) return {};
  std::set<std::uint32_t> channels;
  for (std::uint32_t g = 0; g < source.algorithm.gpuCount(); ++g) {
    const auto& blocks = source.algorithm.gpus[g].threadBlocks;
    std::map<std::uint32_t, std::uint32_t> channelOf;  // that touches a slot
    for (const AlgorithmThreadBlock& block : blocks) {
      channels.insert(block.channel);
      for (const AlgorithmStep& step : block.steps) {
        const auto touches = [&](AlgorithmBuffer buffer, std::uint32_t first) {
          for (std::uint32_t c = 0; c < step.count; ++c) {
            const std::uint32_t slot = source.buffers.slot(g, buffer, first + c);
            if (channelOf.try_emplace(slot, block.channel).first->second != block.channel) {
              return false;
            }
          }
          return true;
        };
        if ((step.dependency && blocks[step.dependency->threadBlock].channel != block.channel) ||
            (step.kind->readsSource && !touches(step.sourceBuffer, step.source)) ||
            (step.kind->writesTarget && !touches(step.targetBuffer, step.target))) {
          return {};
        }
      }
    }
  }
  if (channels.size() == 1) return {};
  return {channels.begin(), channels.end()};
}

std::vector<StepProgram> makeStepPrograms(const StepSource& source, const AlgorithmMeaning& meaning,
                                          std::optional<KernelChannels> kernel) {
  StepCompiler compiler(source, meaning);
  std::vector<StepProgram> programs;
  for (std::uint32_t g = 0; g < source.algorithm.gpuCount(); ++g) {
    programs.push_back(compiler.program(g, kernel));
  }
  return programs;
}

StepProgram makeStepProgram(const StepSource& source, const AlgorithmMeaning& meaning,
                            std::uint32_t gpu, std::optional<KernelChannels> kernel) {
  return StepCompiler(source, meaning).program(gpu, kernel);
}

StepProgram makeStepProgram(const StepSource& source, std::uint32_t gpu,
                            std::optional<KernelChannels> kernel) {
  StepCompiler compiler(source);
  const auto& blocks = source.algorithm.gpus[gpu].threadBlocks;
  std::vector<std::uint32_t> next(blocks.size());
  for (bool more = true; std::exchange(more, false);) {
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      for (; next[b] < blocks[b].steps.size(); ++next[b], more = true) {
        const auto& after = blocks[b].steps[next[b]].dependency;
        if (after && next[after->threadBlock] <= after->step) break;
        compiler.add(gpu, b, next[b]);
      }
    }
  }
  compiler.join();
  return compiler.program(gpu, kernel);
}

}  // namespace t3
