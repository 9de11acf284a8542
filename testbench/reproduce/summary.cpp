// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/summary.h"

#include <algorithm>
#include <map>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

std::vector<Range> rangesOf(const std::vector<PointResult>& points) {
  std::vector<Range> ranges;
  for (const char* part : {"sublayers", kAllGatherPart, kPairsPart, "data-movement"}) {
    const Selection selection = pointsOf(points, part);
    if (selection.empty()) continue;
    for (const Mode& mode : selection.front()->point.modes) {
      if (mode == Mode::Sequential) continue;
      for (const ModelGroup& models : {kSmallModels, kLargeModels}) {
        const Geomean values = part == std::string("data-movement")
                                   ? movedShares(selection, models)
                                   : speedups(selection, mode, models);
        if (values.count() > 0) ranges.push_back({part, models.name, mode, values});
      }
    }
  }
  return ranges;
}

/// The speedup of each preset with its own values.
std::map<std::string, double> usualSpeedups(const Selection& selection, Mode mode) {
  std::map<std::string, double> usual;
  for (const PointResult* point : selection) {
    if (!point->point.usual) continue;
    if (const auto speedup = point->speedup(mode)) usual.emplace(point->point.preset, *speedup);
  }
  return usual;
}

/// Points by study, in the order in which they appear.
std::vector<std::pair<std::string, Selection>> studiesOf(const Selection& selection) {
  std::vector<std::pair<std::string, Selection>> studies;
  for (const PointResult* result : selection) {
    const std::string& name = result->point.study;
    auto study = std::ranges::find(studies, name, &std::pair<std::string, Selection>::first);
    if (study == studies.end()) study = studies.insert(studies.end(), {name, {}});
    study->second.push_back(result);
  }
  return studies;
}

std::vector<Agreement> agreementsOf(const std::vector<PointResult>& points) {
  const auto ratio = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(a) / static_cast<double>(b) - 1;
  };
  std::vector<Agreement> list;
  for (const PointResult& all : points) {
    if (!isExplicitRepeat(all.point)) continue;
    for (const PointResult* one : pointsOf(points, all.point.part)) {
      if (one->point.preset != all.point.preset || !one->point.study.empty()) continue;
      for (const Mode mode : all.point.modes) {
        const RunRecord* every = all.run(mode);
        const RunRecord* single = one->run(mode);
        if (every == nullptr || single == nullptr) continue;
        list.push_back({all.point.preset, mode,
                        ratio(single->result.time_ps, every->result.time_ps),
                        ratio(single->result.of(Phase::Gemm).dram_read,
                              every->result.of(Phase::Gemm).dram_read),
                        single->result.link_bytes == every->result.link_bytes});
      }
    }
  }
  return list;
}

std::vector<Loss> lossesOf(const std::vector<PointResult>& points) {
  std::vector<Loss> list;
  for (const PointResult& result : points) {
    for (const Mode mode : {Mode::T3, Mode::T3Mca, Mode::T3Ag}) {
      const auto speedup = result.speedup(mode);
      const Point& point = result.point;
      if (speedup && *speedup < 1)
        list.push_back({point.part, point.preset, point.label, mode, *speedup});
    }
  }
  return list;
}

}  // namespace

std::vector<Swing> swingsOf(const Selection& selection, Mode mode) {
  const auto usual = usualSpeedups(selection, mode);
  const auto speedup = [mode](const PointResult* point) { return *point->speedup(mode); };
  std::vector<Swing> swings;
  for (auto [study, points] : studiesOf(selection)) {
    const auto known = usual.find(points.front()->point.preset);
    if (known == usual.end()) continue;
    std::erase_if(points, [mode](const PointResult* point) { return !point->speedup(mode); });
    if (points.size() < 2) continue;
    auto [low, high] = std::ranges::minmax_element(points, {}, speedup);
    if (speedup(*low) < speedup(*high)) {  // of values that are as good, the usual one is named
      for (auto one = points.begin(); one != points.end(); ++one) {
        if (!(*one)->point.usual) continue;
        if (speedup(*one) == speedup(*low)) low = one;
        if (speedup(*one) == speedup(*high)) high = one;
      }
    }
    const auto end = [&](const PointResult* point) {
      return Swing::End{point->point.label, speedup(point), speedup(point) / known->second - 1};
    };
    swings.push_back({study, known->first, mode, known->second, end(*low), end(*high)});
  }
  std::ranges::stable_sort(swings, std::ranges::greater{},
                           [](const Swing& swing) { return swing.high.change - swing.low.change; });
  return swings;
}

