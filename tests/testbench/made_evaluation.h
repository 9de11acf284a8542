// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/config/mode_spelling.h"
#include "testbench/reproduce/parts.h"
#include "tests/phase_rows.h"

// Results of the whole evaluation without a simulation: every point gets runs whose times and bytes
// follow from its name alone.

namespace t3::test {

/// A number that follows from a name, the same on every machine (FNV-1a).
inline std::uint64_t numberOf(const std::string& name) {
  std::uint64_t number = 14695981039346656037ULL;
  for (const char letter : name) {
    number = (number ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  }
  return number >> 8;
}

inline ThreePhaseBytes bytesOf(const std::string& name) {
  const auto bytes = [&](const char* kind) {
    return 10'000 + 10 * (numberOf(name + kind) % 2'000);
  };
  return {bytes("gr"), bytes("gw"), bytes("rr"), bytes("rw"), bytes("ar"), bytes("aw")};
}

inline RunRecord madeRun(const Point& point, Mode mode) {
  const std::string name = point.preset + point.study + point.label + spelling(mode);
  RunRecord run;
  run.mode = mode;
  RunResult& result = run.result;
  const double slower = mode == Mode::Sequential ? 1.3 : 1.0;
  const auto ns = [&](const char* phase) {
    return slower * (10'000.0 + 20.0 * static_cast<double>(numberOf(name + phase) % 100));
  };
  const double gemm = ns("gemm"), reduce = ns("reduce_scatter"), gather = ns("all_gather");
  setTimes(result.by_phase, gemm, reduce, gather);
  result.time_ps = static_cast<Picoseconds>(1e3 * (gemm + reduce + gather));
  Picoseconds start = 0;
  for (const PhaseFigures& phase : result.by_phase.rows) {
    const auto end = start + static_cast<Picoseconds>(1e3 * phase.exposed_ns);
    result.phases.push_back({phase.name, start, end});
    start = end;
  }
  setBytes(result.by_phase, bytesOf(name));
  result.link_bytes = 1'000 + numberOf(name) % 1'000;
  result.per_gpu.resize(1);
  result.per_gpu.front().by_phase.row(Phase::Gemm).end_ps =
      20'000'000 + 1'000'000 * (numberOf(name) % 5);
  result.memory.window_ns = 5'000;
  for (int window = 0; window < 5; ++window) {
    addWindow(result.by_phase, bytesOf(name + std::to_string(window)));
  }
  return run;
}

inline PointResult madeResult(const Point& point) {
  PointResult result{point, {point.scenario, {}}};
  for (const Mode& mode : point.modes) result.report.runs.push_back(madeRun(point, mode));
  return result;
}

inline std::vector<PointResult> madeEvaluation() {
  std::vector<PointResult> results;
  for (const EvaluationPart& part : evaluationParts({})) {
    for (const Point& point : part.points) results.push_back(madeResult(point));
  }
  return results;
}

}  // namespace t3::test
