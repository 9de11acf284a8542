// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>

namespace t3 {

enum class ModeKind : std::uint8_t { Sequential, CuSplit, T3, T3Mca, IdealOverlap, IdealRsNmc };
BOOST_DESCRIBE_ENUM(ModeKind, Sequential, CuSplit, T3, T3Mca, IdealOverlap, IdealRsNmc)

/// What runs.
struct Mode {
  ModeKind kind = ModeKind::Sequential;
  std::uint32_t split_units = 0;  ///< CuSplit: compute units of the reduce-scatter, else 0

  // Named like the kinds they stand for.
  // NOLINTNEXTLINE(readability-identifier-naming)
  static const Mode Sequential, T3, T3Mca, IdealOverlap, IdealRsNmc;
  static constexpr Mode cuSplit(std::uint32_t units) { return {ModeKind::CuSplit, units}; }
  bool operator==(const Mode&) const = default;
};
inline constexpr Mode Mode::Sequential{ModeKind::Sequential, 0};
inline constexpr Mode Mode::T3{ModeKind::T3, 0};
inline constexpr Mode Mode::T3Mca{ModeKind::T3Mca, 0};
inline constexpr Mode Mode::IdealOverlap{ModeKind::IdealOverlap, 0};
inline constexpr Mode Mode::IdealRsNmc{ModeKind::IdealRsNmc, 0};

}  // namespace t3
