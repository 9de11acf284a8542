// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/transport/field_info.h"

namespace t3 {

/// The order in which the tiles of one chunk are dispatched (gemm_order.h). Ids name tiles,
/// whatever the order.
enum class WorkgroupOrder : std::uint8_t {
  RowMajor,     ///< along each tile row
  ColumnMajor,  ///< down each tile column of the chunk
  Swizzled      ///< column-major inside bands of `swizzle_rows` tile rows
};
BOOST_DESCRIBE_ENUM(WorkgroupOrder, RowMajor, ColumnMajor, Swizzled)

/// The GEMM kernel and the compute units it runs on.
struct GemmConfig {
  std::uint32_t tile_rows = 128;
  std::uint32_t tile_columns = 128;
  std::uint32_t wavefronts = 8;
  std::uint32_t k_step = 64;
  std::uint32_t load_stages = 2;
  std::uint32_t workgroups_per_cu = 1;
  std::uint32_t macs_per_cu_per_cycle = 512;
  double issue_efficiency = 0.95;
  std::uint32_t step_sync_cycles = 40;
  std::uint32_t load_bytes_per_cu_per_cycle = 64;
  std::uint32_t store_bytes_per_cu_per_cycle = 32;
  std::uint32_t outstanding_load_bytes_per_cu = 65536;
  std::uint32_t operand_pitch_align_bytes = 256;
  WorkgroupOrder workgroup_order = WorkgroupOrder::Swizzled;
  std::uint32_t swizzle_rows = 8;
  bool serpentine = false;
  std::uint32_t slab_rows = 0;
  std::uint32_t chunks_side_by_side = 0;

  /// Cycles of the matrix unit for one K step of depth `k`. Tiles at the edge of the output take as
  /// long as others, because matrix instructions compute whole fragments.
  std::uint64_t mathCycles(std::uint32_t k) const;
  /// Cycles that one workgroup of depth `depth` cannot be faster than once its operands are there:
  /// its math, and, if nobody else uses the compute unit meanwhile, the start of each step.
  std::uint64_t tileCycles(std::uint32_t depth) const;
  /// What the inner loop sustains of the peak when no operand is late.
  double sustainedShare() const;

