// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/collectives/route.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"

namespace t3 {

struct SystemConfig;

/// What a GEMM makes, or what is there at the begin, the same on every GPU but for K: output [rows
/// x columns] = A [rows x K] x B [columns x K]^T.
struct OutputShape {
  std::uint32_t rows = 0, columns = 0;  ///< as stored, in rows of whole bursts
  std::vector<std::uint32_t> depths;    ///< K of each GPU
  std::optional<std::uint32_t> a = {};  ///< the output, as gathered on every GPU, that is A
  bool chunked = true;                  ///< collectives work on it
  bool normed = false;                  ///< and a norm
  /// No GEMM makes it: every GPU has a part of its sums, or its own chunks, in memory at the begin.
  bool given = false;
  std::string name = {};  ///< in a graph from a file
};

/// Ranges of addresses, {address, bytes}.
using Areas = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// The same, as it is cut up, and where operands and all that has its shape lie.
struct OutputPlan {
  Tiling tiling;
  MemoryLayout layout;
  std::vector<std::uint32_t> depths;
  std::optional<std::uint32_t> a = {};
  bool given = false;

  std::uint32_t mostDepth() const;
  /// Those of a chunk in one of the buffers that have the shape of the output.
  Areas areas(ChunkId chunk, OutputBuffer buffer) const;
  /// Whether collectives work on it.
  bool chunked() const { return layout.accumulation != 0; }
};

/// One after the other in memory. An output that is another one's operand comes before it.
std::vector<OutputPlan> planOutputs(const SystemConfig& config,
                                    const std::vector<OutputShape>& shapes, const Route& route);
Tiling tilingOf(const SystemConfig& config, const OutputShape& shape, std::uint32_t chunks);

}  // namespace t3
