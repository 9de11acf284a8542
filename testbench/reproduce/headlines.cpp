// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/headlines.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

using Wanted = bool (*)(const Point&);

/// Collects values for their geometric mean and their extreme.
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

/// The figures that the paper states in its abstract or text.
struct PaperFigure {
  const char* name;
  Mode mode;
  Wanted wanted;
  double geomean, best;
};

constexpr std::array<PaperFigure, 3> kPaperSpeedups = {{
    {"t3-mca", Mode::T3Mca, isSmallModel, 1.30, 1.47},
    {"t3", Mode::T3, isSmallModel, 1.20, 1.39},
    {"ideal-overlap", Mode::IdealOverlap, isSmallModel, 1.35, 1.50},
}};
constexpr double kPaperLargeModels = 1.29;
constexpr double kPaperMoved = 0.78, kPaperMovedBest = 0.64;

}  // namespace

std::optional<double> Headline::difference() const {
  return ours ? std::optional((*ours - paper) * 100) : std::nullopt;
}

std::optional<Spread> speedups(const std::vector<PointResult>& points, const std::string& part,
                               Mode mode, Wanted wanted) {
  Collector collector;
  for (const PointResult& result : points) {
    if (result.point.part != part || !result.point.study.empty() || !wanted(result.point)) continue;
    if (const auto speedup = result.speedup(mode)) collector.add(*speedup);
  }
  return collector.spread(true);
}

std::optional<Spread> movedShare(const std::vector<PointResult>& points, Wanted wanted) {
  Collector collector;
  for (const PointResult& result : points) {
    if (result.point.part != "data-movement" || !wanted(result.point)) continue;
    const RunRecord* before = result.run(Mode::Sequential);
    const RunRecord* after = result.run(Mode::T3Mca);
    if (before == nullptr || after == nullptr) continue;
    collector.add(static_cast<double>(totalBytes(after->result.by_phase)) /
                  static_cast<double>(totalBytes(before->result.by_phase)));
  }
  return collector.spread(false);
}

std::vector<Headline> headlines(const std::vector<PointResult>& points) {
  std::vector<Headline> list;
  const auto add = [&](Headline headline, const std::optional<Spread>& ours) {
    if (ours) {
      headline.ours = headline.isMean ? ours->geomean : ours->best;
      headline.points = ours->points;
    }
    list.push_back(std::move(headline));
  };
  for (const PaperFigure& figure : kPaperSpeedups) {
    const auto ours = speedups(points, "sublayers", figure.mode, figure.wanted);
    Headline headline{.name = std::string(figure.name) + ", geomean",
                      .part = "sublayers",
                      .mode = figure.mode,
                      .isMean = true,
                      .paper = figure.geomean};
    add(headline, ours);
    headline.name = std::string(figure.name) + ", largest";
    headline.isMean = false;
    headline.paper = figure.best;
    add(headline, ours);
  }
  add({.name = "t3-mca, PALM and MT-NLG, geomean",
       .part = "sublayers",
       .mode = Mode::T3Mca,
       .largeModels = true,
       .isMean = true,
       .paper = kPaperLargeModels},
      speedups(points, "sublayers", Mode::T3Mca, isLargeModel));
  const auto moved = movedShare(points, isSmallModel);
  add({.name = "data moved by t3-mca, geomean",
       .part = "data-movement",
       .mode = Mode::T3Mca,
       .isMean = true,
       .paper = kPaperMoved},
      moved);
  add({.name = "data moved by t3-mca, least",
       .part = "data-movement",
       .mode = Mode::T3Mca,
       .paper = kPaperMovedBest},
      moved);
  return list;
}

}  // namespace t3
