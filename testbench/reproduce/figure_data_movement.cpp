// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/figure_data.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

constexpr const char* kAll = "t3-mca, all";

void movementPanel(Sheet& sheet, const std::string& name, const SublayerPart& part,
                   const std::vector<PointResult>& points) {
  constexpr double kWidth = 0.36;
  SublayerAxis axis(part.points);
  std::vector<Series> stack;
  for (const TrafficKind& kind : kTrafficKinds) stack.push_back({kind.title, kind.ink, {}});
  for (std::size_t i = 0; i < part.points.size(); ++i) {
    const RunRecord* before = part.points[i]->run(Mode::Sequential);
    const RunRecord* after = part.points[i]->run(Mode::T3Mca);
    if (before == nullptr || after == nullptr) continue;
    const auto unit = static_cast<double>(before->result.totalBytes()) / 100;
    for (const auto& [run, shift] : {std::pair(before, -0.5), std::pair(after, 0.5)}) {
      double height = 0;
      for (std::size_t k = 0; k < kTrafficKinds.size(); ++k) {
        height += static_cast<double>(kTrafficKinds[k].of(run->result.dramBytes())) / unit;
        stack[k].rows.push_back({axis.positions[i] + shift * kWidth, height});
      }
    }
  }
  std::ranges::reverse(stack);
  Rows paper;
  if (const auto ours =
          movedShare(points, "data-movement", part.small ? isSmallModel : isLargeModel);
      ours && part.last) {
    const auto [mean, least] =
        axis.common("mean", "least", part.small ? "all of these" : "PALM, MT-NLG");
    stack.push_back({kAll, ink::kText, {{mean, 100 * ours->geomean}, {least, 100 * ours->best}}});
    for (const Headline& headline : headlines(points)) {
      if (headline.part != "data-movement" || !part.small) continue;
      paper.push_back({(headline.isMean ? mean : least) + 0.4, 100 * headline.paper});
    }
  }
  Plot& plot = sheet.plot();
  sheet.panel("DRAM bytes, sequential = 100");
  plot.scale("y", {0, 120, 20, 0});
  axis.draw(plot);
  auto elements = boxes(plot, name, stack, kWidth, 0);
  if (!paper.empty()) {
    plot.data(name + "paper", paper);
    elements.push_back("$" + name + "paper using 1:2 with points " + paperEntry().point);
  }
  plot.plot(elements);
}

/// Columns with the bytes of each kind.
void addBytes(CsvRow& row, const PhaseBytes& bytes) {
  for (const TrafficKind& kind : kTrafficKinds) {
    std::string name = kind.title;
    std::ranges::replace(name, ' ', '_');
    row.emplace_back(name + "_bytes", std::to_string(kind.of(bytes)));
  }
}

Figure dataMovement(const std::vector<PointResult>& points, const Selection& selection) {
  std::vector<CsvRow> data;
  std::vector<double> shares;
  for (const PointResult* result : selection) {
    const RunRecord* before = result->run(Mode::Sequential);
    for (const Mode& mode : {Mode::Sequential, Mode::T3Mca}) {
      const RunRecord* run = result->run(mode);
      if (before == nullptr || run == nullptr) continue;
      CsvRow row = pointColumns(result->point);
      row.emplace_back("mode", spelling(mode));
      addBytes(row, run->result.dramBytes());
      data.push_back(std::move(row));
      if (mode == Mode::Sequential) continue;
      shares.push_back(100 * static_cast<double>(run->result.totalBytes()) /
                       static_cast<double>(before->result.totalBytes()));
    }
  }
  std::string alt = "Two bars for each of " + std::to_string(selection.size()) +
                    " sublayers, divided into reads and writes of GEMM, reduce-scatter and "
                    "all-gather.";
  if (!shares.empty()) {
    const auto [least, most] = std::ranges::minmax(shares);
    alt += " Of what sequential moves, t3-mca moves " + fixed(least, 0) + " to " + fixed(most, 0) +
           " %.";
  }
  std::vector<KeyEntry> key;
  for (const TrafficKind& kind : kTrafficKinds) key.push_back({kind.title, kind.ink.light});
  key.push_back({kAll, ink::kText.light});
  key.push_back(paperEntry());
  return drawn({.name = "data-movement",
                .title = "DRAM bytes by kind",
                .caption = "Left bar: sequential. Right bar: t3-mca. An update counts once, as a "
                           "write; zeroing is a write of its phase. RS: "
                           "reduce-scatter. AG: all-gather.",
                .alt = alt,
                .data = formatCsv(data),
                .modes = {Mode::Sequential, Mode::T3Mca}},
               [&](bool narrow) {
                 const auto parts = partsBySize(selection, narrow);
                 Sheet sheet(narrow, {parts.size(), 1, narrow ? 190.0 : 240.0}, key);
                 for (std::size_t i = 0; i < parts.size(); ++i) {
                   movementPanel(sheet, "panel" + std::to_string(i) + "_", parts[i], points);
                 }
                 return sheet.drawing();
               });
}

}  // namespace

std::vector<Figure> dataMovementFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, "data-movement");
  if (selection.empty()) return {};
  return {dataMovement(points, selection)};
}

}  // namespace t3
