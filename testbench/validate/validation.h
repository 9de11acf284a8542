// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbench/collective/measured_algorithm.h"
#include "testbench/presets/presets.h"
#include "testbench/simulate/crew.h"
#include "testbench/simulate/run_store.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// A time that somebody measured.
struct Measurement {
  std::string file;  ///< MSCCL file that ran; its name says what it holds
  MeasuredAlgorithm algorithm;
  std::uint64_t bytes = 0;  ///< of the whole output
  double time_us = 0;
};

/// Measured times as CSV: a line of names (collective, algorithm, file, bytes, time_us), then a row
/// for each file and size. Throws ConfigError with `source` and the line.
std::vector<Measurement> readMeasurements(const std::string& text, const std::string& source);

/// Those that ship with the program (data/silicon/).
std::vector<Measurement> shippedMeasurements();

/// From this size on times count as those of large collectives.
inline constexpr std::uint64_t kLargeBytes = 16 << 20;
/// What is simulated if nobody says otherwise.
inline constexpr std::uint64_t kSampleSizes[] = {64 << 10, 1 << 20, 16 << 20, 64 << 20};

/// A measured time and the simulated one.
struct ValidationPoint {
  Measurement measurement;
  bool gaveSettings = false;  ///< the machine has settings from this file
  double simulated_us = 0;
  std::string failure;  ///< of the simulation; "" if there was none

  /// Of the simulated time, as a share of the measured one.
  double error() const { return simulated_us / measurement.time_us - 1; }
};

/// How large errors are, without their signs.
struct ErrorFigures {
  std::size_t points = 0;
  double geomean = 0;  ///< an error below a thousandth counts as a thousandth
  double mean = 0, most = 0;
};
/// Of the points of which `counts` is true.
ErrorFigures errorFigures(const std::vector<ValidationPoint>& points,
                          const std::function<bool(const ValidationPoint&)>& counts);

/// The file whose errors are the largest in the mean, of those that gave no settings.
struct WorstFile {
  std::string file;
  double mean = 0;
};
std::optional<WorstFile> worstFile(const std::vector<ValidationPoint>& points);

/// Has the crew simulate each measurement on `scenario`, whose settings are those of `machine` and
/// the user's. The simulated time includes a launch (gpu.kernel_launch_us and the protocol's
/// launch_us), because benchmarks launch one after another. Throws ConfigError.
std::vector<ValidationPoint> validate(const std::vector<Measurement>& measurements,
                                      const KnownMachine& machine, const SystemConfig& scenario,
                                      Crew& crew, const RunStore* store, bool showProgress);

}  // namespace t3
