// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace t3 {

/// `value` with `digits` digits after the point, rounded to the nearest.
std::string fixed(double value, int digits);

/// Columns of text: the first is aligned to the left, all others to the right. A line of one cell
/// is a heading, however wide.
class TextTable {
 public:
  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace t3
