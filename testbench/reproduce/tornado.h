// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/reproduce/panels.h"

namespace t3 {

/// What a setting is worth: how far the speedup of a mode swings over the values of its study, as
/// shares of the speedup with the usual value.
struct Swing {
  struct End {
    std::string value;   ///< of the setting
    double speedup = 0;  ///< with it
    double change = 0;   ///< over that with the usual value, minus 1
    bool usual = false;
  };
  std::string setting;
  std::string preset;
  End low, high;     ///< the smallest and the largest speedup
  double usual = 0;  ///< speedup with the preset's own value
  double size() const { return high.change - low.change; }
};

/// A swing for each study with two points or more, the largest first. A study whose preset has no
/// point with the usual values has none.
std::vector<Swing> swingsOf(const Selection& selection, Mode mode);

/// `swings` as bars from the lowest to the highest, around the usual value: a tornado chart. What
/// is drawn is its data.
Figure tornadoFigure(const std::vector<Swing>& swings, Mode mode);

}  // namespace t3
