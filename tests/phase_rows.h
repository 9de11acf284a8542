// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/node/run_result.h"

namespace t3::test {

/// Exposed times of the three phases of most modes.
inline void setTimes(PhaseRows& phases, double gemm, double reduceScatter, double allGather) {
  phases.row(Phase::Gemm).exposed_ns = gemm;
  phases.row(Phase::ReduceScatter).exposed_ns = reduceScatter;
  phases.row(Phase::AllGather).exposed_ns = allGather;
}

/// DRAM bytes of one phase.
inline void setBytes(PhaseRows& phases, const PhaseName& phase, std::uint64_t read,
                     std::uint64_t write) {
  phases.row(phase).dram_read = read;
  phases.row(phase).dram_write = write;
}

/// DRAM bytes of the three phases, in the order of the reports.
struct ThreePhaseBytes {
  std::uint64_t gemmRead = 0, gemmWrite = 0, rsRead = 0, rsWrite = 0, agRead = 0, agWrite = 0;
};
inline void setBytes(PhaseRows& phases, const ThreePhaseBytes& bytes) {
  setBytes(phases, Phase::Gemm, bytes.gemmRead, bytes.gemmWrite);
  setBytes(phases, Phase::ReduceScatter, bytes.rsRead, bytes.rsWrite);
  setBytes(phases, Phase::AllGather, bytes.agRead, bytes.agWrite);
}

/// The bytes of one more window.
inline void addWindow(PhaseRows& phases, const ThreePhaseBytes& bytes) {
  const auto add = [&](Phase phase, std::uint64_t read, std::uint64_t write) {
    phases.row(phase).read_over_time.push_back(read);
    phases.row(phase).write_over_time.push_back(write);
  };
  add(Phase::Gemm, bytes.gemmRead, bytes.gemmWrite);
  add(Phase::ReduceScatter, bytes.rsRead, bytes.rsWrite);
  add(Phase::AllGather, bytes.agRead, bytes.agWrite);
}

}  // namespace t3::test
