// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tlm/collectives/collective.h"
#include "tlm/transport/field_info.h"

namespace t3 {

struct BoundParts;
struct GpuFigures;
struct Graph;
struct RunResult;
struct SystemConfig;

/// A row of the table of modes. It brings all that the rest of the program needs to know of a mode.
/// Its file in modes/ holds the row and the graph. A program or a test adds a mode without a change
/// here:
///
///   constexpr ModeKind kMine{.name = "mine", .graph = …, .bound = …};
///   System system(config, Mode{kMine}, TrackerKind::Rtl);
struct ModeKind {
  const char* name;
  bool takesNumber = false;  ///< spelled name:K with a whole number K from 1 on
  bool tracked = false;  ///< the trackers count the output, and every element's updates are checked
  bool gathers = false;  ///< the trackers also drive the all-gather, with no kernel
  bool ideal = false;    ///< a bound, which no machine has to reach
  bool needsMerging = false;  ///< only where the switch adds; a comparison of all leaves it out
  /// The ideals that bound this mode: where all GPUs are equal and own equal chunks, no run of it
  /// is faster. Every mode is bounded by its closed form too (`bound`), whatever its GPUs.
  std::span<const ModeKind* const> boundedBy = {};
  /// The mode that is simulated in place of this one, which then only finishes the result. Null:
  /// this mode is simulated itself.
  const ModeKind* simulatedAs = nullptr;

  // A function may be null if there is nothing to do; every mode needs a `graph` and a `bound`.
  /// Which kernels run, and what each waits for, in a scenario as the mode has configured it.
  Graph (*graph)(const SystemConfig& config) = nullptr;
  /// The closed form: the least time in ns that the parts take together (bounds.h). A run that is
  /// faster has failed.
  double (*bound)(const BoundParts& parts) = nullptr;
  /// The graph may run workload.repeat times. A bound that may not is counted as often.
  bool repeats = false;
  /// A collective from a file runs alone in this mode (Job).
  bool takesFile = false;
  /// What this mode changes in the configuration.
  void (*configure)(SystemConfig& config, std::uint32_t number) = nullptr;
  /// What is wrong with a number that the configuration does not allow: "expected …".
  std::optional<std::string> (*check)(const SystemConfig& config, std::uint32_t number) = nullptr;
  /// Fills in the times of a finished run, from what all GPUs did. By default they are exposed
  /// times (`addExposedTimes`).
  void (*summarise)(const SystemConfig& config, const std::vector<GpuFigures>& gpus,
                    RunResult& result) = nullptr;
  /// Turns the result of a run without error into the result of this mode.
  void (*finish)(RunResult& result) = nullptr;

  static std::span<const ModeKind* const> table();
};

extern const ModeKind kSequential, kNvls, kCuSplit, kAgSplit, kT3, kT3Mca, kT3Ag, kIdealOverlap,
    kIdealRsNmc, kIdealAg;

/// For `boundedBy`.
inline constexpr std::array<const ModeKind*, 1> kByIdealOverlap{&kIdealOverlap};
inline constexpr std::array<const ModeKind*, 1> kByIdealRsNmc{&kIdealRsNmc};
inline constexpr std::array<const ModeKind*, 1> kByIdealAg{&kIdealAg};

/// A mode with its number.
struct Mode {
  Choice<ModeKind> kind;
  std::uint32_t number = 0;  ///< K of a kind that takes one, else 0

  /// The kind that is simulated.
  const ModeKind& simulated() const { return kind->simulatedAs ? *kind->simulatedAs : *kind; }
  /// The scenario as this mode runs it.
  SystemConfig configured(SystemConfig config) const;
  /// What runs in it, of a scenario as it has configured it.
  Graph graph(const SystemConfig& config) const;
  /// The collectives of that.
  std::vector<const Collective*> collectives(const SystemConfig& config) const;

  // Named like the kinds they stand for.
  // NOLINTNEXTLINE(readability-identifier-naming)
  static const Mode Sequential, Nvls, T3, T3Mca, T3Ag, IdealOverlap, IdealRsNmc, IdealAg;
  static constexpr Mode cuSplit(std::uint32_t units) { return {kCuSplit, units}; }
  static constexpr Mode agSplit(std::uint32_t units) { return {kAgSplit, units}; }
  bool operator==(const Mode&) const = default;
};

/// Whether the software does the same in both to the output of a scenario.
bool sameCollectives(const SystemConfig& config, Mode one, Mode other);

inline constexpr Mode Mode::Sequential{kSequential, 0};
inline constexpr Mode Mode::Nvls{kNvls, 0};
inline constexpr Mode Mode::T3{kT3, 0};
inline constexpr Mode Mode::T3Mca{kT3Mca, 0};
inline constexpr Mode Mode::T3Ag{kT3Ag, 0};
inline constexpr Mode Mode::IdealOverlap{kIdealOverlap, 0};
inline constexpr Mode Mode::IdealRsNmc{kIdealRsNmc, 0};
inline constexpr Mode Mode::IdealAg{kIdealAg, 0};

}  // namespace t3
