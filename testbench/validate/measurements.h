// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/collective/measured_algorithm.h"

namespace t3 {

/// A time that somebody measured.
struct Measurement {
  std::string file;  ///< MSCCL file that ran; its name says what it holds
  MeasuredAlgorithm algorithm;
  std::uint64_t bytes = 0;  ///< of the whole output
  double time_us = 0;
};

/// Measured times as CSV: a line of names (collective, algorithm, file, bytes, time_us), then a row
/// for each file and size. Errors are one line with `source` and the number of the line: throws
/// ConfigError.
std::vector<Measurement> readMeasurements(const std::string& text, const std::string& source);

/// Those that ship with the program (data/silicon/).
std::vector<Measurement> shippedMeasurements();

}  // namespace t3
