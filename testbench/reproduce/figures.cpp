// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/parts.h"
#include "testbench/reproduce/plot.h"
#include "testbench/reproduce/summary.h"

namespace t3 {
namespace {

using Rows = std::vector<Plot::Row>;
using Tics = std::vector<std::pair<double, std::string>>;
using Selection = std::vector<const PointResult*>;

constexpr const char* kNmcMark = "points pt 12 ps 0.8 lw 1.2 lc rgb '#202020'";
constexpr const char* kPaperMark = "points pt 9 ps 1.3 lc rgb '#c00000'";

Selection pointsOf(const std::vector<PointResult>& points, const std::string& part) {
  Selection selection;
  for (const PointResult& result : points) {
    if (result.point.part == part && !isExplicitRepeat(result.point)) selection.push_back(&result);
  }
  return selection;
}

std::optional<double> speedupOf(const PointResult& result, Mode mode) {
  const RunRecord* run = result.run(mode);
  return run == nullptr ? std::nullopt : result.report.speedup(*run);
}

std::string at(double value) { return formatNumber(value); }

/// Common to all: thin axes, light grid lines along y, boxes with a thin border.
void frame(Plot& plot, const std::string& yLabel) {
  plot.line("set border 3 lc rgb '#404040'");
  plot.line("set tics nomirror out scale 0.5");
  plot.line("set grid ytics lc rgb '#c4c4c4' lw 0.8 dt 1");
  plot.line("set style fill solid 1 border lc rgb '#404040'");
  plot.line("set ylabel " + plotText(yLabel));
}

/// Where a panel is, as shares of the figure.
struct Box {
  double left, right, bottom, top;
};

void place(Plot& plot, const Box& box) {
  plot.line("set lmargin at screen " + at(box.left));
  plot.line("set rmargin at screen " + at(box.right));
  plot.line("set bmargin at screen " + at(box.bottom));
  plot.line("set tmargin at screen " + at(box.top));
}

/// Cell number `index` of a grid in the figure, with room for titles and labels around each.
Box cell(std::size_t index, std::size_t columns, std::size_t rows) {
  constexpr double kLeft = 0.07, kRight = 0.99, kBottom = 0.085, kTop = 0.9;
  constexpr double kAcross = 0.045, kDown = 0.13;
  const auto across = static_cast<double>(columns), down = static_cast<double>(rows);
  const double width = (kRight - kLeft - kAcross * (across - 1)) / across;
  const double height = (kTop - kBottom - kDown * (down - 1)) / down;
  const std::size_t row = index / columns;
  const double left = kLeft + static_cast<double>(index % columns) * (width + kAcross);
  const double top = kTop - static_cast<double>(row) * (height + kDown);
  return {left, left + width, top - height, top};
}

/// The key of several panels, across the top of the figure: a plot that has nothing else.
void keyStrip(Plot& plot, const std::vector<std::string>& entries) {
  place(plot, {0, 1, 0.95, 1});
  for (const char* what : {"border", "tics", "grid", "title", "xlabel", "ylabel"}) {
    plot.line(std::string("unset ") + what);
  }
  plot.line("set key center center horizontal samplen 1.8");
  plot.line("set xrange [0:1]");
  plot.line("set yrange [0:1]");
  std::vector<std::string> elements;
  for (const std::string& entry : entries) elements.push_back("NaN " + entry);
  plot.plot(elements);
}

std::string boxEntry(const std::string& fill, const std::string& title) {
  return "with boxes lw 0.7 fc rgb '" + fill + "' title " + plotText(title);
}

constexpr const char* kOverlapEntry = "with lines lw 2 lc rgb '#202020' title 'ideal-overlap'";

/// The bars of one kind, as rows of x, y.
struct Series {
  std::string title;
  std::string fill;
  Rows rows;
};

/// Series of boxes, `width` wide, as elements of a plot command; the data blocks get the prefix.
std::vector<std::string> boxes(Plot& plot, const std::string& prefix,
                               const std::vector<Series>& series, double width) {
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].rows.empty()) continue;
    const std::string block = prefix + std::to_string(i);
    plot.data(block, series[i].rows);
    elements.push_back("$" + block + " using 1:2:(" + at(width) + ") with boxes lw 0.7 fc rgb '" +
                       series[i].fill + "' title " + plotText(series[i].title));
  }
  return elements;
}

