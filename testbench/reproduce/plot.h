// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace t3 {

/// The range and the ticks of an axis: round numbers over all values.
struct Scale {
  double low = 0, high = 1, step = 0.5;
  int digits = 1;  ///< after the point of a tick's label: as many as tell two ticks apart

  /// Over all of `values`, with about `ticks` ticks. Values that are as good as equal get a
  /// thousandth of their size, so that no digits are shown that say nothing.
  static Scale over(std::span<const double> values, double ticks = 5);
};

/// A gnuplot script being written: data blocks first, then commands.
class Plot {
 public:
  using Row = std::vector<double>;

  /// A named block of rows; referred to as $name.
  void data(const std::string& name, const std::vector<Row>& rows);
  /// One line of the script.
  void line(const std::string& command) { script_ += command + "\n"; }
  /// Labels of an axis ("x" or "y") at positions.
  void tics(const std::string& axis, const std::vector<std::pair<double, std::string>>& labels,
            const std::string& options = "");
  /// Range and ticks of an axis.
  void scale(const std::string& axis, const Scale& scale);
  /// A plot command of these elements.
  void plot(const std::vector<std::string>& elements);
  std::string script() const { return data_ + script_; }

 private:
  std::string data_, script_;
};

/// `text` as a quoted text of gnuplot; line breaks are kept.
std::string plotText(const std::string& text);

}  // namespace t3
