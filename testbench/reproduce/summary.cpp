// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/summary.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <optional>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/agreement.h"
#include "testbench/reproduce/all_gather.h"
#include "testbench/reproduce/end_to_end.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/pairs.h"
#include "testbench/reproduce/parts.h"
#include "testbench/reproduce/switches.h"

namespace t3 {
namespace {

namespace json = boost::json;

json::value optionalNumber(const std::optional<double>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::object gainJson(const SwitchSummary::Gain& gain) {
  return {{"points", gain.points}, {"mean", gain.mean}, {"least", gain.least}, {"most", gain.most}};
}

json::object phaseJson(const EndToEnd::Phase& phase) {
  return {{"sequential_ms", phase.sequential_ms},
          {"rest_ms", phase.rest_ms},
          {"speedup_t3", phase.t3},
          {"speedup_t3_mca", phase.t3_mca}};
}

/// Points where a t3 mode is slower than sequential.
std::vector<std::pair<const PointResult*, Mode>> losses(const std::vector<PointResult>& points) {
  std::vector<std::pair<const PointResult*, Mode>> list;
  for (const PointResult& result : points) {
    for (const Mode mode : {Mode::T3, Mode::T3Mca, Mode::T3Ag}) {
      const auto speedup = result.speedup(mode);
      if (speedup && *speedup < 1) list.emplace_back(&result, mode);
    }
  }
  return list;
}

}  // namespace

std::span<const MemberText> ReproduceForm::texts() {
  static constexpr MemberText kTexts[] = {
      {"quick", "true: the small evaluation of --quick"},
      {"settings", "key.path=value, of all points"},
      {"summary",
       "headlines beside the paper, whole models, one GPU for all against all of them, and the "
       "points where a t3 mode is slower than sequential"},
  };
  return kTexts;
}

json::object summaryJson(const std::vector<PointResult>& points) {
  json::object summary;
  json::array list;
  for (const Headline& headline : headlines(points)) {
    list.push_back({{"name", headline.name},
                    {"part", headline.part},
                    {"paper", headline.paper},
                    {"ours", optionalNumber(headline.ours)},
                    {"default_machine", optionalNumber(headline.onDefaultMachine)},
                    {"difference_points", optionalNumber(headline.difference())},
                    {"sublayers", headline.points}});
  }
  summary["headlines"] = std::move(list);
  if (const auto ag = allGatherSummary(points)) {
    summary["all_gather"] = {{"sublayers", ag->sublayers},
                             {"t3_mca", ag->t3_mca},
                             {"t3_ag", ag->t3_ag},
                             {"ideal_rs_nmc", ag->ideal_rs_nmc},
                             {"ideal_ag", ag->ideal_ag},
                             {"gap_closed", optionalNumber(ag->gap_closed)},
                             {"least_over_t3_mca", ag->least_over_t3_mca},
                             {"gemm_reads_geomean", ag->reads_geomean},
                             {"gemm_reads_largest", ag->reads_largest}};
  }
  if (const auto pairs = pairsSummary(points)) {
    summary["pairs"] = {{"pairs", pairs->pairs},
                        {"ag_split", pairs->ag_split},
                        {"t3_mca", pairs->t3_mca},
                        {"t3_ag", pairs->t3_ag},
                        {"consumer_alone", pairs->consumer_alone},
                        {"ideal_ag", pairs->ideal_ag}};
  }
  if (const auto sums = switchSummary(points)) {
    summary["switch"] = {{"sublayers", gainJson(sums->small)},
                         {"all_sublayers", gainJson(sums->all)},
                         {"pairs", gainJson(sums->pairs)},
                         {"over_ring", sums->over_ring},
                         {"over_nvls", gainJson(sums->over_nvls)},
                         {"pairs_over_nvls", gainJson(sums->pairs_over_nvls)},
                         {"packets_over_nvls", gainJson(sums->packets_over_nvls)},
                         {"nvls_over_sequential", sums->nvls_over_sequential},
                         {"over_bound_mean", sums->bound_mean},
                         {"over_bound_most", sums->bound_most}};
  }
  json::array models;
  for (const EndToEnd& model : endToEnd(points)) {
    models.push_back({{"model", model.model},
                      {"gpus", model.degree},
                      {"layers", model.layers},
                      {"training", phaseJson(model.training)},
                      {"prompt", phaseJson(model.prompt)},
                      {"training_unfused", phaseJson(model.trainingUnfused)},
                      {"prompt_unfused", phaseJson(model.promptUnfused)}});
  }
  summary["end_to_end"] = std::move(models);
  json::array agreement;
  for (const Agreement& point : agreements(points)) {
    agreement.push_back({{"preset", point.preset},
                         {"mode", spelling(point.mode)},
                         {"time_difference", point.time},
                         {"gemm_read_difference", point.gemm_read},
                         {"link_bytes_equal", point.link_bytes_equal}});
  }
  summary["symmetric_against_explicit"] = std::move(agreement);
  json::array slower;
  for (const auto& [result, mode] : losses(points)) {
    slower.push_back({{"part", result->point.part},
                      {"preset", result->point.preset},
                      {"label", result->point.label},
                      {"mode", spelling(mode)},
                      {"speedup", *result->speedup(mode)}});
  }
  summary["slower_than_sequential"] = std::move(slower);
  return summary;
}

std::string summaryText(const std::vector<PointResult>& points, std::size_t width) {
  TextTable table;
  for (const Headline& headline : headlines(points)) {
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
  if (const auto ag = allGatherSummary(points)) {
    text += "t3-ag over " + std::to_string(ag->sublayers) + " sublayers: " + fixed(ag->t3_ag, 3) +
            "x (t3-mca " + fixed(ag->t3_mca, 3) + "x, ideal-rs-nmc " + fixed(ag->ideal_rs_nmc, 3) +
            "x, ideal-ag " + fixed(ag->ideal_ag, 3) + "x)" +
            (ag->gap_closed ? ", " + fixed(100 * *ag->gap_closed, 0) + "% of the gap" : "") +
            "\n  over t3-mca at least " + fixed(ag->least_over_t3_mca, 3) + "x; GEMM reads " +
            fixed(ag->reads_geomean, 3) + " of t3-mca's, at most " + fixed(ag->reads_largest, 3) +
            "\n";
  }
  if (const auto pairs = pairsSummary(points)) {
    text += "t3-ag over " + std::to_string(pairs->pairs) +
            " pairs of GEMMs: " + fixed(pairs->t3_ag, 3) + "x (t3-mca " + fixed(pairs->t3_mca, 3) +
            "x, " + spelling(kSplitGather) + " " + fixed(pairs->ag_split, 3) + "x, ideal-ag " +
            fixed(pairs->ideal_ag, 3) + "x)\n  with the second GEMM's overlap alone " +
            fixed(pairs->consumer_alone, 3) + "x\n";
  }
  if (const auto sums = switchSummary(points)) {
    const auto gain = [](const SwitchSummary::Gain& of) {
      return std::to_string(of.points) + ": " + fixed(of.mean, 3) + "x (" + fixed(of.least, 3) +
             " to " + fixed(of.most, 3) + "x)";
    };
    text += "t3-ag, a switch that adds over one that does not, sublayers " + gain(sums->small) +
            ", with the large models " + gain(sums->all) + ", pairs " + gain(sums->pairs) +
            "\n  over one ring " + fixed(sums->over_ring, 3) + "x; time over its closed form " +
            fixed(sums->bound_mean, 3) + ", at most " + fixed(sums->bound_most, 3) +
            "\n  over the NVLS kernel, sublayers " + gain(sums->over_nvls) +
            ", with headers of packets " + gain(sums->packets_over_nvls) + ", pairs " +
            gain(sums->pairs_over_nvls) + "; that over sequential on a ring " +
            fixed(sums->nvls_over_sequential, 3) + "x\n";
  }
  for (const Agreement& point : agreements(points)) {
    text += "one GPU for all against all GPUs, " + point.preset + ", " + spelling(point.mode) +
            ": time " + fixed(point.time * 100, 2) + "%, GEMM reads " +
            fixed(point.gemm_read * 100, 2) + "%, link bytes " +
            (point.link_bytes_equal ? "equal" : "DIFFERENT") + "\n";
  }
  for (const auto& [result, mode] : losses(points)) {
    text += "slower than sequential: " + result->point.part + ", " + result->point.preset + " " +
            result->point.label + ", " + spelling(mode) + " " + fixed(*result->speedup(mode), 3) +
            "x\n";
  }
  return text;
}

}  // namespace t3
