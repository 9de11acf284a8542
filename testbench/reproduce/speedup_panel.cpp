// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/speedup_panel.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

constexpr const char* kMark = "points pt 12 ps 0.8 lw 1.2 lc rgb '#202020'";
constexpr double kGroup = 0.84;  ///< width of the bars of a sublayer together

/// The sublayers of one panel.
struct SpeedupPanel {
  std::string name;  ///< of its data in the script
  Selection points;
  bool (*inMean)(const Point&);  ///< which count for mean and largest value, at the right
  std::string meanTitle;
  std::vector<Headline> paper;  ///< drawn beside these two
};

void speedupPanel(Plot& plot, const SpeedupStyle& style, const SpeedupPanel& panel,
                  const std::vector<PointResult>& all) {
  const Selection& selection = panel.points;
  const std::size_t count = style.bars.size();
  const double width = kGroup / static_cast<double>(count);
  SublayerAxis axis = sublayerAxis(selection);
  const auto rowsOf = [&](Mode mode, double shift) {
    Rows rows;
    for (std::size_t i = 0; i < selection.size(); ++i) {
      if (const auto speedup = selection[i]->speedup(mode)) {
        rows.push_back({axis.positions[i] + shift, *speedup});
      }
    }
    return rows;
  };
  std::vector<Series> bars;
  for (std::size_t m = 0; m < count; ++m) {
    const Mode mode = style.bars[m].mode;
    bars.push_back({spelling(mode), style.bars[m].fill, rowsOf(mode, barShift(m, count, width))});
  }
  Rows line = rowsOf(style.line, 0), points = rowsOf(style.mark, 0);

  // Mean and largest value at the right, beside the paper's.
  const double mean = axis.end + 0.9, best = mean + 1.7;
  const auto addSpread = [&](Mode mode, double shift, Rows& rows) {
    if (selection.empty()) return;
    const auto spread = speedups(all, selection.front()->point.part, mode, panel.inMean);
    if (!spread) return;
    rows.push_back({mean + shift, spread->geomean});
    rows.push_back({best + shift, spread->best});
  };
  for (std::size_t m = 0; m < count; ++m) {
    addSpread(style.bars[m].mode, barShift(m, count, width), bars[m].rows);
  }
  addSpread(style.line, 0, line);
  addSpread(style.mark, 0, points);
  Rows marks;
  for (const Headline& headline : panel.paper) {
    double shift = 0.6;  // beside the line
    for (std::size_t m = 0; m < count; ++m) {
      if (headline.mode == style.bars[m].mode) shift = barShift(m, count, width);
    }
    marks.push_back({(headline.isMean ? mean : best) + shift, headline.paper});
  }
  axis.tics.emplace_back(mean, "geomean");
  axis.tics.emplace_back(best, "largest");
  axis.headings.emplace_back((mean + best) / 2, panel.meanTitle);
  axis.separators.push_back(axis.end + 0.05);

  frame(plot, "speedup over sequential");
  plot.line("set yrange [0.8:" + at(style.top) + "]");
  plot.line("set ytics 0.1 format '%.1f'");
  plot.line("set xrange [-0.7:" + at(best + 0.9) + "]");
  plot.tics("x", axis.tics, "scale 0");
  headings(plot, axis);
  plot.line("set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb '#404040' lw 1");
  plot.line("unset key");
  auto elements = boxes(plot, panel.name, bars, width);
  plot.data(panel.name + "line", line);
  plot.data(panel.name + "marks", points);
  plot.data(panel.name + "paper", marks);
  elements.push_back("$" + panel.name +
                     "line using ($1-0.45):2:(0.9):(0) with vectors nohead lw 2 lc rgb '" +
                     fill::kDarkest + "'");
  if (!points.empty()) elements.push_back("$" + panel.name + "marks using 1:2 with " + kMark);
  if (!marks.empty()) elements.push_back("$" + panel.name + "paper using 1:2 with " + kPaperMark);
  plot.plot(elements);
  plot.line("unset label");
  plot.line("unset arrow");
}

/// Its entries in the key.
std::vector<std::string> speedupKey(const SpeedupStyle& style) {
  std::vector<std::string> key;
  for (const ModeStyle& bar : style.bars) key.push_back(boxEntry(bar.fill, spelling(bar.mode)));
  key.push_back(lineEntry(style.line));
  key.push_back(std::string("with ") + kMark + " title " + plotText(spelling(style.mark)));
  return key;
}

}  // namespace

void speedupPanels(Plot& plot, const SpeedupStyle& style, const Selection& selection,
                   const std::vector<PointResult>& all, const std::vector<Headline>& paper) {
  std::vector<Headline> small, large;
  for (const Headline& headline : paper) (headline.largeModels ? large : small).push_back(headline);
  const BySize panels = bySize(selection);
  plot.line("set multiplot");
  place(plot, cell(0, 1, 2));
  speedupPanel(plot, style, {"small", panels.small, isSmallModel, "all of these", small}, all);
  place(plot, cell(1, 1, 2));
  speedupPanel(plot, style, {"large", panels.others, isLargeModel, "PALM, MT-NLG", large}, all);
  std::vector<std::string> key = speedupKey(style);
  if (!paper.empty()) key.push_back("with " + std::string(kPaperMark) + " title 'paper'");
  keyStrip(plot, key);
}

}  // namespace t3
