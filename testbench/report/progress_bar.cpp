// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/progress_bar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <utility>

namespace t3 {
namespace {

constexpr const char* kEraseLine = "\r\033[K";

std::size_t terminalWidth() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

ProgressBar::ProgressBar(std::vector<std::string> labels, bool wanted)
    : visible_(wanted && isatty(STDERR_FILENO) != 0),
      labels_(std::move(labels)),
      percent_(labels_.size(), 0) {
  if (visible_) std::cerr << progressLine(labels_, percent_, terminalWidth() - 1) << std::flush;
}

ProgressBar::~ProgressBar() {
  if (visible_) std::cerr << kEraseLine << std::flush;
}

void ProgressBar::update(std::size_t run, double fraction) {
  const int percent = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100);
  if (!visible_ || percent_[run] == percent) return;
  percent_[run] = percent;
  std::cerr << kEraseLine << progressLine(labels_, percent_, terminalWidth() - 1) << std::flush;
}

std::string progressLine(const std::vector<std::string>& labels, const std::vector<int>& percent,
                         std::size_t width) {
  constexpr std::size_t kCells = 20;
  const auto sum = static_cast<std::size_t>(std::accumulate(percent.begin(), percent.end(), 0));
  const std::size_t filled = labels.empty() ? kCells : sum * kCells / (100 * labels.size());
  std::string line = "[" + std::string(filled, '#') + std::string(kCells - filled, '.') + "]";
  for (std::size_t i = 0; i < labels.size(); ++i) {
    line += "  " + labels[i] + " " + std::to_string(percent[i]) + "%";
  }
  return line.substr(0, width);
}

BatchBar::BatchBar(std::size_t points, bool wanted)
    : visible_(wanted && isatty(STDERR_FILENO) != 0),
      points_(points),
      start_(std::chrono::steady_clock::now()) {}

BatchBar::~BatchBar() {
  if (visible_) std::cerr << kEraseLine << std::flush;
}

void BatchBar::update(std::size_t done, double fraction) {
  if (!visible_) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  std::string line = batchLine(done, points_, fraction, elapsed.count(), terminalWidth() - 1);
  if (line == shown_) return;
  shown_ = std::move(line);
  std::cerr << kEraseLine << shown_ << std::flush;
}

std::string batchLine(std::size_t done, std::size_t points, double fraction, double elapsedSeconds,
                      std::size_t width) {
  constexpr std::size_t kCells = 20;
  constexpr double kEnough = 0.01;
  const double share = std::clamp(fraction, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * kCells);
  std::string line = "[" + std::string(filled, '#') + std::string(kCells - filled, '.') + "]  " +
                     std::to_string(done) + " of " + std::to_string(points) + " points";
  if (share >= kEnough && share < 1) {
    const auto left = static_cast<long>(elapsedSeconds * (1 - share) / share);
    line += left < 60 ? ", less than a minute left"
                      : ", about " + std::to_string((left + 30) / 60) + " min left";
  }
  return line.substr(0, width);
}

}  // namespace t3
