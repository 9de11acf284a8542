// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/panels.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

constexpr double kWide = 1000, kNarrow = 370;
/// Of the key: a line of entries, and an entry's sample with the gaps beside it.
constexpr double kKeyLine = 22, kSample = 24, kKeyGap = 8, kKeyMargin = 12;

double widthOf(const KeyEntry& entry) {
  constexpr double kLetter = 6.9, kCapital = 9;  // mean widths
  double width = kSample + 3.5 * kKeyGap;
  for (const char letter : entry.title)
    width += letter >= 'A' && letter <= 'Z' ? kCapital : kLetter;
  return width;
}

/// Sublayers by model and degree, with the name of each group. With few GPUs for all (--quick) two
/// degrees of a model have one name: a sublayer that comes again begins a group.
std::vector<std::pair<std::string, Selection>> groupsOf(const Selection& selection) {
  std::vector<std::pair<std::string, Selection>> groups;
  for (const PointResult* result : selection) {
    const SystemConfig& scenario = result->point.scenario;
    const std::string name = scenario.workload.model + ", TP " + std::to_string(scenario.gpus);
    const auto isSame = [&](const PointResult* other) {
      return other->point.scenario.workload.sublayer == scenario.workload.sublayer;
    };
    if (groups.empty() || groups.back().first != name ||
        std::ranges::any_of(groups.back().second, isSame)) {
      groups.push_back({name, {}});
    }
    groups.back().second.push_back(result);
  }
  return groups;
}

}  // namespace

Selection pointsOf(const std::vector<PointResult>& points, const std::string& part) {
  Selection selection;
  for (const PointResult& result : points) {
    if (result.point.part == part && !isExplicitRepeat(result.point)) selection.push_back(&result);
  }
  return selection;
}

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

std::string at(double value) { return formatNumber(value); }

std::string colour(const Ink& ink) { return std::string("lc rgb '") + ink.light + "'"; }

KeyEntry boundEntry(Mode bound) { return {spelling(bound), {}, "lw 2 " + colour(ink::kText), {}}; }

KeyEntry paperEntry() { return {"the paper", {}, {}, "pt 9 ps 1.3 " + colour(ink::kRed)}; }

std::vector<KeyEntry> keyOf(const std::vector<ModeStyle>& bars) {
  std::vector<KeyEntry> key;
  for (const ModeStyle& bar : bars) key.push_back({spelling(bar.mode), bar.ink.light, {}, {}});
  return key;
}

Sheet::Sheet(bool narrow, const Form& form, const std::vector<KeyEntry>& entries)
    : narrow_(narrow), form_(form), width_(narrow ? kNarrow : kWide) {
  double x = kKeyMargin;
  keyHeight_ = entries.empty() ? 4 : kKeyLine + 4;
  for (const KeyEntry& entry : entries) {
    if (x > kKeyMargin && x + widthOf(entry) > width_) {
      keyHeight_ += kKeyLine;
      x = kKeyMargin;
    }
    x += widthOf(entry);
  }
  const auto rows = static_cast<double>((form.panels + form.columns - 1) / form.columns);
  height_ = keyHeight_ + rows * (form.margins.above + form.height + form.margins.below);
  plot_.line("set multiplot");
  key(entries);
}

void Sheet::key(const std::vector<KeyEntry>& entries) {
  double x = kKeyMargin, y = kKeyLine / 2 + 2;
  const auto place = [&](double across) {
    return "screen " + at(across / width_) + ", screen " + at(1 - y / height_);
  };
  for (const KeyEntry& entry : entries) {
    if (x > kKeyMargin && x + widthOf(entry) > width_) {
      x = kKeyMargin;
      y += kKeyLine;
    }
    const double middle = x + kSample / 2;
    if (!entry.box.empty()) {
      plot_.line("set object rectangle center " + place(middle) + " size screen " +
                 at(14 / width_) + ", screen " + at(12 / height_) + " fc rgb '" + entry.box +
                 "' fs solid noborder");
    }
    if (!entry.line.empty()) {
      plot_.line("set arrow from " + place(x) + " to " + place(x + kSample) + " nohead " +
                 entry.line);
    }
    if (!entry.point.empty()) {
      plot_.line("set label '' at " + place(middle) + " point " + entry.point);
    }
    plot_.line("set label " + plotText(entry.title) + " at " + place(x + kSample + kKeyGap) +
               " left");
    x += widthOf(entry);
  }
}

