// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// A part of the evaluation: the points that are simulated for one question.
struct EvaluationPart {
  const char* name;
  std::vector<Point> points;
};

/// The part that goes beyond the paper: the all-gather hidden as well.
inline constexpr const char* kAllGatherPart = "all-gather";

/// Where a machine is named: the sublayers on the default one, to be shown beside it.
inline constexpr const char* kDefaultMachinePart = "default-machine";
/// What follows from the all-gather: the next GEMM starts before it is over.
inline constexpr const char* kPairsPart = "pairs";
/// The software that pairs are compared with: as few compute units gather as keep a link busy.
inline constexpr Mode kSplitGather = Mode::agSplit(2);

/// Whole layers of a model, as software overlaps them. A study is a machine and a schedule, and
/// what else the hardware does for it.
inline constexpr const char* kModelsPart = "models";
inline constexpr const char* kSwitchAdds = ", switch that adds";
inline constexpr const char* kRoomForStores = ", room for stores";

/// Sums in the switch. The sublayers stand in three studies, by what connects the GPUs.
inline constexpr const char* kSwitchPart = "switch";
inline constexpr const char* kOnRing = "ring";
inline constexpr const char* kOnSwitch = "switch";
inline constexpr const char* kOnMergingSwitch = "switch that adds";
inline constexpr const char* kOnPackets = "switch that adds, packets with headers";

/// What can be changed in all points at once.
struct EvaluationOptions {
  /// At most 8 GPUs, outputs of 16 tiles per chunk and a short K: the same points in little time,
  /// to try the program out. The results say nothing about the paper.
  bool quick = false;
  /// `key.path=value`, applied before a point's own settings.
  std::vector<std::string> settings;
  /// The same of a named machine, applied before those. With some there is one part more.
  std::vector<std::string> machine = {};
};

/// All parts, in the order of the report. Throws ConfigError naming --set for a setting that is
/// unknown or out of range.
std::vector<EvaluationPart> evaluationParts(const EvaluationOptions& options);

/// Two models of the evaluation: those whose sublayers the paper's main figures average over, and
/// those of about 500 billion parameters.
struct ModelGroup {
  const char* name;
  std::string_view first, second;

  bool has(const Point& point) const {
    const std::string& model = point.scenario.workload.model;
    return model == first || model == second;
  }
};
inline constexpr ModelGroup kSmallModels{"Mega-GPT-2, T-NLG", "Mega-GPT-2", "T-NLG"};
inline constexpr ModelGroup kLargeModels{"PALM, MT-NLG", "PALM", "MT-NLG"};

/// Whether this is a pair whose second GEMM overlaps with the all-gather, but not the first.
bool isConsumerAlone(const Point& point);
/// Whether this is one of the points that repeat another one with all GPUs simulated.
bool isExplicitRepeat(const Point& point);
/// Whether the traffic of this point's memory is drawn over time.
bool showsTraffic(const Point& point);

using Selection = std::vector<const PointResult*>;
/// Points of that part, without those that repeat another one with all GPUs simulated.
Selection pointsOf(const std::vector<PointResult>& points, const std::string& part);

}  // namespace t3
