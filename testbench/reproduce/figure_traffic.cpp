// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/panels.h"

namespace t3 {
namespace {

/// Cumulative share of GEMM reads at the end of each window.
std::vector<double> readProgress(const MemoryReport& traffic) {
  std::vector<double> progress = {0};
  for (const DramBytes& window : traffic.bytes_over_time) {
    progress.push_back(progress.back() + static_cast<double>(window.gemm_read));
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
        row.emplace_back(name + "_bytes", std::to_string(traffic.bytes_over_time[w].*kind.bytes));
      }
      rows.push_back(std::move(row));
    }
  }
  return formatCsv(rows);
}

Figure trafficOverTime(const PointResult& result) {
  const auto gemmEnd = [&](const RunRecord& run) {
    return static_cast<double>(run.result.per_gpu.front().gemm_end_ps) * 1e-6;
  };
  const std::array<std::pair<Mode, const char*>, 3> panels = {
      {{Mode::Sequential, "sequential: the GEMM alone, then the reduce-scatter kernel"},
       {Mode::T3, "t3: reduce-scatter beside the GEMM, memory shared in turn"},
       {Mode::T3Mca, "t3-mca: the same, first whom the sublayer waits for"}}};
  double end = 0;
  for (const auto& [mode, title] : panels) {
    if (const RunRecord* run = result.run(mode)) end = std::max(end, gemmEnd(*run));
  }
  Plot plot;
  plot.line("set multiplot");
  plot.line("set xrange [0:" + at(end * 1.12) + "]");
  frame(plot, "GB/s");
  plot.line("set style fill solid 1 noborder");
  constexpr double kTop = 0.915, kHeight = 0.17, kPitch = 0.23;
  double top = kTop;
  int panel = 0;
  for (const auto& [mode, title] : panels) {
    const RunRecord* run = result.run(mode);
    if (run == nullptr) continue;
    const MemoryReport& traffic = run->result.memory;
    const double window = traffic.window_ns;
    const std::string prefix = "m" + std::to_string(panel++);
    place(plot, {0.075, 0.985, top - kHeight, top});
    top -= kPitch;
    plot.line("set yrange [0:1050]");
    plot.line("set ytics 250");
    plot.line("set format x ''");
    plot.line("set label " + plotText(title) + " at graph 0, graph 1.07 left");
    plot.line("set arrow from " + at(gemmEnd(*run)) + ", graph 0 to " + at(gemmEnd(*run)) +
              ", graph 1 nohead dt 2 lw 1.5 lc rgb '#202020' front");
    plot.line("set label 'GEMM done' at " + at(gemmEnd(*run) + 0.005 * end) +
              ", graph 0.9 left font ',10' front");
    plot.line("unset key");
    std::vector<std::string> elements;
    for (std::size_t k = kTrafficKinds.size(); k-- > 0;) {  // the tallest first
      Rows rows;
      for (std::size_t w = 0; w < traffic.bytes_over_time.size(); ++w) {
        const double from = static_cast<double>(w) * window * 1e-3, to = from + window * 1e-3;
        if (from > end * 1.12) break;
        double sum = 0;
        for (std::size_t i = 0; i <= k; ++i) {
          sum += static_cast<double>(traffic.bytes_over_time[w].*kTrafficKinds[i].bytes);
        }
        // A window has one value, from its beginning to its end. The steps of gnuplot's own style
        // would be as many areas.
        rows.push_back({from, sum / window});
        rows.push_back({to, sum / window});
      }
      plot.data(prefix + "k" + std::to_string(k), rows);
      elements.push_back("$" + prefix + "k" + std::to_string(k) +
                         " using 1:2 with filledcurves y1=0 fc rgb '" + kTrafficKinds[k].fill +
                         "' title " + plotText(kTrafficKinds[k].title));
    }
    plot.plot(elements);
    plot.line("unset label");
    plot.line("unset arrow");
  }

  // How far the GEMM is behind the same GEMM with the memory to itself.
  const RunRecord* alone = result.run(Mode::IdealRsNmc);
  if (alone != nullptr) {
    const std::vector<double> reference = readProgress(alone->result.memory);
    const double window = alone->result.memory.window_ns * 1e-3;
    place(plot, {0.075, 0.985, 0.075, top});
    plot.line("set key bottom right samplen 2");
    plot.line("set yrange [*:*]");
    plot.line("set ytics autofreq");
    plot.line("set format x '%g'");
    plot.line("set ylabel 'GEMM behind (us)'");
    plot.line("set xlabel 'time (us)'");
    std::vector<std::string> elements;
    for (const auto& [mode, style] : {std::pair(Mode::T3, "lw 2 dt 2 lc rgb '#4a90c8'"),
                                      std::pair(Mode::T3Mca, "lw 2 lc rgb '#0b3c6f'")}) {
      const RunRecord* run = result.run(mode);
      if (run == nullptr) continue;
      const std::vector<double> progress = readProgress(run->result.memory);
      Rows rows;
      for (std::size_t w = 0; w < progress.size() && progress[w] < 1; ++w) {
        rows.push_back({static_cast<double>(w) * window,
                        (static_cast<double>(w) - whenReached(reference, progress[w])) * window});
      }
      const std::string block = "behind" + std::to_string(elements.size());
      plot.data(block, rows);
      elements.push_back("$" + block + " using 1:2 with lines " + style + " title " +
                         plotText(spelling(mode)));
    }
    plot.plot(elements);
  }
  std::string ends;
  double windowUs = 0;
  for (const auto& [mode, title] : panels) {
    if (const RunRecord* run = result.run(mode)) {
      windowUs = run->result.memory.window_ns * 1e-3;
      ends += (ends.empty() ? "The GEMM ends at " : ", ") + fixed(gemmEnd(*run), 0) + " us in " +
              spelling(mode);
    }
  }
  ends += ".";
  std::vector<std::string> key;
  for (const TrafficKind& kind : kTrafficKinds) key.push_back(boxEntry(kind.fill, kind.title));
  plot.line("set style fill solid 1 border lc rgb '#404040'");
  keyStrip(plot, key);
  return {
      "traffic",
      "DRAM traffic over time by class, " + result.point.preset,
      "One GPU. Bytes that its memory served in each window of " + fixed(windowUs, 0) +
          " us, counted from time 0, divided by the window: a step for each window, kinds stacked. "
          "Below: how far the GEMM's reads are behind those of the same GEMM with the memory to "
          "itself; it falls behind where the curve rises.",
      1150,
      900,
      plot.script(),
      "Three panels of stacked bandwidth over time, for sequential, t3 and t3-mca, and below them "
      "how far the GEMM is behind in t3 and t3-mca. " +
          ends,
      trafficData(result),
      {Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::IdealRsNmc}};
}

}  // namespace

std::vector<Figure> trafficFigures(const std::vector<PointResult>& points) {
  std::vector<Figure> figures;
  for (const PointResult* result : pointsOf(points, "traffic")) {
    figures.push_back(trafficOverTime(*result));
  }
  return figures;
}

}  // namespace t3
