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
  std::string set, name;
  std::uint64_t size = 0;
  double measured_us = 0;
  RunStatus status{};
  std::optional<double> simulated_us, error;
  bool gave_settings = false;
  IfSet<std::string> failure;

  static constexpr MemberText kTexts[] = {
      {"set", "what its errors are summed up with"},
      {"name", "what ran (docs/silicon.md)"},
      {"size", "bytes of the whole array, of a collective; else tokens"},
      {"simulated_us", "with a kernel launch"},
      {"error", "simulated / measured - 1"},
      {"gave_settings", "the machine has settings from this time, so its error does not count"},
  };
};
BOOST_DESCRIBE_STRUCT(ValidatePointForm, (),
                      (set, name, size, measured_us, status, simulated_us, error, gave_settings,
                       failure))

/// "t3sim-validate/2"
struct ValidateForm {
  static constexpr const char* kSchema = "t3sim-validate/2";

  std::string schema = kSchema;
  BuildForm build;
  std::string machine, data;
  SystemConfig scenario;
  std::vector<ValidatePointForm> points;
  std::uint64_t not_simulated = 0;
  std::vector<ErrorFigures> errors;
  std::optional<std::string> worst;

  static constexpr MemberText kTexts[] = {
      {"data", "where the measured times are from"},
      {"not_simulated", "measured times that are not simulated because of their size"},
      {"errors", "of each set, of collectives by size"},
      {"worst", "the name whose errors are the largest in the mean"},
  };
};
BOOST_DESCRIBE_STRUCT(ValidateForm, (),
                      (schema, build, machine, data, scenario, points, not_simulated, errors,
                       worst))

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
