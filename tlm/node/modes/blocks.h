// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/node/graph.h"
#include "tlm/node/system_config.h"

namespace t3 {

// Of what the graphs of modes are made.

NodeId addGemm(Graph& graph, const GemmWork& work = {}, std::uint32_t part = 0);
NodeId addNorm(Graph& graph, std::uint32_t part = 0);
NodeId addKernels(Graph& graph, const Collective& collective, std::uint32_t part = 0);
NodeId addTracked(Graph& graph, const Collective& collective, std::uint32_t part = 0);
NodeId addConsumer(Graph& graph,
                   const GemmWork& work = {.output = 1, .reads = 0, .arbitrated = false},
                   std::uint32_t part = 0);

/// What follows, kernel after kernel, where the scenario has it: a norm and then `gather`, and the
/// consumer. The first of them begins after the end of all that are named by `reduced`.
void gatherAndConsume(Graph& graph, const SystemConfig& config,
                      std::initializer_list<NodeId> reduced, const Collective& gather);

/// Kernels one after the other on each GPU: the GEMM, and then `collectives`, a reduce-scatter and
/// an all-gather (with a norm in between, if there is one) or one that is both. GPUs meet only
/// through the data that the collective kernels wait for.
Graph inTurnGraph(const SystemConfig& config, Collectives collectives);

/// The reduce-scatter happens while the GEMM runs, driven by the trackers; the all-gather kernels
/// follow.
Graph fusedGraph(const SystemConfig& config);
/// What the tracker lacks for it.
std::optional<std::string> checkFused(const SystemConfig& config, std::uint32_t number);

}  // namespace t3
