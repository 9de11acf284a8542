// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace t3 {

/// Positive values: their number, geometric mean and extremes.
class Geomean {
 public:
  void add(double value) {
    logarithms_ += std::log(value);
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
    ++count_;
  }
  std::size_t count() const { return count_; }
  /// These are 0 if there are no values.
  double mean() const {
    return count_ == 0 ? 0 : std::exp(logarithms_ / static_cast<double>(count_));
  }
  double least() const { return count_ == 0 ? 0 : least_; }
  double most() const { return most_; }

 private:
  double logarithms_ = 0, least_ = std::numeric_limits<double>::infinity(), most_ = 0;
  std::size_t count_ = 0;
};

/// The JSON form.
void visitMembers(const Geomean& values, auto visit) {
  visit("points", values.count());
  visit("mean", values.mean());
  visit("least", values.least());
  visit("most", values.most());
}

}  // namespace t3
