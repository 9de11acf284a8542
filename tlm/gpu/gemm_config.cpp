// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gemm_config.h"

#include <array>
#include <cmath>

namespace t3 {

std::span<const FieldInfo> GemmConfig::fields() {
  static constexpr std::array kFields{
      FieldInfo{"tile_rows", "elements", 1, 1024,
                "rows of a workgroup's output tile; 128 x 128 is what fp16 GEMM libraries choose "
                "for large outputs"},
      FieldInfo{"tile_columns", "elements", 1, 1024, "columns of a workgroup's output tile"},
      FieldInfo{"wavefronts", "", 1, 16,
                "wavefronts of a workgroup, each storing a band of full tile rows; 8 as in the "
                "paper's tracker table"},
      FieldInfo{"k_step", "elements", 1, 4096,
                "depth of one K iteration; 64 fp16 elements are one 128 B line per operand row"},
      FieldInfo{
          "load_stages", "", 1, 16,
          "K iterations whose operands a workgroup can hold; 2 is double buffering: one being "
          "multiplied, one being loaded (2 x 32 KB fit the local memory of one CU)"},
      FieldInfo{"workgroups_per_cu", "", 1, 16,
                "workgroups resident on a CU; 1 because the accumulators of a 128 x 128 tile and "
                "two load stages fill a CU"},
      FieldInfo{"macs_per_cu_per_cycle", "multiply-adds per cycle", 1, 65536,
                "fp16 peak of one CU (assumption: 512; 80 CUs at 1.4 GHz are 115 TFLOP/s)"},
      FieldInfo{"issue_efficiency", "", 0.01, 1,
                "share of its cycles in which the matrix unit works while a workgroup multiplies "
                "operands that it has; the rest goes to instructions that do not issue and to "
                "local memory that is busy. With step_sync_cycles 0.93 of the peak: what rocBLAS "
                "(MI100) and cuBLAS (V100) keep as K grows (docs/gpu.md)"},
      FieldInfo{"step_sync_cycles", "cycles", 0, 100000,
                "between the operands of a K step and its first multiplication: they are written "
                "to local memory, the wavefronts meet, and read their first fragments. Two "
                "accesses of 20 cycles (gpgpu_smem_latency of Accel-Sim's V100); another "
                "workgroup of the compute unit may use the matrix unit meanwhile"},
      FieldInfo{"load_bytes_per_cu_per_cycle", "bytes per cycle", 1, 4096,
                "width of a CU's fill path from the L2 (assumption: 64, one L1 line or half of one "
                "per cycle in current CUs)"},
      FieldInfo{"store_bytes_per_cu_per_cycle", "bytes per cycle", 1, 4096,
                "what a CU stores of its output. The epilogue passes through local memory: an "
                "accumulator of 4 B is written and read again for 2 B stored, at 128 B per cycle "
                "(32 banks of 4 B)"},
      FieldInfo{"outstanding_load_bytes_per_cu", "bytes", 128, 1 << 24,
                "operand bytes a CU may have requested and not received; the default is two full "
                "load stages of the default tile, so the load buffers are what limits it"},
      FieldInfo{"operand_pitch_align_bytes", "bytes", 1, 65536,
                "operand rows are padded to a multiple of this, as GEMM libraries recommend; 256 "
                "keeps every fetch of `l2.fetch_bytes` inside one row"},
      FieldInfo{"workgroup_order", "", 0, 0,
                "order of the tiles inside a chunk; swizzled reads least from memory on the "
                "presets (docs/gpu.md)"},
      FieldInfo{
          "swizzle_rows", "tile rows", 0, 4096,
          "height of a swizzled band. One height for every mode, because T3 runs the "
          "baseline's kernel; 8, because 80 compute units then make waves of 8 x 10 tiles, the "
          "squarest. 0 tunes it at each launch, so that the baseline, which needs no chunk "
          "before another, may choose another order than t3 (docs/gpu.md)"},
      FieldInfo{"serpentine", "", 0, 0,
                "every second band of tile rows runs from the right to the left, so that it starts "
                "with the columns of B that the L2 still holds"},
      FieldInfo{"slab_rows", "tile rows", 0, 4096,
                "a kernel that produces chunk by chunk produces so many rows of every chunk, then "
                "the next rows of every chunk, so that the first ones are final early. 0: one "
                "chunk after the other; t3-ag then takes 1 (docs/all-gather.md)"},
      FieldInfo{"chunks_side_by_side", "chunks", 0, 1024,
                "chunks of a ring that t3 produces side by side, a workgroup of each in turn, so "
                "that a band spans them. 0: as many as are as high as a band, if that at least "
                "halves the operand reads; else 1. With slab_rows 1 keeps bands inside a chunk, "
                "any other number is like 0 (docs/gpu.md)"},
  };
  return kFields;
}

std::uint64_t GemmConfig::mathCycles(std::uint32_t k) const {
  const double macs = static_cast<double>(tile_rows) * tile_columns * k;
  return static_cast<std::uint64_t>(std::ceil(macs / (macs_per_cu_per_cycle * issue_efficiency)));
}

std::uint64_t GemmConfig::tileCycles(std::uint32_t depth) const {
  const std::uint32_t whole = depth / k_step;
  const std::uint32_t rest = depth % k_step;
  std::uint64_t cycles = whole * mathCycles(k_step) + (rest != 0 ? mathCycles(rest) : 0);
  if (workgroups_per_cu == 1) cycles += std::uint64_t{whole + (rest != 0)} * step_sync_cycles;
  return cycles;
}

double GemmConfig::sustainedShare() const {
  const double macs = static_cast<double>(tile_rows) * tile_columns * k_step;
  return macs / (macs_per_cu_per_cycle * static_cast<double>(tileCycles(k_step)));
}

std::optional<std::string> GemmConfig::check() const {
  if (wavefronts > tile_rows) return "wavefronts: expected at most tile_rows";
  return std::nullopt;
}

std::span<const FieldInfo> L2Config::fields() {
  static constexpr std::array kFields{
      FieldInfo{"model", "", 0, 0,
                "block: hit rates from the distance of reuse, block by block, fast; line: every "
                "line of every set, least recently used leaves; they agree within a point"},
      FieldInfo{"capacity_bytes", "bytes", 1 << 16, 1ull << 32, "data capacity (paper: 16 MB)"},
      FieldInfo{"ways", "", 1, 64,
                "associativity (paper: 16); sets are chosen by a hash of the address"},
      FieldInfo{"banks", "", 1, 1024,
                "banks that serve requests side by side; with bank_bytes_per_cycle the bandwidth "
                "(assumption: 64)"},
      FieldInfo{"line_bytes", "bytes", 32, 1024, "line; the unit of the hit counters"},
      FieldInfo{"fetch_bytes", "bytes", 32, 4096,
                "what a miss brings in of an operand row: two lines, as the 256 B prefetch size "
                "of PTX's ld.global.L2::256B"},
      FieldInfo{"hit_latency_ns", "ns", 0, 10000,
                "CU to L2 and back (193 cycles at 1.38 GHz measured on a V100: Jia et al., "
                "arXiv 1804.06826)"},
      FieldInfo{"bank_bytes_per_cycle", "bytes per cycle", 1, 4096,
                "bandwidth of one bank at the GPU clock; 64 x 32 are the 2048 B per cycle of a "
                "V100 (3133 GB/s at 1.53 GHz: doi 10.1016/j.ultsonch.2023.106546, table 3)"},
      FieldInfo{"outstanding_fetches_per_bank", "", 1, 65536,
                "misses a bank can have in flight; 64 x 64 x 256 B cover 1 us of a 1 TB/s memory "
                "(assumption)"},
  };
  return kFields;
}

std::optional<std::string> L2Config::check() const {
  if (fetch_bytes % line_bytes != 0) return "fetch_bytes: expected a multiple of line_bytes";
  if (capacity_bytes % (std::uint64_t{line_bytes} * ways) != 0) {
    return "capacity_bytes: expected whole sets, a multiple of line_bytes x ways = " +
           std::to_string(std::uint64_t{line_bytes} * ways);
  }
  return std::nullopt;
}

}  // namespace t3
