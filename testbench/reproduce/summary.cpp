// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/summary.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <cmath>
#include <functional>
#include <map>

#include "testbench/config/spelling.h"
#include "testbench/presets/presets.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/layer_model.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

namespace json = boost::json;

using Wanted = bool (*)(const Point&);

/// Collects figures of which mean and extreme are wanted.
class Collector {
 public:
  void add(double value) { values_.push_back(value); }
  std::optional<Spread> spread(bool largest) const {
    if (values_.empty()) return std::nullopt;
    double logarithms = 0;
    for (const double value : values_) logarithms += std::log(value);
    const auto [low, high] = std::ranges::minmax(values_);
    return Spread{std::exp(logarithms / static_cast<double>(values_.size())), largest ? high : low,
                  values_.size()};
  }

 private:
  std::vector<double> values_;
};

std::optional<double> speedupOf(const PointResult& result, Mode mode) {
  const RunRecord* run = result.run(mode);
  return run == nullptr ? std::nullopt : result.report.speedup(*run);
}

double milliseconds(const RunRecord& run) { return static_cast<double>(run.result.time_ps) * 1e-9; }

/// The figures that the paper states; t3-facts marks them [A] (abstract) or [P] (text).
struct PaperFigure {
  const char* name;
  Mode mode;
  Wanted wanted;
  double geomean, best;
};

constexpr std::array<PaperFigure, 3> kPaperSpeedups = {{
    {"ideal-overlap", Mode::IdealOverlap, isSmallModel, 1.35, 1.50},
    {"t3", Mode::T3, isSmallModel, 1.20, 1.39},
    {"t3-mca", Mode::T3Mca, isSmallModel, 1.30, 1.47},
}};
constexpr double kPaperLargeModels = 1.29;
constexpr double kPaperMoved = 0.78, kPaperMovedBest = 0.64;

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

std::optional<double> Headline::difference() const {
  return ours ? std::optional((*ours - paper) * 100) : std::nullopt;
}

std::optional<Spread> speedups(const std::vector<PointResult>& points, const std::string& part,
                               Mode mode, Wanted wanted) {
  Collector collector;
  for (const PointResult& result : points) {
    if (result.point.part != part || isExplicitRepeat(result.point) || !wanted(result.point)) {
      continue;
    }
    if (const auto speedup = speedupOf(result, mode)) collector.add(*speedup);
  }
  return collector.spread(true);
}

std::uint64_t totalBytes(const DramBytes& bytes) {
  return bytes.gemm_read + bytes.gemm_write + bytes.rs_read + bytes.rs_write + bytes.ag_read +
         bytes.ag_write;
}

std::optional<Spread> movedShare(const std::vector<PointResult>& points, Wanted wanted) {
  Collector collector;
  for (const PointResult& result : points) {
    if (result.point.part != "data-movement" || !wanted(result.point)) continue;
    const RunRecord* before = result.run(Mode::Sequential);
    const RunRecord* after = result.run(Mode::T3Mca);
    if (before == nullptr || after == nullptr) continue;
    collector.add(static_cast<double>(totalBytes(after->result.dram_bytes)) /
                  static_cast<double>(totalBytes(before->result.dram_bytes)));
  }
  return collector.spread(false);
}

std::vector<Headline> headlines(const std::vector<PointResult>& points) {
  std::vector<Headline> list;
  const auto add = [&](const std::string& name, const char* part, double paper,
                       const std::optional<Spread>& ours, double Spread::*figure) {
    Headline headline{name, part, paper, std::nullopt, 0};
    if (ours) {
      headline.ours = (*ours).*figure;
      headline.points = ours->points;
    }
    list.push_back(headline);
  };
  for (const PaperFigure& figure : kPaperSpeedups) {
    const auto ours = speedups(points, "sublayers", figure.mode, figure.wanted);
    add(std::string(figure.name) + ", geomean", "sublayers", figure.geomean, ours,
        &Spread::geomean);
    add(std::string(figure.name) + ", largest", "sublayers", figure.best, ours, &Spread::best);
  }
  add("t3-mca, PALM and MT-NLG, geomean", "sublayers", kPaperLargeModels,
      speedups(points, "sublayers", Mode::T3Mca, isLargeModel), &Spread::geomean);
  const auto moved = movedShare(points, isSmallModel);
  add("data moved by t3-mca, geomean", "data-movement", kPaperMoved, moved, &Spread::geomean);
  add("data moved by t3-mca, least", "data-movement", kPaperMovedBest, moved, &Spread::best);
  return list;
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
    const RestOfLayer rest = restOfLayer(
        times.any->scenario, {tokens, hidden, sequenceLength(key.first), double(key.second)});
    EndToEnd model{key.first, key.second, preset.layers, {}, {}};
    const auto fill = [&](EndToEnd::Phase& phase, double restMs,
                          std::initializer_list<const char*> sublayers) {
      const double layers = preset.layers;
      const double before = sum(times, Mode::Sequential, sublayers) + restMs;
      phase.sequential_ms = layers * before;
      phase.rest_ms = layers * restMs;
      phase.t3 = before / (sum(times, Mode::T3, sublayers) + restMs);
      phase.t3_mca = before / (sum(times, Mode::T3Mca, sublayers) + restMs);
    };
    fill(model.prompt, rest.forward_ns * 1e-6, {"OP", "FC-2"});
    fill(model.training, (rest.forward_ns + rest.backward_ns) * 1e-6, {"OP", "FC-2", "FC-1", "IP"});
    list.push_back(model);
  }
  return list;
}

