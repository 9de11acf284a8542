// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "testbench/report/point.h"
#include "testbench/report/points_report.h"
#include "testbench/reproduce/beyond.h"
#include "testbench/reproduce/end_to_end.h"
#include "testbench/reproduce/headlines.h"

namespace t3 {

/// One of `points`, and the sublayer that it is of.
struct EvaluationPointForm {
  PointForm point;
  std::string model, sublayer;
  std::uint32_t gpus = 0;

  static constexpr auto kTexts = [] {
    std::array<MemberText, std::size(PointForm::kTexts) + 1> texts{};
    std::ranges::copy(PointForm::kTexts, texts.begin());
    texts.back() = {"gpus", "that share the sublayer: its degree of tensor parallelism"};
    return texts;
  }();
};

void visitMembers(const EvaluationPointForm& form, auto visit) {
  visit("part", form.point.part);
  visit("preset", form.point.preset);
  visit("model", form.model);
  visit("sublayer", form.sublayer);
  visit("gpus", form.gpus);
  visit("study", form.point.study);
  visit("label", form.point.label);
  visit("settings", form.point.settings);
  visit("runs", form.point.runs);
}

/// What a setting is worth: how far the speedup of a mode swings over the values of its study, as
/// shares of the speedup with the usual value.
struct Swing {
  struct End {
    std::string value;   ///< of the setting
    double speedup = 0;  ///< with it
    double change = 0;   ///< over that with the usual value, minus 1
  };
  std::string setting;
  std::string preset;
  Mode mode = Mode::Sequential;
  double usual_speedup = 0;  ///< with the preset's own value
  End low, high;             ///< the smallest and the largest speedup
};
BOOST_DESCRIBE_STRUCT(Swing::End, (), (value, speedup, change))
BOOST_DESCRIBE_STRUCT(Swing, (), (setting, preset, mode, usual_speedup, low, high))

/// A swing for each study with two points or more, the largest first. A study whose preset has no
/// point with the usual values has none.
std::vector<Swing> swingsOf(const Selection& selection, Mode mode);

/// How a point with one GPU simulated for all agrees with the same point with all GPUs simulated.
struct Agreement {
  std::string preset;
  Mode mode = Mode::Sequential;
  double time_difference = 0, gemm_read_difference = 0;  ///< symmetric over explicit, minus 1
  bool link_bytes_equal = false;
};
BOOST_DESCRIBE_STRUCT(Agreement, (),
                      (preset, mode, time_difference, gemm_read_difference, link_bytes_equal))

/// The speedups of a mode over sublayers of a part or, in part data-movement, the shares that are
/// left of the bytes of sequential.
struct Range {
  std::string part, models;
  Mode mode = Mode::Sequential;
  Geomean values;
};
void visitMembers(const Range& range, auto visit) {
  visit("part", range.part);
  visit("mode", range.mode);
  visit("models", range.models);
  visitMembers(range.values, visit);
}

/// A point where a t3 mode is slower than sequential.
struct Loss {
  std::string part, preset, label;
  Mode mode = Mode::Sequential;
  double speedup = 0;
};
BOOST_DESCRIBE_STRUCT(Loss, (), (part, preset, label, mode, speedup))

/// What came out: every number that is worked out of several runs, so that programs that draw or
/// print it need no formula.
struct Summary {
  std::vector<Headline> headlines;
  std::vector<Range> ranges;
  IfSet<AllGatherSummary> allGather;
  IfSet<PairsSummary> pairs;
  IfSet<SwitchSummary> sums;
  std::vector<EndToEnd> models;
  std::vector<Swing> swings;
  std::vector<Agreement> agreements;
  std::vector<Loss> losses;

  /// The main ones for the terminal.
  std::string text(std::size_t width) const;
};
Summary summaryOf(const std::vector<PointResult>& points);

void visitMembers(const Summary& summary, auto visit) {
  visit("headlines", summary.headlines);
  visit("ranges", summary.ranges);
  visit("all_gather", summary.allGather);
  visit("pairs", summary.pairs);
  visit("switch", summary.sums);
  visit("end_to_end", summary.models);
  visit("sensitivity", summary.swings);
  visit("symmetric_against_explicit", summary.agreements);
  visit("slower_than_sequential", summary.losses);
}

/// How, when and where an evaluation was made.
struct OriginForm {
  std::string command, date, machine;
  double elapsed_s = 0;
  std::uint32_t jobs = 0;

  static constexpr MemberText kTexts[] = {
      {"date", "when it was finished, UTC"},
      {"machine", "that simulated"},
      {"elapsed_s", "of this command; runs that an earlier one finished are not made again"},
      {"jobs", "simulations at a time"},
  };
};
BOOST_DESCRIBE_STRUCT(OriginForm, (), (command, date, machine, elapsed_s, jobs))

/// "t3sim-reproduce/1"
struct ReproduceForm {
  static constexpr const char* kSchema = "t3sim-reproduce/1";

  std::string schema = kSchema;
  BuildForm build;
  OriginForm host;
  IfSet<bool> quick;
  IfSet<std::vector<std::string>> settings;
  std::vector<EvaluationPointForm> points;
  Summary summary;

  static constexpr MemberText kTexts[] = {
      {"host", "where it comes from"},
      {"quick", "true: the small evaluation of --quick"},
      {"settings", "key.path=value, of all points"},
      {"summary",
       "headlines beside the paper, ranges of speedups, whole models, sensitivity, one GPU for all "
       "against all of them, and the points where a t3 mode is slower than sequential"},
  };
};
BOOST_DESCRIBE_STRUCT(ReproduceForm, (), (schema, build, host, quick, settings, points, summary))

/// `points` of "t3sim-reproduce/1"; those whose traffic is drawn have the memory's statistics.
std::vector<EvaluationPointForm> evaluationPointForms(const std::vector<PointResult>& points);

}  // namespace t3
