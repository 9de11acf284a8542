// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_plan.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "tlm/collectives/collective_route.h"
#include "tlm/node/slot_limits.h"

namespace t3 {
namespace {

/// Whatever route the collectives of a sublayer take.
std::unique_ptr<const Route> linksOf(const SystemConfig& config) {
  return kAutoRoute.make(config.fabric.reach(config.gpus));
}

AlgorithmLayout layoutOf(const SystemConfig& config, const AlgorithmMeaning& meaning,
                         const GemmPlan* gemm) {
  if (gemm != nullptr) {
    return {meaning.buffers(), gemm->chunkBytes(), config.bufferAlignment(), gemm->end()};
  }
  return {meaning.buffers(), config.collective.chunkBytes(meaning.form().algorithm().chunks),
          config.bufferAlignment()};
}

std::optional<GemmPlan> gemmOf(const SystemConfig& config, const AlgorithmMeaning& meaning,
                               bool tracked, CollectiveInput input) {
  if (input == CollectiveInput::Given) return std::nullopt;
  return std::optional<GemmPlan>(std::in_place, config, meaning, tracked);
}

}  // namespace

CollectivePlan::CollectivePlan(const SystemConfig& config, const AlgorithmMeaning& meaning,
                               bool tracked, CollectiveInput input)
    : meaning_(meaning),
      links_(linksOf(config)),
      linksPerGpu_(config.fabric.switched() ? 1 : links_->ports()),
      gemm_(gemmOf(config, meaning, tracked, input)),
      layout_(layoutOf(config, meaning, gemm())),
      ports_{links_->ports(), [this](std::uint32_t from, std::uint32_t to, std::uint32_t channel) {
               return links_->portTo(GpuId{from}, GpuId{to}, channel);
             }} {
  const bool needsSwitch = meaning.form().algorithm().needsSwitch();
  if (needsSwitch && gemm_) {
    throw std::invalid_argument(
        "collective: expected steps of one or two GPUs behind a GEMM, got steps of all (ls, sa); "
        "mode nvls has those");
  }
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
  checkLinks();
  if (gemm_) gemm_->setOutput(layout_.address(0));
  if (gemm_ && gemm_->gathers()) {
    gatherRoute_ = config.makeRoute();
    gatherTiling_ = config.makeTiling(*gatherRoute_);
  }
  plan(config, tracked);
  std::uint64_t end = layout_.staging();
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    end = std::max(end, memoryEnd(g));
  }
  if (end > config.hbm.capacityBytes()) {
    throw std::invalid_argument(std::string(gemm_ ? "workload.rows" : "collective.bytes") +
                                ": expected buffers that fit into the " +
                                std::to_string(config.hbm.capacity_gib) +
                                " GiB of a GPU's memory, got " + std::to_string(end) + " bytes");
  }
}

void CollectivePlan::checkLinks() const {
  const AlgorithmForm& form = meaning_.form();
  for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
    if (form.receiverOf(b) == AlgorithmForm::kNobody) continue;
    const std::uint32_t from = form.gpuOf(b), to = form.gpuOf(form.receiverOf(b));
    if (!links_->portsTo(GpuId{from}, GpuId{to}).empty()) continue;
    throw std::invalid_argument("fabric.topology: expected a link from GPU " +
                                std::to_string(from) + " to GPU " + std::to_string(to) +
                                ", as the collective needs (fully-connected and switch have all "
                                "links)");
  }
}

void CollectivePlan::plan(const SystemConfig& config, bool tracked) {
  if (!tracked) {
    const StepLayout layout = StepLayout::of(meaning_.buffers(), layout_);
    const StepSource source{meaning_.form().algorithm(),
                            meaning_.buffers(),
                            layout,
                            ports_,
                            phase(),
                            config.gpu.collective.thread_blocks == ThreadBlocks::Own};
    for (const std::uint32_t channel : separateChannels(source)) {
      kernels_.push_back(makeStepPrograms(source, meaning_, KernelChannels{channel, 1}));
    }
    if (kernels_.empty()) kernels_.push_back(makeStepPrograms(source, meaning_));
    return;
  }
  const bool clears = config.hbm.initial_value == InitialValue::InMemory;
  if (!gemm_) {
    programs_ = makeTrackedPrograms(meaning_, layout_, ports_, clears);
    return makeGrid(config);
  }
  const TrackedProducer producer{*gemm_->sums(), gemm_->layout().accumulation};
  programs_ = makeTrackedPrograms(meaning_, layout_, ports_, clears, &producer);
  makeGridOfTiles(config);
}

