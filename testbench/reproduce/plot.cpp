// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/plot.h"

#include <algorithm>
#include <cmath>

#include "testbench/config/json_text.h"

namespace t3 {

Scale Scale::over(std::span<const double> values, double ticks) {
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax(values);
  const double size = std::max(std::abs(least), std::abs(most));
  const double range = std::max({most - least, 1e-3 * size, 1e-12});
  const double power = std::pow(10, std::floor(std::log10(range / ticks)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= range / ticks * 0.999) step = factor * power;
  }
  // A value that is on a tick but for rounding is on it.
  Scale scale{std::floor(least / step + 1e-9) * step, std::ceil(most / step - 1e-9) * step, step,
              std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)))};
  if (scale.high <= scale.low) scale.high = scale.low + step;
  return scale;
}

std::string plotText(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

void Plot::data(const std::string& name, const std::vector<Row>& rows) {
  data_ += "$" + name + " << END\n";
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      data_ += (i == 0 ? "" : " ") + formatNumber(row[i]);
    }
    data_ += "\n";
  }
  data_ += "END\n";
}

void Plot::tics(const std::string& axis, const std::vector<std::pair<double, std::string>>& labels,
                const std::string& options) {
  std::string list;
  for (const auto& [position, label] : labels) {
    list += (list.empty() ? "" : ", ") + plotText(label) + " " + formatNumber(position);
  }
  line("set " + axis + "tics " + options + " (" + list + ")");
}

void Plot::scale(const std::string& axis, const Scale& scale) {
  line("set " + axis + "range [" + formatNumber(scale.low) + ":" + formatNumber(scale.high) + "]");
  line("set " + axis + "tics " + formatNumber(scale.low) + ", " + formatNumber(scale.step));
  line("set format " + axis + " '%." + std::to_string(scale.digits) + "f'");
}

void Plot::plot(const std::vector<std::string>& elements) {
  std::string list;
  for (const std::string& element : elements) list += (list.empty() ? "" : ", \\\n     ") + element;
  line("plot " + list);
}

}  // namespace t3
