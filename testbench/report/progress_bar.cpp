// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <utility>

#include "testbench/report/text.h"

namespace t3 {
namespace {

constexpr const char* kEraseLine = "\r\033[K";

/// Between two lines where nobody can see a line change.
constexpr std::chrono::seconds kPause{60};

}  // namespace

StatusLine::StatusLine(bool wanted)
    : wanted_(wanted), columns_(erasableColumns(STDERR_FILENO)), shownAt_(Clock::now()) {}

StatusLine::~StatusLine() {
  if (wanted_ && columns_) std::cerr << kEraseLine << std::flush;
}

void StatusLine::show(const std::function<std::string(std::size_t)>& line) {
  if (!wanted_) return;
  if (columns_) {
    std::string text = line(terminalColumns(STDERR_FILENO).value_or(*columns_) - 1);
    if (text == shown_) return;
    shown_ = std::move(text);
    std::cerr << kEraseLine << shown_ << std::flush;
  } else if (Clock::now() - shownAt_ >= kPause) {
    shownAt_ = Clock::now();
    std::cerr << line(kTableColumns) << std::endl;
  }
}

ProgressBar::ProgressBar(std::vector<std::string> labels, bool wanted)
    : line_(wanted), labels_(std::move(labels)), percent_(labels_.size(), 0) {
  show();
}

void ProgressBar::update(std::size_t run, double fraction) {
  const int percent = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100);
  if (percent_[run] == percent) return;
  percent_[run] = percent;
  show();
}

void ProgressBar::show() {
  line_.show([this](std::size_t width) { return progressLine(labels_, percent_, width); });
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
    : line_(wanted), points_(points), start_(std::chrono::steady_clock::now()) {}

void BatchBar::update(std::size_t done, double fraction) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  line_.show([&](std::size_t width) {
    return batchLine(done, points_, fraction, elapsed.count(), width);
  });
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
