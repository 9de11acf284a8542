// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/reproduce/figure.h"

namespace t3 {

/// Makes DIR/<name>.svg, .png and .gp (the script) of a figure with gnuplot; returns the text of
/// the SVG. Throws std::runtime_error with gnuplot's message.
std::string renderFigure(const Figure& figure, const std::string& directory);

/// Throws ConfigError if there is no gnuplot.
void requireGnuplot();

}  // namespace t3
