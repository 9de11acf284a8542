// SPDX-License-Identifier: Apache-2.0
// The figures of `t3sim reproduce`. Method: every point of the evaluation gets runs whose times and
// bytes follow from its name alone. The scripts and data of all figures, with captions and sizes,
// are compared line by line with those on record in tests/testbench/figures/, so that no figure
// changes unnoticed. What a curve is computed from is checked with numbers that can be worked out
// by hand.
//
// After an intended change: T3_WRITE_FIGURES=1 <this program>, and look at the differences.
#include "testbench/reproduce/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "testbench/config/mode_spelling.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

/// A number that follows from a name, the same on every machine (FNV-1a).
std::uint64_t numberOf(const std::string& name) {
  std::uint64_t number = 14695981039346656037ULL;
  for (const char letter : name) {
    number = (number ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  }
  return number >> 8;
}

DramBytes bytesOf(const std::string& name) {
  const auto bytes = [&](const char* kind) {
    return 10'000 + 10 * (numberOf(name + kind) % 2'000);
  };
  return {bytes("gr"), bytes("gw"), bytes("rr"), bytes("rw"), bytes("ar"), bytes("aw")};
}

RunRecord runOf(const Point& point, Mode mode) {
  const std::string name = point.preset + point.study + point.label + spelling(mode);
  RunRecord run;
  run.mode = mode;
  RunResult& result = run.result;
  const double slower = mode == Mode::Sequential ? 1.3 : 1.0;
  const auto ns = [&](const char* phase) {
    return slower * (10'000.0 + 20.0 * static_cast<double>(numberOf(name + phase) % 100));
  };
  result.phase_ns = {ns("gemm"), ns("reduce_scatter"), ns("all_gather")};
  result.time_ps = static_cast<Picoseconds>(
      1e3 * (result.phase_ns.gemm + result.phase_ns.reduce_scatter + result.phase_ns.all_gather));
  Picoseconds start = 0;
  for (const auto& [phase, duration] : {std::pair("gemm", result.phase_ns.gemm),
                                        {"reduce_scatter", result.phase_ns.reduce_scatter},
                                        {"all_gather", result.phase_ns.all_gather}}) {
    const auto end = start + static_cast<Picoseconds>(1e3 * duration);
    result.phases.push_back({phase, start, end});
    start = end;
  }
  result.dram_bytes = bytesOf(name);
  result.link_bytes = 1'000 + numberOf(name) % 1'000;
  result.per_gpu.resize(1);
  result.per_gpu.front().gemm_end_ps = 20'000'000 + 1'000'000 * (numberOf(name) % 5);
  result.memory.window_ns = 5'000;
  for (int window = 0; window < 5; ++window) {
    result.memory.bytes_over_time.push_back(bytesOf(name + std::to_string(window)));
  }
  return run;
}

std::vector<PointResult> evaluation() {
  std::vector<PointResult> results;
  for (const EvaluationPart& part : evaluationParts({})) {
    for (const Point& point : part.points) {
      PointResult result{point, {point.scenario, {}}};
      for (const Mode mode : point.modes) result.report.runs.push_back(runOf(point, mode));
      results.push_back(std::move(result));
    }
  }
  return results;
}

TEST(Figures, ChangeOnlyTogetherWithTheirRecord) {
  const std::string folder = T3_FIGURES;
  const bool write = std::getenv("T3_WRITE_FIGURES") != nullptr;
  const auto figures = figuresOf(evaluation());
  EXPECT_GE(figures.size(), 7U);
  for (const Figure& figure : figures) {
    std::ostringstream text;
    text << figure.title << "\n"
         << figure.caption << "\n"
         << figure.width << " x " << figure.height << "\n"
         << figure.alt << "\n";
    for (const Mode& mode : figure.modes) text << spelling(mode) << " ";
    text << "\n" << figure.script << figure.data;
    const std::string path = folder + "/" + figure.name + ".txt";
    if (write) {
      std::ofstream(path) << text.str();
      continue;
    }
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    std::istringstream mine(text.str());
    std::string expected, line;
    for (int number = 1; std::getline(file, expected); ++number) {
      ASSERT_TRUE(std::getline(mine, line)) << path << ":" << number << ": missing: " << expected;
      ASSERT_EQ(line, expected) << path << ":" << number;
    }
    EXPECT_FALSE(std::getline(mine, line)) << path << ": more than expected: " << line;
  }
}

TEST(Figures, TheTrafficCurveSaysHowFarTheGemmIsBehind) {
  // Alone, the GEMM reads 100 bytes in each of 4 windows; in t3 it takes 8 windows of 50. At the
  // end of window w of t3 it has read w/8 of all, which alone took w/2 windows: it is w/2 windows
  // behind.
  PointResult result;
  result.point = {"traffic", "a-preset", "", "", {}, {Mode::IdealRsNmc, Mode::T3}, {}};
  for (const auto& [mode, windows] : {std::pair(Mode::IdealRsNmc, 4), std::pair(Mode::T3, 8)}) {
    RunRecord run = runOf(result.point, mode);
    run.result.memory.bytes_over_time.assign(static_cast<std::size_t>(windows), {});
    for (DramBytes& bytes : run.result.memory.bytes_over_time) {
      bytes.gemm_read = 400U / static_cast<unsigned>(windows);
      bytes.rs_read = 7;  // not the GEMM's
    }
    result.report.runs.push_back(run);
  }
  std::string script;
  for (const Figure& figure : figuresOf({result})) {
    if (figure.name == "traffic") script = figure.script;
  }
  EXPECT_THAT(script, testing::HasSubstr("\n0.0 0.0\n5.0 2.5\n10.0 5.0\n15.0 7.5\n20.0 10.0\n"
                                         "25.0 12.5\n30.0 15.0\n35.0 17.5\nEND\n"));
}

}  // namespace
}  // namespace t3
