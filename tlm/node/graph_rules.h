// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tlm/node/graph.h"

namespace t3 {

/// What is wrong with a graph, in a line that names its nodes; nothing if it can run. It can if
///
/// * no node waits for itself;
/// * every output is made by one GEMM, or given, reduced and gathered at most once each, in that
///   order, with its norm between them, and whoever reads it waits until it is there;
/// * trackers sum what GEMMs make; of a given output they do nothing;
/// * rows and chunks come from a node that makes them: chunks of a GEMM for a reduce-scatter of its
///   output, and of sums for an all-gather by trackers; rows of sums for the norm, and of what is
///   gathered for a GEMM that reads it;
/// * one node works on the rows of another; on those that kernels gather, it waits for what these
///   kernels wait for; a norm works row by row only if trackers send its rows on;
/// * a collective by trackers that waits for chunks waits for nothing else: it begins with the
/// first
///   of them; a GEMM that makes chunks in their order waits for no rows;
/// * a tracker that turns from one tracking to the next never waits for a GEMM of a later one.
std::optional<std::string> problemOf(const Graph& graph);

}  // namespace t3
