// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gemm_plan.h"

#include <array>
#include <stdexcept>
#include <string>

#include "tlm/collectives/promise.h"

namespace t3 {
namespace {

/// An all-reduce from a file, for reports and bounds.
constexpr Collective kAllReduceOfFile{"allreduce", "collective", kCollectivePhase, nullptr,
                                      nullptr};
constexpr std::array<const Collective*, 1> kOnlyAllReduce = {&kAllReduceOfFile};

Tiling tilingFor(const SystemConfig& config, const Algorithm& algorithm) {
  const GemmConfig& gemm = config.gpu.gemm;
  const WorkloadConfig& work = config.workload;
  if (algorithm.promise != &kAllReducePromise && algorithm.promise != &kReduceScatterPromise) {
    throw std::invalid_argument(
        "workload.collective: expected a reduce_scatter or an allreduce, which begin with what a "
        "GEMM puts out, got coll=\"" +
        std::string(algorithm.promise->name) + "\"");
  }
  if (config.gpus != algorithm.gpuCount()) {
    throw std::invalid_argument("gpus: expected " + std::to_string(algorithm.gpuCount()) +
                                ", those of workload.collective, got " +
                                std::to_string(config.gpus));
  }
  const std::uint64_t rows = std::uint64_t{algorithm.chunks} * gemm.tile_rows;
  if (work.rows % rows != 0) {
    throw std::invalid_argument("workload.rows: expected a multiple of " + std::to_string(rows) +
                                ", so that each of the " + std::to_string(algorithm.chunks) +
                                " chunks of workload.collective is whole rows of tiles, got " +
                                std::to_string(work.rows));
  }
  return {work.rows,         work.columns,    bytesOf(work.data_type), gemm.tile_rows,
          gemm.tile_columns, gemm.wavefronts, algorithm.chunks};
}

}  // namespace

GemmPlan::GemmPlan(const SystemConfig& config, const AlgorithmMeaning& meaning, bool tracked)
    : tiling_(tilingFor(config, meaning.form().algorithm())),
      gathers_(meaning.form().algorithm().promise == &kReduceScatterPromise) {
  const std::uint64_t alignment = config.bufferAlignment();
  layout_.operandPitchBytes =
      alignUp(std::uint64_t{config.workload.depth} * bytesOf(config.workload.data_type),
              config.gpu.gemm.operand_pitch_align_bytes);
  std::uint64_t next = 0;
  const auto place = [&](std::uint64_t bytes) {
    return std::exchange(next, alignUp(next + bytes, alignment));
  };
  layout_.operandA = place(layout_.operandPitchBytes * tiling_.rows());
  layout_.operandB = place(layout_.operandPitchBytes * tiling_.columns());
  if (tracked) layout_.accumulation = place(tiling_.outputBytes());
  layout_.end = next;
  if (!tracked) return;
  sums_.emplace(meaning);
  orders_ = inputOrders(meaning);
}

const Collective& GemmPlan::collective() const {
  return gathers_ ? kReduceScatter : kAllReduceOfFile;
}

Collectives GemmPlan::collectives() const {
  if (gathers_) return kReduceScatterAndAllGather;
  return kOnlyAllReduce;
}

std::optional<StepId> GemmPlan::senderOf(std::uint32_t gpu, std::uint32_t chunk) const {
  if (!sums_ || !sums_->chunk(gpu, chunk).leaves) return std::nullopt;
  return sums_->chunk(gpu, chunk).readers.front();
}

GemmLaunch GemmPlan::launch(std::uint32_t gpu, const AlgorithmMeaning& meaning,
                            const std::vector<TrackedProgram>& programs) const {
  GemmLaunch launch;
  if (!sums_) return launch;
  const InputOrder& order = orders_[gpu];
  for (const std::uint32_t chunk : order.chunks) launch.chunkOrder.emplace_back(chunk);
  launch.groups = order.groups;
  launch.remotePhase = phase();
  const auto bufferAt = [&](std::uint32_t where, std::uint32_t chunk) {
    return programs[where].inputs[chunk].passes ? OutputBuffer::Accumulation : OutputBuffer::Output;
  };
  for (std::uint32_t c = 0; c < tiling_.chunks(); ++c) {
    const TileRange tiles = tiling_.chunk(ChunkId{c});
    if (const auto sender = senderOf(gpu, c)) {
      const std::uint32_t peer = *meaning.form().threadBlock(sender->threadBlock).sendsTo;
      launch.output.remoteMap(tiles, GpuId{peer}, bufferAt(peer, c));
    } else {
      launch.output.dmaMap(tiles, bufferAt(gpu, c));
    }
  }
  return launch;
}

ChunkPorts GemmPlan::ports(std::uint32_t gpu, const AlgorithmMeaning& meaning,
                           const AlgorithmPorts& ports) const {
  ChunkPorts result{ports.ports, {}};
  for (std::uint32_t c = 0; c < tiling_.chunks(); ++c) {
    std::uint32_t port = 0;
    if (const auto sender = senderOf(gpu, c)) {
      const AlgorithmThreadBlock& block = meaning.form().threadBlock(sender->threadBlock);
      port = ports.port(gpu, *block.sendsTo, block.channel);
    }
    result.ofChunk.push_back(port);
  }
  return result;
}

std::uint64_t GemmPlan::storedBytes(std::uint32_t gpu) const {
  std::uint64_t bytes = tiling_.outputBytes();
  for (std::uint32_t c = 0; sums_ && c < tiling_.chunks(); ++c) {
    if (sums_->chunk(gpu, c).leaves) bytes -= chunkBytes();
  }
  return bytes;
}

}  // namespace t3
