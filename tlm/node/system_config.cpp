// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <stdexcept>

#include "tlm/gpu/tiling.h"
#include "tlm/node/system.h"

namespace t3 {

std::span<const FieldInfo> WorkloadConfig::fields() {
  static constexpr std::array<FieldInfo, 6> kFields{{
      {"model", "", 0, 0, "model the sublayer belongs to; a label in reports"},
      {"sublayer", "", 0, 0, "OP, FC-2, FC-1 or IP; a label in reports"},
      {"rows", "elements", 1, 1 << 20,
       "rows of the output: tokens T (t3-facts: assumption per model)"},
      {"columns", "elements", 1, 1 << 20, "columns of the output: hidden size H (published)"},
      {"depth", "elements", 1, 1 << 22, "K of one GPU after slicing, e.g. 4H/N for FC-2"},
      {"data_type", "", 0, 0, "element type of operands and output (the paper's is fp16)"},
  }};
  return kFields;
}

std::optional<std::string> WorkloadConfig::check() const {
  if (std::uint64_t{columns} * bytesOf(data_type) % 32 != 0) {
    return "columns: expected a row of a whole number of 32-byte bursts, got " +
           std::to_string(std::uint64_t{columns} * bytesOf(data_type)) + " bytes";
  }
  return std::nullopt;
}

std::span<const FieldInfo> SystemConfig::fields() {
  static constexpr std::array<FieldInfo, 4> kFields{{
      {"gpus", "", 2, 64, "GPUs in the ring: the tensor-parallel degree N"},
      {"seed", "", 0, 9007199254740991.0, "of the operand values; only checked data depends on it"},
      {"data", "", 0, 0,
       "elided moves sizes only; checked moves real values and compares every GPU's result with a "
       "reference sum; both take the same simulated time"},
      {"watchdog_us", "us", 1, 1e9,
       "simulated time without any progress after which a run ends with a report and exit 1"},
  }};
  return kFields;
}

std::optional<std::string> SystemConfig::check() const {
  const GemmConfig& gemm = gpu.gemm;
  try {
    const Tiling tiling(workload.rows, workload.columns, bytesOf(workload.data_type),
                        gemm.tile_rows, gemm.tile_columns, gemm.wavefronts, gpus);
    if (tiling.tiles() > tracker.command_slots << tracker.block_log2) {
      return "tracker.command_slots: expected at least one slot for each block of tiles, " +
             std::to_string((tiling.tiles() >> tracker.block_log2) + 1) + ", got " +
             std::to_string(tracker.command_slots);
    }
    if (tiling.chunk(ChunkId{0}).count % (1U << tracker.block_log2) != 0) {
      return "tracker.block_log2: expected blocks that divide a chunk of " +
             std::to_string(tiling.chunk(ChunkId{0}).count) + " tiles, got " +
             std::to_string(1U << tracker.block_log2) + " tiles";
    }
  } catch (const std::invalid_argument& problem) {
    return std::string("gpus: expected a number of GPUs that divides the output's tiles, but ") +
           problem.what();
  }
  if (data == DataMode::Checked && bytesOf(workload.data_type) != 2) {
    return "workload.data_type: expected fp16 or bf16 with data = checked";
  }
  return std::nullopt;
}

}  // namespace t3
