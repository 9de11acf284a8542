// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace t3 {

/// Fills that differ in lightness as well as in colour, so that they can be told apart in grey.
namespace fill {
inline constexpr const char* kLightest = "#e8e8e8";
inline constexpr const char* kLight = "#fdc98f";
inline constexpr const char* kMiddle = "#8ebfe3";
inline constexpr const char* kDark = "#1f5fa8";
inline constexpr const char* kDarkest = "#202020";
}  // namespace fill

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
  /// A plot command of these elements.
  void plot(const std::vector<std::string>& elements);
  std::string script() const { return data_ + script_; }

 private:
  std::string data_, script_;
};

/// `text` as a quoted text of gnuplot; line breaks are kept.
std::string plotText(const std::string& text);

}  // namespace t3