/// Groups of sublayers with a gap and a heading between models.
struct Axis {
  std::vector<double> positions;
  Tics tics;
  Tics headings;
  std::vector<double> separators;
  double end = 0;
};

Axis sublayerAxis(const Selection& selection) {
  constexpr double kGap = 0.6;
  Axis axis;
  double x = 0;
  std::string group;
  double first = 0;
  for (const PointResult* result : selection) {
    const SystemConfig& scenario = result->point.scenario;
    const std::string name = scenario.workload.model + ", TP " + std::to_string(scenario.gpus);
    if (name != group) {
      if (!group.empty()) {
        axis.headings.emplace_back((first + x - 1) / 2, group);
        axis.separators.push_back(x - 0.5 + kGap / 2);
        x += kGap;
      }
      group = name;
      first = x;
    }
    axis.positions.push_back(x);
    axis.tics.emplace_back(x, scenario.workload.sublayer);
    x += 1;
  }
  if (!group.empty()) axis.headings.emplace_back((first + x - 1) / 2, group);
  axis.end = x;
  return axis;
}

void headings(Plot& plot, const Axis& axis) {
  for (const auto& [x, text] : axis.headings) {
    plot.line("set label " + plotText(text) + " at " + at(x) + ", graph 1.04 center font ',11'");
  }
  for (const double x : axis.separators) {
    plot.line("set arrow from " + at(x) + ", graph 0 to " + at(x) +
              ", graph 1.0 nohead lc rgb '#b0b0b0' dt 3");
  }
}

struct ModeStyle {
  Mode mode;
  const char* fill;
};
constexpr std::array<ModeStyle, 2> kBars = {
    {{Mode::T3, fill::kMiddle}, {Mode::T3Mca, fill::kDark}}};
constexpr std::array<ModeStyle, 4> kAllBars = {{{Mode::cuSplit(8), fill::kLightest},
                                                {Mode::cuSplit(16), fill::kLight},
                                                {Mode::T3, fill::kMiddle},
                                                {Mode::T3Mca, fill::kDark}}};

/// Centre of bar `index` of `count` next to each other.
double barShift(std::size_t index, std::size_t count, double width) {
  return (static_cast<double>(index) - (static_cast<double>(count) - 1) / 2) * width;
}

