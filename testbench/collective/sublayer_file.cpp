// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/sublayer_file.h"

#include <algorithm>
#include <vector>

#include "testbench/collective/collective_file.h"
#include "testbench/config/config_error.h"
#include "testbench/config/mode_spelling.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/collective_system.h"

namespace t3 {

void requireTakesFile(Mode mode, const std::string& option, const std::string& with) {
  if (mode.kind->takesFile) return;
  std::vector<std::string> able;
  for (const ModeKind* kind : ModeKind::table()) {
    if (kind->takesFile) able.emplace_back(kind->name);
  }
  throw ConfigError(
      option, "",
      "expected " + alternatives(able) + " with " + with + ", got " + inQuotes(spelling(mode)));
}

void checkCollectiveFile(Mode mode, const SystemConfig& scenario, const std::string& option) {
  if (!hasCollectiveFile(scenario)) return;
  const std::string& path = scenario.workload.collective;
  requireTakesFile(mode, option, "workload.collective");
  const auto refuse = [&](const std::string& what) { throw ConfigError(path, "", what); };
  if (scenario.workload.repeat != 1) {
    refuse("workload.repeat: expected 1 with workload.collective, got " +
           std::to_string(scenario.workload.repeat));
  }
  if (scenario.simulated_gpus != GpuSimulation::Explicit) {
    refuse("simulated_gpus: expected explicit with workload.collective");
  }
  if (scenario.gpu.gemm.slab_rows != 0) {
    refuse(
        "gpu.gemm.slab_rows: expected 0 with workload.collective, whose order of chunks follows "
        "from the file, got " +
        std::to_string(scenario.gpu.gemm.slab_rows));
  }
  keepInput("workload.collective", path);
  const CollectiveFile file(path, CollectiveFile::For::Gemm);
  if (const auto missing =
          CollectiveSystem::check(scenario, file.meaning(), mode, CollectiveInput::OfGemm)) {
    refuse(*missing);
  }
}

std::uint32_t workgroupsWithFile(const SystemConfig& scenario, Mode mode) {
  const CollectiveFile file(scenario.workload.collective, CollectiveFile::For::Gemm);
  const CollectivePlan plan(mode.configured(scenario), file.meaning(), mode.kind->tracked,
                            CollectiveInput::OfGemm);
  if (!plan.tracked()) return plan.gemm()->tiling().tiles();
  std::uint32_t rows = 0;
  for (std::uint32_t g = 0; g < scenario.gpus; ++g) rows = std::max(rows, plan.program(g).rows);
  return plan.grid().workgroup(rows, 0);
}

}  // namespace t3
