// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "testbench/workload/workload.h"

namespace t3 {

/// The layer of a model that a node's name says, as scripts/workload and PyTorch name them: 3 of
/// "layer3.fc2", "model.layers.3.mlp" and "h.3.attn".
std::optional<std::uint64_t> layerOf(const std::string& name);

/// The nodes of the first layers of a trace: those of later layers are left out, and so are nodes
/// without a layer for which one of these is needed. What waited for a node that is left out waits
/// for what that waited for. Throws ConfigError if no name says a layer.
TraceFile firstLayers(const GpuTrace& trace, std::uint32_t layers);

}  // namespace t3
