// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/output_judge.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/conservation.h"
#include "tlm/node/gemm_data.h"

namespace t3 {
namespace {

/// In which trackers count.
std::vector<OutputBuffer> buffersOf(const OutputPlan& output) {
  std::vector<OutputBuffer> list = {OutputBuffer::Output, OutputBuffer::Accumulation};
  if (output.layout.normed != 0) list.push_back(OutputBuffer::Normed);
  return list;
}

}  // namespace

OutputJudge::OutputJudge(Mode mode, Machine& machine)
    : mode_(mode), kind_(mode_.simulated()), machine_(machine), data_(machine) {
  for (const OutputPlan* output : trackedOutputs()) {
    for (const std::uint32_t g : machine_.own()) {
      for (const OutputBuffer buffer : buffersOf(*output)) watch(g, *output, buffer);
    }
  }
  machine_.check({.begins = [this](std::uint32_t g) { data_.writeOperands(g); },
                  .sentOn =
                      [this](std::uint32_t g, const TrackedOutput& tracked) {
                        if (machine_.executor().atLastRound(g)) return;
                        checkThenWatch(g, tracked.output(), OutputBuffer::Accumulation);
                      },
                  .over = [this](std::uint32_t g) { over(g); }});
}

/// The memory counts the updates of a sublayer.
void OutputJudge::watch(std::uint32_t g, const OutputPlan& output, OutputBuffer buffer) {
  using Start = UpdateLedger::Start;
  const bool uncleared = clears() && buffer == OutputBuffer::Output;
  const Route& route = machine_.route();
  HbmStack& memory = machine_.node(g).hbm;
  memory.watchUpdates(output.layout.base(buffer), output.tiling.outputBytes(),
                      route.mostUpdatesPerElement(), uncleared ? Start::Uncleared : Start::Free);
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    if (!route.sums(GpuId{g}, ChunkId{c}, buffer)) continue;
    const std::uint32_t updates = route.updatesPerElement(GpuId{g}, ChunkId{c});
    if (updates == route.mostUpdatesPerElement()) continue;
    for (const auto& [address, bytes] : machine_.areas(output, ChunkId{c}, buffer)) {
      memory.expectUpdates(address, bytes, updates);
    }
  }
}

/// What the next sublayer overwrites is checked as soon as it is complete. The last sublayer's is
/// checked at the end of the run.
void OutputJudge::over(std::uint32_t g) {
  data_.compare(g);
  for (const OutputPlan* output : trackedOutputs()) {
    checkThenWatch(g, *output, OutputBuffer::Output);
  }
}
void OutputJudge::checkThenWatch(std::uint32_t g, const OutputPlan& output, OutputBuffer buffer) {
  try {
    checkSums(machine_, g, output, buffer, ruleOf(output));
  } catch (const std::exception& failure) {
    SC_REPORT_ERROR("t3/node", failure.what());
  }
  watch(g, output, buffer);
}

std::vector<const OutputPlan*> OutputJudge::trackedOutputs() const {
  std::vector<const OutputPlan*> list;
  for (const auto& tracked : machine_.tracked()) {
    const OutputPlan* output = &tracked->output();
    if (std::ranges::find(list, output) == list.end()) list.push_back(output);
  }
  return list;
}

SumsRule OutputJudge::ruleOf(const OutputPlan& output) const {
  const bool gathers = std::ranges::any_of(machine_.tracked(), [&](const auto& tracked) {
    return &tracked->output() == &output && tracked->gathers();
  });
  return {.gathers = gathers, .ideal = kind_.ideal, .clears = clears()};
}

/// The memory clears what is summed there. A bound gets its zeros for free.
bool OutputJudge::clears() const {
  return kind_.tracked && !kind_.ideal &&
         machine_.config().hbm.initial_value == InitialValue::InMemory;
}

void OutputJudge::prepare() {
  for (const std::uint32_t g : machine_.own()) data_.writeOperands(g);
}

void OutputJudge::check() {
  checkConservation(machine_);
  for (const OutputPlan* output : trackedOutputs()) {
    for (const std::uint32_t g : machine_.own()) {
      for (const OutputBuffer buffer : buffersOf(*output)) {
        checkSums(machine_, g, *output, buffer, ruleOf(*output));
      }
    }
  }
  checkBufferIsZero();
}

Verification OutputJudge::compare() {
  for (const std::uint32_t g : machine_.own()) data_.compare(g);
  return data_.verification();
}

/// The next kernel needs zeros in the accumulation buffer. Sums of checked data show whether they
/// are there.
void OutputJudge::checkBufferIsZero() {
  if (!clears() || machine_.config().data != DataMode::Checked) return;
  for (const OutputPlan* output : trackedOutputs()) {
    for (const std::uint32_t g : machine_.own()) {
      if (holdsZeros(memoryOf(machine_.node(g)), output->layout.accumulation,
                     output->tiling.outputBytes())) {
        continue;
      }
      throw std::runtime_error("gpu" + std::to_string(g) +
                               ": the accumulation buffer is not zero at the end");
    }
  }
}

GpuFigures OutputJudge::figures(std::uint32_t gpu) const {
  GpuFigures figures = figuresOf(machine_, gpu);
  if (!kind_.tracked) figures.tracker = {}, figures.setup = {};
  return figures;
}

void OutputJudge::report(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  if (kind_.summarise != nullptr) {
    kind_.summarise(machine_.config(), gpus, result);
  } else {
    addExposedTimes(machine_.collectives(), machine_.executor().rounds(), gpus, result);
  }
  addNodes(machine_.graph(), gpus, result);
  for (const Collective* collective : machine_.collectives()) {
    result.of(collective->phase).name = collective->name;
  }
  if (machine_.graph().find(kDelayPhase)) result.of(kDelayPhase).name = "delay";
  const std::uint32_t repeat = machine_.config().workload.repeat;
  if (machine_.executor().rounds() < repeat) countAgain(result, repeat);
}

void OutputJudge::finish(RunResult& result, bool failed) const {
  if (mode_.kind->finish != nullptr && !failed) mode_.kind->finish(result);
  addBounds(machine_.config(), mode_, result);
}

}  // namespace t3
