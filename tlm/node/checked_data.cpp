// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/checked_data.h"

#include <algorithm>
#include <random>
#include <utility>

#include "tlm/gpu/chunk_segments.h"
#include "tlm/node/gemm_data.h"

namespace t3 {
namespace {

/// 1 and -1 in both formats of 16 bits.
std::uint16_t one(DataType type, bool negative) {
  const std::uint16_t bits = type == DataType::Fp16 ? 0x3c00 : 0x3f80;
  return negative ? bits | 0x8000U : bits;
}

}  // namespace

CheckedData::Round& CheckedData::round(std::uint32_t number) {
  const auto found = rounds_.find(number);
  if (found != rounds_.end()) return found->second;
  std::uint32_t oldest = number;
  for (const std::uint32_t g : machine_.own()) oldest = std::min(oldest, roundOf(g));
  rounds_.erase(rounds_.begin(), rounds_.lower_bound(oldest));
  Round& made = rounds_[number];
  for (std::uint32_t o = 0; o < machine_.outputs().size(); ++o) {
    made.push_back(operandsOf(o, number));
  }
  return made;
}

CheckedData::Values CheckedData::operandsOf(std::uint32_t number, std::uint32_t round) const {
  constexpr std::uint64_t kApart = 1'000'003;  // rounds of different outputs
  const SystemConfig& config = machine_.config();
  const OutputPlan& output = machine_.outputs()[number];
  const DataType type = config.workload.data_type;
  const std::uint32_t rows = output.tiling.rows(), columns = output.tiling.columns();
  Values values;
  if (!output.a) {
    const std::uint64_t seed = config.seed + round + number * kApart;
    for (std::uint32_t g = 0; g < machine_.simulated(); ++g) {
      values.operands.push_back(
          randomOperands(seed, GpuId{g}, rows, columns, output.depths[g], type,
                         machine_.route().sumsInFixedOrder() ? 0 : machine_.gpus()));
    }
  } else if (output.chunked()) {
    for (std::uint32_t g = 0; g < machine_.simulated(); ++g) {
      values.operands.push_back({{}, chainedWeights(number, g, config.seed + round)});
    }
  } else {
    const Operands weights = randomOperands(config.seed + round, GpuId{machine_.gpus()}, 0, columns,
                                            output.mostDepth(), type);
    values.operands.assign(machine_.simulated(), weights);
  }
  if (output.layout.normed != 0) {
    values.residual =
        randomOperands(config.seed + round, GpuId{machine_.gpus() + 1}, rows, 0, columns, type).a;
  }
  return values;
}

CheckedData::Matrix CheckedData::chainedWeights(std::uint32_t number, std::uint32_t gpu,
                                                std::uint64_t seed) const {
  const OutputPlan& output = machine_.outputs()[number];
  const std::uint32_t depth = output.depths[gpu];
  Matrix weights(std::size_t{output.tiling.columns()} * depth);
  std::mt19937_64 random(seed + number);  // the same on all GPUs
  for (std::uint32_t column = 0; column < output.tiling.columns(); ++column) {
    const std::uint64_t drawn = random();
    if ((drawn >> 32) % machine_.gpus() != gpu) continue;
    weights[std::size_t{column} * depth + (drawn & 0xffff'fffeU) / 2 % depth] =
        one(machine_.config().workload.data_type, (drawn & 1) != 0);
  }
  return weights;
}

void CheckedData::writeOperands(std::uint32_t gpu) {
  if (elided()) return;
  const DebugAccess memory = memoryOf(machine_.node(gpu));
  const Round& data = round(roundOf(gpu));
  for (std::uint32_t o = 0; o < data.size(); ++o) {
    const OutputPlan& output = machine_.outputs()[o];
    const Operands& operands = data[o].operands[gpu];
    if (output.given) {
      storeMatrix(memory, output.layout.output,
                  productReference(operands.a, operands.b, output.depths[gpu],
                                   machine_.config().workload.data_type));
    } else {
      storeOperands(memory, output.layout, operands, output.depths[gpu]);
    }
    if (!data[o].residual.empty()) storeMatrix(memory, output.layout.residual, data[o].residual);
  }
}

CheckedData::Holds CheckedData::holds(std::uint32_t output) const {
  const Graph& graph = machine_.graph();
  if (machine_.outputs()[output].given && !machine_.outputs()[output].chunked()) return Holds::All;
  Holds most = Holds::Nothing;
  for (NodeId n = 0; n < graph.nodes.size(); ++n) {
    if (const auto* gemm = graph.nodes[n].as<GemmWork>();
        gemm != nullptr && gemm->output == output && !machine_.outputs()[output].chunked()) {
      return gemm->reads && !machine_.readsWhenThere(n) ? Holds::Nothing : Holds::All;
    }
    const auto* work = graph.nodes[n].as<CollectiveWork>();
    if (work == nullptr || work->output != output) continue;
    if (!work->collective->reduceScatters()) return Holds::All;
    most = Holds::OwnChunks;
  }
  return most;
}

void CheckedData::compare(std::uint32_t gpu) {
  verification_.data = machine_.config().data;
  if (elided()) return;
  Round& data = round(roundOf(gpu));
  for (std::uint32_t o = 0; o < data.size(); ++o) {
    const Holds what = holds(o);
    if (what == Holds::Nothing) continue;
    const OutputPlan& output = machine_.outputs()[o];
    const std::vector<Matrix>& result = resultOf(data, o);
    std::vector<TileRange> tiles;
    for (std::uint32_t c = 0; c < output.tiling.chunks(); ++c) {
      const bool own = what == Holds::All || machine_.route().owner(ChunkId{c}) == GpuId{gpu};
      if (own) tiles.push_back(output.tiling.chunk(ChunkId{c}));
    }
    compareOutput(memoryOf(machine_.node(gpu)), output.layout.gathered(), output.tiling,
                  result[result.size() == 1 ? 0 : gpu], tiles, verification_);
  }
}

const std::vector<CheckedData::Matrix>& CheckedData::resultOf(Round& data, std::uint32_t number) {
  Values& values = data[number];
  if (!values.result.empty()) return values.result;
  const OutputPlan& output = machine_.outputs()[number];
  const DataType type = machine_.config().workload.data_type;
  const std::vector<Matrix>* read = output.a ? &resultOf(data, *output.a) : nullptr;
  const auto a = [&](std::uint32_t gpu) -> const Matrix& {
    return read == nullptr ? values.operands[gpu].a : (*read)[read->size() == 1 ? 0 : gpu];
  };
  if (output.chunked() && gathersOnly(number)) {
    values.result = {ownChunks(values.operands, output)};
    return values.result;
  }
  if (output.chunked()) {
    std::vector<Operands> operands = values.operands;
    for (std::uint32_t g = 0; read != nullptr && g < operands.size(); ++g) operands[g].a = a(g);
    values.result = {sumOf(operands, output)};
    if (!values.residual.empty()) {
      values.result.front() =
          normReference(values.result.front(), values.residual, output.tiling.columns(), type);
    }
    return values.result;
  }
  const std::size_t different = read != nullptr && read->size() == 1 ? 1 : values.operands.size();
  for (std::uint32_t g = 0; g < different; ++g) {
    values.result.push_back(productReference(a(g), values.operands[g].b, output.depths[g], type));
  }
  return values.result;
}

/// Of a given output, whose parts are not summed.
bool CheckedData::gathersOnly(std::uint32_t output) const {
  return machine_.outputs()[output].given &&
         std::ranges::none_of(machine_.graph().nodes, [&](const GraphNode& node) {
           const auto* work = node.as<CollectiveWork>();
           return work != nullptr && work->output == output && !work->collective->gathers();
         });
}

/// Of each chunk what its owner has.
CheckedData::Matrix CheckedData::ownChunks(const std::vector<Operands>& operands,
                                           const OutputPlan& output) const {
  Matrix all(std::size_t{output.tiling.rows()} * output.tiling.columns());
  for (std::uint32_t g = 0; g < machine_.simulated(); ++g) {
    const Matrix part = productReference(operands[g].a, operands[g].b, output.depths[g],
                                         machine_.config().workload.data_type);
    for (std::uint32_t c = 0; c < output.tiling.chunks(); ++c) {
      if (machine_.route().owner(ChunkId{c}) != GpuId{g}) continue;
      for (const Segment& segment : segmentsOf(output.tiling, output.tiling.chunk(ChunkId{c}))) {
        const auto first = static_cast<std::ptrdiff_t>(segment.offset / sizeof part.front());
        std::copy_n(part.begin() + first, segment.bytes / sizeof part.front(), all.begin() + first);
      }
    }
  }
  return all;
}

CheckedData::Matrix CheckedData::sumOf(const std::vector<Operands>& operands,
                                       const OutputPlan& output) {
  const WorkloadConfig& work = machine_.config().workload;
  Matrix sums = ringReference(operands, output.tiling, work.data_type);
  if (!machine_.node(machine_.own().front()).hbm.statistics().dropped) return sums;
  const auto admitted = [&](GpuId gpu, WorkgroupId tile) {
    const GpuId owner = machine_.route().owner(output.tiling.chunkOf(tile));
    return machine_.node(owner.value).hbm.admitted(tile, gpu);
  };
  const Matrix all =
      std::exchange(sums, ringReference(operands, output.tiling, work.data_type, admitted));
  const double scale = static_cast<double>(machine_.gpus()) / work.contributions;
  verification_.left_out_error = relativeError(sums, scale, all, work.data_type);
  return sums;
}

}  // namespace t3
