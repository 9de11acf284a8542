// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_program.h"

#include <utility>

#include "tlm/transport/payload.h"

namespace t3 {
namespace {

/// As many as MSCCL's runtime makes one.
constexpr std::size_t kMostReductionsInOne = 16;

class StepCompiler {
 public:
  StepCompiler(const AlgorithmMeaning& meaning, const AlgorithmLayout& layout,
               const AlgorithmPorts& ports)
      : meaning_(meaning), form_(meaning.form()), layout_(layout), ports_(ports) {}

  std::vector<StepProgram> compile() {
    const std::uint32_t gpus = form_.algorithm().gpuCount();
    programs_.resize(gpus);
    for (std::uint32_t g = 0; g < gpus; ++g) {
      programs_[g].chunkBytes = layout_.chunkBytes();
      programs_[g].ports = ports_.ports;
      programs_[g].sentBytes.resize(ports_.ports);
    }
    arrivals_.resize(form_.threadBlocks());
    for (std::uint32_t b = 0; b < form_.threadBlocks(); ++b) placeArrivals(b);
    newNumber_.resize(form_.threadBlocks());
    for (std::uint32_t b = 0; b < form_.threadBlocks(); ++b) compile(b);
    renumberDependencies();
    return std::move(programs_);
  }

 private:
  std::uint64_t address(std::uint32_t gpu, AlgorithmBuffer buffer, std::uint32_t chunk) const {
    return layout_.address(meaning_.buffers().slot(gpu, buffer, chunk));
  }
  std::uint64_t source(std::uint32_t gpu, const AlgorithmStep& step) const {
    return address(gpu, step.sourceBuffer, step.source);
  }
  std::uint64_t target(std::uint32_t gpu, const AlgorithmStep& step) const {
    return address(gpu, step.targetBuffer, step.target);
  }

  /// Where each message that a thread block receives is stored.
  void placeArrivals(std::uint32_t b) {
    const std::uint32_t gpu = form_.gpuOf(b);
    StepProgram& program = programs_[gpu];
    if (b == form_.first(gpu)) staged_ = 0;
    const auto& steps = form_.threadBlock(b).steps;
    arrivals_[b].resize(steps.size());
    for (std::uint32_t s = 0; s < steps.size(); ++s) {
      if (!steps[s].kind->receives) continue;
      arrivals_[b][s] = static_cast<std::uint32_t>(program.arrivals.size());
      if (direct({b, s})) {
        program.arrivals.push_back({target(gpu, steps[s]), steps[s].count});
        continue;
      }
      program.arrivals.push_back({layout_.staging() + staged_, steps[s].count});
      staged_ += steps[s].count * layout_.chunkBytes();
    }
  }
  bool direct(StepId id) const {
    return !form_.step(id).kind->addsReceived() && meaning_.targetIsFree(id);
  }

  void compile(std::uint32_t b) {
    const std::uint32_t gpu = form_.gpuOf(b);
    const AlgorithmThreadBlock& block = form_.threadBlock(b);
    StepProgram::ThreadBlock steps;
    for (std::uint32_t s = 0; s < block.steps.size(); ++s) {
      StepProgram::Step& step = steps.emplace_back(compile({b, s}));
      if (block.steps[s].kind != &kReduce || s == 0) continue;
      StepProgram::Step& before = steps[s - 1];
      if (!joins(block.steps[s - 1], block.steps[s], before)) continue;
      step.loads = std::exchange(before.loads, {});
      step.loads.push_back(source(gpu, block.steps[s]));
      before.store.reset();
    }
    fold(b, steps);
  }

