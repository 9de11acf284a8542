// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

}  // namespace t3
