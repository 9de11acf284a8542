// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "testbench/report/point.h"
#include "testbench/report/points_report.h"

namespace t3 {

/// "t3sim-reproduce/1"
struct ReproduceForm {
  static constexpr const char* kSchema = "t3sim-reproduce/1";

  std::string schema = kSchema;
  BuildForm build;
  IfSet<bool> quick;
  IfSet<std::vector<std::string>> settings;
  std::vector<PointForm> points;
  boost::json::object summary;

  static std::span<const MemberText> texts();
};
BOOST_DESCRIBE_STRUCT(ReproduceForm, (), (schema, build, quick, settings, points, summary))

/// Headlines, whole models, how one GPU for all agrees with all of them, and the points where a t3
/// mode is slower than sequential, as the `summary` of "t3sim-reproduce/1".
boost::json::object summaryJson(const std::vector<PointResult>& points);

/// The same for the terminal.
std::string summaryText(const std::vector<PointResult>& points, std::size_t width);

}  // namespace t3
