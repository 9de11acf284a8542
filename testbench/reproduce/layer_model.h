// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tlm/node/system_config.h"

namespace t3 {

/// A Transformer layer as one GPU of a tensor-parallel group sees it.
struct LayerShape {
  double tokens = 0;    ///< T, batch x sequence
  double hidden = 0;    ///< H
  double sequence = 0;  ///< tokens that attend to one another
  double degree = 0;    ///< N, tensor-parallel GPUs
  double heads = 0;     ///< of attention, on all N
};

/// How attention is computed.
enum class Attention : std::uint8_t {
  Fused,   ///< one kernel, whose scores stay on chip
  Unfused  ///< GEMMs, scaling with mask, softmax and dropout by themselves, scores in memory
};

/// Time of one layer without the sublayers that end in an all-reduce (those are simulated).
struct RestOfLayer {
  double forward_ns = 0;
  double backward_ns = 0;  ///< gradients of inputs and weights, and the optimizer's step
};

/// Roofline model of the rest: each kernel takes max(operations / sustained rate, bytes / sustained
/// bandwidth) plus a launch. Assumptions, all stated in docs/evaluation.md: GEMMs sustain
/// of the peak what the simulated kernel's inner loop does (`GemmConfig::sustainedShare`), streams
/// 92% of the memory's peak (docs/measurements/memory-bandwidth.md); fp16; fused
/// attention costs 2.5 times as much backward as forward; unfused attention keeps its scores for
/// the backward pass, and its dropout has a mask of a byte per element; norms, residuals and
/// dropout are not sliced; activations are kept, not recomputed; Adam with fp32 master weights and
/// moments moves 28 bytes per parameter.
RestOfLayer restOfLayer(const SystemConfig& gpu, const LayerShape& layer,
                        Attention attention = Attention::Fused);

/// Published sequence length of the evaluated models; 2048 for others.
double sequenceLength(const std::string& model);
/// Published number of attention heads of the evaluated models; one for each 128 of `hidden` for
/// others.
double attentionHeads(const std::string& model, double hidden);

}  // namespace t3
