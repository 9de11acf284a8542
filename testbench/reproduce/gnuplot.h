// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/reproduce/figure.h"

namespace t3 {

/// The two drawings of a figure, as texts of SVG files.
struct FigureSvg {
  std::string wide, narrow;
};

/// Makes DIR/<name>.svg and .png of a figure's wide drawing with gnuplot, and beside them .gp, the
/// script, and .csv, the data. Throws std::runtime_error with gnuplot's message.
FigureSvg renderFigure(const Figure& figure, const std::string& directory);

/// Throws ConfigError if there is no gnuplot.
void requireGnuplot();

}  // namespace t3
