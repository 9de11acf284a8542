// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "testbench/config/described_json.h"

namespace t3 {

/// One of two result files that are compared.
struct DiffSide {
  std::string file, version, commit;
};
BOOST_DESCRIBE_STRUCT(DiffSide, (), (file, version, commit))

/// A setting that the two files do not have in common.
struct SettingChange {
  std::string key;
  boost::json::value a, b;  ///< null: not there
};
BOOST_DESCRIBE_STRUCT(SettingChange, (), (key, a, b))

/// A figure that the two files do not have in common.
struct FigureChange {
  std::string figure;            ///< dotted path in the run
  boost::json::value a, b;       ///< null: not there
  std::optional<double> change;  ///< (b - a) / a; none unless both are numbers and a is not 0
};
BOOST_DESCRIBE_STRUCT(FigureChange, (), (figure, a, b, change))

/// A run that is in both files and has changed.
struct RunChange {
  std::string name;  ///< its mode, after the point it belongs to
  std::vector<FigureChange> figures;
  std::size_t details = 0;  ///< further changes in parts that were left out
};
BOOST_DESCRIBE_STRUCT(RunChange, (), (name, figures, details))

/// What distinguishes two result files of one schema; "t3sim-diff/1".
struct ResultDiff {
  static constexpr const char* kSchema = "t3sim-diff/1";

  std::string schema = kSchema;
  DiffSide a, b;
  double tolerance = 0;  ///< changes up to this are left out, part of 1
  std::vector<SettingChange> scenario;
  std::vector<std::string> only_a, only_b;  ///< runs
  std::size_t runs = 0;                     ///< in both
  std::vector<RunChange> changed;

  /// Nothing that was simulated has changed. What the scenarios say does not matter.
  bool same() const { return only_a.empty() && only_b.empty() && changed.empty(); }
};
BOOST_DESCRIBE_STRUCT(ResultDiff, (),
                      (schema, a, b, tolerance, scenario, only_a, only_b, runs, changed))

/// A result file, and its name.
struct ResultFile {
  std::string name;
  boost::json::value content;
};

/// Compares what was simulated: all of a run but `host`. Runs belong together that have the same
/// mode and, in lists of points, preset and settings. What single GPUs, memories and phases did is
/// only counted, unless `details` asks for it. Throws ConfigError if a file is no result of t3sim
/// or the schemas differ.
ResultDiff resultDiff(const ResultFile& a, const ResultFile& b, double tolerance, bool details);

/// For people, in lines of `width`.
std::string diffText(const ResultDiff& diff, std::size_t width);

}  // namespace t3
