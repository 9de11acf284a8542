// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/report/point.h"
#include "testbench/reproduce/headlines.h"

namespace t3 {

/// A sentence with the number that it is about.
struct Sentence {
  std::string before, number, after;
  std::string text() const { return before + number + after; }
};

/// What came out.
struct Conclusions {
  std::vector<Sentence> paper;   ///< what was measured, what the paper says, and the difference
  std::vector<Sentence> beyond;  ///< what the paper does not ask
};

/// "t3-mca is 1.313 times as fast as sequential in the mean; the paper says 1.30: +1.3 points." Of
/// a headline that has a value.
Sentence sentenceOf(const Headline& headline);

Conclusions conclusionsOf(const std::vector<PointResult>& points);

}  // namespace t3
