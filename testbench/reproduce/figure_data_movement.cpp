// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/figure_data.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

void movementPanel(Plot& plot, const std::string& prefix, const Selection& selection,
                   const std::optional<Spread>& ours, bool paper) {
  constexpr double kWidth = 0.36;
  SublayerAxis axis = sublayerAxis(selection);
  std::vector<Series> stack;
  for (const TrafficKind& kind : kTrafficKinds) stack.push_back({kind.title, kind.fill, {}});
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const RunRecord* before = selection[i]->run(Mode::Sequential);
    const RunRecord* after = selection[i]->run(Mode::T3Mca);
    if (before == nullptr || after == nullptr) continue;
    const auto unit = static_cast<double>(totalBytes(before->result.dram_bytes)) / 100;
    for (const auto& [run, shift] : {std::pair(before, -0.5), std::pair(after, 0.5)}) {
      double height = 0;
      for (std::size_t k = 0; k < kTrafficKinds.size(); ++k) {
        height += static_cast<double>(run->result.dram_bytes.*kTrafficKinds[k].bytes) / unit;
        stack[k].rows.push_back({axis.positions[i] + shift * kWidth, height});
      }
    }
  }
  std::ranges::reverse(stack);
  const double mean = axis.end + 0.9, least = mean + 1.7;
  if (ours) {
    stack.push_back(
        {"t3-mca, all", fill::kDarkest, {{mean, 100 * ours->geomean}, {least, 100 * ours->best}}});
    axis.tics.emplace_back(mean, "geomean");
    axis.tics.emplace_back(least, "least");
    axis.separators.push_back(axis.end + 0.05);
  }
  frame(plot, "DRAM bytes, sequential = 100");
  plot.line("set yrange [0:118]");
  plot.line("set ytics 20");
  plot.line("set xrange [-0.7:" + at(least + 0.8) + "]");
  plot.tics("x", axis.tics, "scale 0");
  headings(plot, axis);
  plot.line("unset key");
  auto elements = boxes(plot, prefix, stack, kWidth);
  if (paper) {
    plot.data(prefix + "paper", {{mean + 0.4, 78}, {least + 0.4, 64}});
    elements.push_back("$" + prefix + "paper using 1:2 with " + kPaperMark);
  }
  plot.plot(elements);
  plot.line("unset label");
  plot.line("unset arrow");
}

Figure dataMovement(const std::vector<PointResult>& points, const Selection& selection) {
  const BySize panels = bySize(selection);
  Plot plot;
  plot.line("set multiplot");
  place(plot, cell(0, 1, 2));
  movementPanel(plot, "small", panels.small, movedShare(points, isSmallModel), true);
  place(plot, cell(1, 1, 2));
  movementPanel(plot, "large", panels.others, movedShare(points, isLargeModel), false);
  std::vector<CsvRow> data;
  double least = 1e3, most = 0;
  for (const PointResult* result : selection) {
    const RunRecord* before = result->run(Mode::Sequential);
    for (const Mode& mode : {Mode::Sequential, Mode::T3Mca}) {
      const RunRecord* run = result->run(mode);
      if (before == nullptr || run == nullptr) continue;
      const DramBytes& bytes = run->result.dram_bytes;
      CsvRow row = pointColumns(result->point);
      row.emplace_back("mode", spelling(mode));
      for (const TrafficKind& kind : kTrafficKinds) {
        std::string name = kind.title;
        std::ranges::replace(name, ' ', '_');
        row.emplace_back(name + "_bytes", std::to_string(bytes.*kind.bytes));
      }
      data.push_back(std::move(row));
      if (mode == Mode::Sequential) continue;
      const double share = 100 * static_cast<double>(totalBytes(bytes)) /
                           static_cast<double>(totalBytes(before->result.dram_bytes));
      least = std::min(least, share);
      most = std::max(most, share);
    }
  }
  std::vector<std::string> key;
  for (const TrafficKind& kind : kTrafficKinds) key.push_back(boxEntry(kind.fill, kind.title));
  key.push_back(boxEntry(fill::kDarkest, "t3-mca, all"));
  key.push_back(std::string("with ") + kPaperMark + " title 'paper'");
  keyStrip(plot, key);
  return {"data-movement",
          "DRAM bytes by kind, sequential (left bar) and t3-mca (right bar)",
          "An update counts once, as a write; zeroing and spilled records are writes of their "
          "phase. Triangles: the paper. At the right of the lower panel: PALM and MT-NLG.",
          1150,
          760,
          plot.script(),
          "Two bars for each of " + std::to_string(selection.size()) +
              " sublayers, divided into reads and writes of GEMM, reduce-scatter and all-gather. "
              "Of what sequential moves, t3-mca moves " +
              fixed(least, 0) + " to " + fixed(most, 0) + " %.",
          formatCsv(data),
          {Mode::Sequential, Mode::T3Mca}};
}

}  // namespace

std::vector<Figure> dataMovementFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, "data-movement");
  if (selection.empty()) return {};
  return {dataMovement(points, selection)};
}

}  // namespace t3
