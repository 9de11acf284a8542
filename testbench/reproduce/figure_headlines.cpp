// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "testbench/report/csv_report.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/panels.h"

namespace t3 {
namespace {

Figure againstThePaper(const std::vector<Headline>& list) {
  Plot plot;
  Rows ours, paper, lines;
  Tics tics;
  auto y = static_cast<double>(list.size());
  for (const Headline& headline : list) {
    y -= 1;
    tics.emplace_back(y, headline.name);
    paper.push_back({headline.paper, y});
    if (!headline.ours) continue;
    ours.push_back({*headline.ours, y});
    lines.push_back({headline.paper, y, *headline.ours - headline.paper, 0});
    const double difference = *headline.difference();
    plot.line("set label " + plotText((difference < 0 ? "" : "+") + fixed(difference, 1)) +
              " at graph 0.985, first " + at(y) + " right");
  }
  frame(plot, "");
  plot.line("set grid xtics lc rgb '#c4c4c4' lw 0.8 dt 1");
  plot.line("set xlabel 'speedup over sequential; for data moved, share of what sequential moves'");
  plot.line("set xrange [0.55:1.7]");
  plot.line("set yrange [-0.6:" + at(static_cast<double>(list.size()) - 0.4) + "]");
  plot.line("set label 'difference (points)' at graph 0.985, graph 1.03 right font ',11'");
  plot.tics("y", tics, "scale 0");
  plot.line("set key outside top left horizontal samplen 1.5");
  plot.data("lines", lines);
  plot.data("paper", paper);
  plot.data("ours", ours);
  plot.plot({"$lines using 1:2:3:4 with vectors nohead lw 2 lc rgb '#909090' notitle",
             std::string("$paper using 1:2 with ") + kPaperMark + " title 'paper'",
             "$ours using 1:2 with points pt 7 ps 1.2 lc rgb '#0b3c6f' title 'simulated'"});
  std::vector<CsvRow> data;
  std::string alt =
      "A line for each figure that the paper states, its value as a triangle and ours "
      "as a dot, simulated against paper:";
  for (const Headline& headline : list) {
    const std::string simulated = headline.ours ? fixed(*headline.ours, 3) : "";
    data.push_back({{"figure", headline.name},
                    {"paper", fixed(headline.paper, 2)},
                    {"simulated", simulated},
                    {"sublayers", std::to_string(headline.points)}});
    alt += " " + headline.name + " " + simulated + " against " + fixed(headline.paper, 2) + ";";
  }
  alt.back() = '.';
  return {
      "headlines",
      "The paper's headlines and ours",
      "Triangles: the paper. Dots: simulated. At the right: simulated less paper, in hundredths. "
      "Each difference is explained in docs/evaluation.md.",
      1000,
      420,
      plot.script(),
      alt,
      formatCsv(data),
      {Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::IdealOverlap}};
}

}  // namespace

std::vector<Figure> headlineFigures(const std::vector<PointResult>& points) {
  std::vector<Headline> known = headlines(points);
  std::erase_if(known, [](const Headline& headline) { return !headline.ours; });
  if (known.empty()) return {};
  return {againstThePaper(known)};
}

}  // namespace t3
