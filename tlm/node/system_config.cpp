// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/system_config.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tlm/collectives/algorithm_route.h"
#include "tlm/collectives/promise.h"
#include "tlm/hbm/hbm_stack.h"
#include "tlm/node/loop.h"
#include "tlm/node/tracker_plan.h"

namespace t3 {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

}  // namespace

const GpuOverride& SystemConfig::overrideOf(std::uint32_t index) const {
  static constexpr GpuOverride kNone;
  return index < kMostOverrides ? overrides.groups[index] : kNone;
}

SystemConfig SystemConfig::ofGpu(std::uint32_t index) const {
  SystemConfig config = *this;
  const GpuOverride& own = overrideOf(index);
  replaceSettings(config.gpu, own);
  replaceSettings(config.link, own.link);
  config.workload.depth = depths()[index];
  config.workload.shares = WorkloadConfig::kEqualShares;
  return config;
}

LinkConfig SystemConfig::linkOf(std::uint32_t index, std::uint32_t number) const {
  LinkConfig own = link;
  replaceSettings(own, overrideOf(index).link);
  if (fabric.graph != nullptr) return fabric.wireOf(own, fabric.graph->leaving(index)[number]);
  return fabric.linkOf(own, gpus, number);
}

Picoseconds SystemConfig::lookahead(std::uint32_t linksPerGpu) const {
  Picoseconds least = kNoTime;
  if (fabric.graph != nullptr) {
    for (std::uint32_t w = 0; w < fabric.graph->wires().size(); ++w) {
      least = std::min(least, fabric.wireOf(link, w).lookahead());
    }
    return least;
  }
  for (std::uint32_t g = 0; g < gpus; ++g) {
    for (std::uint32_t l = 0; l < linksPerGpu; ++l) {
      least = std::min(least, linkOf(g, l).lookahead());
    }
  }
  return least;
}

bool SystemConfig::gpusAreEqual() const {
  return workload.shares == WorkloadConfig::kEqualShares &&
         std::ranges::all_of(overrides.groups,
                             [](const GpuOverride& own) { return own == GpuOverride{}; });
}

std::unique_ptr<const Route> SystemConfig::makeRoute() const {
  auto builtIn = fabric.makeRoute(*fabric.collective, gpus, workload.contributions);
  if (algorithm == nullptr) return builtIn;
  return std::make_unique<AlgorithmRoute>(*algorithm, fabric.makeRoute(kAutoRoute, gpus), *builtIn,
                                          gpu.collective.thread_blocks == ThreadBlocks::Own);
}

std::vector<OutputShape> SystemConfig::outputs() const {
  const std::uint32_t columns = storedColumns(workload.columns, workload.data_type);
  std::vector<OutputShape> list = {
      {.rows = workload.rows, .columns = columns, .depths = depths(), .normed = workload.norms()}};
  if (!workload.consumer.any()) return list;
  list.push_back({.rows = workload.rows,
                  .columns = storedColumns(workload.consumer.columns, workload.data_type),
                  .depths = std::vector<std::uint32_t>(gpus, columns),
                  .a = 0,
                  .chunked = false});
  return list;
}

Tiling SystemConfig::makeTiling(const Route& route) const {
  return tilingOf(*this, outputs().front(), route.chunks());
}

Picoseconds SystemConfig::lastLaunch() const {
  Picoseconds last = 0;
  for (std::uint32_t g = 0; g < gpus; ++g) last = std::max(last, launchTime(g));
  return last;
}

std::uint64_t SystemConfig::bufferAlignment() const {
  return alignUp(kMebibyte, std::uint64_t{hbm.channels} * hbm.bank_groups * hbm.page_bytes);
}

void SystemConfig::coverTiles() {
  const auto tiles = [](std::uint32_t size, std::uint32_t tile) {
    return (std::uint64_t{size} + tile - 1) / tile;
  };
  tracker.coverTiles(
      tiles(workload.rows, gpu.gemm.tile_rows) *
      tiles(storedColumns(workload.columns, workload.data_type), gpu.gemm.tile_columns));
}

void SystemConfig::setSmallestOutput() {
  workload.rows = gpu.gemm.tile_rows;
  // Of GPUs that do not fill the nodes there is no route; check() says so.
  const std::uint32_t chunks = fabric.checkNodes(gpus) ? 1 : makeRoute()->chunks();
  workload.columns = gpu.gemm.tile_columns * (chunks << tracker.block_log2);
}

