// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "testbench/report/csv_report.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/panels.h"

namespace t3 {
namespace {

/// A row for each headline: its name, both values, and their difference.
Drawing drawHeadlines(const std::vector<Headline>& list, bool narrow) {
  const std::vector<KeyEntry> key = {paperEntry(),
                                     {"simulated", {}, {}, "pt 7 ps 1.2 " + colour(ink::kNavy)}};
  Rows ours, paper, lines;
  Tics tics;
  std::vector<double> values;
  const double pitch = narrow ? 42 : 26;
  Sheet sheet(
      narrow,
      {1,
       1,
       pitch * static_cast<double>(list.size()),
       {.left = narrow ? 14.0 : 270.0, .right = 66, .above = 26, .below = narrow ? 80.0 : 64.0}},
      key);
  Plot& plot = sheet.plot();
  sheet.panel("");
  auto y = static_cast<double>(list.size());
  for (const Headline& headline : list) {
    y -= 1;
    if (narrow) {
      plot.line("set label " + plotText(headline.name) + " at graph 0, first " + at(y + 0.42) +
                " left");
    } else {
      tics.emplace_back(y, headline.name);
    }
    paper.push_back({headline.paper, y});
    ours.push_back({*headline.ours, y});
    lines.push_back({headline.paper, y, *headline.ours - headline.paper, 0});
    values.insert(values.end(), {headline.paper, *headline.ours});
    plot.line("set label " + plotText(signedFixed(*headline.difference(), 1)) +
              " at screen 0.985, first " + at(y) + " right");
  }
  plot.line("set border 1");
  plot.line("set grid noytics xtics lt 1 " + colour(ink::kLine) + " lw 0.8");
  plot.line(std::string("set xlabel ") +
            plotText(narrow ? "speedup over sequential; data moved: share of\nwhat sequential moves"
                            : "speedup over sequential; for data moved, share of what sequential "
                              "moves") +
            " textcolor rgb '" + ink::kQuiet.light + "'");
  plot.scale("x", Scale::over(values));
  plot.line("set yrange [-0.6:" + at(static_cast<double>(list.size()) - (narrow ? 0.2 : 0.4)) +
            "]");
  plot.line(
      "set label 'points' at screen 0.985, graph 1 right offset 0,0.7 font ',10' textcolor "
      "rgb '" +
      std::string(ink::kQuiet.light) + "'");
  if (narrow) {
    plot.line("unset ytics");
  } else {
    plot.tics("y", tics, "scale 0");
  }
  plot.data("lines", lines);
  plot.data("paper", paper);
  plot.data("ours", ours);
  plot.plot({"$lines using 1:2:3:4 with vectors nohead lw 2 " + colour(ink::kGrey),
             "$paper using 1:2 with points " + key[0].point,
             "$ours using 1:2 with points " + key[1].point});
  return sheet.drawing();
}

Figure againstThePaper(const std::vector<Headline>& list) {
  std::vector<CsvRow> data;
  std::string alt =
      "A line for each figure that the paper states, its value as a triangle and ours "
      "as a dot, simulated against paper:";
  for (const Headline& headline : list) {
    const std::string simulated = fixed(*headline.ours, 3);
    data.push_back({{"figure", headline.name},
                    {"paper", fixed(headline.paper, 2)},
                    {"simulated", simulated},
                    {"sublayers", std::to_string(headline.points)}});
    alt += " " + headline.name + " " + simulated + " against " + fixed(headline.paper, 2) + ";";
  }
  alt.back() = '.';
  return drawn({.name = "headlines",
                .title = "The paper's headlines and ours",
                .caption = "At the right: simulated less paper, in hundredths. Each difference is "
                           "explained in docs/evaluation.md.",
                .alt = alt,
                .data = formatCsv(data),
                .modes = {Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::IdealOverlap}},
               [&](bool narrow) { return drawHeadlines(list, narrow); });
}

}  // namespace

std::vector<Figure> headlineFigures(const std::vector<PointResult>& points) {
  std::vector<Headline> known = headlines(points);
  std::erase_if(known, [](const Headline& headline) { return !headline.ours; });
  if (known.empty()) return {};
  return {againstThePaper(known)};
}

}  // namespace t3
