// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/report/json_report.h"
#include "testbench/validate/validation.h"

namespace t3 {

// The JSON of a validation, as described structs.

struct ValidatePointForm {
  std::string file;
  std::uint64_t bytes = 0;
  double measured_us = 0;
  RunStatus status{};
  std::optional<double> simulated_us, error;
  bool gave_settings = false;
  IfSet<std::string> failure;

  static constexpr MemberText kTexts[] = {
      {"file",
       "the MSCCL file that ran: ag_ring_PROTOCOL_CHANNELS_INSTANCES, "
       "ag_allpair_PROTOCOL_x_INSTANCES"},
      {"bytes", "of the whole output"},
      {"simulated_us", "with a kernel launch"},
      {"error", "simulated / measured - 1"},
      {"gave_settings", "the machine has settings from this file, so its errors do not count"},
  };
};
BOOST_DESCRIBE_STRUCT(ValidatePointForm, (),
                      (file, bytes, measured_us, status, simulated_us, error, gave_settings,
                       failure))

struct ErrorForm {
  std::uint64_t points = 0;
  double geomean = 0, mean = 0, most = 0;

  static constexpr MemberText kTexts[] = {
      {"points", "times of files that gave the machine no settings"},
      {"geomean", "of the errors without their signs; below a thousandth as a thousandth"},
      {"mean", "of the errors without their signs"},
      {"most", "the largest error without its sign"},
  };
};
BOOST_DESCRIBE_STRUCT(ErrorForm, (), (points, geomean, mean, most))

/// "t3sim-validate/1"
struct ValidateForm {
  static constexpr const char* kSchema = "t3sim-validate/1";

  std::string schema = kSchema;
  BuildForm build;
  std::string machine, data;
  SystemConfig scenario;
  std::vector<ValidatePointForm> points;
  std::uint64_t not_simulated = 0;
  ErrorForm from_16_mib, below_16_mib;
  std::optional<std::string> worst_file;

  static constexpr MemberText kTexts[] = {
      {"data", "where the measured times are from"},
      {"not_simulated", "measured times that are not simulated because of their size"},
      {"from_16_mib", "errors of sizes from 16 MiB on"},
      {"worst_file", "the one whose errors are the largest in the mean"},
  };
};
BOOST_DESCRIBE_STRUCT(ValidateForm, (),
                      (schema, build, machine, data, scenario, points, not_simulated, from_16_mib,
                       below_16_mib, worst_file))

/// What there is to say about a validation beside its points.
struct ValidationContext {
  std::string machine, data;
  SystemConfig scenario;
  std::size_t tooLarge = 0;  ///< measurements that are not simulated because of their size
  std::uint64_t most = 0;    ///< the largest size that is
};

ValidateForm validateForm(const std::vector<ValidationPoint>& points,
                          const ValidationContext& context);
/// One line for each point.
std::string validateCsv(const std::vector<ValidationPoint>& points);
/// For people.
std::string validateTable(const std::vector<ValidationPoint>& points,
                          const ValidationContext& context);
/// One line for each simulation that failed.
std::string failuresOf(const std::vector<ValidationPoint>& points);

}  // namespace t3
