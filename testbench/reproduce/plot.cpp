// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/plot.h"

#include "testbench/config/json_text.h"

namespace t3 {

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

void Plot::plot(const std::vector<std::string>& elements) {
  std::string list;
  for (const std::string& element : elements) list += (list.empty() ? "" : ", \\\n     ") + element;
  line("plot " + list);
}

}  // namespace t3
