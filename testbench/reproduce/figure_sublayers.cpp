// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "testbench/report/text.h"
#include "testbench/reproduce/figure_data.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/speedup_panel.h"

namespace t3 {
namespace {

Figure sublayerSpeedups(const std::vector<PointResult>& points, const Selection& selection) {
  std::vector<Headline> paper = headlines(points);
  std::erase_if(paper, [](const Headline& headline) { return headline.part != "sublayers"; });
  const SpeedupStyle style = {{{Mode::cuSplit(8), ink::kGrey},
                               {Mode::cuSplit(16), ink::kOrange},
                               {Mode::T3, ink::kBlue},
                               {Mode::T3Mca, ink::kNavy}},
                              Mode::IdealOverlap,
                              Mode::IdealRsNmc};
  return withSpeedupPanels(
      {.name = "sublayers-speedup",
       .title = "Speedup of every sublayer over sequential",
       .caption = "Bars: simulated speedups. Lines and diamonds: the two bounds. Triangles: the "
                  "paper's geometric mean and largest value (ideal-overlap's to the right of its "
                  "line).",
       .alt = "Bars for each of " + std::to_string(selection.size()) +
              " sublayers, smaller models above and larger ones below, and at the right their "
              "geometric mean and largest value."},
      style, selection, points, paper);
}

Figure sublayerPhases(const Selection& selection) {
  struct Part {
    const char* title;
    Ink ink;
    Phase phase;
  };
  // Stacked by drawing the tallest bar first and each bar from the axis up.
  constexpr std::array<Part, 3> kParts = {{{"all-gather", ink::kGrey, Phase::AllGather},
                                           {"reduce-scatter", ink::kBlue, Phase::ReduceScatter},
                                           {"GEMM", ink::kNavy, Phase::Gemm}}};
  const auto ns = [](const RunRecord* run, Phase phase) {
    return run->result.of(phase).exposed_ns;
  };
  const auto sum = [&](const RunRecord* run) {
    return ns(run, Phase::Gemm) + ns(run, Phase::ReduceScatter) + ns(run, Phase::AllGather);
  };
  std::vector<CsvRow> data;
  std::vector<double> shares;
  for (const PointResult* point : selection) {
    const RunRecord* run = point->run(Mode::Sequential);
    if (run == nullptr) continue;
    CsvRow row = pointColumns(point->point);
    row.emplace_back("gemm_ns", fixed(ns(run, Phase::Gemm), 3));
    row.emplace_back("reduce_scatter_ns", fixed(ns(run, Phase::ReduceScatter), 3));
    row.emplace_back("all_gather_ns", fixed(ns(run, Phase::AllGather), 3));
    data.push_back(std::move(row));
    shares.push_back(100 * ns(run, Phase::Gemm) / sum(run));
  }
  std::string alt = "A bar for each of " + std::to_string(data.size()) +
                    " sublayers, divided into GEMM, reduce-scatter and all-gather.";
  if (!shares.empty()) {
    const auto [least, most] = std::ranges::minmax(shares);
    alt += " The GEMM takes " + fixed(least, 0) + " to " + fixed(most, 0) + " % of the time.";
  }
  std::vector<KeyEntry> key;
  for (const Part& part : kParts) key.push_back({part.title, part.ink.light, {}, {}});
  std::ranges::reverse(key);
  return drawn(
      {.name = "sublayers-phases",
       .title = "Where sequential's time goes",
       .caption = "GEMM, reduce-scatter and all-gather as shares of the run time. Overlap "
                  "can hide at most the smaller of the first two.",
       .alt = alt,
       .data = formatCsv(data),
       .modes = {Mode::Sequential}},
      [&](bool narrow) {
        const auto parts = partsBySize(selection, narrow, false);
        Sheet sheet(narrow, {parts.size(), 1, 150}, key);
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const SublayerAxis axis(parts[i].points);
          std::vector<Series> stack;
          for (const Part& part : kParts) stack.push_back({part.title, part.ink, {}});
          for (std::size_t p = 0; p < parts[i].points.size(); ++p) {
            const RunRecord* run = parts[i].points[p]->run(Mode::Sequential);
            if (run == nullptr) continue;
            const double all = sum(run);
            double rest = all;
            for (std::size_t k = 0; k < kParts.size(); ++k) {
              stack[k].rows.push_back({axis.positions[p], 100 * rest / all});
              rest -= ns(run, kParts[k].phase);
            }
          }
          sheet.panel("share of time (%)");
          sheet.plot().scale("y", {0, 100, 25, 0});
          axis.draw(sheet.plot());
          sheet.plot().plot(boxes(sheet.plot(), "phase" + std::to_string(i) + "_", stack, 0.7, 0));
        }
        return sheet.drawing();
      });
}

}  // namespace

std::vector<Figure> sublayerFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, "sublayers");
  if (selection.empty()) return {};
  return {sublayerSpeedups(points, selection), sublayerPhases(selection)};
}

}  // namespace t3
