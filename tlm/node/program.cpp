// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/program.h"

#include <algorithm>

namespace t3 {

void Program::summarise(RunResult& result) const {
  const Picoseconds gemmEnd = latest(&GpuProgress::gemmEnd);
  const Picoseconds reduced = std::max(gemmEnd, latest(&GpuProgress::reduceEnd));
  result.time_ps = latest(&GpuProgress::gatherEnd);
  result.phase_ns = {static_cast<double>(gemmEnd) * 1e-3,
                     static_cast<double>(reduced - gemmEnd) * 1e-3,
                     static_cast<double>(result.time_ps - reduced) * 1e-3};
}

void Program::gatherWhenReduced(std::uint32_t gpu) {
  const GpuProgress& progress = cluster_.progress(gpu);
  if (progress.gemmEnd == 0 || progress.reduceEnd == 0) return;
  cluster_.at(std::max(progress.gemmEnd, progress.reduceEnd) + cluster_.launchLatency(),
              [this, gpu] { cluster_.startAllGather(gpu); });
}

Picoseconds Program::earliest(Picoseconds GpuProgress::*time) const {
  Picoseconds result = cluster_.progress(0).*time;
  for (std::uint32_t g = 1; g < cluster_.simulated(); ++g) {
    result = std::min(result, cluster_.progress(g).*time);
  }
  return result;
}

Picoseconds Program::latest(Picoseconds GpuProgress::*time) const {
  Picoseconds result = 0;
  for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
    result = std::max(result, cluster_.progress(g).*time);
  }
  return result;
}

std::unique_ptr<Program> makeProgram(Mode mode, Cluster& cluster) {
  switch (mode.kind) {
    case ModeKind::Sequential:
    case ModeKind::IdealOverlap:  // the same simulation; its phases are overlapped afterwards
      return makeSequential(cluster);
    case ModeKind::CuSplit:
      return makeCuSplit(cluster);
    case ModeKind::T3:
    case ModeKind::T3Mca:
      return makeFused(cluster);
    case ModeKind::IdealRsNmc:
      return makeIdealRsNmc(cluster);
  }
  return nullptr;
}

}  // namespace t3
