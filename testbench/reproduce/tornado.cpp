// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/tornado.h"

#include <algorithm>
#include <map>

#include "testbench/config/spelling.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/text.h"

namespace t3 {
namespace {

/// The speedup of each preset with its own values.
std::map<std::string, double> usualSpeedups(const Selection& selection, Mode mode) {
  std::map<std::string, double> usual;
  for (const PointResult* point : selection) {
    if (!point->point.usual) continue;
    if (const auto speedup = point->speedup(mode)) usual.emplace(point->point.preset, *speedup);
  }
  return usual;
}

std::string percent(double share) { return signedFixed(100 * share, 1); }

Drawing drawTornado(const std::vector<Swing>& swings, Mode mode, bool narrow) {
  // A row: the name of the setting beside its bar or, on a narrow sheet, above it.
  const double pitch = narrow ? 46 : 28;
  const auto rows = static_cast<double>(swings.size());
  Sheet sheet(narrow,
              {1,
               1,
               pitch * rows,
               {.left = narrow ? 12.0 : 200.0,
                .right = narrow ? 12.0 : 150.0,
                .above = narrow ? 8.0 : 26.0,
                .below = 64}},
              {});
  Plot& plot = sheet.plot();
  sheet.panel("");
  std::vector<double> ends = {0};
  Tics tics;
  Rows bars;
  const std::string quiet = std::string("' textcolor rgb '") + ink::kQuiet.light + "'";
  double y = rows;
  for (const Swing& swing : swings) {
    y -= 1;
    const double low = 100 * swing.low.change, high = 100 * swing.high.change;
    ends.insert(ends.end(), {low, high});
    bars.push_back({low, high, y});
    plot.line("set label " + plotText(swing.low.value) + " at " + at(low) + ", " + at(y) +
              " right offset -0.6,0 font ',10" + quiet);
    plot.line("set label " + plotText(swing.high.value) + " at " + at(high) + ", " + at(y) +
              " left offset 0.6,0 font ',10" + quiet);
    const std::string height = ", first " + at(y + (narrow ? 0.42 : 0));
    const std::string range = percent(swing.low.change) + " to " + percent(swing.high.change);
    plot.line("set label " + plotText(narrow ? range + " %" : percent(swing.low.change)) +
              " at screen " + (narrow ? "0.97" : "0.92") + height + " right");
    if (narrow) {
      plot.line("set label " + plotText(swing.setting) + " at graph 0" + height + " left");
    } else {
      tics.emplace_back(y, swing.setting);
      plot.line("set label " + plotText(percent(swing.high.change)) + " at screen 0.985" + height +
                " right");
    }
  }
  if (!narrow) {
    for (const auto& [place, word] : {std::pair("0.92", "lowest"), {"0.985", "highest"}}) {
      plot.line("set label '" + std::string(word) + "' at screen " + place +
                ", graph 1 right offset 0,0.8 font ',10" + quiet);
    }
  }
  // Beside the bars their ends are named.
  const Scale scale = Scale::over(ends, narrow ? 4 : 8);
  const double span = scale.high - scale.low;
  const auto [left, right] = narrow ? std::pair(0.16, 0.34) : std::pair(0.1, 0.24);
  plot.scale("x", scale);
  plot.line("set xrange [" + at(scale.low - left * span) + ":" + at(scale.high + right * span) +
            "]");
  plot.line("set yrange [-0.6:" + at(rows - (narrow ? 0.2 : 0.4)) + "]");
  plot.line("set border 1");
  plot.line(narrow ? "unset grid"  // which would cross the names
                   : "set grid noytics xtics lt 1 " + colour(ink::kLine) + " lw 0.8");
  plot.line("set xlabel " +
            plotText("change of the speedup of " + spelling(mode) +
                     (narrow ? " (%)" : " against the usual setting (%)")) +
            " textcolor rgb '" + ink::kQuiet.light + "'");
  if (narrow) {
    plot.line("unset ytics");
  } else {
    plot.tics("y", tics, "scale 0");
  }
  plot.line("set arrow from 0, graph 0 to 0, graph 1 nohead " + colour(ink::kText) + " lw 1 front");
  const std::string reach = narrow ? "0.17" : "0.24";
  plot.data("bars", bars);
  plot.plot({"$bars using 1:3:1:2:($3-" + reach + "):($3+" + reach +
             ") with boxxyerror lw 0.7 fc rgb '" + std::string(ink::kNavy.light) + "'"});
  return sheet.drawing();
}

}  // namespace

std::vector<Swing> swingsOf(const Selection& selection, Mode mode) {
  const auto usual = usualSpeedups(selection, mode);
  std::vector<Swing> swings;
  for (const auto& [study, points] : studiesOf(selection)) {
    const auto known = usual.find(points.front()->point.preset);
    if (known == usual.end()) continue;
    std::vector<Swing::End> ends;
    for (const PointResult* point : points) {
      if (const auto speedup = point->speedup(mode)) {
        ends.push_back(
            {point->point.label, *speedup, *speedup / known->second - 1, point->point.usual});
      }
    }
    if (ends.size() < 2) continue;
    auto [low, high] = std::ranges::minmax_element(ends, {}, &Swing::End::speedup);
    // Of values that are as good, the usual one is named.
    if (low->speedup < high->speedup) {
      for (auto end = ends.begin(); end != ends.end(); ++end) {
        if (!end->usual) continue;
        if (end->speedup == low->speedup) low = end;
        if (end->speedup == high->speedup) high = end;
      }
    }
    swings.push_back({study, points.front()->point.preset, *low, *high, known->second});
  }
  std::ranges::stable_sort(swings, std::ranges::greater{}, &Swing::size);
  return swings;
}

Figure tornadoFigure(const std::vector<Swing>& swings, Mode mode) {
  std::vector<CsvRow> data;
  std::string alt = "A bar for each setting, from the lowest to the highest speedup of " +
                    spelling(mode) + ", in per cent of that with the usual setting:";
  for (const Swing& swing : swings) {
    data.push_back({{"setting", swing.setting},
                    {"preset", swing.preset},
                    {"low_value", swing.low.value},
                    {"low_speedup", fixed(swing.low.speedup, 6)},
                    {"high_value", swing.high.value},
                    {"high_speedup", fixed(swing.high.speedup, 6)},
                    {"usual_speedup", fixed(swing.usual, 6)},
                    {"low_change_percent", fixed(100 * swing.low.change, 3)},
                    {"high_change_percent", fixed(100 * swing.high.change, 3)}});
    alt += " " + swing.setting + " " + percent(swing.low.change) + " (" + swing.low.value +
           ") to " + percent(swing.high.change) + " (" + swing.high.value + ");";
  }
  alt.back() = '.';
  return drawn({.name = "sensitivity",
                .title = "What the speedup depends on",
                .caption = "T-NLG FC-2 on 8 GPUs, where the row names no other sublayer. One "
                           "setting is changed at a time; a bar reaches from the value with the "
                           "lowest speedup, named at its left, to that with the highest. 0: the "
                           "usual setting. The data beside the figure have the speedups.",
                .alt = alt,
                .data = formatCsv(data),
                .modes = {Mode::Sequential, mode}},
               [&](bool narrow) { return drawTornado(swings, mode, narrow); });
}

}  // namespace t3