  /// Removes the steps that only wait and lets the step behind each wait in its place.
  void fold(std::uint32_t b, StepProgram::ThreadBlock& steps) {
    StepProgram::ThreadBlock& kept = programs_[form_.gpuOf(b)].threadBlocks.emplace_back();
    std::vector<AlgorithmStep::Dependency> waits;
    for (std::uint32_t s = 0; s < steps.size(); ++s) {
      StepProgram::Step& step = steps[s];
      newNumber_[b].push_back(static_cast<std::uint32_t>(kept.size()));
      const bool waitsOnly = step.loads.empty() && !step.arrival;
      waits.insert(waits.end(), step.dependencies.begin(), step.dependencies.end());
      if (waitsOnly && !form_.step({b, s}).hasDependents && s + 1 < steps.size()) continue;
      step.dependencies = std::exchange(waits, {});
      kept.push_back(std::move(step));
    }
  }

  void renumberDependencies() {
    for (std::uint32_t g = 0; g < programs_.size(); ++g) {
      for (StepProgram::ThreadBlock& steps : programs_[g].threadBlocks) {
        for (StepProgram::Step& step : steps) {
          for (auto& [other, before] : step.dependencies) {
            before = newNumber_[form_.first(g) + other][before];
          }
        }
      }
    }
  }

  /// Whether two reductions are one that adds more.
  static bool joins(const AlgorithmStep& first, const AlgorithmStep& second,
                    const StepProgram::Step& compiled) {
    return first.kind == &kReduce && !first.hasDependents && !second.dependency &&
           first.targetBuffer == second.targetBuffer && first.target == second.target &&
           first.count == second.count && compiled.loads.size() <= kMostReductionsInOne;
  }

  StepProgram::Step compile(StepId id) {
    const AlgorithmStep& step = form_.step(id);
    const StepKind& kind = *step.kind;
    const std::uint32_t gpu = form_.gpuOf(id.threadBlock);
    StepProgram::Step result;
    result.chunks = step.count;
    result.number = id.step;
    if (step.dependency) result.dependencies.push_back(*step.dependency);
    if (kind.receives) result.arrival = arrivals_[id.threadBlock][id.step];
    if (&kind == &kNop) return result;
    const bool stays = kind.receives && direct(id);
    if (kind.readsTarget) result.loads.push_back(target(gpu, step));
    if (kind.readsSource) result.loads.push_back(source(gpu, step));
    if (stays && kind.sends) result.loads.push_back(target(gpu, step));
    if (kind.receives && !stays) {
      result.loads.push_back(programs_[gpu].arrivals[*result.arrival].destination);
    }
    if (kind.writesTarget && !stays) result.store = target(gpu, step);
    if (&kind == &kCopy && source(gpu, step) == target(gpu, step)) {
      result.loads.clear();
      result.store.reset();
    }
    if (kind.sends) result.send = compileSend(id);
    return result;
  }

  StepProgram::Send compileSend(StepId id) {
    const AlgorithmThreadBlock& block = form_.threadBlock(id.threadBlock);
    const std::uint32_t gpu = form_.gpuOf(id.threadBlock);
    const StepId receiver = meaning_.partner(id);
    const std::uint32_t arrival = arrivals_[receiver.threadBlock][receiver.step];
    StepProgram::Send send;
    send.port = ports_.port(gpu, *block.sendsTo, block.channel);
    send.destination = globalAddress(GpuId{*block.sendsTo},
                                     programs_[*block.sendsTo].arrivals[arrival].destination);
    send.arrival = arrival;
    programs_[gpu].sentBytes[send.port] += form_.step(id).count * layout_.chunkBytes();
    return send;
  }

  const AlgorithmMeaning& meaning_;
  const AlgorithmForm& form_;
  const AlgorithmLayout& layout_;
  const AlgorithmPorts& ports_;
  std::vector<StepProgram> programs_;
  std::vector<std::vector<std::uint32_t>> arrivals_;   ///< [thread block][step]
  std::vector<std::vector<std::uint32_t>> newNumber_;  ///< the same: after folding
  std::uint64_t staged_ = 0;                           ///< bytes, of the GPU at hand
};

}  // namespace

std::vector<StepProgram> makeStepPrograms(const AlgorithmMeaning& meaning,
                                          const AlgorithmLayout& layout,
                                          const AlgorithmPorts& ports) {
  return StepCompiler(meaning, layout, ports).compile();
}

}  // namespace t3
