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

namespace t3 {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFont = "DejaVu Sans";

std::string fileText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A directory for the files of gnuplot, removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "t3sim-figure-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be made");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  fs::path path(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

}  // namespace

void requireGnuplot() {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
    throw ConfigError("gnuplot", "", "not found; the figures need it (Debian: gnuplot-nox)");
  }
}

std::string renderFigure(const Figure& figure, const std::string& directory) {
  const Scratch scratch;
  const std::string size = std::to_string(figure.width) + "," + std::to_string(figure.height);
  const std::string twice =
      std::to_string(2 * figure.width) + "," + std::to_string(2 * figure.height);
  const std::string common = "set encoding utf8\n";
  const auto pass = [&](const std::string& terminal, const char* file) {
    return "reset\n" + common + "set terminal " + terminal + "\nset output '" +
           scratch.path(file).string() + "'\n" + figure.script + "unset multiplot\nset output\n";
  };
  std::ofstream(scratch.path("script"))
      << pass("svg noenhanced size " + size + " font '" + kFont + ",12' background 'white'", "svg")
      << pass("pngcairo noenhanced size " + twice + " font '" + kFont +
                  ",12' fontscale 2 linewidth 2 pointscale 2 background 'white'",
              "png");
  // A UTF-8 locale that every Debian has: with others gnuplot warns about its own degree sign.
  const std::string command = "LC_ALL=C.UTF-8 gnuplot '" + scratch.path("script").string() +
                              "' >'" + scratch.path("said").string() + "' 2>&1";
  const int status = std::system(command.c_str());
  const std::string said = fileText(scratch.path("said"));
  if (status != 0 || !said.empty()) {
    throw std::runtime_error("gnuplot, figure " + figure.name + ": " + said);
  }
  std::string svg = fileText(scratch.path("svg"));
  const fs::path stem = fs::path(directory) / figure.name;
  OutputFile("--out", stem.string() + ".gp").commit(common + figure.script);
  OutputFile("--out", stem.string() + ".svg").commit(svg);
  OutputFile("--out", stem.string() + ".png").commit(fileText(scratch.path("png")));
  return svg;
}

}  // namespace t3
