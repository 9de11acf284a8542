// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "testbench/config/spelling.h"

namespace t3 {
std::string fixed(double value, int digits) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, digits);
  const std::string text(buffer.data(), end.ptr);
  const bool isZero = text.find_first_not_of("-0.") == std::string::npos;
  return isZero && text.front() == '-' ? text.substr(1) : text;
}

std::string signedFixed(double value, int digits) {
  const std::string text = fixed(value, digits);
  const bool isZero = text.find_first_not_of("0.") == std::string::npos;
  return isZero || text.front() == '-' ? text : "+" + text;
}

namespace {

constexpr std::size_t kGap = 2;  ///< spaces between two columns

}  // namespace

std::string TextTable::text(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (const auto& cells : lines_) {
    widths.resize(std::max(widths.size(), cells.size()), 0);
    if (cells.size() == 1) continue;
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  const std::size_t labels = std::min(labels_, widths.size());
  std::size_t ofLabels = 0;
  for (std::size_t i = 0; i < labels; ++i) ofLabels += widths[i] + (i == 0 ? 0 : kGap);
  std::string out;
  std::size_t first = labels;
  do {
    std::size_t end = first;
    std::size_t used = ofLabels;
    while (end < widths.size() && (end == first || used + kGap + widths[end] <= width)) {
      used += kGap + widths[end++];
    }
    if (!out.empty()) out += '\n';
    out += part(widths, first, end);
    first = end;
  } while (first < widths.size());
  return out;
}

std::string TextTable::part(const std::vector<std::size_t>& widths, std::size_t first,
                            std::size_t end) const {
  std::string out;
  for (const auto& cells : lines_) {
    const bool heading = cells.size() == 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i >= labels_ && (i < first || i >= end)) continue;
      const std::string padding(heading ? 0 : widths[i] - cells[i].size(), ' ');
      out += i == 0 ? cells[i] + padding : std::string(kGap, ' ') + padding + cells[i];
    }
    out += '\n';
  }
  return out;
}

namespace {

constexpr std::size_t kUsual = 80;  ///< of a terminal that does not say

}  // namespace

std::optional<std::size_t> terminalColumns(int descriptor) {
  if (isatty(descriptor) == 0) return std::nullopt;
  winsize size = {};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsual;
}

std::optional<std::size_t> erasableColumns(int descriptor) {
  const char* variable = std::getenv("TERM");
  const std::string_view kind = variable == nullptr ? "" : variable;
  if (kind.empty() || kind == "dumb") return std::nullopt;
  return terminalColumns(descriptor);
}

std::size_t tableColumns() {
  if (const auto columns = terminalColumns(STDOUT_FILENO)) return *columns;
  const char* variable = std::getenv("COLUMNS");
  const auto columns = numberFrom<std::size_t>(variable == nullptr ? "" : variable).value_or(0);
  return columns > 0 ? columns : kTableColumns;
}

}  // namespace t3
