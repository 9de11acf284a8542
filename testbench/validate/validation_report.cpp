// SPDX-License-Identifier: Apache-2.0
#include "testbench/validate/validation_report.h"

#include "testbench/report/csv_report.h"
#include "testbench/report/text.h"

namespace t3 {
namespace {

bool isLarge(const ValidationPoint& point) { return point.measurement.bytes >= kLargeBytes; }

ErrorFigures figuresOf(const std::vector<ValidationPoint>& points, bool large) {
  return errorFigures(points, [large](const ValidationPoint& point) {
    return !point.gaveSettings && isLarge(point) == large;
  });
}

ErrorForm formOf(const ErrorFigures& figures) {
  return {figures.points, figures.geomean, figures.mean, figures.most};
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

std::string line(const std::string& what, const ErrorFigures& figures) {
  if (figures.points == 0) return what + ": none\n";
  return what + ": geomean " + percent(figures.geomean) + ", mean " + percent(figures.mean) +
         ", largest " + percent(figures.most) + " (" + std::to_string(figures.points) + " times)\n";
}

/// "64 KiB", "1536 bytes"
std::string sizeText(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;
  if (bytes % kMiB == 0) return std::to_string(bytes / kMiB) + " MiB";
  if (bytes % kKiB == 0) return std::to_string(bytes / kKiB) + " KiB";
  return std::to_string(bytes) + " bytes";
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
    one.file = point.measurement.file;
    one.bytes = point.measurement.bytes;
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
  form.from_16_mib = formOf(figuresOf(points, true));
  form.below_16_mib = formOf(figuresOf(points, false));
  if (const auto worst = worstFile(points)) form.worst_file = worst->file;
  return form;
}

std::string validateCsv(const std::vector<ValidationPoint>& points) {
  std::vector<CsvRow> rows;
  for (const ValidationPoint& point : points) {
    const bool failed = !point.failure.empty();
    rows.push_back({{"file", point.measurement.file},
                    {"bytes", std::to_string(point.measurement.bytes)},
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
  table.add({"file", "size", "measured (us)", "simulated (us)", "error (%)"});
  std::string file;
  for (const ValidationPoint& point : points) {
    const bool first = point.measurement.file != file;
    file = point.measurement.file;
    const bool failed = !point.failure.empty();
    table.add({first ? file + (point.gaveSettings ? " *" : "") : "",
               sizeText(point.measurement.bytes), fixed(point.measurement.time_us, 2),
               failed ? "FAILED" : fixed(point.simulated_us, 2),
               failed ? "" : signedFixed(100 * point.error(), 1)});
  }
  text += table.text() + "\n* gave settings of the machine; its errors do not count below\n";
  text += line("from 16 MiB on", figuresOf(points, true));
  text += line("below 16 MiB", figuresOf(points, false));
  if (const auto worst = worstFile(points)) {
    text += "worst file: " + worst->file + ", mean " + percent(worst->mean) + "\n";
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
    text += point.measurement.file + ", " + std::to_string(point.measurement.bytes) +
            " bytes: " + point.failure + "\n";
  }
  return text;
}

}  // namespace t3
