// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "testbench/reproduce/panels.h"

namespace t3 {

/// A mode's line in a panel of a study.
struct StudyLine {
  Mode mode;
  const char* style;
};
inline constexpr const char* kBoundLine =
    "with linespoints pt 12 ps 0.7 dt 3 lw 1.5 lc rgb '#202020'";
inline constexpr const char* kSolidLine = "with linespoints pt 7 ps 0.8 lw 2 lc rgb '#0b3c6f'";
inline constexpr const char* kDashedLine =
    "with linespoints pt 6 ps 0.8 dt 2 lw 2 lc rgb '#4a90c8'";

/// Script of a figure with one panel for each study of the points: speedups over what is varied.
std::string studyGrid(const Selection& selection, std::span<const StudyLine> lines,
                      std::size_t columns, double top);

}  // namespace t3