void speedupPanel(Plot& plot, const std::string& prefix, const Selection& selection,
                  const std::vector<PointResult>& points, bool (*wanted)(const Point&),
                  const std::vector<Headline>& paper, const std::string& meanTitle) {
  constexpr double kWidth = 0.21;
  constexpr std::size_t kT3 = 2, kT3Mca = 3;  // in kAllBars
  Axis axis = sublayerAxis(selection);
  std::vector<Series> bars;
  for (std::size_t m = 0; m < kAllBars.size(); ++m) {
    Series series{spelling(kAllBars[m].mode), kAllBars[m].fill, {}};
    for (std::size_t i = 0; i < selection.size(); ++i) {
      if (const auto speedup = speedupOf(*selection[i], kAllBars[m].mode)) {
        series.rows.push_back({axis.positions[i] + barShift(m, kAllBars.size(), kWidth), *speedup});
      }
    }
    bars.push_back(std::move(series));
  }
  const auto ideal = [&](Mode mode) {
    Rows rows;
    for (std::size_t i = 0; i < selection.size(); ++i) {
      if (const auto speedup = speedupOf(*selection[i], mode)) {
        rows.push_back({axis.positions[i], *speedup});
      }
    }
    return rows;
  };
  Rows overlap = ideal(Mode::IdealOverlap), nmc = ideal(Mode::IdealRsNmc);

  // Mean and largest at the right, with the paper's beside them.
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

Selection filtered(const Selection& selection, bool (*wanted)(const Point&)) {
  Selection result;
  std::ranges::copy_if(selection, std::back_inserter(result),
                       [&](const PointResult* point) { return wanted(point->point); });
  return result;
}

bool onSmallerRings(const Point& point) { return isSmallModel(point); }
bool onLargerRings(const Point& point) { return !isSmallModel(point); }

Figure sublayerSpeedups(const std::vector<PointResult>& points, const Selection& selection) {
  std::vector<Headline> small, large;
  for (const Headline& headline : headlines(points)) {
    if (headline.part != "sublayers") continue;
    (headline.name.find("PALM") == std::string::npos ? small : large).push_back(headline);
  }
  Plot plot;
  plot.line("set multiplot");
  place(plot, cell(0, 1, 2));
  speedupPanel(plot, "small", filtered(selection, onSmallerRings), points, isSmallModel, small,
               "all of these");
  place(plot, cell(1, 1, 2));
  speedupPanel(plot, "large", filtered(selection, onLargerRings), points, isLargeModel, large,
               "PALM, MT-NLG");
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
  Axis axis = sublayerAxis(selection);
  std::vector<Series> stack = {{"GEMM", fill::kDark, {}},
                               {"reduce-scatter", fill::kMiddle, {}},
                               {"all-gather", fill::kLightest, {}}};
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const RunRecord* run = selection[i]->run(Mode::Sequential);
    if (run == nullptr) continue;
    const PhaseNs& phase = run->result.phase_ns;
    const double total = phase.gemm + phase.reduce_scatter + phase.all_gather;
    const double x = axis.positions[i];
    // Drawn from the tallest to the shortest, each from the axis up.
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
  // Seven groups side by side: the degree goes below the model.
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

struct Kind {
  const char* title;
  std::uint64_t DramBytes::*bytes;
  const char* fill;
};
constexpr std::array<Kind, 6> kKinds = {{
    {"GEMM reads", &DramBytes::gemm_read, "#0b3c6f"},
    {"GEMM writes", &DramBytes::gemm_write, "#8ebfe3"},
    {"RS reads", &DramBytes::rs_read, "#b3500b"},
    {"RS writes", &DramBytes::rs_write, "#fdc98f"},
    {"AG reads", &DramBytes::ag_read, "#606060"},
    {"AG writes", &DramBytes::ag_write, "#e8e8e8"},
}};

void movementPanel(Plot& plot, const std::string& prefix, const Selection& selection,
                   const std::optional<Spread>& ours, bool paper) {
  constexpr double kWidth = 0.36;
  Axis axis = sublayerAxis(selection);
  std::vector<Series> stack;
  for (const Kind& kind : kKinds) stack.push_back({kind.title, kind.fill, {}});
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const RunRecord* before = selection[i]->run(Mode::Sequential);
    const RunRecord* after = selection[i]->run(Mode::T3Mca);
    if (before == nullptr || after == nullptr) continue;
    const auto unit = static_cast<double>(totalBytes(before->result.dram_bytes)) / 100;
    for (const auto& [run, shift] : {std::pair(before, -0.5), std::pair(after, 0.5)}) {
      double height = 0;
      for (std::size_t k = 0; k < kKinds.size(); ++k) {
        height += static_cast<double>(run->result.dram_bytes.*kKinds[k].bytes) / unit;
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
  Plot plot;
  plot.line("set multiplot");
  place(plot, cell(0, 1, 2));
  movementPanel(plot, "small", filtered(selection, onSmallerRings),
                movedShare(points, isSmallModel), true);
  place(plot, cell(1, 1, 2));
  movementPanel(plot, "large", filtered(selection, onLargerRings), movedShare(points, isLargeModel),
                false);
  std::vector<std::string> key;
  for (const Kind& kind : kKinds) key.push_back(boxEntry(kind.fill, kind.title));
  key.push_back(boxEntry(fill::kDarkest, "t3-mca, all"));
  key.push_back(std::string("with ") + kPaperMark + " title 'paper'");
  keyStrip(plot, key);
  return {"data-movement",
          "DRAM bytes by kind, sequential (left bar) and t3-mca (right bar)",
          "An update counts once, as a write; zeroing and spilled records are writes of their "
          "phase. Triangles: the paper. At the right of the lower panel: PALM and MT-NLG.",
          1150,
          760,
          plot.script()};
}

/// Cumulative share of GEMM reads at the end of each window.
std::vector<double> readProgress(const MemoryReport& traffic) {
  std::vector<double> progress = {0};
  for (const DramBytes& window : traffic.bytes_over_time) {
    progress.push_back(progress.back() + static_cast<double>(window.gemm_read));
  }
  for (double& value : progress) value /= std::max(1.0, progress.back());
  return progress;
}

/// When a run had made that share of its reads, in windows.
double whenReached(const std::vector<double>& progress, double share) {
  const auto after = std::ranges::lower_bound(progress, share);
  if (after == progress.begin()) return 0;
  const auto before = after - 1;
  return static_cast<double>(before - progress.begin()) + (share - *before) / (*after - *before);
}

Figure trafficOverTime(const PointResult& result) {
  const auto gemmEnd = [&](const RunRecord& run) {
    return static_cast<double>(run.result.per_gpu.front().gemm_end_ps) * 1e-6;
  };
  const std::array<std::pair<Mode, const char*>, 3> panels = {
      {{Mode::Sequential, "sequential: the GEMM alone, then the reduce-scatter kernel"},
       {Mode::T3, "t3: reduce-scatter beside the GEMM, memory shared in turn"},
       {Mode::T3Mca, "t3-mca: the same, the GEMM's accesses first"}}};
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
    for (std::size_t k = kKinds.size(); k-- > 0;) {  // the tallest first
      Rows rows;
      for (std::size_t w = 0; w < traffic.bytes_over_time.size(); ++w) {
        const double from = static_cast<double>(w) * window * 1e-3;
        if (from > end * 1.12) break;
        double sum = 0;
        for (std::size_t i = 0; i <= k; ++i) {
          sum += static_cast<double>(traffic.bytes_over_time[w].*kKinds[i].bytes);
        }
        rows.push_back({from + window * 0.5e-3, sum / window});
      }
      plot.data(prefix + "k" + std::to_string(k), rows);
      elements.push_back("$" + prefix + "k" + std::to_string(k) +
                         " using 1:2 with filledcurves x1 fc rgb '" + kKinds[k].fill + "' title " +
                         plotText(kKinds[k].title));
    }
    plot.plot(elements);
    plot.line("unset label");
    plot.line("unset arrow");
  }

  // How far the GEMM falls behind the same GEMM that has the memory to itself.
  const RunRecord* alone = result.run(Mode::IdealRsNmc);
  if (alone != nullptr) {
    const std::vector<double> reference = readProgress(alone->result.memory);
    const double window = alone->result.memory.window_ns * 1e-3;
    place(plot, {0.075, 0.985, 0.075, top});
    plot.line("set key top left samplen 2");
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
  std::vector<std::string> key;
  for (const Kind& kind : kKinds) key.push_back(boxEntry(kind.fill, kind.title));
  plot.line("set style fill solid 1 border lc rgb '#404040'");
  keyStrip(plot, key);
  return {
      "traffic",
      "DRAM traffic over time by class, " + result.point.preset,
      "One GPU. Stacked bandwidth in windows of 5 us. Below: how far the GEMM's reads are behind "
      "those of the same GEMM with the memory to itself; it falls behind where the curve rises.",
      1150,
      900,
      plot.script()};
}

Figure endToEndSpeedups(const std::vector<EndToEnd>& models) {
  constexpr double kWidth = 0.36;
  Plot plot;
  plot.line("set multiplot");
  for (const bool training : {true, false}) {
    std::vector<Series> bars;
    for (const ModeStyle& style : kBars) bars.push_back({spelling(style.mode), style.fill, {}});
    Tics tics;
    for (std::size_t i = 0; i < models.size(); ++i) {
      const EndToEnd::Phase& phase = training ? models[i].training : models[i].prompt;
      const auto x = static_cast<double>(i);
      bars[0].rows.push_back({x - kWidth / 2, phase.t3});
      bars[1].rows.push_back({x + kWidth / 2, phase.t3_mca});
      std::string name = models[i].model;
      if (const std::size_t dash = name.find('-'); dash == 4) name.insert(dash + 1, "\n");
      tics.emplace_back(x, name + "\nTP " + std::to_string(models[i].degree));
    }
    place(plot, training ? Box{0.07, 0.5, 0.2, 0.86} : Box{0.56, 0.99, 0.2, 0.86});
    frame(plot, training ? "speedup over sequential" : "");
    plot.line("set title " + plotText(training ? "training iteration" : "prompt (forward only)"));
    plot.line("set yrange [1:*]");
    plot.line("set ytics format '%.2f'");
    plot.line("set xrange [-0.7:" + at(static_cast<double>(models.size()) - 0.3) + "]");
    plot.tics("x", tics, "scale 0 font ',9'");
    plot.line(training ? "set key top right samplen 1.5" : "unset key");
    plot.plot(boxes(plot, training ? "train" : "prompt", bars, kWidth));
  }
  return {"end-to-end",
          "Whole models",
          "All layers, with the rest of a layer by roofline (docs/evaluation.md names its "
          "assumptions). No figure of the paper is known for this.",
          1150,
          420,
          plot.script()};
}

/// Points of a part by study, in the order in which they appear.
std::vector<std::pair<std::string, Selection>> studiesOf(const Selection& selection) {
  std::vector<std::pair<std::string, Selection>> studies;
  for (const PointResult* result : selection) {
    const auto known =
        std::ranges::find(studies, result->point.study, &std::pair<std::string, Selection>::first);
    if (known != studies.end()) {
      known->second.push_back(result);
    } else {
      studies.push_back({result->point.study, {result}});
    }
  }
  return studies;
}

Figure futureSpeedups(const Selection& selection) {
  constexpr double kWidth = 0.36;
  const auto studies = studiesOf(selection);
  Plot plot;
  plot.line("set multiplot");
  for (std::size_t s = 0; s < studies.size(); ++s) {
    std::vector<Series> bars;
    for (const ModeStyle& style : kBars) bars.push_back({spelling(style.mode), style.fill, {}});
    Tics tics;
    Rows overlap;
    for (std::size_t i = 0; i < studies[s].second.size(); ++i) {
      const auto x = static_cast<double>(i);
      const PointResult& result = *studies[s].second[i];
      for (std::size_t m = 0; m < kBars.size(); ++m) {
        if (const auto speedup = speedupOf(result, kBars[m].mode)) {
          bars[m].rows.push_back({x + (static_cast<double>(m) - 0.5) * kWidth, *speedup});
        }
      }
      if (const auto speedup = speedupOf(result, Mode::IdealOverlap))
        overlap.push_back({x, *speedup});
      std::string label = result.point.label;
      if (const std::size_t blank = label.find_last_of(' '); blank != std::string::npos) {
        label[blank] = '\n';
      }
      tics.emplace_back(x, label);
    }
    place(plot, cell(s, 3, (studies.size() + 2) / 3));
    frame(plot, s % 3 == 0 ? "speedup over sequential" : "");
    plot.line("set title " + plotText(studies[s].first));
    plot.line("set yrange [0.8:1.6]");
    plot.line("set ytics 0.1 format '%.1f'");
    plot.line("set xrange [-0.7:" + at(static_cast<double>(studies[s].second.size()) - 0.3) + "]");
    plot.tics("x", tics, "scale 0 font ',9'");
    plot.line("unset key");
    auto elements = boxes(plot, "s" + std::to_string(s) + "_", bars, kWidth);
    const std::string block = "overlap" + std::to_string(s);
    plot.data(block, overlap);
    elements.push_back("$" + block +
                       " using ($1-0.42):2:(0.84):(0) with vectors nohead lw 2 lc rgb '" +
                       fill::kDarkest + "'");
    plot.plot(elements);
  }
  std::vector<std::string> key;
  for (const ModeStyle& style : kBars) key.push_back(boxEntry(style.fill, spelling(style.mode)));
  key.push_back(kOverlapEntry);
  keyStrip(plot, key);
  return {"future",
          "Larger models, faster parts",
          "Lines: ideal-overlap. The reduce-scatter hides best where it takes about as long as the "
          "GEMM.",
          1150,
          640,
          plot.script()};
}

Figure sensitivities(const Selection& selection) {
  const auto studies = studiesOf(selection);
  constexpr std::size_t kColumns = 4;
  constexpr std::array<Mode, 3> kModes = {Mode::IdealOverlap, Mode::T3Mca, Mode::T3};
  constexpr std::array<const char*, 3> kStyles = {
      "with linespoints pt 12 ps 0.7 dt 3 lw 1.5 lc rgb '#202020'",
      "with linespoints pt 7 ps 0.8 lw 2 lc rgb '#0b3c6f'",
      "with linespoints pt 6 ps 0.8 dt 2 lw 2 lc rgb '#4a90c8'"};
  Plot plot;
  plot.line("set multiplot");
  for (std::size_t s = 0; s < studies.size(); ++s) {
    const auto& [study, points] = studies[s];
    Tics tics;
    std::array<Rows, 3> lines;
    for (std::size_t i = 0; i < points.size(); ++i) {
      tics.emplace_back(static_cast<double>(i), points[i]->point.label);
      for (std::size_t m = 0; m < kModes.size(); ++m) {
        if (const auto speedup = speedupOf(*points[i], kModes[m])) {
          lines[m].push_back({static_cast<double>(i), *speedup});
        }
      }
    }
    place(plot, cell(s, kColumns, (studies.size() + kColumns - 1) / kColumns));
    frame(plot, s % kColumns == 0 ? "speedup" : "");
    plot.line("set title " + plotText(study) + " offset 0,-0.5");
    plot.line("set yrange [0.8:1.5]");
    plot.line("set ytics 0.1 format '%.1f'");
    plot.line("set xrange [-0.4:" + at(static_cast<double>(points.size()) - 0.6) + "]");
    plot.tics("x", tics, "scale 0 font ',10'");
    plot.line("unset key");
    std::vector<std::string> elements;
    for (std::size_t m = 0; m < kModes.size(); ++m) {
      if (lines[m].empty()) continue;
      const std::string block = "s" + std::to_string(s) + "_" + std::to_string(m);
      plot.data(block, lines[m]);
      elements.push_back("$" + block + " using 1:2 " + kStyles[m]);
    }
    plot.plot(elements);
  }
  std::vector<std::string> key;
  for (std::size_t m = 0; m < kModes.size(); ++m) {
    key.push_back(std::string(kStyles[m]) + " title " + plotText(spelling(kModes[m])));
  }
  keyStrip(plot, key);
  return {"sensitivity",
          "What the speedup depends on",
          "T-NLG FC-2 on 8 GPUs unless the panel says otherwise; one assumption changed at a time.",
          1150,
          700,
          plot.script()};
}

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
  return {"headlines",
          "The paper's headlines and ours",
          "Each difference is explained in "
          "docs/evaluation.md.",
          1000,
          420,
          plot.script()};
}

}  // namespace

std::vector<Figure> figuresOf(const std::vector<PointResult>& points) {
  std::vector<Figure> figures;
  std::vector<Headline> known = headlines(points);
  std::erase_if(known, [](const Headline& headline) { return !headline.ours; });
  if (!known.empty()) figures.push_back(againstThePaper(known));
  if (const auto selection = pointsOf(points, "sublayers"); !selection.empty()) {
    figures.push_back(sublayerSpeedups(points, selection));
    figures.push_back(sublayerPhases(selection));
  }
  if (const auto selection = pointsOf(points, "data-movement"); !selection.empty()) {
    figures.push_back(dataMovement(points, selection));
  }
  for (const PointResult* result : pointsOf(points, "traffic")) {
    figures.push_back(trafficOverTime(*result));
  }
  if (const auto models = endToEnd(points); !models.empty()) {
    figures.push_back(endToEndSpeedups(models));
  }
  if (const auto selection = pointsOf(points, "future"); !selection.empty()) {
    figures.push_back(futureSpeedups(selection));
  }
  if (const auto selection = pointsOf(points, "sensitivity"); !selection.empty()) {
    figures.push_back(sensitivities(selection));
  }
  return figures;
}

}  // namespace t3
