// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/report/point.h"
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
/// bandwidth) plus a launch. GEMMs sustain the share of the peak that the simulated kernel's inner
/// loop does (`GemmConfig::sustainedShare`), streams 92 % of the memory's peak
/// (docs/measurements/memory-bandwidth.md). All data are fp16. Fused attention costs 2.5 times as
/// much backward as forward. Unfused attention keeps its scores for the backward pass, and its
/// dropout has a mask of a byte per element. Norms, residuals and dropout are not sliced;
/// activations are kept. Adam with fp32 master weights and moments moves 28 bytes per parameter.
RestOfLayer restOfLayer(const SystemConfig& gpu, const LayerShape& layer,
                        Attention attention = Attention::Fused);

/// Published sequence length of the evaluated models; 2048 for others.
double sequenceLength(const std::string& model);
/// Published number of attention heads of the evaluated models; one for each 128 of `hidden` for
/// others.
double attentionHeads(const std::string& model, double hidden);

/// A model at a tensor-parallel degree, all layers.
struct EndToEnd {
  std::string model;
  std::uint32_t gpus = 0;
  std::uint32_t layers = 0;
  struct Phase {
    double sequential_ms = 0;
    double rest_ms = 0;  ///< of it, what is not an all-reduced sublayer
    double speedup_t3 = 0, speedup_t3_mca = 0;
  };
  Phase training, prompt;                  ///< with fused attention
  Phase training_unfused, prompt_unfused;  ///< the same where attention is not fused
};

BOOST_DESCRIBE_STRUCT(EndToEnd::Phase, (), (sequential_ms, rest_ms, speedup_t3, speedup_t3_mca))
BOOST_DESCRIBE_STRUCT(EndToEnd, (),
                      (model, gpus, layers, training, prompt, training_unfused, prompt_unfused))

std::vector<EndToEnd> endToEnd(const std::vector<PointResult>& points);

}  // namespace t3
