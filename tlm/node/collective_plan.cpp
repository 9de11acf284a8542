// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_plan.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tlm/collectives/algorithm_route.h"
#include "tlm/collectives/route.h"
#include "tlm/collectives/step_worker.h"

namespace t3 {
namespace {

/// Whatever route the collectives of a sublayer take.
std::unique_ptr<const Route> linksOf(const SystemConfig& config) {
  return config.fabric.makeRoute(kAutoRoute, config.gpus);
}

}  // namespace

CollectivePlan::CollectivePlan(const SystemConfig& config, const AlgorithmMeaning& meaning,
                               bool tracked)
    : meaning_(meaning),
      links_(linksOf(config)),
      layout_(meaning.buffers(), config.collective.chunkBytes(meaning.form().algorithm().chunks),
              config.bufferAlignment()),
      ports_{links_->size().ports,
             [this](std::uint32_t from, std::uint32_t to, std::uint32_t channel) {
               return portTo(*links_, GpuId{from}, GpuId{to}, channel);
             }},
      traffic_(config.gpus, links_->size().ports) {
  const bool needsSwitch = meaning.form().algorithm().needsSwitch();
  if (needsSwitch && tracked) {
    throw std::invalid_argument(
        "collective: expected steps of one or two GPUs, because trackers load no sums, got steps "
        "of all (ls, sa); mode sequential runs them");
  }
  if (needsSwitch && !config.merges()) {
    throw std::invalid_argument(
        "switch.merge: expected model, because the collective has steps of all GPUs (ls, sa), "
        "got off");
  }
  if (config.merges() && !needsSwitch) {
    throw std::invalid_argument(
        "switch.merge: expected off, because a collective from a file sends to each GPU by itself");
  }
  if (config.gpu.codec(tracked).on() && config.data == DataMode::Checked) {
    throw std::invalid_argument(
        std::string(tracked ? "gpu.dma.codec" : "gpu.collective.codec") +
        ": expected off with data = checked, because the sums of a collective alone have no "
        "reference behind a codec");
  }
  if (const auto problem = missingLink(meaning.form(), *links_)) {
    throw std::invalid_argument(*problem);
  }
  plan(config, tracked);
  requireMemory(config);
  if (config.simulated_gpus == GpuSimulation::Symmetric) standForAll();
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    if (tracked) traffic_.add(GpuId{g}, programs_[g].sentBytes);
    for (const auto& kernel : kernels_) traffic_.add(GpuId{g}, kernel[g]);
  }
  const bool zeros = config.hbm.initial_value == InitialValue::ZeroOverBus;
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    if (!zeros || config.workload.repeat == 1 || accumulators(g).empty()) continue;
    throw std::invalid_argument(
        "workload.repeat: expected 1 with hbm.initial_value = zero-over-bus, because nobody writes "
        "zeros for the sums of the next one, got " +
        std::to_string(config.workload.repeat));
  }
}

/// Before all that compares addresses, which have room for the memory of a GPU and not for more.
void CollectivePlan::requireMemory(const SystemConfig& config) const {
  std::uint64_t end = layout_.staging();
  for (std::uint32_t g = 0; g < config.gpus; ++g) end = std::max(end, memoryEnd(g));
  if (end <= config.hbm.capacityBytes()) return;
  throw std::invalid_argument("collective.bytes: expected buffers that fit into the " +
                              std::to_string(config.hbm.capacity_gib) +
                              " GiB of a GPU's memory (hbm.capacity_gib), got " +
                              std::to_string(end) + " bytes");
}

void CollectivePlan::plan(const SystemConfig& config, bool tracked) {
  if (!tracked) {
    const StepLayout layout = StepLayout::of(meaning_.buffers(), layout_);
    const StepSource source{meaning_.form().algorithm(),
                            meaning_.buffers(),
                            layout,
                            ports_,
                            kCollectivePhase,
                            config.gpu.collective.thread_blocks == ThreadBlocks::Own};
    for (const std::uint32_t channel : separateChannels(source)) {
      kernels_.push_back(makeStepPrograms(source, meaning_, KernelChannels{channel, 1}));
    }
    if (kernels_.empty()) kernels_.push_back(makeStepPrograms(source, meaning_));
    return;
  }
  const bool clears = config.hbm.initial_value == InitialValue::InMemory;
  programs_ = makeTrackedPrograms(meaning_, layout_, ports_, clears);
  makeGrid(config);
}

void CollectivePlan::makeGrid(const SystemConfig& config) {
  std::uint32_t rows = 0;
  for (const TrackedProgram& program : programs_) rows = std::max(rows, program.rows);
  grid_ = TrackedGrid::make(rows, layout_.chunkBytes(), config.gpu.collective.slice_bytes,
                            config.tracker.slots);
  if (grid_) return;
  throw std::invalid_argument("tracker.slots: expected at least " +
                              std::to_string(TrackedGrid::leastSlots(rows, layout_.chunkBytes())) +
                              ", one for each block of the " + std::to_string(rows) +
                              " chunks of " + std::to_string(layout_.chunkBytes()) +
                              " bytes that a GPU receives, got " +
                              std::to_string(config.tracker.slots));
}

void CollectivePlan::standForAll() {
  if (meaning_.form().algorithm().needsSwitch()) {
    throw std::invalid_argument(
        "simulated_gpus: expected explicit, because one GPU does not stand for all in steps of all "
        "GPUs (ls, sa)");
  }
  alike_ = tracked() ? GpusAlike::of(programs_) : GpusAlike::of(kernels_, layout_.chunkBytes());
  if (alike_) return;
  throw std::invalid_argument(
      "simulated_gpus: expected explicit, because the GPUs of the collective do not all do the "
      "same with other chunks, so no GPU stands for all");
}

std::uint64_t CollectivePlan::memoryEnd(std::uint32_t gpu) const {
  if (tracked()) return programs_[gpu].memoryEnd;
  std::uint64_t end = layout_.staging();
  for (const StepProgram::Arrival& arrival : kernels_.front()[gpu].arrivals) {
    end = std::max(end, arrival.destination.address + layout_.chunkBytes());
  }
  return end;
}

Areas CollectivePlan::accumulators(std::uint32_t gpu) const {
  Areas places;
  if (!tracked()) return places;
  for (const TrackedProgram::Arrival& arrival : programs_[gpu].arrivals) {
    for (std::uint32_t c = 0; c < arrival.chunks && arrival.updates == 2; ++c) {
      places.emplace_back(arrival.address + c * layout_.chunkBytes(), layout_.chunkBytes());
    }
  }
  return places;
}

std::optional<std::string> CollectivePlan::check(const SystemConfig& config,
                                                 const AlgorithmMeaning& meaning, Mode mode) {
  try {
    const CollectivePlan plan(mode.configured(config), meaning, mode.kind->tracked);
    return std::nullopt;
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
}

}  // namespace t3
