// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
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

/// The same for a long list of points: how many are done, and about how long the rest will take.
class BatchBar {
 public:
  BatchBar(std::size_t points, bool wanted);
  ~BatchBar();
  BatchBar(const BatchBar&) = delete;
  BatchBar& operator=(const BatchBar&) = delete;

  /// `fraction` is the share of the work that is done.
  void update(std::size_t done, double fraction);

 private:
  const bool visible_;
  const std::size_t points_;
  const std::chrono::steady_clock::time_point start_;
  std::string shown_;
};

/// The line for `done` of `points` when `fraction` of the work took `elapsedSeconds`; no estimate
/// before a hundredth is done.
std::string batchLine(std::size_t done, std::size_t points, double fraction, double elapsedSeconds,
                      std::size_t width);

}  // namespace t3