void Sheet::panel(const std::string& yLabel) {
  if (next_ > 0) {
    for (const char* what : {"label", "arrow", "object"}) plot_.line(std::string("unset ") + what);
  }
  const auto columns = static_cast<double>(form_.columns);
  const Margins& margins = form_.margins;
  const double cell = width_ / columns;
  const double left = cell * static_cast<double>(next_ % form_.columns);
  const double top = keyHeight_ + static_cast<double>(next_ / form_.columns) *
                                      (margins.above + form_.height + margins.below);
  const bool labelled = next_ % form_.columns == 0;
  ++next_;
  plot_.line("set lmargin at screen " + at((left + margins.left) / width_));
  plot_.line("set rmargin at screen " + at((left + cell - margins.right) / width_));
  plot_.line("set tmargin at screen " + at(1 - (top + margins.above) / height_));
  plot_.line("set bmargin at screen " + at(1 - (top + margins.above + form_.height) / height_));
  plot_.line("set border 3 " + colour(ink::kQuiet) + " lw 0.8");
  plot_.line("set tics nomirror out scale 0.5");
  plot_.line("set grid noxtics ytics lt 1 " + colour(ink::kLine) + " lw 0.8");
  plot_.line("set style fill solid 1 border " + colour(ink::kPage));
  plot_.line("set ylabel " + plotText(labelled ? yLabel : "") + " textcolor rgb '" +
             ink::kQuiet.light + "'");
  plot_.line("unset key");
}

void Sheet::title(const std::string& text) {
  const double down = (form_.margins.above / 2 - 3) / form_.height;
  plot_.line("set label " + plotText(text) + " at graph 0, graph " + at(1 + down) +
             " left font ',12'");
}

Drawing Sheet::drawing() const {
  return {static_cast<int>(width_), static_cast<int>(std::lround(height_)), plot_.script()};
}

std::vector<std::string> boxes(Plot& plot, const std::string& prefix,
                               const std::vector<Series>& series, double width, double ground) {
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].rows.empty()) continue;
    const std::string block = prefix + std::to_string(i);
    plot.data(block, series[i].rows);
    elements.push_back("$" + block + " using 1:2:($1-" + at(width / 2) + "):($1+" + at(width / 2) +
                       "):(" + at(ground) + "):2 with boxxyerror lw 0.7 fc rgb '" +
                       series[i].ink.light + "' title " + plotText(series[i].title));
  }
  return elements;
}

double barShift(std::size_t index, std::size_t count, double width) {
  return (static_cast<double>(index) - (static_cast<double>(count) - 1) / 2) * width;
}

std::string acrossBars(Plot& plot, const std::string& name, const Rows& rows, double width) {
  plot.data(name, rows);
  return "$" + name + " using ($1-" + at(width / 2) + "):2:(" + at(width) +
         "):(0) with vectors nohead lw 2 " + colour(ink::kText);
}

void groundLine(Plot& plot, double y) {
  plot.line("set arrow from graph 0, first " + at(y) + " to graph 1, first " + at(y) + " nohead " +
            colour(ink::kQuiet) + " lw 1");
}

std::vector<SublayerPart> partsBySize(const Selection& selection, bool narrow, bool common) {
  std::vector<SublayerPart> parts;
  for (const bool small : {true, false}) {
    Selection ofSize;
    std::ranges::copy_if(selection, std::back_inserter(ofSize), [&](const PointResult* result) {
      return isSmallModel(result->point) == small;
    });
    const auto groups = groupsOf(ofSize);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (i == 0 || (narrow && i % 2 == 0)) parts.push_back({{}, small, false});
      Selection& points = parts.back().points;
      points.insert(points.end(), groups[i].second.begin(), groups[i].second.end());
    }
    if (groups.empty()) continue;
    if (narrow && common && groups.size() % 2 == 0) parts.push_back({{}, small, false});
    parts.back().last = true;
  }
  return parts;
}

SublayerAxis::SublayerAxis(const Selection& selection) {
  constexpr double kGap = 0.6;
  double x = 0;
  for (const auto& [name, points] : groupsOf(selection)) {
    if (!headings.empty()) {
      separators.push_back(x - 0.5 + kGap / 2);
      x += kGap;
    }
    headings.emplace_back(x + (static_cast<double>(points.size()) - 1) / 2, name);
    for (const PointResult* result : points) {
      positions.push_back(x);
      tics.emplace_back(x, result->point.scenario.workload.sublayer);
      x += 1;
    }
  }
  end = x - 0.3;
}

std::pair<double, double> SublayerAxis::common(const char* first, const char* second,
                                               const std::string& title) {
  constexpr double kPitch = 1.8;
  const double left = end + 1.1, right = left + kPitch;
  if (!headings.empty()) separators.push_back(end + 0.1);
  tics.emplace_back(left, first);
  tics.emplace_back(right, second);
  headings.emplace_back((left + right) / 2, title);
  end = right + 0.9;
  return {left, right};
}

void SublayerAxis::draw(Plot& plot) const {
  plot.line("set xrange [-0.7:" + at(end) + "]");
  plot.tics("x", tics, "scale 0 font ',10'");
  for (const auto& [x, text] : headings) {
    plot.line("set label " + plotText(text) + " at " + at(x) +
              ", graph 1 center offset 0,0.7 font ',11' textcolor rgb '" + ink::kQuiet.light + "'");
  }
  for (const double x : separators) {
    plot.line("set arrow from " + at(x) + ", graph 0 to " + at(x) + ", graph 1 nohead " +
              colour(ink::kLine) + " lw 1");
  }
}

}  // namespace t3
