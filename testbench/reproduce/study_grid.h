// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/reproduce/panels.h"

namespace t3 {

/// A mode's line in a panel of a study, and its points.
struct StudyLine {
  Mode mode;
  std::string line, point;

  static StudyLine bound(Mode mode);
  static StudyLine solid(Mode mode);
  static StudyLine dashed(Mode mode);
};

/// `figure` with one panel for each study of the points: speedups over what is varied. What is
/// drawn is its data, and in its text.
Figure withStudyPanels(Figure figure, const Selection& selection,
                       const std::vector<StudyLine>& lines, std::size_t columns);

}  // namespace t3