  static constexpr auto settings() {
    using C = GemmConfig;
    return std::tuple{
        T3_SETTING(tile_rows, "elements", 1, 1024,
                   "rows of a workgroup's output tile; 128 x 128 is what fp16 GEMM libraries "
                   "choose for large outputs"),
        T3_SETTING(tile_columns, "elements", 1, 1024, "columns of a workgroup's output tile"),
        T3_SETTING(wavefronts, "", 1, 16,
                   "wavefronts of a workgroup, each storing a band of full tile rows; 8 as in the "
                   "paper's tracker table"),
        T3_SETTING(k_step, "elements", 1, 4096,
                   "depth of one K iteration; 64 fp16 elements are one 128 B line per operand row"),
        T3_SETTING(load_stages, "", 1, 16,
                   "K iterations whose operands a workgroup can hold; 2 is double buffering: one "
                   "being multiplied, one being loaded (2 x 32 KB fit the local memory of one CU)"),
        T3_SETTING(workgroups_per_cu, "", 1, 16,
                   "workgroups resident on a CU; 1 because the accumulators of a 128 x 128 tile "
                   "and two load stages fill a CU"),
        T3_SETTING(macs_per_cu_per_cycle, "multiply-adds per cycle", 1, 65536,
                   "fp16 peak of one CU (assumption: 512; 80 CUs at 1.4 GHz are 115 TFLOP/s)"),
        T3_SETTING(issue_efficiency, "", 0.01, 1,
                   "share of its cycles in which the matrix unit works while a workgroup has "
                   "operands. With step_sync_cycles a GEMM reaches 0.93 of the peak, as rocBLAS "
                   "(MI100) and cuBLAS (V100) do for large K (docs/gpu.md)"),
        T3_SETTING(step_sync_cycles, "cycles", 0, 100000,
                   "from the arrival of a K step's operands to the first multiplication: a write "
                   "and a read of local memory, 20 cycles each (gpgpu_smem_latency of Accel-Sim's "
                   "V100). Another workgroup may use the matrix unit meanwhile"),
        T3_SETTING(load_bytes_per_cu_per_cycle, "bytes per cycle", 1, 4096,
                   "width of a CU's fill path from the L2 (assumption: 64, one L1 line or half of "
                   "one per cycle in current CUs)"),
        T3_SETTING(store_bytes_per_cu_per_cycle, "bytes per cycle", 1, 4096,
                   "what a CU stores of its output. The epilogue passes through local memory: an "
                   "accumulator of 4 B is written and read again for 2 B stored, at 128 B per "
                   "cycle (32 banks of 4 B)"),
        T3_SETTING(outstanding_load_bytes_per_cu, "bytes", 128, 1 << 24,
                   "operand bytes a CU may have requested and not received; the default is two "
                   "full load stages of the default tile, so the load buffers are what limits it"),
        T3_SETTING(operand_pitch_align_bytes, "bytes", 1, 65536,
                   "operand rows are padded to a multiple of this, as GEMM libraries recommend; "
                   "256 keeps every fetch of `l2.fetch_bytes` inside one row"),
        T3_SETTING(workgroup_order, "", 0, 0,
                   "order of the tiles inside a chunk; swizzled reads least from memory on the "
                   "presets (docs/gpu.md)"),
        T3_SETTING(swizzle_rows, "tile rows", 0, 4096,
                   "height of a swizzled band, the same in every mode, because T3 runs the "
                   "baseline's kernel; with 8 the 80 compute units make waves of 8 x 10 tiles. 0: "
                   "tuned at each launch, in each mode by itself (docs/gpu.md)"),
        T3_SETTING(serpentine, "", 0, 0,
                   "every second band of tile rows runs from the right to the left, so that it "
                   "starts with the columns of B that the L2 still holds"),
        T3_SETTING(slab_rows, "tile rows", 0, 4096,
                   "a kernel that produces chunk by chunk produces so many rows of every chunk, "
                   "then the next rows of every chunk, so that the first ones are final early. 0: "
                   "one chunk after the other; t3-ag then takes 1 (docs/all-gather.md)"),
        T3_SETTING(
            chunks_side_by_side, "chunks", 0, 1024,
            "chunks of a ring that t3 produces side by side, a workgroup of each in turn; 0: "
            "chosen by the operand reads (docs/gpu.md). If slab_rows is not 0, 1 keeps "
            "bands inside a chunk, and any other value means 0")};
  }
  std::optional<std::string> check() const;
};

/// The L2 between the compute units and the memory (l2_cache.h).
struct L2Config {
  std::uint64_t capacity_bytes = 16ull << 20;
  std::uint32_t ways = 16;
  std::uint32_t banks = 64;
  std::uint32_t line_bytes = 128;
  std::uint32_t fetch_bytes = 256;
  double hit_latency_ns = 140.0;
  std::uint32_t bank_bytes_per_cycle = 32;
  std::uint32_t outstanding_fetches_per_bank = 64;

  static constexpr auto settings() {
    using C = L2Config;
    return std::tuple{
        T3_SETTING(capacity_bytes, "bytes", 1 << 16, 1ull << 32, "data capacity (paper: 16 MB)"),
        T3_SETTING(ways, "", 1, 64,
                   "associativity (paper: 16); sets are chosen by a hash of the address"),
        T3_SETTING(banks, "", 1, 1024,
                   "banks that serve requests side by side; with bank_bytes_per_cycle the "
                   "bandwidth (assumption: 64)"),
        T3_SETTING(line_bytes, "bytes", 32, 1024, "line; the unit of the hit counters"),
        T3_SETTING(fetch_bytes, "bytes", 32, 4096,
                   "what a miss brings in of an operand row: two lines, as the 256 B prefetch size "
                   "of PTX's ld.global.L2::256B"),
        T3_SETTING(hit_latency_ns, "ns", 0, 10000,
                   "CU to L2 and back (193 cycles at 1.38 GHz measured on a V100: Jia et al., "
                   "arXiv 1804.06826)"),
        T3_SETTING(bank_bytes_per_cycle, "bytes per cycle", 1, 4096,
                   "bandwidth of one bank at the GPU clock; 64 x 32 are the 2048 B per cycle of a "
                   "V100 (3133 GB/s at 1.53 GHz: doi 10.1016/j.ultsonch.2023.106546, table 3)"),
        T3_SETTING(outstanding_fetches_per_bank, "", 1, 65536,
                   "misses a bank can have in flight; 64 x 64 x 256 B cover 1 us of a 1 TB/s "
                   "memory (assumption)")};
  }
  std::optional<std::string> check() const;
};

}  // namespace t3
