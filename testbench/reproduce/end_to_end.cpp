// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/end_to_end.h"

#include <algorithm>
#include <map>
#include <utility>

#include "testbench/presets/presets.h"

namespace t3 {
namespace {

constexpr double kElement = 2;  // bytes of fp16
constexpr double kStreamShare = 0.92;

/// Adds up the times of kernels.
class Roofline {
 public:
  explicit Roofline(const SystemConfig& config)
      : macsPerNs_(config.gpu.compute_units * config.gpu.gemm.macs_per_cu_per_cycle *
                   config.gpu.gemm.sustainedShare() * config.gpu.clock_mhz * 1e-3),
        bytesPerNs_(config.hbm.peakBytesPerNs() * kStreamShare),
        launchNs_(config.gpu.kernel_launch_us * 1e3) {}

  void kernel(double macs, double bytes) {
    time_ += std::max(macs / macsPerNs_, bytes / bytesPerNs_) + launchNs_;
  }
  /// rows x columns = rows x depth times depth x columns.
  void gemm(double rows, double columns, double depth) {
    kernel(rows * columns * depth, kElement * (rows * columns + rows * depth + columns * depth));
  }
  void stream(double elements) { kernel(0, elements * kElement); }
  double time() const { return time_; }

 private:
  const double macsPerNs_, bytesPerNs_, launchNs_;
  double time_ = 0;
};

double milliseconds(const RunRecord& run) { return static_cast<double>(run.result.time_ps) * 1e-9; }

/// Times of one model at one degree, per layer.
struct LayerTimes {
  std::map<std::string, std::map<std::string, double>> sublayer;  ///< ms, by mode
  const Point* any = nullptr;
};

double sum(const LayerTimes& times, Mode mode, std::initializer_list<const char*> sublayers) {
  double total = 0;
  for (const char* name : sublayers) total += times.sublayer.at(name).at(mode.kind->name);
  return total;
}

bool complete(const LayerTimes& times) {
  return times.sublayer.size() == 4 && std::ranges::all_of(times.sublayer, [](const auto& entry) {
           return entry.second.size() == 3;
         });
}

}  // namespace

RestOfLayer restOfLayer(const SystemConfig& gpu, const LayerShape& layer, Attention attention) {
  const double t = layer.tokens, h = layer.hidden, slice = h / layer.degree;
  const double attentionMacs = 2 * t * layer.sequence * slice;  // scores, and their product with V
  const double activations = t * h, inner = 4 * t * slice;
  // Of unfused attention: scores of the GPU's heads, and GEMMs that make or read them.
  const double scores = layer.heads / layer.degree * t * layer.sequence;
  const auto scoreGemms = [&](Roofline& kernels, int count) {
    for (int i = 0; i < count; ++i) {
      kernels.kernel(attentionMacs / 2, kElement * (scores + 2 * t * slice));
    }
  };

  Roofline forward(gpu);
  forward.gemm(t, 3 * slice, h);  // query, key, value
  if (attention == Attention::Fused) {
    forward.kernel(attentionMacs, kElement * 4 * t * slice);  // reads Q, K, V, writes one
  } else {
    scoreGemms(forward, 2);
    for (const double passes : {2.0, 2.0, 2.5}) forward.stream(passes * scores);
  }
  forward.gemm(t, 4 * slice, h);                                // FC-1
  forward.stream(2 * inner);                                    // GELU
  for (int i = 0; i < 2; ++i) forward.stream(2 * activations);  // norms
  for (int i = 0; i < 2; ++i) forward.stream(3 * activations);  // dropout and residual

  constexpr double kAttentionBackward = 2.5;
  Roofline backward(gpu);
  backward.gemm(t, 4 * slice, h);                    // FC-2, gradient of its input
  backward.gemm(t, slice, h);                        // OP, gradient of its input
  for (const double width : {3.0, 1.0, 4.0, 4.0}) {  // gradients of all weights
    backward.gemm(width * slice, h, t);
  }
  if (attention == Attention::Fused) {
    backward.kernel(kAttentionBackward * attentionMacs, kElement * 8 * t * slice);
  } else {
    scoreGemms(backward, 4);
    // Dropout with its mask, softmax with its output, scaling.
    for (const double passes : {2.5, 3.0, 2.0}) backward.stream(passes * scores);
  }
  backward.stream(3 * inner);                                    // GELU
  for (int i = 0; i < 2; ++i) backward.stream(3 * activations);  // norms
  for (int i = 0; i < 2; ++i) backward.stream(3 * activations);  // dropout and residual
  constexpr double kWeights = 12, kAdamBytes = 28;
  backward.kernel(0, kWeights * h * slice * kAdamBytes);
  return {forward.time(), backward.time()};
}

double sequenceLength(const std::string& model) {
  return model == "Mega-GPT-2" || model == "T-NLG" ? 1024 : 2048;
}

double attentionHeads(const std::string& model, double hidden) {
  static const std::map<std::string, double> kPublished = {
      {"Mega-GPT-2", 24}, {"T-NLG", 28}, {"GPT-3", 96}, {"PALM", 48}, {"MT-NLG", 128}};
  const auto found = kPublished.find(model);
  return found != kPublished.end() ? found->second : hidden / 128;
}

std::vector<EndToEnd> endToEnd(const std::vector<PointResult>& points) {
  std::vector<std::pair<std::string, std::uint32_t>> order;
  std::map<std::pair<std::string, std::uint32_t>, LayerTimes> models;
  for (const PointResult& result : points) {
    if (result.point.part != "end-to-end") continue;
    const SystemConfig& scenario = result.point.scenario;
    const std::pair key(scenario.workload.model, scenario.gpus);
    if (!models.contains(key)) order.push_back(key);
    LayerTimes& times = models[key];
    times.any = &result.point;
    for (const Mode mode : {Mode::Sequential, Mode::T3, Mode::T3Mca}) {
      if (const RunRecord* run = result.run(mode)) {
        times.sublayer[scenario.workload.sublayer][mode.kind->name] = milliseconds(*run);
      }
    }
  }
  std::vector<EndToEnd> list;
  for (const auto& key : order) {
    const LayerTimes& times = models.at(key);
    if (!complete(times)) continue;
    const Preset& preset = *findPreset(times.any->preset);
    const WorkloadConfig& work = preset.config.workload;
    const double hidden = preset.hidden;
    // The output is T x H, whichever of the two is its outer dimension.
    const double tokens = static_cast<double>(work.rows) * work.columns / hidden;
    const LayerShape shape{tokens, hidden, sequenceLength(key.first), double(key.second),
                           attentionHeads(key.first, hidden)};
    EndToEnd model{key.first, key.second, preset.layers, {}, {}, {}, {}};
    const auto fill = [&](EndToEnd::Phase& phase, double restMs,
                          std::initializer_list<const char*> sublayers) {
      const double layers = preset.layers;
      const double before = sum(times, Mode::Sequential, sublayers) + restMs;
      phase.sequential_ms = layers * before;
      phase.rest_ms = layers * restMs;
      phase.speedup_t3 = before / (sum(times, Mode::T3, sublayers) + restMs);
      phase.speedup_t3_mca = before / (sum(times, Mode::T3Mca, sublayers) + restMs);
    };
    const auto fillBoth = [&](Attention attention, EndToEnd::Phase& training,
                              EndToEnd::Phase& prompt) {
      const RestOfLayer rest = restOfLayer(times.any->scenario, shape, attention);
      fill(prompt, rest.forward_ns * 1e-6, {"OP", "FC-2"});
      fill(training, (rest.forward_ns + rest.backward_ns) * 1e-6, {"OP", "FC-2", "FC-1", "IP"});
    };
    fillBoth(Attention::Fused, model.training, model.prompt);
    fillBoth(Attention::Unfused, model.training_unfused, model.prompt_unfused);
    list.push_back(model);
  }
  return list;
}

}  // namespace t3
