// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/transport/field_info.h"

namespace t3 {

/// The order in which the tiles of one chunk are dispatched (dispatch_order.h). Ids always name
/// tiles, whatever the order.
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

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(GemmConfig, (),
                      (tile_rows, tile_columns, wavefronts, k_step, load_stages, workgroups_per_cu,
                       macs_per_cu_per_cycle, issue_efficiency, step_sync_cycles,
                       load_bytes_per_cu_per_cycle, store_bytes_per_cu_per_cycle,
                       outstanding_load_bytes_per_cu, operand_pitch_align_bytes, workgroup_order,
                       swizzle_rows, serpentine, slab_rows, chunks_side_by_side))

/// How the contents of the L2 are kept (l2_model.h).
enum class L2ModelKind : std::uint8_t { Block, Line };
BOOST_DESCRIBE_ENUM(L2ModelKind, Block, Line)

/// The L2 between the compute units and the memory.
struct L2Config {
  L2ModelKind model = L2ModelKind::Block;
  std::uint64_t capacity_bytes = 16ull << 20;
  std::uint32_t ways = 16;
  std::uint32_t banks = 64;
  std::uint32_t line_bytes = 128;
  std::uint32_t fetch_bytes = 256;
  double hit_latency_ns = 140.0;
  std::uint32_t bank_bytes_per_cycle = 32;
  std::uint32_t outstanding_fetches_per_bank = 64;

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(L2Config, (),
                      (model, capacity_bytes, ways, banks, line_bytes, fetch_bytes, hit_latency_ns,
                       bank_bytes_per_cycle, outstanding_fetches_per_bank))

}  // namespace t3
