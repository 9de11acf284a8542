// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace t3 {

/// `value` with `digits` digits after the point, rounded to the nearest.
std::string fixed(double value, int digits);
/// The same with its sign, also of a positive one: "+1.3". Zero has none.
std::string signedFixed(double value, int digits);

/// Columns of text: the first is aligned to the left, all others to the right. A line of one cell
/// is a heading, however wide.
class TextTable {
 public:
  /// The first `labels` columns say what a line is.
  explicit TextTable(std::size_t labels = 1) : labels_(labels) {}

  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }
  bool empty() const { return lines_.empty(); }
  /// In lines of at most `width` characters: columns that do not fit follow below, each part with
  /// the labels. A part has at least one column, however wide.
  std::string text(std::size_t width = std::string::npos) const;

 private:
  /// One part: the labels and the columns `first` … `end`-1.
  std::string part(const std::vector<std::size_t>& widths, std::size_t first,
                   std::size_t end) const;

  std::size_t labels_;
  std::vector<std::vector<std::string>> lines_;
};

/// Columns of the terminal that a file descriptor is; none if it is no terminal.
std::optional<std::size_t> terminalColumns(int descriptor);

/// Columns of the terminal that a file descriptor is, if a line on it can be erased; none if it is
/// no terminal, or one without such control codes (TERM is dumb, or not set).
std::optional<std::size_t> erasableColumns(int descriptor);

/// How wide a table in a file may be.
inline constexpr std::size_t kTableColumns = 200;
/// How wide a table on standard output may be: the terminal's columns, else COLUMNS, else this.
std::size_t tableColumns();

}  // namespace t3
