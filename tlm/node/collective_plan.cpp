// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_plan.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tlm/gpu/collective_route.h"

namespace t3 {
namespace {

/// Whatever route the collectives of a sublayer take.
std::unique_ptr<const Route> linksOf(const SystemConfig& config) {
  const Reach reach = config.fabric.reach(config.gpus);
  return (reach.everyGpu ? kDirectRoute : kRingRoute).make(reach);
}

AlgorithmLayout layoutOf(const SystemConfig& config, const AlgorithmMeaning& meaning) {
  return {meaning.buffers(), config.collective.chunkBytes(meaning.form().algorithm().chunks),
          config.bufferAlignment()};
}

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

CollectivePlan::CollectivePlan(const SystemConfig& config, const AlgorithmMeaning& meaning,
                               bool tracked)
    : links_(linksOf(config)),
      linksPerGpu_(config.fabric.switched() ? 1 : links_->ports()),
      alignment_(config.bufferAlignment()),
      layout_(layoutOf(config, meaning)) {
  checkLinks(meaning.form());
  plan(config, meaning, tracked);
  std::uint64_t end = layout_.staging();
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    end = std::max(end, tracked ? records(g).end : memoryEnd(g));
  }
  if (end > config.hbm.capacityBytes()) {
    throw std::invalid_argument("collective.bytes: expected buffers" +
                                std::string(tracked ? " and tracker records" : "") +
                                " that fit into the " + number(config.hbm.capacity_gib) +
                                " GiB of a GPU's memory, got " + number(end) + " bytes");
  }
}

std::vector<std::uint32_t> CollectivePlan::portsTo(std::uint32_t from, std::uint32_t to) const {
  std::vector<std::uint32_t> ports;
  for (std::uint32_t p = 0; p < links_->ports(); ++p) {
    if (links_->peer(GpuId{from}, p) == GpuId{to}) ports.push_back(p);
  }
  return ports;
}

void CollectivePlan::checkLinks(const AlgorithmForm& form) const {
  for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
    if (form.receiverOf(b) == AlgorithmForm::kNobody) continue;
    const std::uint32_t from = form.gpuOf(b), to = form.gpuOf(form.receiverOf(b));
    if (!portsTo(from, to).empty()) continue;
    throw std::invalid_argument("fabric.topology: expected a link from GPU " + number(from) +
                                " to GPU " + number(to) +
                                ", as the collective needs (fully-connected and switch have all "
                                "links)");
  }
}

void CollectivePlan::plan(const SystemConfig& config, const AlgorithmMeaning& meaning,
                          bool tracked) {
  const AlgorithmPorts ports{links_->ports(),
                             [this](std::uint32_t from, std::uint32_t to, std::uint32_t channel) {
                               const auto all = portsTo(from, to);
                               return all[channel % all.size()];
                             }};
  if (!tracked) {
    kernels_ = makeStepPrograms(meaning, layout_, ports);
    return;
  }
  const bool clears = config.hbm.initial_value == InitialValue::InMemory;
  programs_ = makeTrackedPrograms(meaning, layout_, ports, clears);
  makeGrid(config);
}

void CollectivePlan::makeGrid(const SystemConfig& config) {
  std::uint32_t rows = 0;
  for (const TrackedProgram& program : programs_) rows = std::max(rows, program.rows);
  grid_ = TrackedGrid::make(rows, layout_.chunkBytes(), config.gpu.collective.slice_bytes,
                            config.tracker.command_slots);
  if (grid_) return;
  throw std::invalid_argument("tracker.command_slots: expected at least " +
                              number(TrackedGrid::leastSlots(rows, layout_.chunkBytes())) +
                              ", one for each block of the " + number(rows) + " chunks of " +
                              number(layout_.chunkBytes()) + " bytes that a GPU receives, got " +
                              number(config.tracker.command_slots));
}

std::uint64_t CollectivePlan::memoryEnd(std::uint32_t gpu) const {
  if (tracked()) return programs_[gpu].memoryEnd;
  std::uint64_t end = layout_.staging();
  for (const StepProgram::Arrival& arrival : kernels_[gpu].arrivals) {
    end = std::max(end, arrival.destination + arrival.chunks * layout_.chunkBytes());
  }
  return end;
}

MemoryLayout CollectivePlan::records(std::uint32_t gpu) const {
  const std::uint64_t bytes =
      TrackerConfig::recordBytes(std::uint64_t{programs_[gpu].rows} * grid_->slices());
  MemoryLayout layout;
  layout.spill = alignUp(memoryEnd(gpu), alignment_);
  layout.arrivalSpill = alignUp(layout.spill + bytes, alignment_);
  layout.end = layout.arrivalSpill + bytes;
  return layout;
}

std::vector<std::uint64_t> CollectivePlan::linkBytes(std::uint32_t gpu) const {
  const auto& byPort = tracked() ? programs_[gpu].sentBytes : kernels_[gpu].sentBytes;
  std::vector<std::uint64_t> bytes(linksPerGpu_);
  for (std::size_t p = 0; p < byPort.size(); ++p) bytes[p % bytes.size()] += byPort[p];
  return bytes;
}

}  // namespace t3