std::optional<std::string> SystemConfig::check() const {
  if (const auto problem = fabric.checkNodes(gpus)) return "fabric." + *problem;
  if (fabric.topology == Topology::Links) {
    if (simulated_gpus == GpuSimulation::Symmetric) {
      return "simulated_gpus: expected explicit with fabric.topology = links, because no GPU "
             "stands "
             "for all there";
    }
    for (std::uint32_t g = 0; g < kMostOverrides; ++g) {
      const LinkOverride& own = overrides.groups[g].link;
      if (!own.bandwidth_gb_s && !own.latency_ns) continue;
      return GpuOverride::kKey + std::to_string(g) +
             ".link: expected no bandwidth and no latency, which fabric.links has for each link";
    }
    if (fabric.graph == nullptr) return std::nullopt;  // who reads the file checks again
  }
  if (algorithm != nullptr) {
    if (auto problem =
            AlgorithmRoute::check(*algorithm, gpus, *fabric.makeRoute(kAutoRoute, gpus))) {
      return problem;
    }
  } else if (!workload.collective.empty()) {
    return std::nullopt;  // who reads the file checks again
  }
  try {
    (void)depths();
  } catch (const std::invalid_argument& problem) {
    return std::string("workload.") + problem.what();
  }
  const std::unique_ptr<const Route> route = makeRoute();
  if (switched.merge != SwitchMerge::Off) {
    const auto off = [](const std::string& why) {
      return "switch.merge: expected off, because " + why;
    };
    if (!fabric.switched()) return off("fabric.topology is not switch");
    if (!route->traits().direct) {
      return off(algorithm != nullptr
                     ? "workload.collective does not send each contribution straight to its owner"
                     : "fabric.collective = ring sends no two updates to one address");
    }
    constexpr std::uint32_t kRtlCounts = 127;  // contributions, in 7 bits
    if (switched.merge != SwitchMerge::Model && gpus - 1 > kRtlCounts) {
      return "switch.merge: expected model with more than " + std::to_string(kRtlCounts + 1) +
             " GPUs, because a sum of the RTL counts " + std::to_string(kRtlCounts) +
             " contributions, got " + std::to_string(gpus) + " GPUs";
    }
  }
  if (auto problem = checkContributions(*route)) return problem;
  if (auto problem = checkCodecs()) return problem;
  if (gpus > kMostMeshGpus && route->size().ports > 2 && !fabric.switched()) {
    return "gpus: expected at most " + std::to_string(kMostMeshGpus) +
           " with a link from each to each other one, got " + std::to_string(gpus) +
           "; another fabric.topology takes more";
  }
  const Tiling tiling = makeTiling(*route);
  if (const std::uint64_t end = planOutputs(*this, outputs(), *route).back().layout.end;
      end > hbm.capacityBytes()) {
    return "hbm.capacity_gib: expected room for the " + std::to_string(end) +
           " bytes of operands, output and buffers of a GPU, got " +
           std::to_string(hbm.capacity_gib) + " GiB";
  }
  if (simulated_gpus == GpuSimulation::Symmetric && !route->gpusAreAlike()) {
    return "simulated_gpus: expected explicit, because the GPUs of workload.collective do not "
           "all do the same with other chunks, so no GPU stands for all";
  }
  // Of outputs of a graph whoever reads it asks that.
  if (simulated_gpus == GpuSimulation::Symmetric && workload.graph.empty() &&
      !SymmetricLoop::chunksAreAlike(tiling)) {
    return "simulated_gpus: expected explicit, because the chunks of " +
           std::to_string(workload.rows) + " x " + std::to_string(workload.columns) +
           " elements differ in size or in the place of their cut tiles, so no GPU stands for "
           "all";
  }
  if (simulated_gpus == GpuSimulation::Symmetric &&
      workload.shares != WorkloadConfig::kEqualShares) {
    return "simulated_gpus: expected explicit with workload.shares = " + workload.shares +
           ", because one GPU stands for all only where all are equal";
  }
  for (std::uint32_t g = 0; g < kMostOverrides; ++g) {
    if (overrides.groups[g] == GpuOverride{}) continue;
    const std::string name = GpuOverride::kKey + std::to_string(g);
    if (g >= gpus) {
      return name + ": expected one of the " + std::to_string(gpus) + " GPUs, gpu0 to gpu" +
             std::to_string(gpus - 1);
    }
    if (simulated_gpus == GpuSimulation::Symmetric) {
      return "simulated_gpus: expected explicit with settings of its own for " + name +
             ", because one GPU stands for all only where all are equal";
    }
  }
  if (data == DataMode::Checked && simulated_gpus == GpuSimulation::Symmetric) {
    return "data: expected elided with simulated_gpus = symmetric, because the values of one GPU "
           "are not those of the others";
  }
  if (data == DataMode::Checked && bytesOf(workload.data_type) != 2) {
    return "workload.data_type: expected fp16 or bf16 with data = checked";
  }
  return std::nullopt;
}

std::optional<std::string> SystemConfig::checkCodecs() const {
  if (gpu.dma.codec_unit != CodecUnit::Model && data == DataMode::Elided) {
    return "gpu.dma.codec_unit: expected model with data = elided, where no values pass a codec";
  }
  for (const bool tracked : {true, false}) {
    if (!gpu.codec(tracked).on()) continue;
    std::string why;
    if (merges()) {
      why = "switch.merge adds values on their way, and decodes none";
    } else if (bytesOf(workload.data_type) != 2 || bytesOf(collective.data_type) != 2) {
      why = "it takes values of 16 bits, and workload.data_type or collective.data_type has others";
    } else if (data == DataMode::Checked && algorithm != nullptr) {
      why = "with data = checked the sums of workload.collective have no reference behind a codec";
    } else if (data == DataMode::Checked && !workload.graph.empty()) {
      why = "with data = checked the sums of workload.graph have no reference behind a codec";
    } else if (data == DataMode::Checked && leavesOut()) {
      why = "with data = checked sums of some workload.contributions have no reference behind it";
    } else if (data == DataMode::Checked) {
      why = checkBlocks().value_or("");
    }
    if (why.empty()) continue;
    return std::string(tracked ? "gpu.dma.codec" : "gpu.collective.codec") +
           ": expected off, because " + why;
  }
  return std::nullopt;
}

