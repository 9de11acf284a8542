// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/reproduce/geomean.h"
#include "testbench/reproduce/parts.h"

namespace t3 {

/// Which figure of several sublayers the paper states.
enum class Statistic : std::uint8_t { Geomean, Largest, Least };
BOOST_DESCRIBE_ENUM(Statistic, Geomean, Largest, Least)

/// A figure of the paper and ours: a speedup over sequential or, in part data-movement, the share
/// that is left of the DRAM bytes of sequential.
struct Headline {
  std::string name;
  std::string part;
  Mode mode = Mode::Sequential;
  ModelGroup models = kSmallModels;
  Statistic statistic = Statistic::Geomean;
  double paper = 0;
  std::optional<double> ours = {};              ///< nothing if no sublayer ran
  std::optional<double> onDefaultMachine = {};  ///< where `ours` is of another one
  std::size_t points = 0;                       ///< sublayers that it covers

  /// In percentage points.
  std::optional<double> difference() const;
};

void visitMembers(const Headline& headline, auto visit) {
  visit("name", headline.name);
  visit("part", headline.part);
  visit("mode", headline.mode);
  visit("models", std::string(headline.models.name));
  visit("statistic", headline.statistic);
  visit("paper", headline.paper);
  visit("ours", headline.ours);
  visit("default_machine", headline.onDefaultMachine);
  visit("difference_points", headline.difference());
  visit("sublayers", headline.points);
}

/// All that the paper states in its abstract or text.
std::vector<Headline> headlines(const std::vector<PointResult>& points);

/// The speedups of a mode over those points that have it, belong to no study and are of the models.
Geomean speedups(const Selection& selection, Mode mode, const ModelGroup& models);

/// DRAM bytes of t3-mca over those of sequential, over the points that are of the models.
Geomean movedShares(const Selection& selection, const ModelGroup& models);

}  // namespace t3
