// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>

#include "tlm/node/graph.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// Reads the file `fabric.links`, if the scenario has one, into its `fabric.graph`: a topology of
/// TACCL (docs/fabric.md), for as many whole nodes as there are GPUs for. Throws ConfigError.
void readLinksFile(SystemConfig& scenario);

/// K of the products that stand in given outputs with checked data.
inline constexpr std::uint32_t kGivenDepth = 4;

/// Reads a graph of kernels (docs/graphs.md) for the GPUs of a scenario. Throws ConfigError.
Graph readGraphFile(const std::string& path, const SystemConfig& scenario);

/// JSON Schema of such a file.
boost::json::object graphSchema();

/// The name of an output: that of the file, else the one that `graphFileOf` gives it.
std::string outputName(const Graph& graph, std::uint32_t output);

/// What such a file says of a graph. Requires a graph of one part.
std::string graphFileOf(const Graph& graph);
/// The same as a picture, for Graphviz's dot.
std::string graphPictureOf(const Graph& graph);

}  // namespace t3
