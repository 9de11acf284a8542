// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/testbench/temporary_directory.h"

namespace t3::test {

/// A CSV file in memory: hundreds of thousands of lines, so nothing of it is copied.
struct CsvText {
  std::string text;
  std::vector<std::string_view> names;
};

/// A line of it, by the names of its columns.
class LogLine {
 public:
  LogLine(std::shared_ptr<const CsvText> file, std::vector<std::string_view> cells)
      : file_(std::move(file)), cells_(std::move(cells)) {}

  std::string_view at(std::string_view column) const {
    const auto found = std::ranges::find(file_->names, column);
    if (found == file_->names.end()) throw std::out_of_range(std::string(column));
    return cells_.at(static_cast<std::size_t>(found - file_->names.begin()));
  }
  bool operator==(const LogLine& other) const { return cells_ == other.cells_; }

 private:
  std::shared_ptr<const CsvText> file_;
  std::vector<std::string_view> cells_;
};

inline std::vector<std::string_view> cellsOf(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    cells.push_back(line.substr(from, comma - from));
    from = comma + 1;
  }
  return cells;
}

/// Throws if the file does not end with a whole line, or a line has not as many cells as the first.
inline std::vector<LogLine> readLog(const std::string& path) {
  const auto file = std::make_shared<CsvText>();
  file->text = readFile(path);
  std::string_view rest = file->text;
  std::vector<LogLine> lines;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) throw std::runtime_error(path + " ends in a line");
    std::vector<std::string_view> cells = cellsOf(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (file->names.empty()) {
      file->names = std::move(cells);
      continue;
    }
    if (cells.size() != file->names.size()) throw std::runtime_error(path + ": columns");
    lines.emplace_back(file, std::move(cells));
  }
  return lines;
}

inline std::uint64_t numberIn(const LogLine& line, std::string_view column) {
  const std::string cell(line.at(column));
  return cell.empty() ? 0 : std::stoull(cell, nullptr, 0);
}

}  // namespace t3::test
