// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "testbench/config/spelling.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

constexpr const char* kNmcMark = "points pt 12 ps 0.8 lw 1.2 lc rgb '#202020'";
constexpr std::array<ModeStyle, 4> kAllBars = {{{Mode::cuSplit(8), fill::kLightest},
                                                {Mode::cuSplit(16), fill::kLight},
                                                {Mode::T3, fill::kMiddle},
                                                {Mode::T3Mca, fill::kDark}}};

void speedupPanel(Plot& plot, const std::string& prefix, const Selection& selection,
                  const std::vector<PointResult>& points, bool (*wanted)(const Point&),
                  const std::vector<Headline>& paper, const std::string& meanTitle) {
  constexpr double kWidth = 0.21;
  constexpr std::size_t kT3 = 2, kT3Mca = 3;  // in kAllBars
  SublayerAxis axis = sublayerAxis(selection);
  std::vector<Series> bars;
  for (std::size_t m = 0; m < kAllBars.size(); ++m) {
    Series series{spelling(kAllBars[m].mode), kAllBars[m].fill, {}};
    for (std::size_t i = 0; i < selection.size(); ++i) {
      if (const auto speedup = selection[i]->speedup(kAllBars[m].mode)) {
        series.rows.push_back({axis.positions[i] + barShift(m, kAllBars.size(), kWidth), *speedup});
      }
    }
    bars.push_back(std::move(series));
  }
  const auto ideal = [&](Mode mode) {
    Rows rows;
    for (std::size_t i = 0; i < selection.size(); ++i) {
      if (const auto speedup = selection[i]->speedup(mode)) {
        rows.push_back({axis.positions[i], *speedup});
      }
    }
    return rows;
  };
  Rows overlap = ideal(Mode::IdealOverlap), nmc = ideal(Mode::IdealRsNmc);

  // Mean and largest value at the right, beside the paper's.
  const double mean = axis.end + 0.9, best = mean + 1.7;
  const auto addSpread = [&](Mode mode, double shift, Rows& rows) {
    if (const auto spread = speedups(points, "sublayers", mode, wanted)) {
      rows.push_back({mean + shift, spread->geomean});
      rows.push_back({best + shift, spread->best});
    }
  };
  for (std::size_t m = 0; m < kAllBars.size(); ++m) {
    addSpread(kAllBars[m].mode, barShift(m, kAllBars.size(), kWidth), bars[m].rows);
  }
  addSpread(Mode::IdealOverlap, 0, overlap);
  addSpread(Mode::IdealRsNmc, 0, nmc);
  Rows marks;
  for (const Headline& headline : paper) {
    const bool isMean = headline.name.ends_with("geomean");
    const double shift = headline.name.starts_with("t3-mca") ? barShift(kT3Mca, 4, kWidth)
                         : headline.name.starts_with("t3")   ? barShift(kT3, 4, kWidth)
                                                             : 0.6;
    marks.push_back({(isMean ? mean : best) + shift, headline.paper});
  }
  axis.tics.emplace_back(mean, "geomean");
  axis.tics.emplace_back(best, "largest");
  axis.headings.emplace_back((mean + best) / 2, meanTitle);
  axis.separators.push_back(axis.end + 0.05);

  frame(plot, "speedup over sequential");
  plot.line("set yrange [0.8:1.65]");
  plot.line("set ytics 0.1 format '%.1f'");
  plot.line("set xrange [-0.7:" + at(best + 0.9) + "]");
  plot.tics("x", axis.tics, "scale 0");
  headings(plot, axis);
  plot.line("set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb '#404040' lw 1");
  plot.line("unset key");
  auto elements = boxes(plot, prefix, bars, kWidth);
  plot.data(prefix + "overlap", overlap);
  plot.data(prefix + "nmc", nmc);
  plot.data(prefix + "paper", marks);
  elements.push_back("$" + prefix +
                     "overlap using ($1-0.45):2:(0.9):(0) with vectors nohead lw 2 lc rgb '" +
                     fill::kDarkest + "'");
  if (!nmc.empty()) elements.push_back("$" + prefix + "nmc using 1:2 with " + kNmcMark);
  if (!marks.empty()) elements.push_back("$" + prefix + "paper using 1:2 with " + kPaperMark);
  plot.plot(elements);
  plot.line("unset label");
  plot.line("unset arrow");
}

