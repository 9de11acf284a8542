// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/reproduce/figure.h"

namespace t3 {

/// Makes DIR/<name>.svg and .png of a figure with gnuplot, and beside them .gp, the script, and
/// .csv, the data; returns the text of the SVG. Throws std::runtime_error with gnuplot's message.
std::string renderFigure(const Figure& figure, const std::string& directory);

/// Throws ConfigError if there is no gnuplot.
void requireGnuplot();

}  // namespace t3
