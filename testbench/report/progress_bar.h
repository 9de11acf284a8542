// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace t3 {

/// A line on standard error that says how far a command is; nothing if not `wanted`. On a terminal
/// it changes in place and vanishes with this object. Elsewhere, in a log or on a terminal that
/// cannot erase (TERM=dumb), a line appears once a minute.
class StatusLine {
 public:
  explicit StatusLine(bool wanted);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// `line` makes the text, of at most so many characters; not called where nothing is shown.
  void show(const std::function<std::string(std::size_t)>& line);

 private:
  using Clock = std::chrono::steady_clock;

  const bool wanted_;
  const std::optional<std::size_t> columns_;  ///< of the terminal
  std::string shown_;
  Clock::time_point shownAt_;
};

/// How far each of several runs is.
class ProgressBar {
 public:
  ProgressBar(std::vector<std::string> labels, bool wanted);

  void update(std::size_t run, double fraction);

 private:
  void show();

  StatusLine line_;
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

  /// `fraction` is the share of the work that is done.
  void update(std::size_t done, double fraction);

 private:
  StatusLine line_;
  const std::size_t points_;
  const std::chrono::steady_clock::time_point start_;
};

/// The line when `fraction` of the work took so long; no estimate before a hundredth is done.
std::string batchLine(std::size_t done, std::size_t points, double fraction, double elapsedSeconds,
                      std::size_t width);

}  // namespace t3
