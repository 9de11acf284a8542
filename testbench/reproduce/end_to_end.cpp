// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/end_to_end.h"

#include <algorithm>
#include <map>
#include <utility>

#include "testbench/presets/presets.h"
#include "testbench/reproduce/layer_model.h"

namespace t3 {
namespace {

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
      phase.t3 = before / (sum(times, Mode::T3, sublayers) + restMs);
      phase.t3_mca = before / (sum(times, Mode::T3Mca, sublayers) + restMs);
    };
    const auto fillBoth = [&](Attention attention, EndToEnd::Phase& training,
                              EndToEnd::Phase& prompt) {
      const RestOfLayer rest = restOfLayer(times.any->scenario, shape, attention);
      fill(prompt, rest.forward_ns * 1e-6, {"OP", "FC-2"});
      fill(training, (rest.forward_ns + rest.backward_ns) * 1e-6, {"OP", "FC-2", "FC-1", "IP"});
    };
    fillBoth(Attention::Fused, model.training, model.prompt);
    fillBoth(Attention::Unfused, model.trainingUnfused, model.promptUnfused);
    list.push_back(model);
  }
  return list;
}

}  // namespace t3
