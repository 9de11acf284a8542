// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/node/graph.h"
#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// A transformer's sizes. A layer is attention (query, key and value in one GEMM; the output
/// projection) and a gated feed-forward network (gate and up in one GEMM; down), each between a
/// norm and an all-reduce.
struct TransformerModel {
  const char* name;
  std::uint32_t layers, hidden, heads, keyValueHeads, headSize, feedForward;
};

/// What of a model's all-reduces runs beside what.
enum class Schedule : std::uint8_t {
  Dense,   ///< each block waits for the all-reduce of the one before
  Ladder,  ///< for the one before that: the residual stream lacks one all-reduce
  None,    ///< there are no all-reduces
  Halves   ///< two halves of the tokens take turns: one computes while the other reduces
};
BOOST_DESCRIBE_ENUM(Schedule, Dense, Ladder, None, Halves)

/// The prefill of a model, as `workload.graph` names it: MODEL/SCHEDULE/TOKENS[/SEQUENCE].
struct ModelRun {
  const TransformerModel* model = nullptr;
  Schedule schedule = Schedule::Dense;
  std::uint32_t tokens = 0;
  std::uint32_t sequence = 0;  ///< tokens of a sequence, which attend to one another

  /// Empty if `word` does not begin with the name of a model and a slash; throws ConfigError if the
  /// rest is wrong.
  static std::optional<ModelRun> named(const std::string& word);

  /// Of an all-reduce.
  std::uint64_t summedBytes(DataType type) const;
};

std::vector<std::string> modelNames();

/// The layers that are simulated if `trace.layers` does not say: from the second to the third
/// stands for all others.
inline constexpr std::uint32_t kModelLayers = 3;

/// The first layers of a prefill, tensor-parallel on all GPUs. Norms, attention and activations are
/// delays at the rates of the machine, scaled by `trace.peak_share` and `trace.bandwidth_share`.
/// Throws ConfigError if the model cannot be cut so.
FileGraphs modelGraphs(const ModelRun& run, const SystemConfig& scenario);

/// The time of all layers, from those that ran. Requires nodes of `modelGraphs`.
double prefillNs(const ModelRun& run, const RunResult& result);

}  // namespace t3
