// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// A figure of the paper beside ours.
struct Headline {
  std::string name;
  std::string part;
  double paper = 0;            ///< speedup, or share of data moved
  std::optional<double> ours;  ///< nothing if a point it needs is missing or failed
  std::size_t points = 0;      ///< sublayers that it covers
  /// In percentage points.
  std::optional<double> difference() const;
};

/// Geometric mean and maximum of a figure over points.
struct Spread {
  double geomean = 0, best = 0;
  std::size_t points = 0;
};

/// The speedup of a mode over the points that have it and satisfy `wanted`.
std::optional<Spread> speedups(const std::vector<PointResult>& points, const std::string& part,
                               Mode mode, bool (*wanted)(const Point&));

/// DRAM bytes of t3-mca over those of sequential, over the points that satisfy `wanted`; `best` is
/// the smallest.
std::optional<Spread> movedShare(const std::vector<PointResult>& points,
                                 bool (*wanted)(const Point&));

std::vector<Headline> headlines(const std::vector<PointResult>& points);

/// A model at a tensor-parallel degree, all layers.
struct EndToEnd {
  std::string model;
  std::uint32_t degree = 0;
  std::uint32_t layers = 0;
  struct Phase {
    double sequential_ms = 0;
    double rest_ms = 0;         ///< of it, what is not an all-reduced sublayer
    double t3 = 0, t3_mca = 0;  ///< speedups
  } training, prompt;
};

std::vector<EndToEnd> endToEnd(const std::vector<PointResult>& points);

/// A point with all GPUs simulated against the same with one.
struct Agreement {
  std::string preset;
  Mode mode = Mode::Sequential;
  double time = 0, gemm_read = 0;  ///< symmetric over explicit, minus 1
  bool link_bytes_equal = false;
};

std::vector<Agreement> agreements(const std::vector<PointResult>& points);

/// Bytes of all six kinds.
std::uint64_t totalBytes(const DramBytes& bytes);

/// Everything above as the `summary` of "t3sim-reproduce/1", and the points where a t3 mode is
/// slower than sequential.
boost::json::object summaryJson(const std::vector<PointResult>& points);

/// The same for the terminal.
std::string summaryText(const std::vector<PointResult>& points);

}  // namespace t3