Summary summaryOf(const std::vector<PointResult>& points) {
  return {.headlines = headlines(points),
          .ranges = rangesOf(points),
          .allGather = allGatherSummary(points),
          .pairs = pairsSummary(points),
          .sums = switchSummary(points),
          .models = endToEnd(points),
          .swings = swingsOf(pointsOf(points, "sensitivity"), Mode::T3Mca),
          .agreements = agreementsOf(points),
          .losses = lossesOf(points)};
}

std::vector<EvaluationPointForm> evaluationPointForms(const std::vector<PointResult>& points) {
  std::vector<EvaluationPointForm> forms;
  forms.reserve(points.size());
  for (PointForm& form : pointForms(points, showsTraffic)) {
    const SystemConfig& scenario = points[forms.size()].point.scenario;
    forms.push_back(
        {std::move(form), scenario.workload.model, scenario.workload.sublayer, scenario.gpus});
  }
  return forms;
}

std::string Summary::text(std::size_t width) const {
  TextTable table;
  for (const Headline& headline : headlines) {
    if (!headline.ours) continue;
    std::vector<std::string> heading = {"figure", "paper", "ours", "difference"};
    std::vector<std::string> row = {headline.name, fixed(headline.paper, 2),
                                    fixed(*headline.ours, 3),
                                    signedFixed(*headline.difference(), 1) + " points"};
    if (const auto usual = headline.onDefaultMachine) {
      heading.emplace_back("default machine");
      row.push_back(fixed(*usual, 3));
    }
    if (table.empty()) table.add(heading);
    table.add(row);
  }
  std::string text = table.text(width);
  if (const auto& ag = allGather) {
    text += "t3-ag over " + std::to_string(ag->sublayers) + " sublayers: " + fixed(ag->t3_ag, 3) +
            "x (t3-mca " + fixed(ag->t3_mca, 3) + "x, ideal-rs-nmc " + fixed(ag->ideal_rs_nmc, 3) +
            "x, ideal-ag " + fixed(ag->ideal_ag, 3) + "x)" +
            (ag->gap_closed ? ", " + fixed(100 * *ag->gap_closed, 0) + "% of the gap" : "") +
            "\n  over t3-mca at least " + fixed(ag->least_over_t3_mca, 3) + "x; GEMM reads " +
            fixed(ag->gemm_reads_geomean, 3) + " of t3-mca's, at most " +
            fixed(ag->gemm_reads_largest, 3) + "\n";
  }
  if (pairs) {
    text += "t3-ag over " + std::to_string(pairs->pairs) +
            " pairs of GEMMs: " + fixed(pairs->t3_ag, 3) + "x (t3-mca " + fixed(pairs->t3_mca, 3) +
            "x, " + spelling(kSplitGather) + " " + fixed(pairs->ag_split, 3) + "x, ideal-ag " +
            fixed(pairs->ideal_ag, 3) + "x)\n  with the second GEMM's overlap alone " +
            fixed(pairs->consumer_alone, 3) + "x\n";
  }
  if (sums) {
    const auto gain = [](const Geomean& of) {
      return std::to_string(of.count()) + ": " + fixed(of.mean(), 3) + "x (" +
             fixed(of.least(), 3) + " to " + fixed(of.most(), 3) + "x)";
    };
    text += "t3-ag, a switch that adds over one that does not, sublayers " + gain(sums->sublayers) +
            ", with the large models " + gain(sums->all_sublayers) + ", pairs " +
            gain(sums->pairs) + "\n  over one ring " + fixed(sums->over_ring, 3) +
            "x; time over its closed form " + fixed(sums->over_bound_mean, 3) + ", at most " +
            fixed(sums->over_bound_most, 3) + "\n  over the NVLS kernel, sublayers " +
            gain(sums->over_nvls) + ", with headers of packets " + gain(sums->packets_over_nvls) +
            ", pairs " + gain(sums->pairs_over_nvls) + "; that over sequential on a ring " +
            fixed(sums->nvls_over_sequential, 3) + "x\n";
  }
  for (const Agreement& point : agreements) {
    text += "one GPU for all against all GPUs, " + point.preset + ", " + spelling(point.mode) +
            ": time " + fixed(point.time_difference * 100, 2) + "%, GEMM reads " +
            fixed(point.gemm_read_difference * 100, 2) + "%, link bytes " +
            (point.link_bytes_equal ? "equal" : "DIFFERENT") + "\n";
  }
  for (const auto& [part, preset, label, mode, speedup] : losses) {
    text += "slower than sequential: " + part + ", " + preset + " " + label + ", " +
            spelling(mode) + " " + fixed(speedup, 3) + "x\n";
  }
  return text;
}

}  // namespace t3
