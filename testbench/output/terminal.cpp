// SPDX-License-Identifier: Apache-2.0
#include "testbench/output/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace t3 {
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
  const std::string_view text = variable == nullptr ? "" : variable;
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return error == std::errc() && end == text.data() + text.size() && columns > 0 ? columns
                                                                                 : kTableColumns;
}

}  // namespace t3