Figure sublayerSpeedups(const std::vector<PointResult>& points, const Selection& selection) {
  std::vector<Headline> small, large;
  for (const Headline& headline : headlines(points)) {
    if (headline.part != "sublayers") continue;
    (headline.name.find("PALM") == std::string::npos ? small : large).push_back(headline);
  }
  const BySize panels = bySize(selection);
  Plot plot;
  plot.line("set multiplot");
  place(plot, cell(0, 1, 2));
  speedupPanel(plot, "small", panels.small, points, isSmallModel, small, "all of these");
  place(plot, cell(1, 1, 2));
  speedupPanel(plot, "large", panels.others, points, isLargeModel, large, "PALM, MT-NLG");
  std::vector<std::string> key;
  for (const ModeStyle& style : kAllBars) key.push_back(boxEntry(style.fill, spelling(style.mode)));
  key.insert(key.end(), {kOverlapEntry, std::string("with ") + kNmcMark + " title 'ideal-rs-nmc'",
                         std::string("with ") + kPaperMark + " title 'paper'"});
  keyStrip(plot, key);
  return {"sublayers-speedup",
          "Speedup of every sublayer over sequential",
          "Bars: simulated speedups. Lines and diamonds: the two bounds. Triangles: the paper's "
          "geomean and largest value (ideal-overlap's to the right of its line).",
          1150,
          760,
          plot.script()};
}

Figure sublayerPhases(const Selection& selection) {
  SublayerAxis axis = sublayerAxis(selection);
  std::vector<Series> stack = {{"GEMM", fill::kDark, {}},
                               {"reduce-scatter", fill::kMiddle, {}},
                               {"all-gather", fill::kLightest, {}}};
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const RunRecord* run = selection[i]->run(Mode::Sequential);
    if (run == nullptr) continue;
    const PhaseNs& phase = run->result.phase_ns;
    const double total = phase.gemm + phase.reduce_scatter + phase.all_gather;
    const double x = axis.positions[i];
    // Stacked by drawing the tallest bar first and each bar from the axis up.
    stack[0].rows.push_back({x, 100 * phase.gemm / total});
    stack[1].rows.push_back({x, 100 * (phase.gemm + phase.reduce_scatter) / total});
    stack[2].rows.push_back({x, 100});
  }
  std::ranges::reverse(stack);
  Plot plot;
  frame(plot, "share of sequential's time (%)");
  plot.line("set yrange [0:100]");
  plot.line("set xrange [-0.7:" + at(axis.end - 0.3) + "]");
  plot.tics("x", axis.tics, "scale 0 rotate by 90 right");
  // Seven groups stand side by side, so the degree is written below the model.
  for (auto& [x, text] : axis.headings) text.replace(text.find(", "), 2, "\n");
  for (const auto& [x, text] : axis.headings) {
    plot.line("set label " + plotText(text) + " at " + at(x) + ", graph 1.13 center font ',11'");
  }
  plot.line("set key at screen 0.5, screen 0.99 center top horizontal samplen 1.5");
  place(plot, {0.07, 0.99, 0.13, 0.8});
  plot.plot(boxes(plot, "phase", stack, 0.8));
  return {"sublayers-phases",
          "Where sequential's time goes",
          "GEMM, reduce-scatter and all-gather as shares of the run time. Overlap can hide at most "
          "the smaller of the first two.",
          1150,
          420,
          plot.script()};
}

}  // namespace

std::vector<Figure> sublayerFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, "sublayers");
  if (selection.empty()) return {};
  return {sublayerSpeedups(points, selection), sublayerPhases(selection)};
}

}  // namespace t3
