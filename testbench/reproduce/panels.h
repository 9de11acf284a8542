// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testbench/report/point.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/palette.h"
#include "testbench/reproduce/plot.h"

// What all figures use: sheets with panels and a key, the look of axes, and bars.

namespace t3 {

using Rows = std::vector<Plot::Row>;
using Tics = std::vector<std::pair<double, std::string>>;
using Selection = std::vector<const PointResult*>;

/// Points of that part, without those that repeat another one with all GPUs simulated.
Selection pointsOf(const std::vector<PointResult>& points, const std::string& part);
/// Points of a part by study, in the order in which they appear.
std::vector<std::pair<std::string, Selection>> studiesOf(const Selection& selection);

/// A number as it is written in a script.
std::string at(double value);
/// "lc rgb '#202020'".
std::string colour(const Ink& ink);

/// What a series is called in the key, and how it looks there: as a box, a line, a point, or a line
/// with a point. Styles are gnuplot's, with their colour.
struct KeyEntry {
  std::string title;
  std::string box = {}, line = {}, point = {};
};
/// Entries for a bound that is drawn as lines across bars, and for what the paper says.
KeyEntry boundEntry(Mode bound);
KeyEntry paperEntry();

/// Room around a panel, in pixels.
struct Margins {
  double left = 62, right = 12, above = 30, below = 40;
};

/// A drawing in the making: a key across its top and equal panels below, in rows. A narrow one is
/// read at its own size on a telephone.
class Sheet {
 public:
  /// The parts of a sheet: `panels` in rows of `columns`, each with axes of `height` pixels.
  struct Form {
    std::size_t panels = 1, columns = 1;
    double height = 200;
    Margins margins = {};
  };

  Sheet(bool narrow, const Form& form, const std::vector<KeyEntry>& key);

  bool narrow() const { return narrow_; }
  Plot& plot() { return plot_; }
  /// Goes on with the next panel: what is plotted next is drawn there. It gets thin axes and light
  /// grid lines along y, and loses the labels and arrows of the panel before it.
  /// Panels of a row have the label of the first.
  void panel(const std::string& yLabel);
  /// Writes above the panel, from its left edge.
  void title(const std::string& text);
  Drawing drawing() const;

 private:
  void key(const std::vector<KeyEntry>& entries);

  bool narrow_;
  Form form_;
  double width_, keyHeight_ = 0, height_ = 0;
  std::size_t next_ = 0;
  Plot plot_;
};

/// The bars of one kind, as rows of x, y.
struct Series {
  std::string title;
  Ink ink;
  Rows rows;
};
/// Adds the data of the series, in blocks whose names begin with `prefix`, and returns the elements
/// of a plot command that draw them as boxes of `width` that stand on `ground`.
std::vector<std::string> boxes(Plot& plot, const std::string& prefix,
                               const std::vector<Series>& series, double width, double ground);
/// Centre of bar `index` of `count` next to each other.
double barShift(std::size_t index, std::size_t count, double width);
/// An element that draws lines of `width` across bars, at rows of x, y.
std::string acrossBars(Plot& plot, const std::string& name, const Rows& rows, double width);
/// A line over the whole panel at `y`: what bars stand on.
void groundLine(Plot& plot, double y);

/// A panel of a figure of sublayers.
struct SublayerPart {
  Selection points;
  bool small = false;  ///< the smaller models, on rings of 8 and 16 GPUs; else all others
  bool last = false;   ///< of these: what they have in common belongs here
};
/// The points by size of their model, in panels: two groups of a model and a degree in each of a
/// narrow sheet, else all that belong together. In a narrow one, what they have in `common`, if it
/// is drawn, may have a panel of its own, without points.
std::vector<SublayerPart> partsBySize(const Selection& selection, bool narrow, bool common = true);

/// The x axis of a panel of sublayers: one group for each model and degree, with a gap between
/// groups and a heading above each.
struct SublayerAxis {
  std::vector<double> positions;
  Tics tics;
  Tics headings;
  std::vector<double> separators;
  double end = 0;

  explicit SublayerAxis(const Selection& selection);
  /// Adds a group of two values that all sublayers have in common; returns where they are.
  std::pair<double, double> common(const char* first, const char* second, const std::string& title);
  /// Sets the axis with its headings and separators.
  void draw(Plot& plot) const;
};

/// The colour of a mode's bars.
struct ModeStyle {
  Mode mode;
  Ink ink;
};
std::vector<KeyEntry> keyOf(const std::vector<ModeStyle>& bars);

/// A kind of DRAM traffic and its colour.
struct TrafficKind {
  const char* title;
  Phase phase;
  std::size_t way;  ///< 0: read, 1: written
  Ink ink;

  std::uint64_t of(const PhaseBytes& bytes) const { return bytes[phase][way]; }
};
inline constexpr std::array<TrafficKind, 6> kTrafficKinds = {{
    {"GEMM reads", Phase::Gemm, 0, ink::kNavy},
    {"GEMM writes", Phase::Gemm, 1, ink::kBlue},
    {"RS reads", Phase::ReduceScatter, 0, ink::kBrown},
    {"RS writes", Phase::ReduceScatter, 1, ink::kOrange},
    {"AG reads", Phase::AllGather, 0, ink::kSlate},
    {"AG writes", Phase::AllGather, 1, ink::kGrey},
}};

}  // namespace t3
