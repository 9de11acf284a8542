// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "testbench/report/text.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/figure_data.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"
#include "testbench/reproduce/speedup_panel.h"

namespace t3 {
namespace {

constexpr std::array<ModeStyle, 4> kAllBars = {{{Mode::cuSplit(8), fill::kLightest},
                                                {Mode::cuSplit(16), fill::kLight},
                                                {Mode::T3, fill::kMiddle},
                                                {Mode::T3Mca, fill::kDark}}};

const std::vector<Mode> kSublayerModes = {Mode::cuSplit(8), Mode::cuSplit(16),  Mode::T3,
                                          Mode::T3Mca,      Mode::IdealOverlap, Mode::IdealRsNmc};

Figure sublayerSpeedups(const std::vector<PointResult>& points, const Selection& selection) {
  std::vector<Headline> paper = headlines(points);
  std::erase_if(paper, [](const Headline& headline) { return headline.part != "sublayers"; });
  Plot plot;
  speedupPanels(plot, {kAllBars, Mode::IdealOverlap, Mode::IdealRsNmc, 1.65}, selection, points,
                paper);
  return withSpeedups(
      {"sublayers-speedup",
       "Speedup of every sublayer over sequential",
       "Bars: simulated speedups. Lines and diamonds: the two bounds. Triangles: the paper's "
       "geomean and largest value (ideal-overlap's to the right of its line).",
       1150,
       760,
       plot.script(),
       "Bars for each of " + std::to_string(selection.size()) +
           " sublayers, smaller models above and larger ones below, and at the right their "
           "geometric mean and largest value.",
       {},
       {}},
      selection, kSublayerModes);
}

Figure sublayerPhases(const Selection& selection) {
  const SublayerAxis axis = sublayerAxis(selection);
  std::vector<Series> stack = {{"GEMM", fill::kDark, {}},
                               {"reduce-scatter", fill::kMiddle, {}},
                               {"all-gather", fill::kLightest, {}}};
  std::vector<CsvRow> data;
  double least = 100, most = 0;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const RunRecord* run = selection[i]->run(Mode::Sequential);
    if (run == nullptr) continue;
    const PhaseNs& phase = run->result.phase_ns;
    const double total = phase.gemm + phase.reduce_scatter + phase.all_gather;
    CsvRow row = pointColumns(selection[i]->point);
    row.emplace_back("gemm_ns", fixed(phase.gemm, 3));
    row.emplace_back("reduce_scatter_ns", fixed(phase.reduce_scatter, 3));
    row.emplace_back("all_gather_ns", fixed(phase.all_gather, 3));
    data.push_back(std::move(row));
    least = std::min(least, 100 * phase.gemm / total);
    most = std::max(most, 100 * phase.gemm / total);
    const double x = axis.positions[i];
    // Stacked by drawing the tallest bar first and each bar from the axis up.
    stack[0].rows.push_back({x, 100 * phase.gemm / total});
    stack[1].rows.push_back({x, 100 * (phase.gemm + phase.reduce_scatter) / total});
    stack[2].rows.push_back({x, 100});
  }
  std::ranges::reverse(stack);
  const std::string alt = "A bar for each of " + std::to_string(data.size()) +
                          " sublayers, divided into GEMM, reduce-scatter and all-gather. The GEMM "
                          "takes " +
                          fixed(least, 0) + " to " + fixed(most, 0) + " % of the time.";
  Plot plot;
  percentPanel(plot, axis, "share of sequential's time (%)");
  plot.plot(boxes(plot, "phase", stack, 0.8));
  return {"sublayers-phases",
          "Where sequential's time goes",
          "GEMM, reduce-scatter and all-gather as shares of the run time. Overlap can hide at most "
          "the smaller of the first two.",
          1150,
          420,
          plot.script(),
          alt,
          formatCsv(data),
          {Mode::Sequential}};
}

}  // namespace

std::vector<Figure> sublayerFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, "sublayers");
  if (selection.empty()) return {};
  return {sublayerSpeedups(points, selection), sublayerPhases(selection)};
}

}  // namespace t3
