// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/output_plan.h"

#include <algorithm>
#include <utility>

#include "tlm/gpu/tiling.h"
#include "tlm/node/system_config.h"

namespace t3 {
namespace {

constexpr std::uint64_t kReceiveAlignment = std::uint64_t{1} << 20;

/// Operands and buffers of one output behind `next`, which moves.
MemoryLayout layoutOf(const SystemConfig& config, const OutputShape& shape, const Tiling& tiling,
                      const Route& route, const std::vector<OutputPlan>& before,
                      std::uint64_t& next) {
  const auto place = [&](std::uint64_t bytes) {
    return std::exchange(next, alignUp(next + bytes, config.bufferAlignment()));
  };
  MemoryLayout layout;
  if (shape.a) {
    layout.operandA = before[*shape.a].layout.gathered();
    layout.operandPitchBytes = before[*shape.a].tiling.pitchBytes();
  } else if (!shape.given) {
    const std::uint64_t depth = std::ranges::max(shape.depths);
    layout.operandPitchBytes =
        alignUp(depth * tiling.elementBytes(), config.gpu.gemm.operand_pitch_align_bytes);
    layout.operandA = place(layout.operandPitchBytes * tiling.rows());
  }
  if (!shape.given) layout.operandB = place(layout.operandPitchBytes * tiling.columns());
  layout.output = place(tiling.outputBytes());
  if (shape.chunked) {
    std::uint64_t chunkBytes = 0;
    for (std::uint32_t c = 0; c < tiling.chunks(); ++c) {
      chunkBytes = std::max(chunkBytes, tiling.chunkBytes(ChunkId{c}));
    }
    layout.receiveStrideBytes = alignUp(chunkBytes, kReceiveAlignment);
    layout.receive = place(layout.receiveStrideBytes * receivedChunks(route));
    layout.accumulation = place(tiling.outputBytes());
  }
  if (shape.normed) {
    layout.residual = place(tiling.outputBytes());
    layout.normed = place(tiling.outputBytes());
  }
  layout.end = next;
  return layout;
}

}  // namespace

std::uint32_t OutputPlan::mostDepth() const { return std::ranges::max(depths); }

Areas OutputPlan::areas(ChunkId chunk, OutputBuffer buffer) const {
  Areas list;
  for (const Segment& segment : segmentsOf(tiling, tiling.chunk(chunk))) {
    list.emplace_back(layout.base(buffer) + segment.offset, segment.bytes);
  }
  return list;
}

Tiling tilingOf(const SystemConfig& config, const OutputShape& shape, std::uint32_t chunks) {
  const GemmConfig& gemm = config.gpu.gemm;
  // A command's block of tiles is of one chunk, and so is a row that a norm needs whole.
  const std::uint32_t across = (shape.columns + gemm.tile_columns - 1) / gemm.tile_columns;
  const std::uint32_t unit = shape.normed ? across : 1U << config.tracker.block_log2;
  return {{shape.rows, shape.columns, bytesOf(config.workload.data_type)},
          {gemm.tile_rows, gemm.tile_columns, gemm.wavefronts},
          shape.chunked ? chunks : 1,
          shape.chunked ? unit : 1};
}

std::vector<OutputPlan> planOutputs(const SystemConfig& config,
                                    const std::vector<OutputShape>& shapes, const Route& route) {
  std::vector<OutputPlan> plans;
  std::uint64_t next = 0;
  for (const OutputShape& shape : shapes) {
    const Tiling tiling = tilingOf(config, shape, route.chunks());
    const MemoryLayout layout = layoutOf(config, shape, tiling, route, plans, next);
    plans.push_back({tiling, layout, shape.depths, shape.a, shape.given});
  }
  return plans;
}

}  // namespace t3
