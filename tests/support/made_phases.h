// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>

#include "tlm/node/run_result.h"

namespace t3::test {

/// Exposed times, by the numbers of the phases.
inline void setPhaseNs(RunResult& result, std::initializer_list<double> times) {
  auto row = result.by_phase.begin();
  for (const double ns : times) row++->exposed_ns = ns;
}

/// Bytes that phases have read and written, by their numbers.
inline PhaseBytes madeBytes(std::initializer_list<std::uint64_t> numbers) {
  PhaseBytes bytes;
  std::size_t i = 0;
  for (const std::uint64_t number : numbers) {
    bytes.values[i / 2][i % 2] = number;
    ++i;
  }
  return bytes;
}

inline void setDramBytes(RunResult& result, const PhaseBytes& bytes) {
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    result.by_phase[phase].dram_read = bytes.values[phase][0];
    result.by_phase[phase].dram_write = bytes.values[phase][1];
  }
}

}  // namespace t3::test
