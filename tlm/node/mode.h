// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tlm/gpu/collective.h"
#include "tlm/transport/choice.h"

namespace t3 {

struct BoundParts;
class Cluster;
class Program;
struct RunResult;
struct SystemConfig;

/// A row of the table of modes: all that others need to know of one. Its file in programs/ holds
/// the row and the program. One of one's own is added without a change here:
///
///   constexpr ModeKind kMine{.name = "mine", .program = …, .bound = …};
///   System system(config, Mode{kMine}, TrackerKind::Rtl);
struct ModeKind {
  const char* name;
  bool takesNumber = false;  ///< spelled name:K with a whole number K from 1 on
  bool tracked = false;  ///< the trackers count the output, and every element's updates are checked
  bool ideal = false;    ///< a bound, which no machine has to reach
  /// What the software of the GPUs does to the GEMM's output, in this order.
  Collectives collectives = kReduceScatterAndAllGather;
  /// The mode that is simulated for this one, which only finishes its result; null: this one.
  const ModeKind* simulatedAs = nullptr;

  // All that follows may be null where there is nothing to say; the first three are needed where
  // the mode itself is simulated.
  std::unique_ptr<Program> (*program)(Cluster& cluster) = nullptr;
  /// The least time in ns that the parts take together (bounds.h).
  double (*bound)(const BoundParts& parts) = nullptr;
  /// What this mode changes in the configuration.
  void (*configure)(SystemConfig& config, std::uint32_t number) = nullptr;
  /// A number that the configuration does not allow: "expected …".
  std::optional<std::string> (*check)(const SystemConfig& config, std::uint32_t number) = nullptr;
  /// What becomes of the result of a run without error.
  void (*finish)(RunResult& result) = nullptr;

  static std::span<const ModeKind* const> table();
};

extern const ModeKind kSequential, kCuSplit, kT3, kT3Mca, kIdealOverlap, kIdealRsNmc;

/// What runs.
struct Mode {
  Choice<ModeKind> kind;
  std::uint32_t number = 0;  ///< K of a kind that takes one, else 0

  /// The kind that is simulated.
  const ModeKind& simulated() const { return kind->simulatedAs ? *kind->simulatedAs : *kind; }

  // Named like the kinds they stand for.
  // NOLINTNEXTLINE(readability-identifier-naming)
  static const Mode Sequential, T3, T3Mca, IdealOverlap, IdealRsNmc;
  static constexpr Mode cuSplit(std::uint32_t units) { return {kCuSplit, units}; }
  bool operator==(const Mode&) const = default;
};
inline constexpr Mode Mode::Sequential{kSequential, 0};
inline constexpr Mode Mode::T3{kT3, 0};
inline constexpr Mode Mode::T3Mca{kT3Mca, 0};
inline constexpr Mode Mode::IdealOverlap{kIdealOverlap, 0};
inline constexpr Mode Mode::IdealRsNmc{kIdealRsNmc, 0};

}  // namespace t3
