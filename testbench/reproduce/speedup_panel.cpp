// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/speedup_panel.h"

#include <cstddef>
#include <string>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/reproduce/figure_data.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

constexpr double kGroup = 0.84;  ///< width of the bars of a sublayer together

std::string boundMark() { return "pt 12 ps 0.8 lw 1.2 " + colour(ink::kText); }

/// What the panels of a figure have in common.
struct SpeedupSheet {
  const SpeedupStyle& style;
  const std::vector<PointResult>& all;
  const std::string& part;  ///< of the evaluation
  const std::vector<Headline>& paper;
  Scale scale;
};

void speedupPanel(Sheet& sheet, const std::string& name, const SublayerPart& part,
                  const SpeedupSheet& common) {
  const SpeedupStyle& style = common.style;
  const std::size_t count = style.bars.size();
  const double width = kGroup / static_cast<double>(count);
  SublayerAxis axis(part.points);
  const auto rowsOf = [&](Mode mode, double shift) {
    Rows rows;
    for (std::size_t i = 0; i < part.points.size(); ++i) {
      if (const auto speedup = part.points[i]->speedup(mode)) {
        rows.push_back({axis.positions[i] + shift, *speedup});
      }
    }
    return rows;
  };
  std::vector<Series> bars;
  for (std::size_t m = 0; m < count; ++m) {
    const auto& [mode, colour] = style.bars[m];
    bars.push_back({spelling(mode), colour, rowsOf(mode, barShift(m, count, width))});
  }
  Rows line = rowsOf(style.line, 0), points = rowsOf(style.mark, 0), marks;
  if (part.last) {
    const auto wanted = part.small ? isSmallModel : isLargeModel;
    // Where their bars stand.
    const std::pair<double, double> at =
        axis.common("mean", "largest", part.small ? "all of these" : "PALM, MT-NLG");
    const auto addSpread = [&](Mode mode, double shift, Rows& rows) {
      const auto spread = speedups(common.all, common.part, mode, wanted);
      if (!spread) return;
      rows.push_back({at.first + shift, spread->geomean});
      rows.push_back({at.second + shift, spread->best});
    };
    for (std::size_t m = 0; m < count; ++m) {
      addSpread(style.bars[m].mode, barShift(m, count, width), bars[m].rows);
    }
    addSpread(style.line, 0, line);
    addSpread(style.mark, 0, points);
    for (const Headline& headline : common.paper) {
      if (headline.largeModels == part.small) continue;
      double shift = 0.6;  // beside the line
      for (std::size_t m = 0; m < count; ++m) {
        if (headline.mode == style.bars[m].mode) shift = barShift(m, count, width);
      }
      marks.push_back({(headline.isMean ? at.first : at.second) + shift, headline.paper});
    }
  }
  Plot& plot = sheet.plot();
  sheet.panel("speedup over sequential");
  plot.scale("y", common.scale);
  axis.draw(plot);
  groundLine(plot, 1);
  auto elements = boxes(plot, name, bars, width, 1);
  elements.push_back(acrossBars(plot, name + "line", line, 0.9));
  if (!points.empty()) {
    plot.data(name + "marks", points);
    elements.push_back("$" + name + "marks using 1:2 with points " + boundMark());
  }
  if (!marks.empty()) {
    plot.data(name + "paper", marks);
    elements.push_back("$" + name + "paper using 1:2 with points " + paperEntry().point);
  }
  plot.plot(elements);
}

}  // namespace

Figure withSpeedupPanels(Figure figure, const SpeedupStyle& style, const Selection& selection,
                         const std::vector<PointResult>& all, const std::vector<Headline>& paper) {
  std::vector<Mode> modes;
  for (const ModeStyle& bar : style.bars) modes.push_back(bar.mode);
  modes.insert(modes.end(), {style.line, style.mark});
  std::vector<double> values = {1};
  for (const PointResult* point : selection) {
    for (const Mode& mode : modes) {
      if (const auto speedup = point->speedup(mode)) values.push_back(*speedup);
    }
  }
  for (const Headline& headline : paper) values.push_back(headline.paper);
  std::vector<KeyEntry> key = keyOf(style.bars);
  key.push_back(boundEntry(style.line));
  key.push_back({spelling(style.mark), {}, {}, boundMark()});
  if (!paper.empty()) key.push_back(paperEntry());
  const SpeedupSheet common = {style, all, selection.front()->point.part, paper,
                               Scale::over(values)};
  figure = drawn(std::move(figure), [&](bool narrow) {
    const auto parts = partsBySize(selection, narrow);
    Sheet sheet(narrow, {parts.size(), 1, narrow ? 190.0 : 260.0}, key);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      speedupPanel(sheet, "panel" + std::to_string(i) + "_", parts[i], common);
    }
    return sheet.drawing();
  });
  return withSpeedups(std::move(figure), selection, modes);
}

}  // namespace t3
