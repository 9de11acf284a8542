// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/gnuplot.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "testbench/config/config_error.h"
#include "testbench/output/output_file.h"
#include "testbench/output/scratch_file.h"

namespace t3 {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFont = "DejaVu Sans";

std::string textOf(const ScratchFile& file) {
  std::ifstream stream(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

void requireGnuplot() {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
    throw ConfigError(
        "gnuplot", "",
        "expected it for the figures, found none: scripts/setup run, or apt-get install "
        "gnuplot-nox");
  }
}

FigureSvg renderFigure(const Figure& figure, const std::string& directory) {
  // In a directory whose name needs no quotes in shells and scripts.
  const std::string scratch = (fs::temp_directory_path() / ("t3sim-" + figure.name)).string();
  const ScratchFile script(scratch + ".gp"), wide(scratch + ".svg"), png(scratch + ".png"),
      narrow(scratch + "-narrow.svg"), messages(scratch + ".txt");
  const std::string common = "set encoding utf8\n";
  const auto pass = [&](const Drawing& drawing, int scale, const std::string& terminal,
                        const ScratchFile& file) {
    return "reset\n" + common + "set terminal " + terminal + " noenhanced size " +
           std::to_string(scale * drawing.width) + "," + std::to_string(scale * drawing.height) +
           " font '" + kFont + ",12' background 'white'\nset output '" + file.path() + "'\n" +
           drawing.script + "unset multiplot\nset output\n";
  };
  // Fonts of the PNG are in points of 96 / 72 pixels, those of SVG in pixels: 1.5 is twice as
  // large.
  std::ofstream lines(script.path());
  lines << pass(figure.wide, 1, "svg", wide)
        << pass(figure.wide, 2, "pngcairo fontscale 1.5 linewidth 2 pointscale 2", png)
        << pass(figure.narrow, 1, "svg", narrow);
  lines.close();
  if (!lines) throw std::runtime_error(script.path() + ": cannot be written");
  // A UTF-8 locale that every Debian has: with others gnuplot warns about its own degree sign.
  const std::string command =
      "LC_ALL=C.UTF-8 gnuplot '" + script.path() + "' >'" + messages.path() + "' 2>&1";
  const int status = std::system(command.c_str());
  const std::string said = textOf(messages);
  if (status != 0 || !said.empty()) {
    throw std::runtime_error("gnuplot, figure " + figure.name + ": " + said);
  }
  std::string svg = textOf(wide);
  // gnuplot does not say when the disk is full.
  for (const ScratchFile* file : {&wide, &narrow}) {
    if (textOf(*file).find("</svg>") != std::string::npos) continue;
    throw std::runtime_error(file->path() + ": cannot be written by gnuplot");
  }
  // Verdana has the same widths, where there is no DejaVu: on Windows and macOS.
  const std::string family = std::string("font-family=\"") + kFont;
  for (std::size_t at = svg.find(family); at != std::string::npos; at = svg.find(family, at + 1)) {
    svg.insert(at + family.size(), ", Verdana, sans-serif");
  }
  const std::string stem = (fs::path(directory) / figure.name).string();
  OutputFile("--out", stem + ".gp").commit(common + figure.wide.script);
  OutputFile("--out", stem + ".csv").commit(figure.data);
  OutputFile("--out", stem + ".svg").commit(svg);
  OutputFile("--out", stem + ".png").commit(textOf(png));
  return {svg, textOf(narrow)};
}

}  // namespace t3
