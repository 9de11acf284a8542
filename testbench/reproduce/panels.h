// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/report/point.h"
#include "testbench/reproduce/plot.h"

// What all figures use: places of panels, the look of axes, and bars.

namespace t3 {

using Rows = std::vector<Plot::Row>;
using Tics = std::vector<std::pair<double, std::string>>;
using Selection = std::vector<const PointResult*>;

inline constexpr const char* kPaperMark = "points pt 9 ps 1.3 lc rgb '#c00000'";

/// Points of that part, without those that repeat another one with all GPUs simulated.
Selection pointsOf(const std::vector<PointResult>& points, const std::string& part);
/// The smaller models, on rings of 8 and 16 GPUs, and all others: each have a panel of their own.
struct BySize {
  Selection small, others;
};
BySize bySize(const Selection& selection);
/// Points of a part by study, in the order in which they appear.
std::vector<std::pair<std::string, Selection>> studiesOf(const Selection& selection);

/// A number as it is written in a script.
std::string at(double value);

/// Sets what all panels have: thin axes, light grid lines along y, boxes with a thin border.
void frame(Plot& plot, const std::string& yLabel);

/// Where a panel is, as shares of the figure.
struct Box {
  double left, right, bottom, top;
};
void place(Plot& plot, const Box& box);
/// Cell number `index` of a grid in the figure, with room for titles and labels around each.
Box cell(std::size_t index, std::size_t columns, std::size_t rows);

/// Draws the key of all panels across the top of the figure, as a plot of its own.
void keyStrip(Plot& plot, const std::vector<std::string>& entries);
/// Entries of that key: for boxes, and for a bound that is drawn as lines across them.
std::string boxEntry(const std::string& fill, const std::string& title);
std::string lineEntry(Mode bound);
/// How such a line is drawn, from data "using x:y:length:0".
std::string acrossBars(Mode bound);

/// The bars of one kind, as rows of x, y.
struct Series {
  std::string title;
  std::string fill;
  Rows rows;
};
/// Adds the data of the series, in blocks whose names begin with `prefix`, and returns the elements
/// of a plot command that draw them as boxes of `width`.
std::vector<std::string> boxes(Plot& plot, const std::string& prefix,
                               const std::vector<Series>& series, double width);
/// Centre of bar `index` of `count` next to each other.
double barShift(std::size_t index, std::size_t count, double width);

/// The x axis of a panel of sublayers: one group for each model and degree, with a gap between
/// groups and a heading above each.
struct SublayerAxis {
  std::vector<double> positions;
  Tics tics;
  Tics headings;
  std::vector<double> separators;
  double end = 0;
};
SublayerAxis sublayerAxis(const Selection& selection);
/// Draws its headings and separators.
void headings(Plot& plot, const SublayerAxis& axis);
/// Begins a figure of shares: one panel of all sublayers over 0 to 100 %, its key above it. Seven
/// groups stand side by side, so that the headings take two lines, the degree below the model.
void percentPanel(Plot& plot, const SublayerAxis& axis, const std::string& yLabel);

/// The fill of a mode's bars.
struct ModeStyle {
  Mode mode;
  const char* fill;
};
inline constexpr std::array<ModeStyle, 2> kT3Bars = {
    {{Mode::T3, fill::kMiddle}, {Mode::T3Mca, fill::kDark}}};

/// A kind of DRAM traffic and its fill.
struct TrafficKind {
  const char* title;
  std::uint64_t DramBytes::*bytes;
  const char* fill;
};
inline constexpr std::array<TrafficKind, 6> kTrafficKinds = {{
    {"GEMM reads", &DramBytes::gemm_read, "#0b3c6f"},
    {"GEMM writes", &DramBytes::gemm_write, "#8ebfe3"},
    {"RS reads", &DramBytes::rs_read, "#b3500b"},
    {"RS writes", &DramBytes::rs_write, "#fdc98f"},
    {"AG reads", &DramBytes::ag_read, "#606060"},
    {"AG writes", &DramBytes::ag_write, "#e8e8e8"},
}};

}  // namespace t3
