// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace t3 {

std::string fixed(double value, int digits) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, digits);
  return {buffer.data(), end.ptr};
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& cells : lines_) {
    widths.resize(std::max(widths.size(), cells.size()), 0);
    if (cells.size() == 1) continue;
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string out;
  for (const auto& cells : lines_) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool alone = cells.size() == 1;
      const std::string padding(alone ? 0 : widths[i] - cells[i].size(), ' ');
      out += i == 0 ? cells[i] + padding : "  " + padding + cells[i];
    }
    out += '\n';
  }
  return out;
}

}  // namespace t3
