// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_program.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tlm/collectives/step_compiler.h"
#include "tlm/transport/payload.h"

namespace t3 {

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

StepProgram StepCompiler::program(std::uint32_t g, std::optional<KernelChannels> kernel) {
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

/// What a part makes is stored in all GPUs, by itself or by one that loads it.
bool StepCompiler::isStoredInAll(const Part& part) const {
  const auto storesInAll = [](const Part& one) {
    return std::ranges::any_of(one.sends, &Send::toAll);
  };
  return storesInAll(part) ||
         (part.made && std::ranges::any_of(values_[*part.made].readers, [&](std::uint32_t reader) {
            return storesInAll(parts_[reader]);
          }));
}

std::vector<std::vector<std::uint32_t>> StepCompiler::runsOf(
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

ChunkPlace StepCompiler::placeOf(std::uint32_t g, const Message& message) {
  if (!message.staged) return source_.layout.places[message.slot];
  const auto& messages = at(g).messages;
  const auto before =
      std::count_if(messages.data(), &message, [](const Message& other) { return other.staged; });
  return {
      source_.layout.staging + static_cast<std::uint64_t>(before) * source_.layout.stagingStride,
      true};
}

StepProgram::Step StepCompiler::stepOf(const Part& part) {
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

void StepCompiler::addWaits(std::uint32_t p,
                            const std::map<std::uint32_t, StepProgram::Dependency>& places,
                            StepProgram::Step& step) {
  std::set<std::uint32_t> arrivals, others;
  const auto waitForMessages = [&](const Part& part) {
    for (const Load& load : part.loads) {
      const auto message = load.value ? values_[*load.value].message : std::optional(load.message);
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
