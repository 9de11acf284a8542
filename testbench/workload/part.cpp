// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/part.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "testbench/collective/collective_file.h"
#include "testbench/config/setting.h"
#include "testbench/config/spelling.h"
#include "tlm/collectives/algorithm.h"
#include "tlm/node/collective_plan.h"

namespace t3 {
namespace {

using Made = std::variant<SystemConfig, std::string>;  ///< a scenario, or why there is none

std::optional<std::string> tooLarge(const GemmShape& gemm) {
  const auto check = [](const char* what, std::uint64_t value,
                        std::uint32_t WorkloadConfig::*size) -> std::optional<std::string> {
    const auto most = static_cast<std::uint64_t>(settingInfo(size).maximum);
    if (value <= most) return std::nullopt;
    return std::string(what) + ": expected at most " + std::to_string(most) + ", got " +
           std::to_string(value);
  };
  if (auto problem = check("M", gemm.rows, &WorkloadConfig::rows)) return problem;
  if (auto problem = check("N", gemm.columns, &WorkloadConfig::columns)) return problem;
  return check("K", gemm.depth, &WorkloadConfig::depth);
}

/// What a part is simulated with: all but the work itself.
SystemConfig machineOf(const SystemConfig& scenario, std::uint32_t gpus) {
  SystemConfig machine = scenario;
  machine.gpus = gpus;
  machine.trace = {};
  machine.workload = {};
  machine.workload.model = machine.workload.sublayer = "";
  machine.workload.data_type = scenario.workload.data_type;
  return machine;
}

/// A scenario with a GEMM. A command then covers as many tiles as it takes for the slots to
/// suffice, as in the presets; where one GPU cannot stand for all, all are simulated.
Made sublayer(const SystemConfig& scenario, const WorkPart& part, std::uint32_t gpus) {
  const auto problemOf = [&part](SystemConfig& made) {
    auto problem = crossCheckSettings(bindSettings(made));
    return problem || part.kind == PartKind::Gemm ? problem : made.checkTracked();
  };
  if (const auto problem = tooLarge(part.gemm)) return *problem;
  SystemConfig made = machineOf(scenario, gpus);
  const GemmShape gemm = asStored(part.gemm, scenario.trace.output_layout);
  made.workload.rows = static_cast<std::uint32_t>(gemm.rows);
  made.workload.columns = static_cast<std::uint32_t>(gemm.columns);
  made.workload.depth = static_cast<std::uint32_t>(gemm.depth);
  made.workload.data_type = part.type;
  made.coverTiles();
  auto problem = problemOf(made);
  if (problem && made.simulated_gpus == GpuSimulation::Symmetric) {
    made.simulated_gpus = GpuSimulation::Explicit;
    problem = problemOf(made);
  }
  if (problem) return *problem;
  return made;
}

/// A GEMM alone has nothing to do with other GPUs, but the models know it only as part of a
/// sublayer: on the first number of GPUs of which one can stand for all, else on two, in a ring
/// where the others are in nodes. Data is elided, because there is no sum to compare; that changes
/// no time.
Made gemmAlone(const SystemConfig& scenario, const WorkPart& part) {
  constexpr std::uint32_t kMostTried = 64;
  SystemConfig alone = scenario;
  alone.data = DataMode::Elided;
  alone.simulated_gpus = GpuSimulation::Symmetric;
  if (alone.fabric.hasNodes()) alone.fabric = {};
  Made pair = sublayer(alone, part, 2);
  Made made = pair;
  for (std::uint32_t gpus = 3; std::holds_alternative<SystemConfig>(pair); ++gpus) {
    const auto* machine = std::get_if<SystemConfig>(&made);
    if (machine && machine->simulated_gpus == GpuSimulation::Symmetric) return made;
    if (gpus > kMostTried) break;
    made = sublayer(alone, part, gpus);
  }
  return pair;
}

/// What `visit` makes of the algorithm of a collective on a machine.
template <typename Visit>
auto withAlgorithm(const WorkPart& part, const SystemConfig& machine, Visit visit) {
  if (part.file.empty()) return visit(BuiltInCollective(*part.collective, machine).meaning());
  return visit(CollectiveFile(part.file).meaning());
}

/// For `bytes` in place of the part's own. One GPU stands for all if it can.
Made collectiveAlone(const SystemConfig& scenario, const WorkPart& part, std::uint64_t bytes) {
  SystemConfig made = machineOf(scenario, part.gpus);
  made.collective.bytes = bytes;
  made.setSmallestOutput();
  made.workload.depth = 1;
  const auto problemOf = [&]() -> std::optional<std::string> {
    if (auto problem = crossCheckSettings(bindSettings(made))) return problem;
    try {
      return withAlgorithm(part, made, [&](const AlgorithmMeaning& meaning) {
        return CollectivePlan::check(made, meaning, Mode::Sequential);
      });
    } catch (const AlgorithmError& error) {
      return error.what();
    }
  };
  auto problem = problemOf();
  if (problem && made.simulated_gpus == GpuSimulation::Symmetric) {
    made.simulated_gpus = GpuSimulation::Explicit;
    problem = problemOf();
  }
  if (problem) return *problem;
  return made;
}

Made scenarioOf(const WorkPart& part, const SystemConfig& scenario, std::uint64_t bytes) {
  switch (part.kind) {
    case PartKind::Pair:
      return sublayer(scenario, part, part.gpus);
    case PartKind::Gemm:
      return gemmAlone(scenario, part);
    case PartKind::Collective:
      return collectiveAlone(scenario, part, bytes);
  }
  return std::string();
}

}  // namespace

std::string WorkPart::text() const {
  std::string words;
  if (kind != PartKind::Collective) {
    words = "GEMM " + std::to_string(gemm.rows) + " x " + std::to_string(gemm.columns) + " x " +
            std::to_string(gemm.depth) + " of " + spelling(type);
  }
  if (kind == PartKind::Gemm) return words;
  words += kind == PartKind::Pair
               ? std::string(" and ") + collective->name
               : std::string(collective->name) + " of " + std::to_string(bytes) + " bytes";
  if (!file.empty()) words += " (" + file + ")";
  return words + ", " + std::to_string(gpus) + " GPUs";
}

GemmShape asStored(GemmShape gemm, OutputLayout layout) {
  if (layout == OutputLayout::LongerOuter && gemm.columns > gemm.rows) {
    std::swap(gemm.rows, gemm.columns);
  }
  return gemm;
}

bool padded(const GemmShape& gemm, DataType type, OutputLayout layout) {
  return asStored(gemm, layout).columns * bytesOf(type) % 32 != 0;
}

std::vector<std::uint64_t> sizesOf(const WorkPart& part, const SystemConfig& scenario) {
  const std::uint64_t most = scenario.trace.simulated_bytes;
  if (part.bytes <= most) return {part.bytes};
  return {most, most / 2};
}

std::optional<std::string> partProblem(const WorkPart& part, const SystemConfig& scenario) {
  const Made made =
      scenarioOf(part, scenario, std::min(part.bytes, scenario.trace.simulated_bytes));
  if (const auto* problem = std::get_if<std::string>(&made)) return *problem;
  return std::nullopt;
}

SystemConfig partScenario(const WorkPart& part, const SystemConfig& scenario, std::uint64_t bytes) {
  return std::get<SystemConfig>(scenarioOf(part, scenario, bytes));
}

std::uint32_t chunksOf(const WorkPart& part, const SystemConfig& machine) {
  return withAlgorithm(part, machine, [](const AlgorithmMeaning& meaning) {
    return meaning.form().algorithm().chunks;
  });
}

}  // namespace t3