std::vector<Agreement> agreements(const std::vector<PointResult>& points) {
  std::vector<Agreement> list;
  for (const PointResult& all : points) {
    if (!isExplicitRepeat(all.point)) continue;
    for (const PointResult& one : points) {
      if (one.point.part != all.point.part || one.point.preset != all.point.preset ||
          isExplicitRepeat(one.point)) {
        continue;
      }
      for (const Mode mode : all.point.modes) {
        const RunRecord* every = all.run(mode);
        const RunRecord* single = one.run(mode);
        if (every == nullptr || single == nullptr) continue;
        const auto ratio = [](std::uint64_t a, std::uint64_t b) {
          return static_cast<double>(a) / static_cast<double>(b) - 1;
        };
        list.push_back(
            {all.point.preset, mode, ratio(single->result.time_ps, every->result.time_ps),
             ratio(single->result.dram_bytes.gemm_read, every->result.dram_bytes.gemm_read),
             single->result.link_bytes == every->result.link_bytes});
      }
    }
  }
  return list;
}

namespace {

json::value optionalNumber(const std::optional<double>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::object phaseJson(const EndToEnd::Phase& phase) {
  return {{"sequential_ms", phase.sequential_ms},
          {"rest_ms", phase.rest_ms},
          {"speedup_t3", phase.t3},
          {"speedup_t3_mca", phase.t3_mca}};
}

/// Points where a t3 mode is slower than sequential.
std::vector<std::pair<const PointResult*, Mode>> losses(const std::vector<PointResult>& points) {
  std::vector<std::pair<const PointResult*, Mode>> list;
  for (const PointResult& result : points) {
    for (const Mode mode : {Mode::T3, Mode::T3Mca}) {
      const auto speedup = speedupOf(result, mode);
      if (speedup && *speedup < 1) list.emplace_back(&result, mode);
    }
  }
  return list;
}

}  // namespace

json::object summaryJson(const std::vector<PointResult>& points) {
  json::object summary;
  json::array list;
  for (const Headline& headline : headlines(points)) {
    list.push_back({{"name", headline.name},
                    {"part", headline.part},
                    {"paper", headline.paper},
                    {"ours", optionalNumber(headline.ours)},
                    {"difference_points", optionalNumber(headline.difference())},
                    {"sublayers", headline.points}});
  }
  summary["headlines"] = std::move(list);
  json::array models;
  for (const EndToEnd& model : endToEnd(points)) {
    models.push_back({{"model", model.model},
                      {"gpus", model.degree},
                      {"layers", model.layers},
                      {"training", phaseJson(model.training)},
                      {"prompt", phaseJson(model.prompt)}});
  }
  summary["end_to_end"] = std::move(models);
  json::array agreement;
  for (const Agreement& point : agreements(points)) {
    agreement.push_back({{"preset", point.preset},
                         {"mode", spelling(point.mode)},
                         {"time_difference", point.time},
                         {"gemm_read_difference", point.gemm_read},
                         {"link_bytes_equal", point.link_bytes_equal}});
  }
  summary["symmetric_against_explicit"] = std::move(agreement);
  json::array slower;
  for (const auto& [result, mode] : losses(points)) {
    slower.push_back({{"part", result->point.part},
                      {"preset", result->point.preset},
                      {"label", result->point.label},
                      {"mode", spelling(mode)},
                      {"speedup", *speedupOf(*result, mode)}});
  }
  summary["slower_than_sequential"] = std::move(slower);
  return summary;
}

std::string summaryText(const std::vector<PointResult>& points) {
  TextTable table;
  table.add({"figure", "paper", "ours", "difference"});
  for (const Headline& headline : headlines(points)) {
    if (!headline.ours) continue;
    const double difference = *headline.difference();
    table.add({headline.name, fixed(headline.paper, 2), fixed(*headline.ours, 3),
               (difference < 0 ? "" : "+") + fixed(difference, 1) + " points"});
  }
  std::string text = table.text();
  for (const Agreement& point : agreements(points)) {
    text += "one GPU for all against all GPUs, " + point.preset + ", " + spelling(point.mode) +
            ": time " + fixed(point.time * 100, 2) + "%, GEMM reads " +
            fixed(point.gemm_read * 100, 2) + "%, link bytes " +
            (point.link_bytes_equal ? "equal" : "DIFFERENT") + "\n";
  }
  for (const auto& [result, mode] : losses(points)) {
    text += "slower than sequential: " + result->point.part + ", " + result->point.preset + " " +
            result->point.label + ", " + spelling(mode) + " " +
            fixed(*speedupOf(*result, mode), 3) + "x\n";
  }
  return text;
}

}  // namespace t3
