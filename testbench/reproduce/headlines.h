// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// A figure of the paper and ours.
struct Headline {
  std::string name;
  std::string part;
  Mode mode;
  bool largeModels = false;  ///< over the sublayers of PALM and MT-NLG, not of the small models
  bool isMean = false;       ///< geometric mean of them; else the best
  double paper = 0;          ///< speedup, or share of data moved
  std::optional<double> ours = {};  ///< nothing if a point it needs is missing or failed
  std::optional<double> onDefaultMachine = {};  ///< where `ours` is of another one
  std::size_t points = 0;                       ///< sublayers that it covers
  /// In percentage points.
  std::optional<double> difference() const;
};

/// Geometric mean and maximum of a figure over points.
struct Spread {
  double geomean = 0, best = 0;
  std::size_t points = 0;
};

/// The speedup of a mode over the points of a part that have it, belong to no study and satisfy
/// `wanted`.
std::optional<Spread> speedups(const std::vector<PointResult>& points, const std::string& part,
                               Mode mode, bool (*wanted)(const Point&));

/// DRAM bytes of t3-mca over those of sequential, over the points of a part that satisfy `wanted`;
/// `best` is the smallest.
std::optional<Spread> movedShare(const std::vector<PointResult>& points, const std::string& part,
                                 bool (*wanted)(const Point&));

std::vector<Headline> headlines(const std::vector<PointResult>& points);

}  // namespace t3
