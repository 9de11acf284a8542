// SPDX-License-Identifier: Apache-2.0
#include "testbench/validate/validation_report.h"

#include "testbench/report/csv_report.h"
#include "testbench/report/text.h"

namespace t3 {
namespace {

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

std::string line(const ErrorFigures& figures) {
  if (figures.points == 0) return figures.name + ": none\n";
  return figures.name + ": geomean " + percent(figures.geomean) + ", mean " +
         percent(figures.mean) + ", largest " + percent(figures.most) + " (" +
         std::to_string(figures.points) + " times)\n";
}

/// "64 KiB", "1536 bytes", "4096 tokens"
std::string sizeText(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;
  if (bytes % kMiB == 0) return std::to_string(bytes / kMiB) + " MiB";
  if (bytes % kKiB == 0) return std::to_string(bytes / kKiB) + " KiB";
  return std::to_string(bytes) + " bytes";
}

std::string sizeText(const Measurement& one) {
  return one.isCollective() ? sizeText(one.size) : std::to_string(one.size) + " tokens";
}

}  // namespace

ValidateForm validateForm(const std::vector<ValidationPoint>& points,
                          const ValidationContext& context) {
  ValidateForm form;
  form.build = buildForm();
  form.machine = context.machine;
  form.data = context.data;
  form.scenario = context.scenario;
  form.not_simulated = context.tooLarge;
  for (const ValidationPoint& point : points) {
    ValidatePointForm& one = form.points.emplace_back();
    one.set = point.measurement.set;
    one.name = point.measurement.name;
    one.size = point.measurement.size;
    one.measured_us = point.measurement.time_us;
    one.gave_settings = point.gaveSettings;
    if (!point.failure.empty()) {
      one.status = RunStatus::Failed;
      one.failure = point.failure;
      continue;
    }
    one.simulated_us = point.simulated_us;
    one.error = point.error();
  }
  form.errors = errorsBySet(points);
  if (const auto worst = worstName(points)) form.worst = worst->name;
  return form;
}

std::string validateCsv(const std::vector<ValidationPoint>& points) {
  std::vector<CsvRow> rows;
  for (const ValidationPoint& point : points) {
    const bool failed = !point.failure.empty();
    rows.push_back({{"set", point.measurement.set},
                    {"name", point.measurement.name},
                    {"size", std::to_string(point.measurement.size)},
                    {"measured_us", fixed(point.measurement.time_us, 3)},
                    {"status", failed ? "failed" : "ok"},
                    {"simulated_us", failed ? "" : fixed(point.simulated_us, 6)},
                    {"error", failed ? "" : fixed(point.error(), 6)},
                    {"gave_settings", point.gaveSettings ? "true" : "false"}});
  }
  return formatCsv(rows);
}

std::string validateTable(const std::vector<ValidationPoint>& points,
                          const ValidationContext& context) {
  std::string text = context.machine + " against " + context.data + "\n\n";
  TextTable table;
  table.add({"name", "size", "measured (us)", "simulated (us)", "error (%)"});
  std::string name;
  for (const ValidationPoint& point : points) {
    const std::string own = point.measurement.name + (point.gaveSettings ? " *" : "");
    const bool first = own != name;
    name = own;
    const bool failed = !point.failure.empty();
    table.add({first ? name : "", sizeText(point.measurement), fixed(point.measurement.time_us, 2),
               failed ? "FAILED" : fixed(point.simulated_us, 2),
               failed ? "" : signedFixed(100 * point.error(), 1)});
  }
  text += table.text() + "\n* gave settings of the machine; its error does not count below\n";
  for (const ErrorFigures& figures : errorsBySet(points)) text += line(figures);
  if (const auto worst = worstName(points)) {
    text += "worst: " + worst->name + ", mean " + percent(worst->mean) + "\n";
  }
  if (context.tooLarge != 0) {
    text += std::to_string(context.tooLarge) + " measured times of more than " +
            sizeText(context.most) + " are not simulated (--most)\n";
  }
  return text;
}

std::string failuresOf(const std::vector<ValidationPoint>& points) {
  std::string text;
  for (const ValidationPoint& point : points) {
    if (point.failure.empty()) continue;
    text +=
        point.measurement.name + ", " + sizeText(point.measurement) + ": " + point.failure + "\n";
  }
  return text;
}

}  // namespace t3
