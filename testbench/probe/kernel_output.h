// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tlm/node/graph.h"

namespace t3 {

/// The output that the GEMM of a model, "gpu3.gpu.gemm", makes; none of other models.
inline std::optional<std::uint32_t> outputMadeBy(const std::string& model, const Graph& graph) {
  for (NodeId n = 0; n < graph.nodes.size(); ++n) {
    const auto* gemm = graph.nodes[n].as<GemmWork>();
    if (gemm != nullptr && model.ends_with(".gpu." + graph.modelName(n))) return gemm->output;
  }
  return std::nullopt;
}

}  // namespace t3
