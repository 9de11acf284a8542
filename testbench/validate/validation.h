// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbench/config/json_schema.h"
#include "testbench/presets/presets.h"
#include "testbench/simulate/crew.h"
#include "testbench/simulate/run_store.h"
#include "testbench/validate/measurements.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// From this size on times of collectives count as those of large ones.
inline constexpr std::uint64_t kLargeBytes = 8 << 20;
/// Of collectives, what is simulated if nobody says otherwise.
inline constexpr std::uint64_t kSampleSizes[] = {64 << 10, 1 << 20, 16 << 20, 64 << 20};
/// The most tokens, otherwise.
inline constexpr std::uint64_t kSampleTokens = 4096;

/// A measured time and the simulated one.
struct ValidationPoint {
  Measurement measurement;
  bool gaveSettings = false;  ///< the machine has settings from this file
  double simulated_us = 0;
  std::string failure;  ///< of the simulation; "" if there was none

  /// Of the simulated time, as a share of the measured one.
  double error() const { return simulated_us / measurement.time_us - 1; }
};

/// How large the errors of several points are, without their signs.
struct ErrorFigures {
  std::string name;
  std::uint64_t points = 0;
  double geomean = 0, mean = 0, most = 0;

  static constexpr MemberText kTexts[] = {
      {"name", "what its points have in common: the set, and of collectives the size"},
      {"points", "times that gave the machine no settings"},
      {"geomean", "of the errors without their signs; below a thousandth as a thousandth"},
      {"mean", "of the errors without their signs"},
      {"most", "the largest error without its sign"},
  };
};
BOOST_DESCRIBE_STRUCT(ErrorFigures, (), (name, points, geomean, mean, most))

/// Of the points of which `counts` is true.
ErrorFigures errorFigures(std::string name, const std::vector<ValidationPoint>& points,
                          const std::function<bool(const ValidationPoint&)>& counts);
/// Of each set, in the order of their first points, without those that gave settings; of
/// collectives "from 8 MiB on" and "below 8 MiB".
std::vector<ErrorFigures> errorsBySet(const std::vector<ValidationPoint>& points);
/// Of the name whose errors are the largest in the mean, without those that gave settings.
std::optional<ErrorFigures> worstName(const std::vector<ValidationPoint>& points);

/// A machine with the user's settings, and the same as kernels of multimem instructions find it.
struct ValidationScenarios {
  SystemConfig plain, multimem;
};

/// Has the crew simulate each measurement. The simulated time includes a launch
/// (gpu.kernel_launch_us and the protocol's launch_us), because benchmarks launch one after
/// another. Throws ConfigError.
std::vector<ValidationPoint> validate(const std::vector<Measurement>& measurements,
                                      const KnownMachine& machine,
                                      const ValidationScenarios& scenarios, Crew& crew,
                                      const RunStore* store, bool showProgress);

}  // namespace t3
