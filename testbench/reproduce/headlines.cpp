// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/headlines.h"

#include <array>

namespace t3 {
namespace {

/// Of the paper, without what is simulated.
const std::array<Headline, 9> kPaper = {{
    {"t3-mca, geomean", "sublayers", Mode::T3Mca, kSmallModels, Statistic::Geomean, 1.30},
    {"t3-mca, largest", "sublayers", Mode::T3Mca, kSmallModels, Statistic::Largest, 1.47},
    {"t3, geomean", "sublayers", Mode::T3, kSmallModels, Statistic::Geomean, 1.20},
    {"t3, largest", "sublayers", Mode::T3, kSmallModels, Statistic::Largest, 1.39},
    {"ideal-overlap, geomean", "sublayers", Mode::IdealOverlap, kSmallModels, Statistic::Geomean,
     1.35},
    {"ideal-overlap, largest", "sublayers", Mode::IdealOverlap, kSmallModels, Statistic::Largest,
     1.50},
    {"t3-mca, PALM and MT-NLG, geomean", "sublayers", Mode::T3Mca, kLargeModels, Statistic::Geomean,
     1.29},
    {"data moved by t3-mca, geomean", "data-movement", Mode::T3Mca, kSmallModels,
     Statistic::Geomean, 0.78},
    {"data moved by t3-mca, least", "data-movement", Mode::T3Mca, kSmallModels, Statistic::Least,
     0.64},
}};

double valueOf(const Geomean& values, Statistic statistic) {
  if (statistic == Statistic::Geomean) return values.mean();
  return statistic == Statistic::Largest ? values.most() : values.least();
}

}  // namespace

std::optional<double> Headline::difference() const {
  return ours ? std::optional((*ours - paper) * 100) : std::nullopt;
}

Geomean speedups(const Selection& selection, Mode mode, const ModelGroup& models) {
  Geomean values;
  for (const PointResult* result : selection) {
    if (!result->point.study.empty() || !models.has(result->point)) continue;
    if (const auto speedup = result->speedup(mode)) values.add(*speedup);
  }
  return values;
}

Geomean movedShares(const Selection& selection, const ModelGroup& models) {
  Geomean values;
  for (const PointResult* result : selection) {
    const RunRecord* before = result->run(Mode::Sequential);
    const RunRecord* after = result->run(Mode::T3Mca);
    if (before == nullptr || after == nullptr || !models.has(result->point)) continue;
    values.add(static_cast<double>(after->result.totalBytes()) /
               static_cast<double>(before->result.totalBytes()));
  }
  return values;
}

std::vector<Headline> headlines(const std::vector<PointResult>& points) {
  std::vector<Headline> list(kPaper.begin(), kPaper.end());
  for (Headline& headline : list) {
    const auto valuesIn = [&](const std::string& part) {
      const Selection selection = pointsOf(points, part);
      return headline.part == "data-movement" ? movedShares(selection, headline.models)
                                              : speedups(selection, headline.mode, headline.models);
    };
    const Geomean ours = valuesIn(headline.part), usual = valuesIn(kDefaultMachinePart);
    headline.points = ours.count();
    if (ours.count() > 0) headline.ours = valueOf(ours, headline.statistic);
    if (usual.count() > 0) headline.onDefaultMachine = valueOf(usual, headline.statistic);
  }
  return list;
}

}  // namespace t3
