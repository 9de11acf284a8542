// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/config/mode_spelling.h"
#include "testbench/reproduce/parts.h"
#include "tests/support/made_phases.h"

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

inline PhaseBytes bytesOf(const std::string& name) {
  const auto bytes = [&](const char* kind) {
    return 10'000 + 10 * (numberOf(name + kind) % 2'000);
  };
  return madeBytes({bytes("gr"), bytes("gw"), bytes("rr"), bytes("rw"), bytes("ar"), bytes("aw")});
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
  double time = 0;
  Picoseconds start = 0;
  for (const Phase phase : {Phase::Gemm, Phase::ReduceScatter, Phase::AllGather}) {
    PhaseFigures& figures = result.of(phase);
    figures.exposed_ns = ns(figures.name.c_str());
    time += figures.exposed_ns;
    const auto end = start + static_cast<Picoseconds>(1e3 * figures.exposed_ns);
    result.phases.push_back({figures.name, start, end});
    start = end;
  }
  result.time_ps = static_cast<Picoseconds>(1e3 * time);
  setDramBytes(result, bytesOf(name));
  result.link_bytes = 1'000 + numberOf(name) % 1'000;
  result.per_gpu.resize(1);
  result.per_gpu.front().gemm_end_ps = 20'000'000 + 1'000'000 * (numberOf(name) % 5);
  result.memory.window_ns = 5'000;
  for (int window = 0; window < 5; ++window) {
    result.memory.bytes_over_time.push_back(bytesOf(name + std::to_string(window)));
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
