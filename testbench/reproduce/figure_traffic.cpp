// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"
#include "testbench/reproduce/study_grid.h"

namespace t3 {
namespace {

/// Cumulative share of GEMM reads at the end of each window.
std::vector<double> readProgress(const MemoryReport& traffic) {
  std::vector<double> progress = {0};
  for (const PhaseBytes& window : traffic.bytes_over_time) {
    progress.push_back(progress.back() + static_cast<double>(window[Phase::Gemm][0]));
  }
  for (double& value : progress) value /= std::max(1.0, progress.back());
  return progress;
}

/// The time, in windows, at which a run had made that share of its reads.
double whenReached(const std::vector<double>& progress, double share) {
  const auto after = std::ranges::lower_bound(progress, share);
  if (after == progress.begin()) return 0;
  const auto before = after - 1;
  return static_cast<double>(before - progress.begin()) + (share - *before) / (*after - *before);
}

std::string trafficData(const PointResult& result) {
  std::vector<CsvRow> rows;
  for (const RunRecord& run : result.report.runs) {
    if (run.failed()) continue;
    const MemoryReport& traffic = run.result.memory;
    for (std::size_t w = 0; w < traffic.bytes_over_time.size(); ++w) {
      const double from = static_cast<double>(w) * traffic.window_ns;
      CsvRow row = {{"mode", spelling(run.mode)},
                    {"window_begin_ns", at(from)},
                    {"window_end_ns", at(from + traffic.window_ns)}};
      for (const TrafficKind& kind : kTrafficKinds) {
        std::string name = kind.title;
        std::ranges::replace(name, ' ', '_');
        row.emplace_back(name + "_bytes", std::to_string(kind.of(traffic.bytes_over_time[w])));
      }
      rows.push_back(std::move(row));
    }
  }
  return formatCsv(rows);
}

double gemmEnd(const RunRecord& run) {
  return static_cast<double>(run.result.per_gpu.front().gemm_end_ps) * 1e-6;
}

/// In which the memory's traffic is shown.
constexpr std::array<Mode, 3> kShownModes = {Mode::Sequential, Mode::T3, Mode::T3Mca};

/// Stacked bandwidth over time, until `end`: for each kind its sum with those below it.
std::vector<Rows> stackedBandwidth(const MemoryReport& traffic, double end) {
  std::vector<Rows> stack(kTrafficKinds.size());
  for (std::size_t w = 0; w < traffic.bytes_over_time.size(); ++w) {
    const double from = static_cast<double>(w) * traffic.window_ns * 1e-3;
    const double to = from + traffic.window_ns * 1e-3;
    if (from > end) break;
    double sum = 0;
    for (std::size_t k = 0; k < kTrafficKinds.size(); ++k) {
      sum += static_cast<double>(kTrafficKinds[k].of(traffic.bytes_over_time[w]));
      // A window has one value, from its beginning to its end. The steps of gnuplot's own style
      // would be as many areas.
      stack[k].push_back({from, sum / traffic.window_ns});
      stack[k].push_back({to, sum / traffic.window_ns});
    }
  }
  return stack;
}

/// How far the GEMM of a run is behind the same GEMM with the memory to itself, over time.
Rows behindAlone(const RunRecord& run, const RunRecord& alone) {
  const std::vector<double> reference = readProgress(alone.result.memory);
  const std::vector<double> progress = readProgress(run.result.memory);
  const double window = alone.result.memory.window_ns * 1e-3;
  Rows rows;
  for (std::size_t w = 0; w < progress.size() && progress[w] < 1; ++w) {
    rows.push_back({static_cast<double>(w) * window,
                    (static_cast<double>(w) - whenReached(reference, progress[w])) * window});
  }
  return rows;
}

/// What the panels of a figure share: the time axis, and the axis of the bandwidths.
struct TrafficScales {
  double end = 0;
  Scale bandwidth;
};

TrafficScales scalesOf(const PointResult& result) {
  TrafficScales scales;
  for (const Mode& mode : kShownModes) {
    if (const RunRecord* run = result.run(mode)) scales.end = std::max(scales.end, gemmEnd(*run));
  }
  scales.end *= 1.12;
  std::vector<double> values = {0};
  for (const Mode& mode : kShownModes) {
    const RunRecord* run = result.run(mode);
    if (run == nullptr) continue;
    const std::vector<Rows> stack = stackedBandwidth(run->result.memory, scales.end);
    for (const auto& row : stack.back()) values.push_back(row[1]);
  }
  scales.bandwidth = Scale::over(values, 4);
  return scales;
}

void trafficPanel(Sheet& sheet, const std::string& name, const RunRecord& run,
                  const TrafficScales& scales) {
  Plot& plot = sheet.plot();
  sheet.panel("GB/s");
  sheet.title(spelling(run.mode));
  const std::array<double, 2> times = {0, scales.end};
  plot.scale("x", Scale::over(times, sheet.narrow() ? 4 : 8));
  plot.line("set xrange [0:" + at(scales.end) + "]");
  plot.scale("y", scales.bandwidth);
  plot.line("set style fill solid 1 noborder");
  const double gemm = gemmEnd(run);
  plot.line("set arrow from " + at(gemm) + ", graph 0 to " + at(gemm) +
            ", graph 1.04 nohead dt 2 lw 1.5 " + colour(ink::kText) + " front");
  plot.line("set label 'GEMM done' at " + at(gemm) + ", graph 1.1 right font ',10'");
  const auto stack = stackedBandwidth(run.result.memory, scales.end);
  std::vector<std::string> elements;
  for (std::size_t k = stack.size(); k-- > 0;) {  // the tallest first
    plot.data(name + std::to_string(k), stack[k]);
    elements.push_back("$" + name + std::to_string(k) +
                       " using 1:2 with filledcurves y1=0 fc rgb '" + kTrafficKinds[k].ink.light +
                       "'");
  }
  plot.plot(elements);
}

void behindPanel(Sheet& sheet, const PointResult& result, const RunRecord& alone) {
  Plot& plot = sheet.plot();
  sheet.panel("GEMM behind (us)");
  sheet.title("how far the GEMM is behind");
  plot.line("set key bottom right samplen 2");
  std::vector<std::string> elements;
  std::vector<double> values = {0};
  for (const auto& [mode, style] : {std::pair(Mode::T3, "lw 2 dt 2 " + colour(ink::kBlue)),
                                    std::pair(Mode::T3Mca, "lw 2 " + colour(ink::kNavy))}) {
    const RunRecord* run = result.run(mode);
    if (run == nullptr) continue;
    const Rows rows = behindAlone(*run, alone);
    for (const auto& row : rows) values.push_back(row[1]);
    const std::string block = "behind" + std::to_string(elements.size());
    plot.data(block, rows);
    elements.push_back("$" + block + " using 1:2 with lines " + style + " title " +
                       plotText(spelling(mode)));
  }
  plot.scale("y", Scale::over(values, 4));
  plot.line("set xlabel 'time (us)' offset 0,0.3 textcolor rgb '" + std::string(ink::kQuiet.light) +
            "'");
  if (!elements.empty()) plot.plot(elements);
}

Figure trafficOverTime(const PointResult& result, const char* name, const std::string& what) {
  const TrafficScales scales = scalesOf(result);
  std::string ends;
  double windowUs = 0;
  std::size_t panels = 1;
  for (const Mode& mode : kShownModes) {
    const RunRecord* run = result.run(mode);
    if (run == nullptr) continue;
    ++panels;
    windowUs = run->result.memory.window_ns * 1e-3;
    ends += (ends.empty() ? "The GEMM ends at " : ", ") + fixed(gemmEnd(*run), 0) + " us in " +
            spelling(mode);
  }
  ends += ".";
  std::vector<KeyEntry> key;
  for (const TrafficKind& kind : kTrafficKinds) key.push_back({kind.title, kind.ink.light});
  return drawn(
      {.name = name,
       .title = "DRAM traffic over time by kind, " + result.point.preset + what,
       .caption = "One GPU. Bytes that its memory served in each window of " + fixed(windowUs, 0) +
                  " us, divided by the window: a step for each window, kinds stacked. RS: "
                  "reduce-scatter. AG: all-gather. Last panel: how far the GEMM's reads are behind "
                  "those of the same GEMM with the memory to itself; it falls behind where the "
                  "curve rises.",
       .alt = "Three panels of stacked bandwidth over time, for sequential, t3 and t3-mca, and "
              "below them how far the GEMM is behind in t3 and t3-mca. " +
              ends,
       .data = trafficData(result),
       .modes = {Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::IdealRsNmc}},
      [&](bool narrow) {
        Sheet sheet(narrow,
                    {panels, 1, narrow ? 130.0 : 160.0, {.left = 74, .above = 32, .below = 56}},
                    key);
        for (const Mode& mode : kShownModes) {
          if (const RunRecord* run = result.run(mode)) {
            trafficPanel(sheet, "m" + std::to_string(&mode - kShownModes.data()) + "k", *run,
                         scales);
          }
        }
        if (const RunRecord* alone = result.run(Mode::IdealRsNmc)) {
          behindPanel(sheet, result, *alone);
        }
        return sheet.drawing();
      });
}

}  // namespace

std::vector<Figure> trafficFigures(const std::vector<PointResult>& points) {
  std::vector<Figure> figures;
  for (const PointResult* result : pointsOf(points, "traffic")) {
    figures.push_back(trafficOverTime(*result, "traffic", ""));
  }
  return figures;
}

std::vector<Figure> contentionFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, kContentionPart);
  if (selection.empty()) return {};
  std::vector<Figure> figures;
  figures.push_back(withStudyPanels(
      {.name = "contention",
       .title = "What t3 loses to contention",
       .caption = "T-NLG FC-2 on 8 GPUs, one setting changed at a time. Walked row by row, the "
                  "weights are read once in each wave of workgroups; in t3 more often, unless the "
                  "L2 holds them.",
       .alt = "A panel for each of " + std::to_string(studiesOf(selection).size()) +
              " settings, with a line for each mode over its values."},
      selection,
      {StudyLine::bound(Mode::IdealRsNmc), StudyLine::solid(Mode::T3Mca),
       StudyLine::dashed(Mode::T3)},
      2));
  const auto usual = std::ranges::find_if(selection, [](const PointResult* result) {
    return result->point.scenario.gpu.l2.capacity_bytes == GpuConfig{}.l2.capacity_bytes;
  });
  if (usual != selection.end()) {
    figures.push_back(trafficOverTime(**usual, "traffic-row-by-row", ", row by row"));
  }
  return figures;
}

}  // namespace t3