/// Each row of the grid takes as much of the tracker as a chunk of the GEMM's output.
void CollectivePlan::makeGridOfTiles(const SystemConfig& config) {
  const Tiling& tiling = gemm_->tiling();
  const std::uint32_t tiles = tiling.chunk(ChunkId{0}).count;
  const std::uint32_t blockLog2 = config.tracker.block_log2;
  if (tiles % (1U << blockLog2) != 0) {
    throw std::invalid_argument("tracker.block_log2: expected blocks that divide a chunk of " +
                                std::to_string(tiles) + " tiles, got " +
                                std::to_string(1U << blockLog2) + " tiles");
  }
  std::uint32_t rows = 0, regions = 0, updates = 1;
  for (const TrackedProgram& program : programs_) {
    rows = std::max(rows, program.rows);
    const std::vector<TrackedRows> runs = trackedRows(program);
    regions = std::max(regions, static_cast<std::uint32_t>(runs.size()));
    for (const TrackedRows& run : runs) updates = std::max(updates, run.updates);
  }
  const std::uint64_t slots = std::uint64_t{rows} * tiles >> blockLog2;
  const std::string what = "the " + std::to_string(rows) + " chunks of " + std::to_string(tiles) +
                           " tiles that a GPU makes or receives";
  if (slots > config.tracker.slots) {
    throw std::invalid_argument("tracker.slots: expected at least " + std::to_string(slots) +
                                ", one for each block of " + std::to_string(1U << blockLog2) +
                                " tiles (tracker.block_log2) of " + what + ", got " +
                                std::to_string(config.tracker.slots));
  }
  if (std::uint64_t{rows} * tiles > TrackerConfig::kWorkgroups) {
    throw std::invalid_argument("workload.rows: expected at most " +
                                std::to_string(TrackerConfig::kWorkgroups) +
                                " workgroup ids in the tracker for " + what + ", got " +
                                std::to_string(std::uint64_t{rows} * tiles));
  }
  if (regions > config.tracker.regions) {
    throw std::invalid_argument(
        "tracker.regions: expected as many as there are runs of chunks of workload.collective "
        "that get different numbers of updates, " +
        std::to_string(regions) + ", got " + std::to_string(config.tracker.regions));
  }
  if (const auto problem = checkBlockBytes(tiling, blockLog2, updates)) {
    throw std::invalid_argument(*problem);
  }
  grid_ = TrackedGrid::ofTiles(tiling, blockLog2);
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

std::uint64_t CollectivePlan::memoryEnd(std::uint32_t gpu) const {
  if (tracked()) return programs_[gpu].memoryEnd;
  std::uint64_t end = layout_.staging();
  for (const StepProgram::Arrival& arrival : kernels_.front()[gpu].arrivals) {
    end = std::max(end, arrival.destination.address + layout_.chunkBytes());
  }
  return end;
}

std::vector<std::uint64_t> CollectivePlan::linkBytes(std::uint32_t gpu) const {
  std::vector<std::uint64_t> bytes(linksPerGpu_);
  const auto add = [&](const std::vector<std::uint64_t>& byPort) {
    for (std::size_t p = 0; p < byPort.size(); ++p) bytes[p % bytes.size()] += byPort[p];
  };
  if (tracked()) add(programs_[gpu].sentBytes);
  for (const auto& kernel : kernels_) add(kernel[gpu].sentBytes());
  // It answers all that load sums.
  for (std::uint32_t g = 0; g < meaning_.form().algorithm().gpuCount(); ++g) {
    bytes.front() += sumBytes(g);
  }
  return bytes;
}

std::uint64_t CollectivePlan::sumBytes(std::uint32_t gpu) const {
  std::uint64_t bytes = 0;
  for (const auto& kernel : kernels_) bytes += kernel[gpu].sumBytes();
  return bytes;
}

bool CollectivePlan::loadsSums() const {
  return std::ranges::any_of(kernels_, [](const auto& kernel) { return kernel.front().loadsSums; });
}

std::uint64_t CollectivePlan::toAllBytes(std::uint32_t gpu) const {
  std::uint64_t bytes = 0;
  for (const auto& kernel : kernels_) bytes += kernel[gpu].toAllBytes();
  return bytes;
}

std::uint64_t CollectivePlan::bytesFromSwitch(std::uint32_t gpu) const {
  std::uint64_t bytes = sumBytes(gpu);
  for (std::uint32_t g = 0; g < meaning_.form().algorithm().gpuCount(); ++g) {
    bytes += toAllBytes(g);
  }
  return bytes;
}

std::uint64_t CollectivePlan::result() const {
  const bool whole = meaning_.buffers().inPlace();
  return layout_.address(whole ? 0 : meaning_.buffers().outputStart());
}

std::uint32_t CollectivePlan::gatherPort(std::uint32_t gpu, std::uint32_t port) const {
  return links_->portTo(GpuId{gpu}, gatherRoute_->peer(GpuId{gpu}, port), port);
}

std::vector<std::uint64_t> CollectivePlan::gatherBytes(std::uint32_t gpu) const {
  std::vector<std::uint64_t> bytes(linksPerGpu_);
  if (!gatherRoute_) return bytes;
  const CollectiveTraffic traffic(kAllGather, *gatherRoute_, *gatherTiling_);
  for (std::uint32_t p = 0; p < gatherRoute_->ports(); ++p) {
    bytes[gatherPort(gpu, p) % bytes.size()] += traffic.bytes(GpuId{gpu}, p);
  }
  return bytes;
}

}  // namespace t3
