// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/headlines.h"

#include <array>

#include "testbench/reproduce/geomean.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

using Wanted = bool (*)(const Point&);

std::optional<Spread> spreadOf(const Geomean& values, double best) {
  if (values.count() == 0) return std::nullopt;
  return Spread{values.mean(), best, values.count()};
}

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
  Geomean values;
  for (const PointResult& result : points) {
    if (result.point.part != part || !result.point.study.empty() || !wanted(result.point)) continue;
    if (const auto speedup = result.speedup(mode)) values.add(*speedup);
  }
  return spreadOf(values, values.most());
}

std::optional<Spread> movedShare(const std::vector<PointResult>& points, const std::string& part,
                                 Wanted wanted) {
  Geomean values;
  for (const PointResult& result : points) {
    if (result.point.part != part || !wanted(result.point)) continue;
    const RunRecord* before = result.run(Mode::Sequential);
    const RunRecord* after = result.run(Mode::T3Mca);
    if (before == nullptr || after == nullptr) continue;
    values.add(static_cast<double>(after->result.totalBytes()) /
               static_cast<double>(before->result.totalBytes()));
  }
  return spreadOf(values, values.least());
}

std::vector<Headline> headlines(const std::vector<PointResult>& points) {
  std::vector<Headline> list;
  const auto add = [&](Headline headline, Wanted wanted) {
    const auto spreadIn = [&](const std::string& part) {
      return headline.part == "data-movement" ? movedShare(points, part, wanted)
                                              : speedups(points, part, headline.mode, wanted);
    };
    const auto valueOf = [&](const Spread& spread) {
      return headline.isMean ? spread.geomean : spread.best;
    };
    if (const auto ours = spreadIn(headline.part)) {
      headline.ours = valueOf(*ours);
      headline.points = ours->points;
    }
    if (const auto usual = spreadIn(kDefaultMachinePart)) {
      headline.onDefaultMachine = valueOf(*usual);
    }
    list.push_back(std::move(headline));
  };
  for (const PaperFigure& figure : kPaperSpeedups) {
    Headline headline{.name = std::string(figure.name) + ", geomean",
                      .part = "sublayers",
                      .mode = figure.mode,
                      .isMean = true,
                      .paper = figure.geomean};
    add(headline, figure.wanted);
    headline.name = std::string(figure.name) + ", largest";
    headline.isMean = false;
    headline.paper = figure.best;
    add(headline, figure.wanted);
  }
  add({.name = "t3-mca, PALM and MT-NLG, geomean",
       .part = "sublayers",
       .mode = Mode::T3Mca,
       .largeModels = true,
       .isMean = true,
       .paper = kPaperLargeModels},
      isLargeModel);
  add({.name = "data moved by t3-mca, geomean",
       .part = "data-movement",
       .mode = Mode::T3Mca,
       .isMean = true,
       .paper = kPaperMoved},
      isSmallModel);
  add({.name = "data moved by t3-mca, least",
       .part = "data-movement",
       .mode = Mode::T3Mca,
       .paper = kPaperMovedBest},
      isSmallModel);
  return list;
}

}  // namespace t3
