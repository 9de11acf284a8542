// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tlm/node/graph.h"
#include "tlm/node/system_config.h"

namespace t3 {

// What the graphs of modes are made of. The scenario has one output, number 0, which the consumer
// reads; `part` is GraphNode::part.

NodeId addGemm(Graph& graph, const GemmWork& work = {}, std::uint32_t part = 0);
NodeId addNorm(Graph& graph, std::uint32_t part = 0);
NodeId addKernels(Graph& graph, const Collective& collective, std::uint32_t part = 0);
NodeId addTracked(Graph& graph, const Collective& collective, std::uint32_t part = 0);
NodeId addConsumer(Graph& graph, bool arbitrated, std::uint32_t part = 0);

/// Adds the kernels that follow `reduced`, one after the other: a norm, if the scenario has one,
/// `gather`, and the consumer, if there is one.
void gatherAndConsume(Graph& graph, const SystemConfig& config,
                      std::initializer_list<NodeId> reduced, const Collective& gather);

/// Kernels one after the other on each GPU: the GEMM, and then `collectives`: a reduce-scatter and
/// an all-gather, with a norm in between if there is one, or one that is both. GPUs meet only
/// through the data that the collective kernels wait for.
Graph inTurnGraph(const SystemConfig& config, Collectives collectives);

/// Prepares the configuration for an all-gather that trackers drive beside a GEMM in slabs: slabs
/// of one row, a link that sends gathered data last, channels of the DMA engine, and blocks that
/// are large enough for the tracker's slots.
void configureForGather(SystemConfig& config, std::uint32_t number);

}  // namespace t3