std::optional<std::string> SystemConfig::checkBlocks() const {
  const auto whole = [](const char* setting, std::uint64_t value, std::uint32_t unit) {
    return value % unit == 0 ? std::optional<std::string>()
                             : std::string(setting) + " = " + std::to_string(value) +
                                   " is no multiple of " + std::to_string(unit) +
                                   ", and blocks of 32 values would differ from step to step";
  };
  for (auto problem :
       {whole("workload.columns", workload.columns, Codec::kBlockValues),
        whole("gpu.gemm.tile_columns", gpu.gemm.tile_columns, Codec::kBlockValues),
        whole("gpu.dma.read_bytes", gpu.dma.read_bytes, Codec::kBlockBytes),
        whole("gpu.collective.request_bytes", gpu.collective.request_bytes, Codec::kBlockBytes),
        whole("gpu.collective.slice_bytes", gpu.collective.slice_bytes, Codec::kBlockBytes)}) {
    if (problem) return problem;
  }
  return std::nullopt;
}

std::optional<std::string> SystemConfig::checkContributions(const Route& route) const {
  if (workload.contributions > gpus) {
    return "workload.contributions: expected at most gpus = " + std::to_string(gpus) + ", got " +
           std::to_string(workload.contributions);
  }
  if (!leavesOut()) return std::nullopt;
  const char* why = nullptr;
  if (algorithm != nullptr) {
    why = "workload.collective says what is added where";
  } else if (!route.traits().direct) {
    why =
        "a part that passes other GPUs comes as a sum with theirs; fabric.topology = "
        "fully-connected or switch with fabric.collective = direct sends it straight to the owner";
  } else if (merges()) {
    why = "switch.merge adds parts before the owner sees them";
  } else if (gpus > AdmissionTable::kGpus) {
    why = "the admission table has a bit for each of 64 GPUs";
  } else if (workload.repeat > 1) {
    why = "a part that comes late in one of workload.repeat sublayers is none of the next";
  } else if (simulated_gpus == GpuSimulation::Symmetric) {
    why = "simulated_gpus = symmetric has no GPU that is late";
  }
  if (why == nullptr) return std::nullopt;
  return "workload.contributions: expected 0, all, because " + std::string(why) + ", got " +
         std::to_string(workload.contributions);
}

std::optional<std::string> SystemConfig::checkTracked() const {
  const GemmConfig& gemm = gpu.gemm;
  if (gemm.wavefronts > TrackerConfig::kWavefronts) {
    return "gpu.gemm.wavefronts: expected at most " + std::to_string(TrackerConfig::kWavefronts) +
           ", the width of the tracker's wavefront id, got " + std::to_string(gemm.wavefronts);
  }
  const std::unique_ptr<const Route> route = makeRoute();
  const Tiling tiling = makeTiling(*route);
  if (tiling.tiles() > TrackerConfig::kWorkgroups) {
    return "workload.rows: expected at most " + std::to_string(TrackerConfig::kWorkgroups) +
           " tiles, the width of the tracker's workgroup id, got " +
           std::to_string(tiling.tiles()) + "; tiles of more gpu.gemm.tile_rows are fewer";
  }
  if (auto problem = checkBlockBytes(tiling, tracker.block_log2, mostUpdatesPerElement(*route))) {
    return problem;
  }
  if (tiling.tiles() > tracker.slots << tracker.block_log2) {
    return "tracker.slots: expected one for each block of " + std::to_string(tiling.tiles()) +
           " tiles, got " + std::to_string(tracker.slots);
  }
  for (std::uint32_t c = 0; c < tiling.chunks(); ++c) {
    if (tiling.chunk(ChunkId{c}).first % (1U << tracker.block_log2) == 0) continue;
    return "tracker.block_log2: expected blocks that divide a row of " +
           std::to_string(tiling.tilesAcross()) + " tiles, because a norm has whole rows, got " +
           std::to_string(1U << tracker.block_log2) + " tiles";
  }
  return std::nullopt;
}

std::optional<std::string> SystemConfig::checkBuiltIn() const {
  if (fabric.graph == nullptr) return std::nullopt;
  if (algorithm != nullptr && algorithm->form().algorithm().promise == &kAllReducePromise) {
    return std::nullopt;
  }
  const auto links = fabric.makeRoute(*fabric.collective, gpus);
  const Algorithm builtIn = algorithmOf(*links, kAllReducePromise);
  return missingLink(AlgorithmForm(builtIn), *links);
}

}  // namespace t3
