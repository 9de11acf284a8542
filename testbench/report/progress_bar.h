// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace t3 {

/// One line on the terminal that shows how far each of several runs is. Nothing at all if standard
/// error is not a terminal, or if not `wanted`. The line is gone when the bar is.
class ProgressBar {
 public:
  ProgressBar(std::vector<std::string> labels, bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::size_t run, double fraction);

 private:
  const bool visible_;
  std::vector<std::string> labels_;
  std::vector<int> percent_;
};

/// The line for runs at the given percentages, at most `width` characters.
std::string progressLine(const std::vector<std::string>& labels, const std::vector<int>& percent,
                         std::size_t width);

}  // namespace t3
