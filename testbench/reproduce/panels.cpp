// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/panels.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/reproduce/parts.h"

namespace t3 {

Selection pointsOf(const std::vector<PointResult>& points, const std::string& part) {
  Selection selection;
  for (const PointResult& result : points) {
    if (result.point.part == part && !isExplicitRepeat(result.point)) selection.push_back(&result);
  }
  return selection;
}

BySize bySize(const Selection& selection) {
  BySize sizes;
  for (const PointResult* result : selection) {
    (isSmallModel(result->point) ? sizes.small : sizes.others).push_back(result);
  }
  return sizes;
}

std::vector<std::pair<std::string, Selection>> studiesOf(const Selection& selection) {
  std::vector<std::pair<std::string, Selection>> studies;
  for (const PointResult* result : selection) {
    const auto known =
        std::ranges::find(studies, result->point.study, &std::pair<std::string, Selection>::first);
    if (known != studies.end()) {
      known->second.push_back(result);
    } else {
      studies.push_back({result->point.study, {result}});
    }
  }
  return studies;
}

std::string at(double value) { return formatNumber(value); }

void frame(Plot& plot, const std::string& yLabel) {
  plot.line("set border 3 lc rgb '#404040'");
  plot.line("set tics nomirror out scale 0.5");
  plot.line("set grid ytics lc rgb '#c4c4c4' lw 0.8 dt 1");
  plot.line("set style fill solid 1 border lc rgb '#404040'");
  plot.line("set ylabel " + plotText(yLabel));
}

void place(Plot& plot, const Box& box) {
  plot.line("set lmargin at screen " + at(box.left));
  plot.line("set rmargin at screen " + at(box.right));
  plot.line("set bmargin at screen " + at(box.bottom));
  plot.line("set tmargin at screen " + at(box.top));
}

Box cell(std::size_t index, std::size_t columns, std::size_t rows) {
  constexpr double kLeft = 0.07, kRight = 0.99, kBottom = 0.085, kTop = 0.9;
  constexpr double kAcross = 0.045, kDown = 0.13;
  const auto across = static_cast<double>(columns), down = static_cast<double>(rows);
  const double width = (kRight - kLeft - kAcross * (across - 1)) / across;
  const double height = (kTop - kBottom - kDown * (down - 1)) / down;
  const std::size_t row = index / columns;
  const double left = kLeft + static_cast<double>(index % columns) * (width + kAcross);
  const double top = kTop - static_cast<double>(row) * (height + kDown);
  return {left, left + width, top - height, top};
}

void keyStrip(Plot& plot, const std::vector<std::string>& entries) {
  place(plot, {0, 1, 0.95, 1});
  for (const char* what : {"border", "tics", "grid", "title", "xlabel", "ylabel"}) {
    plot.line(std::string("unset ") + what);
  }
  plot.line("set key center center horizontal samplen 1.8");
  plot.line("set xrange [0:1]");
  plot.line("set yrange [0:1]");
  std::vector<std::string> elements;
  for (const std::string& entry : entries) elements.push_back("NaN " + entry);
  plot.plot(elements);
}

std::string boxEntry(const std::string& fill, const std::string& title) {
  return "with boxes lw 0.7 fc rgb '" + fill + "' title " + plotText(title);
}

std::string lineEntry(Mode bound) {
  return std::string("with lines lw 2 lc rgb '") + fill::kDarkest + "' title " +
         plotText(spelling(bound));
}

std::string acrossBars(Mode bound) {
  return std::string("with vectors nohead lw 2 lc rgb '") + fill::kDarkest + "' title " +
         plotText(spelling(bound));
}

std::vector<std::string> boxes(Plot& plot, const std::string& prefix,
                               const std::vector<Series>& series, double width) {
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].rows.empty()) continue;
    const std::string block = prefix + std::to_string(i);
    plot.data(block, series[i].rows);
    elements.push_back("$" + block + " using 1:2:(" + at(width) + ") with boxes lw 0.7 fc rgb '" +
                       series[i].fill + "' title " + plotText(series[i].title));
  }
  return elements;
}

double barShift(std::size_t index, std::size_t count, double width) {
  return (static_cast<double>(index) - (static_cast<double>(count) - 1) / 2) * width;
}

SublayerAxis sublayerAxis(const Selection& selection) {
  constexpr double kGap = 0.6;
  SublayerAxis axis;
  double x = 0;
  std::string group;
  double first = 0;
  for (const PointResult* result : selection) {
    const SystemConfig& scenario = result->point.scenario;
    const std::string name = scenario.workload.model + ", TP " + std::to_string(scenario.gpus);
    if (name != group) {
      if (!group.empty()) {
        axis.headings.emplace_back((first + x - 1) / 2, group);
        axis.separators.push_back(x - 0.5 + kGap / 2);
        x += kGap;
      }
      group = name;
      first = x;
    }
    axis.positions.push_back(x);
    std::string label = scenario.workload.sublayer;
    std::erase(label, ' ');  // of a pair: there is little room
    axis.tics.emplace_back(x, std::move(label));
    x += 1;
  }
  if (!group.empty()) axis.headings.emplace_back((first + x - 1) / 2, group);
  axis.end = x;
  return axis;
}

void headings(Plot& plot, const SublayerAxis& axis) {
  for (const auto& [x, text] : axis.headings) {
    plot.line("set label " + plotText(text) + " at " + at(x) + ", graph 1.04 center font ',11'");
  }
  for (const double x : axis.separators) {
    plot.line("set arrow from " + at(x) + ", graph 0 to " + at(x) +
              ", graph 1.0 nohead lc rgb '#b0b0b0' dt 3");
  }
}

void percentPanel(Plot& plot, const SublayerAxis& axis, const std::string& yLabel) {
  frame(plot, yLabel);
  plot.line("set yrange [0:100]");
  plot.line("set xrange [-0.7:" + at(axis.end - 0.3) + "]");
  plot.tics("x", axis.tics, "scale 0 rotate by 90 right");
  for (const auto& [x, text] : axis.headings) {
    std::string lines = text;
    lines.replace(lines.find(", "), 2, "\n");
    plot.line("set label " + plotText(lines) + " at " + at(x) + ", graph 1.13 center font ',11'");
  }
  plot.line("set key at screen 0.5, screen 0.99 center top horizontal samplen 1.5");
  place(plot, {0.07, 0.99, 0.13, 0.8});
}

}  // namespace t3
