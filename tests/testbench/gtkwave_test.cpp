// SPDX-License-Identifier: Apache-2.0
// Views of waveforms in the program that they are for: GTKWave, on a display that nobody sees
// (Xvfb). Method: GTKWave loads a waveform with the view that t3sim wrote beside it, and a Tcl
// script asks it what it shows. It drops a line of a view that fits no signal without a word, so
// its list is held against the view's. Where GTKWave or xvfb-run is not installed at configuration
// (`scripts/setup test`), this test is not built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/testbench/program.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::gtkwave_test {
namespace {

using test::t3sim;
using test::TemporaryDirectory;

/// Asks for each line of the window, the marker, the markers that have a letter, and the span.
constexpr const char* kScript = R"(
puts "marker [gtkwave::getMarker]"
puts "A [gtkwave::getNamedMarker A]"
puts "from [gtkwave::getWindowStartTime]"
puts "to [gtkwave::getWindowEndTime]"
set n [gtkwave::getTotalNumTraces]
for {set i 0} {$i < $n} {incr i} { puts "line [gtkwave::getTraceNameFromIndex $i]" }
flush stdout
exit 0
)";

struct Shown {
  std::vector<std::string> lines;
  std::uint64_t marker = 0, a = 0, from = 0, to = 0;
};

/// `files` are a waveform and its view, or the view alone, which names the waveform.
Shown shownBy(const TemporaryDirectory& directory, const std::vector<std::string>& files) {
  std::vector<std::string> words = {"-a", T3_GTKWAVE, "-S", directory.write("ask.tcl", kScript)};
  words.insert(words.end(), files.begin(), files.end());
  test::Program gtkwave(words, test::Program::Error::Pipe, T3_XVFB_RUN);
  EXPECT_EQ(gtkwave.wait(), 0) << gtkwave.error;
  Shown shown;
  std::istringstream answers(gtkwave.output);
  for (std::string answer; std::getline(answers, answer);) {
    const std::size_t space = std::min(answer.find(' '), answer.size() - 1);
    const std::string what = answer.substr(0, space), rest = answer.substr(space + 1);
    if (what == "line") shown.lines.push_back(rest);
    if (what == "marker") shown.marker = std::stoull(rest);
    if (what == "A") shown.a = std::stoull(rest);
    if (what == "from") shown.from = std::stoull(rest);
    if (what == "to") shown.to = std::stoull(rest);
  }
  return shown;
}

/// The lines of a view as GTKWave names them: signals without their scopes, comments as they are.
std::vector<std::string> linesOf(const std::string& view) {
  std::vector<std::string> lines;
  std::istringstream text(view);
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.find_first_of("@*[") == 0) continue;
    if (line.starts_with("#{")) {
      lines.push_back(line.substr(2, line.find('}') - 2));  // some bits of a signal, named
    } else {
      lines.push_back(line[0] == '-' ? line.substr(1) : line.substr(line.rfind('.') + 1));
    }
  }
  return lines;
}

TEST(GtkWave, ShowsEveryLineOfAViewAndOpensAtTheEvent) {
  const TemporaryDirectory directory;
  const std::string wave = directory.path("run.fst");
  test::mustRun({"run --preset tiny-tp4 --mode t3-mca --quiet --wave", wave,
                 "--wave-scope gpu0,gpu1.tracker"});
  const std::string view = directory.path("run.gtkw");
  const Shown shown = shownBy(directory, {wave, view});
  EXPECT_EQ(shown.lines, linesOf(test::readFile(view)));
  EXPECT_THAT(shown.lines, testing::Contains(testing::HasSubstr("tracker first trigger")));
  EXPECT_GT(shown.marker, 0U);
  EXPECT_LE(shown.from, shown.marker);
  EXPECT_GE(shown.to, shown.marker);
  EXPECT_LE(shown.a, shown.marker) << "markers are in order of time";
}

TEST(GtkWave, FindsTheWaveformBesideAViewThatWasMoved) {
  const TemporaryDirectory directory, other;
  test::mustRun({"run --preset tiny-tp4 --mode t3-mca --quiet --wave", directory.path("run.fst"),
                 "--wave-scope gpu0.link"});
  for (const char* name : {"run.fst", "run.gtkw"}) {
    std::filesystem::rename(directory.path(name), other.path(name));
  }
  const std::string view = other.path("run.gtkw");
  EXPECT_EQ(shownBy(directory, {view}).lines, linesOf(test::readFile(view)));
}

TEST(GtkWave, ShowsACollectiveAndAKernel) {
  for (const char* mode : {"t3", "sequential"}) {
    SCOPED_TRACE(mode);
    const TemporaryDirectory directory;
    const std::string wave = directory.path("run.fst"), view = directory.path("run.gtkw");
    test::mustRun({"run --collective " T3_COLLECTIVES "/ring-all-reduce-4.xml",
                   "--set collective.bytes=65536 --mode", mode, "--quiet --wave", wave,
                   "--wave-scope gpu0"});
    EXPECT_EQ(shownBy(directory, {wave, view}).lines, linesOf(test::readFile(view)));
  }
}

}  // namespace
}  // namespace t3::gtkwave_test
